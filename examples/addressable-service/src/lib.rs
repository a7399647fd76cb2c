//! Hand-written reconcilers: [`AddressableServices`] reports the address of a Service, [`SimpleDeployments`] keeps a number of pods.

mod addressable_service;
mod simple_deployment;

pub use addressable_service::{
    AddressableService, AddressableServiceSpec, AddressableServiceStatus, AddressableServices, Addressing,
};
use kubewright::prelude::*;
pub use simple_deployment::{SimpleDeployment, SimpleDeploymentSpec, SimpleDeploymentStatus, SimpleDeployments};

/// Returns the operator with both controllers.
pub fn operator() -> Operator {
    Operator::new("samples-controller")
        .sample(include_str!("../sample.yaml"))
        .controller(AddressableServices::new)
        .permissions("", "services", &["patch"])
        .controller(SimpleDeployments::new)
        .permissions("", "pods", &["create", "delete"])
        .into()
}
