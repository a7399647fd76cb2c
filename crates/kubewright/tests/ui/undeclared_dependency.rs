//! A component controller asks for a component to which no edge is declared, or for one ready that it does not need (EDGE-4, DEP-17).

#[macro_use]
mod platform;

use kubewright::contract::NoPart;
use kubewright::prelude::*;
use platform::*;

contract! {
    owner = Platform;
    ApiServer {}
    Authentication { needs: [ApiServer] }
    Landscaper { needs: [ApiServer], outlived_by: [Authentication] }
}

component!(ApiServer, ApiServerSpec, Address, Credentials);
component!(Authentication, AuthenticationSpec, NoPart, NoPart);
component!(Landscaper, LandscaperSpec, NoPart, NoPart);

fn is_declared(ready: &Ready<Landscaper>, maybe: &Maybe<Landscaper>) {
    ready.get::<ApiServer>();
    maybe.get::<ApiServer>();
    maybe.get::<Authentication>();
}

fn is_not_needed(ready: &Ready<Landscaper>) {
    ready.get::<Authentication>();
}

fn is_no_dependency(ready: &Ready<Authentication>, maybe: &Maybe<Authentication>) {
    ready.get::<Landscaper>();
    maybe.get::<Landscaper>();
}

fn main() {}
