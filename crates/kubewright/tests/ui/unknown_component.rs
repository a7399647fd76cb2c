//! Edges to a component that the contract does not list, to the component itself, and twice to one, and a component that is listed twice
//! (EDGE-1, EDGE-2, CT-2, DEP-11).

#[macro_use]
mod platform;

use kubewright::contract::NoPart;
use kubewright::prelude::*;
use platform::*;

contract! {
    owner = Platform;
    ApiServer {}
    Authentication { needs: [ApiServr] }
    Landscaper { needs: [Landscaper, ApiServer], outlived_by: [Authorization, ApiServer] }
    ApiServer { keep_running }
}

component!(ApiServer, ApiServerSpec, Address, Credentials);
component!(Authentication, AuthenticationSpec, NoPart, NoPart);
component!(Landscaper, LandscaperSpec, NoPart, NoPart);

fn main() {}
