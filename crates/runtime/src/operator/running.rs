//! An operator that runs in the background.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::drive::Driver;
use super::{OperatorError, Phase};
use crate::admin::{Checks, Diagnostics, PassHistories};
use crate::leadership::LeadershipState;
use crate::metrics::Metrics;
use crate::task::Tasks;

/// The result of an operator, once there is one. All callers that wait get the same.
type Ended = Option<Result<(), Arc<OperatorError>>>;

/// An operator that runs in the background. Dropping it lets the operator run on.
pub struct RunningOperator {
    phase: watch::Receiver<Phase>,
    /// Set once the operator has worked; phases alone do not tell, since a fast stop hides the phase Leading.
    worked: CancellationToken,
    leadership: watch::Receiver<LeadershipState>,
    ended: watch::Receiver<Ended>,
    shutdown: CancellationToken,
    tasks: [Tasks; 3],
    supervisor: Tasks,
    checks: Checks,
    metrics: Metrics,
    why: PassHistories,
    diagnostics: Diagnostics,
}

impl RunningOperator {
    pub(super) fn start(driver: Driver) -> Self {
        let (result, ended) = watch::channel(None);
        let supervisor = Tasks::new();
        let running = Self {
            phase: driver.phase(),
            worked: driver.worked(),
            leadership: driver.leadership(),
            ended,
            shutdown: driver.shutdown(),
            tasks: driver.tasks(),
            supervisor: supervisor.clone(),
            checks: driver.checks(),
            metrics: driver.metrics(),
            why: driver.why(),
            diagnostics: driver.diagnostics(),
        };
        let drive = async move {
            let ended = driver.drive().await.map_err(Arc::new);
            result.send_replace(Some(ended));
        };
        supervisor.spawn("operator", drive).detach();
        running
    }

    /// How far it has come; follows the operator.
    pub fn phase(&self) -> watch::Receiver<Phase> {
        self.phase.clone()
    }

    /// Ends when it works: it leads the buckets that it won at once, or stands by for other replicas. An error when it ended or was stopped before
    /// that ([`OperatorError::Stopped`]). Of an operator that has worked and ends, this is how it ended.
    pub async fn working(&self) -> Result<(), Arc<OperatorError>> {
        let mut phase = self.phase.clone();
        tokio::select! {
            biased;
            () = self.worked.cancelled() => {}
            _ = phase.wait_for(|phase| *phase >= Phase::Draining) => {}
        }
        if phase.borrow().is_serving() {
            return Ok(());
        }
        self.wait().await?;
        if self.worked.is_cancelled() { Ok(()) } else { Err(Arc::new(OperatorError::Stopped)) }
    }

    /// Which buckets it leads; follows the operator.
    pub fn leadership(&self) -> watch::Receiver<LeadershipState> {
        self.leadership.clone()
    }

    /// Asks it to shut down and waits until it has.
    pub async fn stop(&self) -> Result<(), Arc<OperatorError>> {
        self.shutdown.cancel();
        self.wait().await
    }

    /// Waits until it has ended.
    pub async fn wait(&self) -> Result<(), Arc<OperatorError>> {
        let mut ended = self.ended.clone();
        match ended.wait_for(Option::is_some).await {
            Ok(ended) => ended.clone().unwrap_or(Ok(())),
            // The operator's task is gone without a result.
            Err(_) => Err(Arc::new(OperatorError::Killed)),
        }
    }

    /// Ends it at once, as if the process had been killed: nothing is drained, nothing is released. When this returns
    /// nothing of it runs.
    pub async fn kill(&self) {
        self.supervisor.stop(Duration::ZERO).await;
        for tasks in &self.tasks {
            tasks.stop(Duration::ZERO).await;
        }
    }

    /// A handle that stops and continues the operator where it is, as signals do to a process. For tests.
    pub fn suspension(&self) -> OperatorSuspension {
        OperatorSuspension(self.tasks.iter().chain([&self.supervisor]).cloned().collect())
    }

    /// The names of the tasks that did not end when the operator shut down or was killed, and were aborted.
    pub fn stuck_tasks(&self) -> Vec<Cow<'static, str>> {
        self.tasks.iter().flat_map(Tasks::stuck).collect()
    }

    /// The checks of liveness and readiness.
    pub fn checks(&self) -> &Checks {
        &self.checks
    }

    /// The metrics.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// The passes that controllers remember: why each ran, what it wrote, how it ended.
    pub fn why(&self) -> &PassHistories {
        &self.why
    }

    /// The content of the pages about its state and its queues.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }
}

/// Stops an operator where it is, and lets it go on. Cheap to clone.
#[derive(Clone, Debug)]
pub struct OperatorSuspension(Arc<[Tasks]>);

impl OperatorSuspension {
    /// Lets no task of the operator run, as SIGSTOP stops a process: time passes and answers arrive meanwhile, and no task sees them. Futures that
    /// a method of the operator's author has spawned by itself run on.
    pub fn suspend(&self) {
        self.0.iter().for_each(Tasks::suspend);
    }

    /// Lets the operator go on where it is.
    pub fn resume(&self) {
        self.0.iter().for_each(Tasks::resume);
    }
}

impl fmt::Debug for RunningOperator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunningOperator").field("phase", &*self.phase.borrow()).finish_non_exhaustive()
    }
}
