//! A component controller writes the spec of its component or of a dependency (CT-3, MUST-01).

#[macro_use]
mod platform;

use kubewright::contract::NoPart;
use kubewright::prelude::*;
use platform::*;

contract! {
    owner = Platform;
    Landscaper {}
    Authentication { needs: [Landscaper] }
}

component!(Authentication, AuthenticationSpec, NoPart, NoPart);
component!(Landscaper, LandscaperSpec, NoPart, NoPart);

fn own(cx: &ApplyContext<Landscaper>) {
    cx.component().spec.size = 3;
}

fn of_a_dependency(deps: &Ready<Authentication>) {
    deps.get::<Landscaper>().spec.size = 3;
}

fn main() {}
