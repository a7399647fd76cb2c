//! A publication reaches the private part of a component's status (CT-5, MUST-04).

#[macro_use]
mod platform;

use kubewright::contract::NoPart;
use kubewright::prelude::*;
use platform::*;

contract! {
    owner = Platform;
    ApiServer {}
    Landscaper {}
}

impl ContractComponent for ApiServer {
    type Spec = ApiServerSpec;
    type External = Address;
    type Private = Credentials;

    fn configured(_: &Platform) -> bool {
        true
    }

    fn convert(_: &Platform, _: Option<&InternalOf<Self>>) -> Result<ApiServerSpec, Failure> {
        Ok(ApiServerSpec::default())
    }

    fn publish(external: Address, published: &mut Published) {
        published.endpoint = external.kubeconfig;
    }
}

impl ContractComponent for Landscaper {
    type Spec = LandscaperSpec;
    type External = NoPart;
    type Private = Credentials;

    fn configured(_: &Platform) -> bool {
        true
    }

    fn convert(_: &Platform, _: Option<&InternalOf<Self>>) -> Result<LandscaperSpec, Failure> {
        Ok(LandscaperSpec::default())
    }

    fn publish(private: Credentials, published: &mut Published) {
        published.endpoint = private.kubeconfig;
    }
}

fn main() {}
