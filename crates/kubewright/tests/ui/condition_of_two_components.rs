//! A condition type that two components declare, and one that the framework sets (CT-2, COND-08).

#[macro_use]
mod platform;

use kubewright::contract::NoPart;
use kubewright::prelude::*;
use platform::*;

contract! {
    owner = Platform;
    ApiServer {}
    Authentication { needs: [ApiServer] }
    Landscaper {}
}

component!(ApiServer, ApiServerSpec, Address, Credentials, "Reachable");
component!(Authentication, AuthenticationSpec, NoPart, NoPart, "Issuing", "Reachable");
component!(Landscaper, LandscaperSpec, NoPart, NoPart, "LandscaperHealthy");

fn main() {}
