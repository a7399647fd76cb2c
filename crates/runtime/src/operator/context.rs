//! The context in which a part of an operator is constructed.

use std::any::Any;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use kubewright_core::flow::BoxError;
use serde_json::Value;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::injected::{OpenedStores, Queues, States};
use super::patience::ask;
use super::{Compat, ReadyTask};
use crate::admin::{HealthChecks, PassHistories, WaitCensus};
use crate::clock::{Clock, Random};
use crate::cluster::{ApiError, ApiRequest, Cluster};
use crate::config::{Configs, CurrentTiming, KeeperServices};
use crate::controller::{LeaderTerm, RunPass, Runner, RunnerServices};
use crate::events::Recorder;
use crate::leadership::{ElectionPlan, LeadershipState, TaskTerms};
use crate::metrics::Metrics;
use crate::store::StoreRequest;
use crate::targets::ControllerTargets;
use crate::task::Tasks;
use crate::watch::Namespaces;

/// The context in which a part of an operator is constructed. Cheap to clone.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OperatorContext {
    /// The name of the operator.
    pub operator: Arc<str>,
    /// The cluster that the operator runs against.
    pub cluster: Cluster,
    /// The clock of the process.
    pub clock: Clock,
    /// The seeded source of jitter.
    pub random: Random,
    /// The set in which background tasks are started; all of them end with the operator.
    pub tasks: Tasks,
    /// The recorder of events on objects of this cluster.
    pub recorder: Recorder,
    /// The registry of metrics.
    pub metrics: Metrics,
    /// The checks of liveness and readiness.
    pub checks: HealthChecks,
    /// The passes that controllers remember, for `/debug/why`.
    pub why: PassHistories,
    /// The things that objects wait for, for `/debug/state`.
    pub waits: WaitCensus,
    /// Cancelled when the operator begins to shut down.
    pub shutdown: CancellationToken,
    /// The delays and limits, which a ConfigMap may replace while the operator runs.
    pub timing: CurrentTiming,
    /// The number of concurrent passes of a controller, if the command line sets it.
    pub workers: Option<usize>,
    /// The namespaces to watch; empty means all.
    pub watch_namespaces: Vec<String>,
    /// The namespace in which the operator runs; empty if no part needs it and it is unknown.
    pub system_namespace: Arc<str>,
    /// The name of this instance in events, usually that of the pod.
    pub instance: Arc<str>,
    /// The formats of objects, metrics and log lines that the operator writes.
    pub(crate) formats: Arc<Compat>,
    /// The elections that controllers take part in; None without leadership.
    pub(crate) plan: Option<Arc<ElectionPlan>>,
    /// The receiver of the buckets that this replica leads.
    pub(crate) leadership: watch::Receiver<LeadershipState>,
    pub(crate) states: States,
    /// The stores that the constructor of a controller opened.
    pub(crate) opened: OpenedStores,
    pub(crate) queues: Queues,
    pub(crate) configs: Configs,
    /// The other clusters that a controller uses.
    pub(crate) targets: ControllerTargets,
    /// The period of the resync, which reconciles all objects again; None for no resync.
    pub resync: Option<Duration>,
    /// The time limit of a start; None for no limit.
    pub startup_timeout: Option<Duration>,
}

impl OperatorContext {
    /// Sends a request without which the part cannot start. If the server does not answer, the request is repeated until
    /// [`startup_timeout`](Self::startup_timeout).
    pub async fn ask(&self, request: &ApiRequest) -> Result<Value, ApiError> {
        ask(&self.cluster, request, self.startup_timeout).await
    }

    /// Returns the value of this type that the operator's author registered.
    pub fn state<T: Any + Clone + Send + Sync>(&self) -> Option<T> {
        self.states.get()
    }

    /// Returns the namespaces of a store; empty means all.
    pub(crate) fn namespaces_of(&self, request: &StoreRequest) -> Vec<String> {
        match request.namespaces() {
            Namespaces::Watched => self.watch_namespaces.clone(),
            Namespaces::All => Vec::new(),
            Namespaces::System => vec![self.system_namespace.to_string()],
            Namespaces::These(namespaces) => namespaces.clone(),
        }
    }

    /// Returns the parts of the operator that the keeper of its configuration works with.
    pub(crate) fn keeper_services(&self) -> KeeperServices {
        let queues = self.queues.clone();
        KeeperServices {
            operator: Arc::clone(&self.operator),
            namespace: Arc::clone(&self.system_namespace),
            watches: self.cluster.watches().clone(),
            configs: self.configs.clone(),
            recorder: self.recorder.clone(),
            metrics: self.metrics.clone(),
            clock: self.clock.clone(),
            queue_all: Box::new(move |controller, cause| queues.queue_all(controller, cause)),
        }
    }

    /// Returns the context of one controller: requests are counted in its name, and it is the reporter of its events.
    #[must_use]
    pub(crate) fn for_controller(&self, name: &str, agent: &str) -> Self {
        Self {
            cluster: self.cluster.for_controller(name),
            recorder: self.recorder.reporter(agent),
            opened: OpenedStores::default(),
            targets: self.targets.for_controller(name),
            ..self.clone()
        }
    }

    /// Creates a controller with this operator's clock, tasks, metrics and limits. It runs after the operator has received it from
    /// [`ConstructedPart::run`](super::ConstructedPart::run).
    pub fn controller(&self, name: impl Into<String>, passes: Arc<dyn RunPass>) -> Runner {
        let services = RunnerServices {
            clock: self.clock.clone(),
            random: self.random.clone(),
            tasks: self.tasks.clone(),
            metrics: self.metrics.clone(),
            timing: self.timing.clone(),
        };
        let runner = Runner::new(name, passes, services);
        let runner = match &self.plan {
            Some(plan) => {
                let buckets = plan.buckets_of(runner.name());
                runner.divided(buckets)
            }
            None => runner,
        };
        match self.workers {
            Some(workers) => runner.workers(workers),
            None => runner,
        }
    }

    /// Creates a background task that runs once in each term in which this replica leads the bucket of the task, under the write fence of the term (LDR-6).
    /// Without leadership it runs once. It starts after the operator has received it from [`ConstructedPart::tasks`](super::ConstructedPart::tasks).
    pub fn leader_task<F>(
        &self,
        name: &str,
        run: impl Fn(Arc<LeaderTerm>, CancellationToken) -> F + Send + Sync + 'static,
    ) -> ReadyTask
    where
        F: Future<Output = Result<(), BoxError>> + Send + 'static,
    {
        let terms = match &self.plan {
            Some(plan) => TaskTerms::of_bucket(name, plan.bucket_of_task(name), self.clock.clone()),
            None => TaskTerms::universal(name, self.clock.clone()),
        };
        ReadyTask::in_terms(terms, Box::new(move |term, stop| Box::pin(run(term, stop))))
    }
}
