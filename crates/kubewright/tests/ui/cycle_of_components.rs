//! Components that depend on each other in a cycle (EDGE-2, DEP-11).

#[macro_use]
mod platform;

use kubewright::contract::NoPart;
use kubewright::prelude::*;
use platform::*;

contract! {
    owner = Platform;
    ApiServer {}
    Authentication { needs: [ApiServer, Landscaper] }
    Landscaper { needs: [ApiServer], outlived_by: [Authentication] }
}

component!(ApiServer, ApiServerSpec, Address, Credentials);
component!(Authentication, AuthenticationSpec, NoPart, NoPart);
component!(Landscaper, LandscaperSpec, NoPart, NoPart);

fn main() {}
