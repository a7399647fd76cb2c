//! The elections of an operator.

use std::future;
use std::num::NonZeroUsize;
use std::sync::Arc;

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use kubewright_core::lease::{Elector, LeaseSet, ObservedLease, OverlapGuard, Share, lease_labels};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::clean_up::LeaseCleanUp;
use super::election::{ElectedBucket, Election, grouped};
use super::member::BucketMember;
use super::members::BucketMembers;
use super::metrics::LeadershipMetrics;
use super::ordinal::OrdinalBucket;
use super::requests::{LeaseRequests, watch_leases};
use super::{ElectionPlan, LeadershipState, TaskTerms};
use crate::clock::Random;
use crate::cluster::Cluster;
use crate::controller::Runner;
use crate::metrics::Metrics;
use crate::task::{Panic, Task, Tasks};
use crate::watch::ProjectedStore;

/// The services and settings of the process that elections use.
pub(crate) struct ElectionInputs {
    pub(crate) cluster: Cluster,
    pub(crate) tasks: Tasks,
    /// The namespace of the leases.
    pub(crate) namespace: Arc<str>,
    /// The name of this replica in leases, usually that of the pod. A random suffix makes it unique.
    pub(crate) instance: Arc<str>,
    /// The domain of labels.
    pub(crate) label_domain: Arc<str>,
    pub(crate) metrics: Metrics,
    /// The channel that publishes the buckets which this replica leads.
    pub(crate) state: watch::Sender<LeadershipState>,
}

/// The elections of an operator: one, or one for each controller.
pub(crate) struct Elections {
    plan: Arc<ElectionPlan>,
    inputs: ElectionInputs,
    identity: Arc<str>,
    /// The store of leases; None with ordinal leadership.
    leases: Option<ProjectedStore<ObservedLease>>,
    stop: CancellationToken,
    running: FuturesUnordered<Task<()>>,
}

impl Elections {
    /// Creates the elections, and begins to watch the leases without competing for them.
    pub(crate) fn new(plan: Arc<ElectionPlan>, inputs: ElectionInputs) -> Self {
        let leases = plan.ordinal().is_none().then(|| watch_leases(&inputs.cluster, &inputs.namespace));
        let identity = identity(&inputs.instance, inputs.cluster.random()).into();
        Self { plan, inputs, identity, leases, stop: CancellationToken::new(), running: FuturesUnordered::new() }
    }

    /// Begins to compete for the buckets of controllers and leader tasks. It ends when each bucket has been tried once and the gained ones are promoted, so
    /// that their keys are not treated as those of another replica at first. It ends after a retry period in any case: a promotion hook that hangs delays
    /// only its own bucket.
    pub(crate) async fn campaign(&mut self, controllers: &[Runner], tasks: &[TaskTerms]) {
        let controllers = controllers.iter().filter_map(|runner| {
            let member = BucketMember::Controller(runner.buckets()?);
            Some((self.plan.leases_of(runner.name()), member))
        });
        let tasks = tasks.iter().map(|task| (self.plan.leases_of_task(task.task()), BucketMember::Task(task.clone())));
        let members: Vec<_> = controllers.chain(tasks).collect();
        let mut buckets = 0;
        if let Some(ordinal) = self.plan.ordinal() {
            let bucket = OrdinalBucket {
                name: Arc::clone(ordinal.own()),
                identity: Arc::clone(&self.inputs.instance),
                members: BucketMembers::new(
                    members.iter().map(|(_, member)| member.clone()).collect(),
                    self.inputs.tasks.clone(),
                ),
                clock: self.inputs.cluster.clock().clone(),
                metrics: LeadershipMetrics::of(&self.inputs.metrics),
                state: self.inputs.state.clone(),
            };
            buckets += 1;
            self.running.push(self.inputs.tasks.spawn("ordinal leadership", bucket.run(self.stop.clone())));
        }
        let of_leases = members.into_iter().filter_map(|(set, member)| Some((set?, member)));
        for (set, members) in grouped(of_leases).into_values() {
            buckets += set.buckets();
            let name = format!("election of {}", set.names().first().map_or("", |name| name));
            let Some(leases) = self.leases.clone() else { continue };
            let election = self.election(set, members, leases);
            self.running.push(self.inputs.tasks.spawn(name, election.run(self.stop.clone())));
        }
        if buckets == 0 {
            // An operator without controllers whose tasks run on every replica has nothing to share.
            self.inputs.state.send_replace(LeadershipState::everything());
        }
        let mut state = self.inputs.state.subscribe();
        let limit = self.plan.timing().retry_period();
        let tried = state.wait_for(|state| state.buckets().count() >= buckets && state.untried().next().is_none());
        if self.inputs.cluster.clock().limit(limit, tried).await.is_err() {
            let buckets = self.inputs.state.borrow().untried().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            tracing::warn!(
                buckets,
                "these buckets are not decided after a retry period; the operator works without them meanwhile"
            );
        }
    }

    fn election(&self, set: LeaseSet, members: Vec<BucketMember>, leases: ProjectedStore<ObservedLease>) -> Election {
        let ElectionInputs { cluster, tasks, namespace, metrics, state, .. } = &self.inputs;
        let timing = self.plan.timing();
        let labels = lease_labels(&self.inputs.label_domain, &self.plan.operator, set.buckets());
        let random = cluster.random();
        let elector = || Elector::new(Arc::clone(&self.identity), timing, set.has_relatives(), random.next_u64());
        Election {
            requests: LeaseRequests::new(cluster, namespace, timing.retry_period(), labels.clone()),
            clean_up: LeaseCleanUp::new(leases.clone(), labels, timing.retry_period()),
            metrics: LeadershipMetrics::of(metrics),
            clock: cluster.clock().clone(),
            members: BucketMembers::new(members, tasks.clone()),
            share: Share::new(set.buckets(), self.plan.replicas.map(NonZeroUsize::get)),
            buckets: set.names().iter().map(|name| ElectedBucket::new(Arc::clone(name), elector())).collect(),
            guard: OverlapGuard::new(set, timing),
            leases,
            state: state.clone(),
        }
    }

    /// Begins to release all leases, each as soon as no pass of its bucket runs.
    pub(crate) fn stop(&self) {
        self.stop.cancel();
    }

    /// Ends when an election has panicked, which is a bug; without that it never ends.
    pub(crate) async fn failed(&mut self) -> Panic {
        while let Some(ended) = self.running.next().await {
            if let Err(panic) = ended {
                return panic;
            }
        }
        future::pending().await
    }

    /// Waits until all leases have been released.
    pub(crate) async fn released(&mut self) {
        // A failure has already been reported when it happened.
        while self.running.next().await.is_some() {}
    }
}

/// Returns `<instance>_<uuid>`, which differs for each process.
fn identity(instance: &str, random: &Random) -> String {
    let (high, low) = (random.next_u64(), random.next_u64());
    let (time, version, variant) = (high >> 32, (high & 0xfff) | 0x4000, ((low >> 48) & 0x3fff) | 0x8000);
    format!("{instance}_{time:08x}-{:04x}-{version:04x}-{variant:04x}-{:012x}", (high >> 16) & 0xffff, low & 0xffff_ffff_ffff)
}
