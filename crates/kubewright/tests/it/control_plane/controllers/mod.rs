//! The controllers of the five components, each with its special behaviour (flow-and-contract.md, 17.1).

mod api_server;
mod authentication;
mod authorization;
mod cloud_orchestrator;
mod landscaper;

use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::api::rbac::v1::RoleBinding;
use kubewright::contract::ContractExt as _;
use kubewright::core::filter::has_label;
use kubewright::prelude::*;

use self::api_server::ApiServers;
use self::authentication::Authentications;
use self::authorization::Authorizations;
use self::cloud_orchestrator::CloudOrchestrators;
use self::landscaper::Landscapers;
use super::external::{OWNER_NAME, OWNER_NAMESPACE, REMOTE, SYSTEM};
use super::kinds::ControlPlanes;

/// The polling of external systems, which is faster in tests that cannot wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Polling {
    /// The interval at which pending access and deployments are checked.
    pub(super) interval: Delay,
    /// The share of a credential's validity after which it is renewed, in percent.
    pub(super) renewal: u32,
}

impl Default for Polling {
    fn default() -> Self {
        Self { interval: Delay::secs::<30>(), renewal: 85 }
    }
}

/// Returns an operator with all five controllers.
pub(super) fn operator(polling: Polling) -> Operator {
    let operator: Operator = Operator::new("components.platform.example.dev").state(polling);
    components(operator)
}

/// Adds the five controllers.
pub(super) fn components(operator: impl Into<Operator>) -> Operator {
    let operator = operator.into().component_controller(ApiServers::new);
    let operator = operator.component_controller(Authentications::new);
    let operator = operator.component_controller(Authorizations::new).watches(|triggers| {
        drop(triggers.watch::<RoleBinding>().by_label(OWNER_NAME, Some(OWNER_NAMESPACE)));
    });
    let operator = operator.component_controller(Landscapers::new);
    let operator = operator.component_controller(CloudOrchestrators::new).watches(|triggers| {
        let of_remote = has_label(SYSTEM, Some(REMOTE));
        drop(triggers.watch::<ConfigMap>().by_label(OWNER_NAME, Some(OWNER_NAMESPACE)).filter(of_remote));
    });
    operator.into()
}

/// Returns an operator with the owner and all five controllers.
pub(super) fn platform(polling: Polling) -> Operator {
    let operator: Operator = Operator::new("platform.platform.example.dev").state(polling);
    components(operator.contract_owner::<ControlPlanes>())
}
