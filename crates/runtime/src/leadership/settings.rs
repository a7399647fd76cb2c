//! What the operator's author says of leadership, and what follows with the ConfigMap.

use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;
use std::time::Duration;

use kubewright_core::lease::{LeaderElection, LeaseSet, LeaseTiming, MOST_BUCKETS};
use kubewright_machinery::object::names::dns_1123_subdomain;

use crate::operator::Rule;

/// How the replicas of an operator share its work.
///
/// ```
/// # use kubewright_runtime::leadership::Leadership;
/// let leadership = Leadership::leases().buckets(3);
/// ```
#[derive(Clone, Debug)]
#[must_use = "give it to an operator with `.leadership(…)`"]
pub struct Leadership(Mode);

#[derive(Clone, Debug)]
enum Mode {
    Off,
    Leases(Leases),
}

/// Leadership by leases.
#[derive(Clone, Debug)]
pub(crate) struct Leases {
    is_per_controller: bool,
    name: Option<String>,
    replicas: Option<NonZeroUsize>,
    /// What counts where the ConfigMap says nothing.
    pub(crate) base: LeaderElection,
    /// The largest number of buckets that the ConfigMap may say.
    pub(crate) most: NonZeroU32,
    problems: Vec<String>,
}

impl Leadership {
    /// Replicas share the keys by leases in the namespace that the operator runs in: one bucket, 60 s lease duration, 40 s renew deadline,
    /// 10 s retry period. The ConfigMap `config-leader-election` can say otherwise. This is the default of an operator.
    pub fn leases() -> Self {
        Self(Mode::Leases(Leases {
            is_per_controller: false,
            name: None,
            replicas: None,
            base: LeaderElection::default(),
            most: MOST_BUCKETS,
            problems: Vec::new(),
        }))
    }

    /// Every replica leads all keys (LDR-3): for operators of which one process runs at most.
    pub fn off() -> Self {
        Self(Mode::Off)
    }

    /// With this number of buckets, at least 1: as many replicas can work at once. Default: 1. More than 10 raise the largest number that the
    /// ConfigMap may say.
    pub fn buckets(self, buckets: u32) -> Self {
        self.with(|leases| match NonZeroU32::new(buckets) {
            Some(buckets) => {
                leases.base.buckets = buckets;
                leases.most = leases.most.max(buckets);
            }
            None => leases.problems.push("the number of buckets of the leadership is 0; it must be at least 1".to_owned()),
        })
    }

    /// With an election for each controller in place of one for the whole operator (LDR-2): replicas may lead different controllers.
    pub fn per_controller(self) -> Self {
        self.with(|leases| leases.is_per_controller = true)
    }

    /// With one bucket whose lease has exactly this name, for instance that of an operator whose place this one takes (LDR-11).
    pub fn lease_name(self, name: impl Into<String>) -> Self {
        self.with(|leases| leases.name = Some(name.into()))
    }

    /// With leases whose prefix `from` is replaced by `to` (LDR-12). Letters of either case are the same.
    pub fn map_lease_prefix(self, from: &str, to: &str) -> Self {
        self.with(|leases| {
            if !leases.base.prefixes.insert(from, to) {
                leases
                    .problems
                    .push(format!("the lease prefix {from:?} is mapped twice, to different prefixes; remove one of them"));
            }
        })
    }

    /// With durations other than 60 s, 40 s and 10 s. `lease_duration > renew_deadline > 1.2 × retry_period > 0` must hold.
    pub fn timing(self, lease_duration: Duration, renew_deadline: Duration, retry_period: Duration) -> Self {
        self.with(|leases| match LeaseTiming::new(lease_duration, renew_deadline, retry_period) {
            Ok(timing) => leases.base.timing = timing,
            Err(error) => leases.problems.push(format!("the durations of the leadership: {error}")),
        })
    }

    /// With so many replicas among which buckets are balanced: each takes at most its share, unless a bucket stays free for two lease
    /// durations (LDR-35). By default a replica takes what it can get.
    pub fn replicas(self, replicas: usize) -> Self {
        self.with(|leases| match NonZeroUsize::new(replicas) {
            Some(replicas) => leases.replicas = Some(replicas),
            None => leases.problems.push("the number of replicas of the leadership is 0; it must be at least 1".to_owned()),
        })
    }

    fn with(mut self, change: impl FnOnce(&mut Leases)) -> Self {
        if let Mode::Leases(leases) = &mut self.0 {
            change(leases);
        }
        self
    }

    /// Leadership by leases, if it is.
    pub(crate) fn by_leases(&self) -> Option<&Leases> {
        match &self.0 {
            Mode::Leases(leases) => Some(leases),
            Mode::Off => None,
        }
    }
}

impl Default for Leadership {
    fn default() -> Self {
        Self::leases()
    }
}

impl Leases {
    /// What is wrong, as far as it can be told without the ConfigMap.
    pub(crate) fn problems(&self) -> Vec<String> {
        let mut problems = self.problems.clone();
        if let Some(name) = &self.name {
            let bad_name = dns_1123_subdomain(name);
            if let Some(problem) = bad_name.first() {
                problems.push(format!("the lease name {name:?} cannot be used: {problem}"));
            }
            if self.is_per_controller {
                problems
                    .push(format!("the lease name {name:?} is for one election; remove `.lease_name(…)` or `.per_controller()`"));
            }
            problems.extend(self.too_many(self.base.buckets).err());
        }
        problems
    }

    fn too_many(&self, buckets: NonZeroU32) -> Result<(), String> {
        match &self.name {
            Some(name) if buckets.get() > 1 => Err(format!(
                "the lease {name:?} is one bucket, and {buckets} are asked for; remove `.lease_name(…)`, or ask for 1"
            )),
            _ => Ok(()),
        }
    }

    /// The elections of an operator of which the ConfigMap says this.
    pub(crate) fn plan(&self, operator: &str, config: &LeaderElection) -> Result<Plan, String> {
        self.too_many(config.buckets)?;
        Ok(Plan {
            operator: operator.into(),
            is_per_controller: self.is_per_controller,
            name: self.name.as_deref().map(Into::into),
            replicas: self.replicas,
            config: config.clone(),
        })
    }
}

/// The elections of an operator.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) operator: Arc<str>,
    is_per_controller: bool,
    name: Option<Arc<str>>,
    pub(crate) replicas: Option<NonZeroUsize>,
    config: LeaderElection,
}

impl Plan {
    /// The leases among which the keys of a controller are divided.
    pub(crate) fn leases_of(&self, controller: &str) -> LeaseSet {
        let LeaderElection { buckets, prefixes, .. } = &self.config;
        match &self.name {
            Some(name) => LeaseSet::named(name),
            None if self.is_per_controller => {
                LeaseSet::of_controller(&self.operator, controller, self.config.buckets_of(controller), prefixes)
            }
            None => LeaseSet::of_operator(&self.operator, *buckets, prefixes),
        }
    }

    /// The durations of all leases.
    pub(crate) fn timing(&self) -> LeaseTiming {
        self.config.timing
    }
}

/// The permission to share work by leases.
pub(crate) fn lease_rule() -> Rule {
    Rule::new("coordination.k8s.io", "leases", &["create", "delete", "get", "list", "update", "watch"])
}
