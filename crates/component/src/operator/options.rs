use std::time::Duration;

use kubewright_core::manifest::PolicySettings;

use crate::defaults::{PARALLEL_PASSES, PARALLEL_REQUESTS, PASS_LIMIT};
use crate::events::DependentEvents;
use crate::settings::{Interval, OperatorDefaults};

/// The options of the builder of a component operator.
#[derive(Clone, Debug)]
pub(crate) struct EngineOptions {
    /// The name of the component type (OPT-1a). Default: the operator's name.
    pub(crate) name: Option<String>,
    /// The manager of the fields that the operator writes on dependents. Default: the name.
    pub(crate) field_manager: Option<String>,
    /// The finalizer on components. Default: the name.
    pub(crate) finalizer: Option<String>,
    pub(crate) policies: PolicySettings,
    pub(crate) reapply_interval: Option<Duration>,
    pub(crate) reclaimed_managers: Vec<String>,
    /// The group and plural of the types that the generator renders.
    pub(crate) dependent_types: Vec<(String, String)>,
    /// The group and plural of managed types of which the generator renders no instance.
    pub(crate) managed_types: Vec<(String, String)>,
    /// The resource and name of the identities that specs may name for the writes of dependents.
    pub(crate) impersonates: Vec<(String, String)>,
    /// The plurals of roles that are rendered with rights that the operator does not hold.
    pub(crate) escalates: Vec<String>,
    /// The group and plural of the types that the generator looks up.
    pub(crate) lookup_types: Vec<(String, String)>,
    /// The permissions that hooks need, as (group, resource, verbs).
    pub(crate) hook_permissions: Vec<(String, String, Vec<String>)>,
    pub(crate) parallel_requests: usize,
    pub(crate) parallel_passes: usize,
    /// The time after which a pass is cancelled.
    pub(crate) pass_limit: Duration,
    pub(crate) dependent_events: DependentEvents,
    /// The service account, in the namespace of each component, with whose identity dependents are written.
    pub(crate) default_service_account: Option<String>,
    /// True if kubeconfigs may start programs that get credentials.
    pub(crate) allow_exec_credentials: bool,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            name: None,
            field_manager: None,
            finalizer: None,
            policies: PolicySettings::default(),
            reapply_interval: None,
            reclaimed_managers: vec!["kubectl*".to_owned()],
            dependent_types: Vec::new(),
            managed_types: Vec::new(),
            impersonates: Vec::new(),
            escalates: Vec::new(),
            lookup_types: Vec::new(),
            hook_permissions: Vec::new(),
            parallel_requests: PARALLEL_REQUESTS,
            parallel_passes: PARALLEL_PASSES,
            pass_limit: PASS_LIMIT,
            dependent_events: DependentEvents::default(),
            default_service_account: None,
            allow_exec_credentials: false,
        }
    }
}

impl EngineOptions {
    pub(crate) fn defaults(&self) -> OperatorDefaults {
        OperatorDefaults {
            policies: self.policies.clone(),
            reapply_interval: self.reapply_interval.map(Interval::from),
            service_account: self.default_service_account.clone(),
        }
    }
}
