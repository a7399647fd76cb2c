use std::time::Duration;

use kubewright_core::defaults::REAPPLY_INTERVAL;
use kubewright_core::manifest::{DependentPolicies, PolicySettings};
use kubewright_core::reference::SecretKeyRef;
use kubewright_runtime::cluster::ImpersonatedIdentity;

use super::{Interval, ManagedType};
use crate::defaults::REQUEUE_INTERVAL;

/// The settings in a component's spec. If a setting is absent, the operator's option applies, then the default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// The namespace for dependents that name none.
    pub namespace: Option<String>,
    /// The name under which the component is deployed.
    pub name: Option<String>,
    /// True if applying is suspended. Deletion continues.
    pub suspend: bool,
    /// The interval of the periodic pass after a successful one, which covers missed events. Default: 10 min.
    pub requeue_interval: Option<Interval>,
    /// The delay after a wait that names none. Default: the requeue interval.
    pub retry_interval: Option<Interval>,
    /// The time that processing may take. Default: the requeue interval.
    pub timeout: Option<Interval>,
    /// The default policies of the dependents.
    pub policies: PolicySettings,
    /// Types whose instances the component manages although no dependent declares them.
    pub additional_managed_types: Vec<ManagedType>,
    /// The interval after which dependents are applied again. Default: 60 min.
    pub reapply_interval: Option<Interval>,
    /// The key of a secret with the kubeconfig of the dependents' cluster. It must also be among the component's references, which a `Target` in
    /// the spec ensures. Default: the cluster of the component.
    pub kube_config: Option<SecretKeyRef>,
    /// The user with whose identity dependents are written. `system:serviceaccount::<name>` is a service account in the component's namespace.
    /// Default: the operator's default service account, or the operator itself.
    pub user: Option<String>,
    /// The groups of that user.
    pub groups: Vec<String>,
}

/// A setting that cannot be used, although the schema accepts it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid value for {field}: {found:?} (allowed: {allowed})")]
pub struct InvalidSetting {
    field: &'static str,
    found: String,
    allowed: &'static str,
}

/// The settings of an operator for all its components.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OperatorDefaults {
    pub(crate) policies: PolicySettings,
    pub(crate) reapply_interval: Option<Interval>,
    /// The name of a service account in the namespace of each component.
    pub(crate) service_account: Option<String>,
}

/// The settings of a pass, with defaults for all absent ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Effective {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) suspend: bool,
    pub(crate) requeue_interval: Duration,
    pub(crate) retry_interval: Duration,
    pub(crate) timeout: Duration,
    pub(crate) policies: DependentPolicies,
    pub(crate) additional_managed_types: Vec<ManagedType>,
    pub(crate) kube_config: Option<SecretKeyRef>,
    pub(crate) impersonation: Option<ImpersonatedIdentity>,
}

impl OperatorDefaults {
    /// Checks the options.
    pub(crate) fn check(&self) -> Result<(), InvalidSetting> {
        self.reapply_interval.map_or(Ok(()), |interval| positive("reapply_interval", interval).map(drop))
    }
}

impl Effective {
    /// Computes the effective settings. Settings of the object take precedence over operator options, and these over the defaults (COM-7).
    pub(crate) fn of(
        settings: &Settings,
        defaults: &OperatorDefaults,
        (namespace, name): (&str, &str),
    ) -> Result<Self, InvalidSetting> {
        let reapply_interval = match (settings.reapply_interval, defaults.reapply_interval) {
            (Some(interval), _) => positive("spec.reapplyInterval", interval)?,
            (None, Some(interval)) => positive("reapply_interval", interval)?,
            (None, None) => REAPPLY_INTERVAL,
        };
        let operator = defaults.policies.over(&DependentPolicies::default());
        let policies = DependentPolicies { reapply_interval, ..settings.policies.over(&operator) };
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
            kube_config: settings.kube_config.clone(),
            impersonation: impersonation(settings, defaults, namespace),
        })
    }
}

/// Returns the identity with which dependents in the component's cluster are written (TGT-1).
fn impersonation(settings: &Settings, defaults: &OperatorDefaults, namespace: &str) -> Option<ImpersonatedIdentity> {
    const OWN_NAMESPACE: &str = "system:serviceaccount::";
    let user = settings.user.as_deref().filter(|user| !user.is_empty());
    if user.is_none() && settings.groups.is_empty() {
        let account = defaults.service_account.as_deref().filter(|account| !account.is_empty())?;
        return Some(ImpersonatedIdentity::service_account(namespace, account));
    }
    let user = user.unwrap_or_default();
    let mut who = match user.strip_prefix(OWN_NAMESPACE) {
        Some(account) => ImpersonatedIdentity::service_account(namespace, account),
        None => ImpersonatedIdentity::user(user),
    };
    who.groups.clone_from(&settings.groups);
    Some(who)
}

fn positive(field: &'static str, interval: Interval) -> Result<Duration, InvalidSetting> {
    interval.non_zero().ok_or_else(|| InvalidSetting {
        field,
        found: interval.to_string(),
        allowed: "a duration greater than zero",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn who(user: &str, groups: &[&str], account: Option<&str>) -> Option<ImpersonatedIdentity> {
        let settings = Settings {
            user: (!user.is_empty()).then(|| user.to_owned()),
            groups: groups.iter().map(ToString::to_string).collect(),
            ..Settings::default()
        };
        let defaults = OperatorDefaults { service_account: account.map(str::to_owned), ..OperatorDefaults::default() };
        Effective::of(&settings, &defaults, ("ns", "demo")).unwrap().impersonation
    }

    // TGT-1
    #[test]
    fn dependents_are_written_in_the_name_that_is_set_or_of_the_default_service_account() {
        assert_eq!(who("", &[], None), None);
        assert_eq!(who("", &[], Some("deployer")), Some(ImpersonatedIdentity::service_account("ns", "deployer")));
        assert_eq!(who("alice", &[], Some("deployer")), Some(ImpersonatedIdentity::user("alice")));
        assert_eq!(who("system:serviceaccount::sa", &[], None), Some(ImpersonatedIdentity::service_account("ns", "sa")));
        let grouped = ImpersonatedIdentity { user: "alice".to_owned(), groups: vec!["dev".to_owned()] };
        assert_eq!(who("alice", &["dev"], None), Some(grouped));
    }
}
