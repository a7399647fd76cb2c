//! What a part of an operator is started with.

use std::sync::Arc;
use std::time::Duration;

use kubewright_core::backoff::Timing;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::patience::ask;
use crate::admin::Checks;
use crate::clock::{Clock, Random};
use crate::cluster::{ApiError, ApiRequest, Cluster};
use crate::controller::{RunPass, Runner, Surroundings};
use crate::events::Recorder;
use crate::metrics::Metrics;
use crate::task::Tasks;

/// What a part of an operator is started with. Cheap to clone.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OperatorContext {
    /// The operator's name.
    pub operator: Arc<str>,
    /// The cluster that the operator runs against.
    pub cluster: Cluster,
    /// The clock of the process.
    pub clock: Clock,
    /// The seeded source of jitter.
    pub random: Random,
    /// Where background tasks are started; all of them end with the operator.
    pub tasks: Tasks,
    /// Records events on objects of this cluster.
    pub recorder: Recorder,
    /// The registry of metrics.
    pub metrics: Metrics,
    /// The checks of liveness and readiness.
    pub checks: Checks,
    /// Cancelled when the operator begins to shut down.
    pub shutdown: CancellationToken,
    /// Delays and limits.
    pub timing: Timing,
    /// Passes that a controller may run at once, if the command line says so.
    pub workers: Option<usize>,
    /// The namespaces to watch; empty means all.
    pub watch_namespaces: Vec<String>,
    /// After how long everything is looked at again, whatever the watches said; none means never.
    pub resync: Option<Duration>,
    /// How long a start may take; none means for ever.
    pub startup_timeout: Option<Duration>,
}

impl OperatorContext {
    /// Sends a request without which the part cannot start. While the server does not answer it, it is repeated, until
    /// [`startup_timeout`](Self::startup_timeout).
    pub async fn ask(&self, request: &ApiRequest) -> Result<Value, ApiError> {
        ask(&self.cluster, request, self.startup_timeout).await
    }

    /// A controller on this operator's clock, tasks, metrics and limits. It runs when the operator has got it back from
    /// [`ConstructedPart::run`](super::ConstructedPart::run).
    pub fn controller(&self, name: impl Into<String>, reconciler: Arc<dyn RunPass>) -> Runner {
        let surroundings = Surroundings {
            clock: self.clock.clone(),
            random: self.random.clone(),
            tasks: self.tasks.clone(),
            metrics: self.metrics.clone(),
            timing: self.timing.clone(),
        };
        let controller = Runner::new(name, reconciler, surroundings);
        match self.workers {
            Some(workers) => controller.workers(workers),
            None => controller,
        }
    }
}
