use std::time::Duration;

use kubewright_core::manifest::PolicySettings;

use crate::settings::{Interval, OperatorDefaults};

/// Which events on dependents are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DependentEvents {
    /// None. The component itself still gets its events.
    None,
    /// Failed writes and deletions.
    #[default]
    Warnings,
    /// Every write and deletion too. Doubles the requests of an install.
    All,
}

/// What the builder of a component operator can set.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The manager of the fields that the operator writes on dependents. Default: the operator's name.
    pub(crate) field_manager: Option<String>,
    /// The finalizer on components. Default: the operator's name.
    pub(crate) finalizer: Option<String>,
    pub(crate) policies: PolicySettings,
    pub(crate) reapply_interval: Option<Duration>,
    pub(crate) reclaimed_managers: Vec<String>,
    /// Group and plural of what the generator renders.
    pub(crate) dependent_types: Vec<(String, String)>,
    pub(crate) parallel_requests: usize,
    pub(crate) parallel_passes: usize,
    pub(crate) dependent_events: DependentEvents,
    /// A service account in the namespace of each component, in whose name dependents are written.
    pub(crate) default_service_account: Option<String>,
    /// Whether kubeconfigs may start programs that get credentials.
    pub(crate) allow_exec_credentials: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            field_manager: None,
            finalizer: None,
            policies: PolicySettings::default(),
            reapply_interval: None,
            reclaimed_managers: vec!["kubectl*".to_owned()],
            dependent_types: Vec::new(),
            parallel_requests: 16,
            parallel_passes: 16,
            dependent_events: DependentEvents::default(),
            default_service_account: None,
            allow_exec_credentials: false,
        }
    }
}

impl Options {
    pub(crate) fn defaults(&self) -> OperatorDefaults {
        OperatorDefaults {
            policies: self.policies.clone(),
            reapply_interval: self.reapply_interval.map(Interval::from),
            service_account: self.default_service_account.clone(),
        }
    }
}
