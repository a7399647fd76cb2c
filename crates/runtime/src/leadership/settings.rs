//! The author's settings of leadership, and the plan that follows from them and the ConfigMap.

use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;
use std::time::Duration;

use kubewright_core::hash::choose;
use kubewright_core::lease::{
    LeaderElection, LeaseSet, LeaseTiming, MOST_BUCKETS, OrdinalBuckets, OrdinalErrors, OrdinalReplica,
};
use kubewright_machinery::object::names::dns_1123_subdomain;

use crate::permission::Rule;

/// The way in which the replicas of an operator share its work.
///
/// ```
/// # use kubewright_runtime::leadership::Leadership;
/// let leadership = Leadership::leases().buckets(3);
/// ```
#[derive(Clone, Debug)]
#[must_use = "give it to an operator with `.leadership(…)`"]
pub struct Leadership(
    /// None if every replica leads all keys.
    Option<Box<Sharing>>,
);

/// The settings of replicas that share the work.
#[derive(Clone, Debug)]
pub(crate) struct Sharing {
    /// True if each controller has an election of its own; None if the author leaves that open.
    is_per_controller: Option<bool>,
    name: Option<String>,
    /// None if the work is shared by leases; otherwise this replica, or the errors of the variables that should name it.
    ordinal: Option<Result<OrdinalReplica, OrdinalErrors>>,
    pub(super) replicas: Option<NonZeroUsize>,
    /// The values of keys that the ConfigMap lacks.
    pub(crate) base: LeaderElection,
    /// The largest number of buckets that the ConfigMap may set.
    pub(crate) most: NonZeroU32,
    problems: Vec<String>,
}

impl Leadership {
    /// Shares the keys by leases in the namespace in which the operator runs: one bucket, 60 s lease duration, 40 s renew deadline, 10 s retry period. The
    /// ConfigMap `config-leader-election` can override these values. This is the default of an operator.
    pub fn leases() -> Self {
        Self::shared(None)
    }

    /// Gives each replica of a StatefulSet the bucket of its own number, without leases (LDR-40): for operators whose keys a router sends to the replica that
    /// leads them. There are as many buckets as replicas; the number comes from [`buckets`](Self::buckets) or the ConfigMap. The names of buckets are
    /// addresses of pods (LDR-41).
    pub fn ordinal(replica: OrdinalReplica) -> Self {
        Self::shared(Some(Ok(replica)))
    }

    /// Gives each replica its bucket as in [`ordinal`](Self::ordinal), from the variables `STATEFUL_CONTROLLER_ORDINAL` (the name of the pod),
    /// `STATEFUL_SERVICE_NAME`, `STATEFUL_SERVICE_PORT` (80 by default) and `STATEFUL_SERVICE_PROTOCOL` (`http` by default). Errors of the variables are
    /// reported when the operator starts.
    pub fn ordinal_from_env() -> Self {
        Self::shared(Some(OrdinalReplica::from_env(|name| std::env::var(name).ok())))
    }

    fn shared(ordinal: Option<Result<OrdinalReplica, OrdinalErrors>>) -> Self {
        Self(Some(Box::new(Sharing {
            is_per_controller: None,
            name: None,
            ordinal,
            replicas: None,
            base: LeaderElection::default(),
            most: MOST_BUCKETS,
            problems: Vec::new(),
        })))
    }

    /// Makes every replica lead all keys (LDR-3): for operators of which at most one process runs.
    pub fn off() -> Self {
        Self(None)
    }

    /// Sets the number of buckets, at least 1, which is the number of replicas that can work at once. Default: 1. A number above 10 also raises the largest
    /// number that the ConfigMap may set.
    pub fn buckets(self, buckets: u32) -> Self {
        self.with(|sharing| match NonZeroU32::new(buckets) {
            Some(buckets) => {
                sharing.base.buckets = buckets;
                sharing.most = sharing.most.max(buckets);
            }
            None => sharing.problems.push("the number of buckets of the leadership is 0; it must be at least 1".to_owned()),
        })
    }

    /// Holds an election for each controller instead of one for the whole operator (LDR-2), so that replicas may lead different controllers.
    pub fn per_controller(self) -> Self {
        self.with(|sharing| sharing.is_per_controller = Some(true))
    }

    /// Holds one election for the whole operator, even if the formats of the operator require one for each controller ([`Compat`](crate::operator::Compat)).
    /// This is the default of an operator without such formats.
    pub fn per_operator(self) -> Self {
        self.with(|sharing| sharing.is_per_controller = Some(false))
    }

    /// Holds an election for each controller, unless the author chose another division or a lease name.
    pub(crate) fn per_controller_by_default(self) -> Self {
        self.with(|sharing| {
            let is_open = sharing.is_per_controller.is_none() && sharing.name.is_none() && sharing.ordinal.is_none();
            if is_open {
                sharing.is_per_controller = Some(true);
            }
        })
    }

    /// Uses one bucket whose lease has exactly this name, for instance that of an operator that this one replaces (LDR-11).
    pub fn lease_name(self, name: impl Into<String>) -> Self {
        self.with(|sharing| sharing.name = Some(name.into()))
    }

    /// Replaces the prefix `from` of lease names by `to` (LDR-12). The case of letters is ignored.
    pub fn map_lease_prefix(self, from: &str, to: &str) -> Self {
        self.with(|sharing| {
            if !sharing.base.prefixes.insert(from, to) {
                sharing
                    .problems
                    .push(format!("the lease prefix {from:?} is mapped twice, to different prefixes; remove one of them"));
            }
        })
    }

    /// Sets the durations, instead of 60 s, 40 s and 10 s. `lease_duration > renew_deadline > 1.2 × retry_period > 0` must hold.
    pub fn timing(self, lease_duration: Duration, renew_deadline: Duration, retry_period: Duration) -> Self {
        self.with(|sharing| match LeaseTiming::new(lease_duration, renew_deadline, retry_period) {
            Ok(timing) => sharing.base.timing = timing,
            Err(error) => sharing.problems.push(format!("the durations of the leadership: {error}")),
        })
    }

    /// Sets the number of replicas among which buckets are balanced: each takes at most its share, unless a bucket stays free for two lease durations
    /// (LDR-35). By default a replica takes all buckets that it can get. With [ordinal](Self::ordinal) leadership this is the number of replicas of the
    /// StatefulSet, which otherwise is read when the operator starts.
    pub fn replicas(self, replicas: usize) -> Self {
        self.with(|sharing| match NonZeroUsize::new(replicas) {
            Some(replicas) => sharing.replicas = Some(replicas),
            None => sharing.problems.push("the number of replicas of the leadership is 0; it must be at least 1".to_owned()),
        })
    }

    fn with(mut self, change: impl FnOnce(&mut Sharing)) -> Self {
        if let Some(sharing) = &mut self.0 {
            change(sharing);
        }
        self
    }

    /// Returns the settings of sharing, or None if the replicas do not share the work.
    pub(crate) fn sharing(&self) -> Option<&Sharing> {
        self.0.as_deref()
    }
}

impl Default for Leadership {
    fn default() -> Self {
        Self::leases()
    }
}

impl Sharing {
    /// Returns the problems that can be found without the ConfigMap.
    pub(crate) fn problems(&self) -> Vec<String> {
        let mut problems = self.problems.clone();
        if let Some(Err(errors)) = &self.ordinal {
            problems.extend(errors.errors().iter().map(|error| format!("ordinal leadership: {error}")));
        }
        if self.ordinal.is_some() && (self.is_per_controller() || self.name.is_some()) {
            problems.push("ordinal leadership has no leases; remove `.per_controller()` and `.lease_name(…)`".to_owned());
        }
        if let Some(name) = &self.name {
            let bad_name = dns_1123_subdomain(name);
            if let Some(problem) = bad_name.first() {
                problems.push(format!("the lease name {name:?} cannot be used: {problem}"));
            }
            if self.is_per_controller() {
                problems
                    .push(format!("the lease name {name:?} is for one election; remove `.lease_name(…)` or `.per_controller()`"));
            }
            problems.extend(self.too_many(self.base.buckets).err());
        }
        problems
    }

    fn is_per_controller(&self) -> bool {
        self.is_per_controller == Some(true)
    }

    fn too_many(&self, buckets: NonZeroU32) -> Result<(), String> {
        match &self.name {
            Some(name) if buckets.get() > 1 => Err(format!(
                "the lease {name:?} is one bucket, and {buckets} are asked for; remove `.lease_name(…)`, or ask for 1"
            )),
            _ => Ok(()),
        }
    }

    /// Returns true if the single lease has an explicit name.
    pub(crate) fn is_named(&self) -> bool {
        self.name.is_some()
    }

    /// Returns true if leases are used.
    pub(crate) fn has_leases(&self) -> bool {
        self.ordinal.is_none()
    }

    /// Returns the StatefulSet whose number of replicas must be read.
    pub(crate) fn unknown_stateful_set(&self) -> Option<&str> {
        let replica = self.ordinal.as_ref()?.as_ref().ok()?;
        self.replicas.is_none().then(|| replica.stateful_set())
    }

    /// Returns the division of the work with these values of the ConfigMap; `replicas` is the number of replicas of the StatefulSet, if it had to be read.
    pub(crate) fn plan(
        &self,
        identity: &OperatorIdentity<'_>,
        config: &LeaderElection,
        replicas: Option<u32>,
    ) -> Result<ElectionPlan, String> {
        self.too_many(config.buckets)?;
        let division = match (&self.ordinal, &self.name) {
            (Some(ordinal), _) => {
                let replica = ordinal.as_ref().map_err(ToString::to_string)?;
                let replicas = self.replicas.and_then(|replicas| u32::try_from(replicas.get()).ok()).or(replicas);
                let buckets =
                    replica.buckets(identity.namespace, identity.cluster_domain, config.buckets, replicas.unwrap_or_default());
                Division::Ordinal(buckets.map_err(|errors| errors.to_string().replace('\n', "; "))?)
            }
            (None, Some(name)) => Division::OneLease(name.as_str().into()),
            (None, None) if self.is_per_controller() => Division::Controllers,
            (None, None) => Division::Operator,
        };
        let parts = identity.parts.iter().map(|part| part.as_str().into()).collect();
        Ok(ElectionPlan { operator: identity.operator.into(), parts, division, replicas: self.replicas, config: config.clone() })
    }
}

/// The identity and location of an operator.
pub(crate) struct OperatorIdentity<'a> {
    pub(crate) operator: &'a str,
    /// The names of its controllers and tasks.
    pub(crate) parts: &'a [String],
    pub(crate) namespace: &'a str,
    pub(crate) cluster_domain: &'a str,
}

/// The elections of an operator.
#[derive(Clone, Debug)]
pub(crate) struct ElectionPlan {
    pub(crate) operator: Arc<str>,
    /// The names of controllers and tasks.
    parts: Vec<Arc<str>>,
    division: Division,
    pub(crate) replicas: Option<NonZeroUsize>,
    config: LeaderElection,
}

/// The buckets into which keys are divided.
#[derive(Clone, Debug)]
enum Division {
    /// One set of leases for the operator.
    Operator,
    /// One set of leases for each controller.
    Controllers,
    /// A single lease.
    OneLease(Arc<str>),
    /// One bucket for each replica of a StatefulSet.
    Ordinal(OrdinalBuckets),
}

impl ElectionPlan {
    /// Returns the leases among which the keys of a controller are divided; None with ordinal leadership.
    pub(crate) fn leases_of(&self, controller: &str) -> Option<LeaseSet> {
        let LeaderElection { buckets, prefixes, .. } = &self.config;
        match &self.division {
            Division::Operator => {
                let others = self.parts.iter().map(|part| self.leases_of_one(part, NonZeroU32::MIN));
                Some(LeaseSet::of_operator(&self.operator, *buckets, prefixes).beside(others))
            }
            Division::Controllers => Some(self.leases_of_one(controller, self.config.buckets_of(controller))),
            Division::OneLease(name) => Some(LeaseSet::named(name)),
            Division::Ordinal(_) => None,
        }
    }

    /// Returns the set of leases to one of which a leader task belongs; None with ordinal leadership. If each controller has an election of its own, so has
    /// each task: a single lease, whatever the number of buckets.
    pub(crate) fn leases_of_task(&self, task: &str) -> Option<LeaseSet> {
        match &self.division {
            Division::Controllers => Some(self.leases_of_one(task, NonZeroU32::MIN)),
            _ => self.leases_of(task),
        }
    }

    /// Returns the leases of one controller or task alone.
    fn leases_of_one(&self, part: &str, buckets: NonZeroU32) -> LeaseSet {
        let LeaderElection { buckets: of_all, prefixes, .. } = &self.config;
        let others = [LeaseSet::of_operator(&self.operator, *of_all, prefixes)];
        LeaseSet::of_controller(&self.operator, part, buckets, prefixes).beside(others)
    }

    /// Returns the bucket to which a leader task belongs. The hash of its name chooses it, so that tasks are spread over the buckets.
    pub(crate) fn bucket_of_task(&self, task: &str) -> Arc<str> {
        let names = match (self.leases_of_task(task), self.ordinal()) {
            (Some(leases), _) => leases.names().to_vec(),
            (None, ordinal) => ordinal.map(|buckets| buckets.names().to_vec()).unwrap_or_default(),
        };
        let chosen = choose(&names, 1, task).first().map(|name| Arc::from(*name));
        chosen.unwrap_or_default()
    }

    /// Returns the buckets of ordinal leadership, or None with leases.
    pub(crate) fn ordinal(&self) -> Option<&OrdinalBuckets> {
        match &self.division {
            Division::Ordinal(buckets) => Some(buckets),
            _ => None,
        }
    }

    /// Returns the names of the buckets into which the keys of a controller are divided.
    pub(crate) fn buckets_of(&self, controller: &str) -> Vec<Arc<str>> {
        match self.leases_of(controller) {
            Some(leases) => leases.names().to_vec(),
            None => self.ordinal().map(|buckets| buckets.names().to_vec()).unwrap_or_default(),
        }
    }

    /// Returns the durations of all leases.
    pub(crate) fn timing(&self) -> LeaseTiming {
        self.config.timing
    }
}

/// Returns the permission to hold leases, and to delete those that no replica uses any more.
pub(crate) fn lease_rule() -> Rule {
    Rule::new("coordination.k8s.io", "leases", &["create", "delete", "get", "list", "update", "watch"])
}

/// Returns the permission to read the number of replicas of a StatefulSet.
pub(crate) fn stateful_set_rule() -> Rule {
    Rule::new("apps", "statefulsets", &["get"])
}
