use std::time::Duration;

use kubewright_core::manifest::{DEFAULT_REAPPLY_INTERVAL, Policies, PolicySettings};

use super::{Interval, ManagedType};

/// The requeue interval where neither spec nor anything else names one.
const REQUEUE_INTERVAL: Duration = Duration::from_secs(600);

/// What a component's spec says to the framework. Nothing set means the operator's option, then the default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// The namespace for dependents that name none.
    pub namespace: Option<String>,
    /// The name under which the component is deployed.
    pub name: Option<String>,
    /// Stops applying; deletion goes on.
    pub suspend: bool,
    /// The safety-net pass after a successful one. Default: 10 min.
    pub requeue_interval: Option<Interval>,
    /// The delay after a wait that names none. Default: the requeue interval.
    pub retry_interval: Option<Interval>,
    /// How long processing may take. Default: the requeue interval.
    pub timeout: Option<Interval>,
    /// Defaults for the dependents.
    pub policies: PolicySettings,
    /// Types whose instances the component manages although no dependent declares them.
    pub additional_managed_types: Vec<ManagedType>,
    /// After how long dependents are applied again. Default: 60 min.
    pub reapply_interval: Option<Interval>,
}

/// A setting that the schema cannot exclude, and that cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid value for {field}: {found:?} (allowed: {allowed})")]
pub struct InvalidSetting {
    field: &'static str,
    found: String,
    allowed: &'static str,
}

/// What an operator sets for all its components.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OperatorDefaults {
    pub(crate) policies: PolicySettings,
    pub(crate) reapply_interval: Option<Interval>,
}

/// Settings with every gap filled: what a pass works with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Effective {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) suspend: bool,
    pub(crate) requeue_interval: Duration,
    pub(crate) retry_interval: Duration,
    pub(crate) timeout: Duration,
    pub(crate) policies: Policies,
    pub(crate) additional_managed_types: Vec<ManagedType>,
}

impl OperatorDefaults {
    /// The options, checked.
    pub(crate) fn check(&self) -> Result<(), InvalidSetting> {
        self.reapply_interval.map_or(Ok(()), |interval| positive("reapply_interval", interval).map(drop))
    }
}

impl Effective {
    /// Object settings win over operator options, and these over the defaults (COM-7).
    pub(crate) fn of(
        settings: &Settings,
        defaults: &OperatorDefaults,
        (namespace, name): (&str, &str),
    ) -> Result<Self, InvalidSetting> {
        let reapply_interval = match (settings.reapply_interval, defaults.reapply_interval) {
            (Some(interval), _) => positive("spec.reapplyInterval", interval)?,
            (None, Some(interval)) => positive("reapply_interval", interval)?,
            (None, None) => DEFAULT_REAPPLY_INTERVAL,
        };
        let operator = defaults.policies.over(&Policies::default());
        let policies = Policies { reapply_interval, ..settings.policies.over(&operator) };
        let given = |interval: Option<Interval>| interval.and_then(Interval::non_zero);
        let requeue_interval = given(settings.requeue_interval).unwrap_or(REQUEUE_INTERVAL);
        Ok(Self {
            namespace: settings.namespace.clone().unwrap_or_else(|| namespace.to_owned()),
            name: settings.name.clone().unwrap_or_else(|| name.to_owned()),
            suspend: settings.suspend,
            requeue_interval,
            retry_interval: given(settings.retry_interval).unwrap_or(requeue_interval),
            timeout: given(settings.timeout).unwrap_or(requeue_interval),
            policies,
            additional_managed_types: settings.additional_managed_types.clone(),
        })
    }
}

fn positive(field: &'static str, interval: Interval) -> Result<Duration, InvalidSetting> {
    interval.non_zero().ok_or_else(|| InvalidSetting {
        field,
        found: interval.to_string(),
        allowed: "a duration greater than zero",
    })
}
