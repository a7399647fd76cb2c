//! An operator that runs in the background.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::drive::Driver;
use super::{OperatorError, OperatorPhase};
use crate::admin::{Diagnostics, HealthChecks, PassHistories};
use crate::leadership::LeadershipState;
use crate::metrics::Metrics;
use crate::task::Tasks;

/// The result of an operator, or None while it runs. All waiting callers get the same result.
type Ended = Option<Result<(), Arc<OperatorError>>>;

/// An operator that runs in the background. It continues to run if this value is dropped.
pub struct RunningOperator {
    phase: watch::Receiver<OperatorPhase>,
    /// Cancelled once the operator has worked. Phases alone do not tell this, since a fast stop hides the phase Leading.
    worked: CancellationToken,
    leadership: watch::Receiver<LeadershipState>,
    ended: watch::Receiver<Ended>,
    shutdown: CancellationToken,
    tasks: [Tasks; 3],
    supervisor: Tasks,
    checks: HealthChecks,
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

    /// Returns the receiver of the operator's phase.
    pub fn phase(&self) -> watch::Receiver<OperatorPhase> {
        self.phase.clone()
    }

    /// Waits until the operator works: it leads the buckets that it won at once, or stands by for other replicas. Returns an error if it ended or was stopped
    /// before that ([`OperatorError::Stopped`]). For an operator that has worked and is ending, returns its result.
    pub async fn working(&self) -> Result<(), Arc<OperatorError>> {
        let mut phase = self.phase.clone();
        tokio::select! {
            biased;
            () = self.worked.cancelled() => {}
            _ = phase.wait_for(|phase| *phase >= OperatorPhase::Draining) => {}
        }
        if phase.borrow().is_serving() {
            return Ok(());
        }
        self.wait().await?;
        if self.worked.is_cancelled() { Ok(()) } else { Err(Arc::new(OperatorError::Stopped)) }
    }

    /// Returns the receiver of the buckets that the operator leads.
    pub fn leadership(&self) -> watch::Receiver<LeadershipState> {
        self.leadership.clone()
    }

    /// Asks the operator to shut down, and waits until it has ended.
    pub async fn stop(&self) -> Result<(), Arc<OperatorError>> {
        self.shutdown.cancel();
        self.wait().await
    }

    /// Waits until the operator has ended.
    pub async fn wait(&self) -> Result<(), Arc<OperatorError>> {
        let mut ended = self.ended.clone();
        match ended.wait_for(Option::is_some).await {
            Ok(ended) => ended.clone().unwrap_or(Ok(())),
            // The operator's task ended without a result.
            Err(_) => Err(Arc::new(OperatorError::Killed)),
        }
    }

    /// Ends the operator at once, as if the process had been killed: nothing is drained or released. When this method returns, no task of the operator runs.
    pub async fn kill(&self) {
        self.supervisor.stop(Duration::ZERO).await;
        for tasks in &self.tasks {
            tasks.stop(Duration::ZERO).await;
        }
    }

    /// Returns a handle that suspends and resumes the operator, as signals do with a process. For tests.
    pub fn suspension(&self) -> OperatorSuspension {
        OperatorSuspension(self.tasks.iter().chain([&self.supervisor]).cloned().collect())
    }

    /// Returns the names of the tasks that did not end when the operator shut down or was killed, and were aborted.
    pub fn stuck_tasks(&self) -> Vec<Cow<'static, str>> {
        self.tasks.iter().flat_map(Tasks::stuck).collect()
    }

    /// Returns the checks of liveness and readiness.
    pub fn checks(&self) -> &HealthChecks {
        &self.checks
    }

    /// Returns the metrics.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Returns the passes that controllers remember: why each ran, what it wrote, how it ended.
    pub fn why(&self) -> &PassHistories {
        &self.why
    }

    /// Returns the content of the pages about the operator's state and its queues.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }
}

/// The handle that suspends and resumes an operator. Cheap to clone.
#[derive(Clone, Debug)]
pub struct OperatorSuspension(Arc<[Tasks]>);

impl OperatorSuspension {
    /// Suspends all tasks of the operator, as SIGSTOP suspends a process: time passes and answers arrive meanwhile, and no task sees them. Tasks that a
    /// method of the operator's author has spawned on its own continue to run.
    pub fn suspend(&self) {
        self.0.iter().for_each(Tasks::suspend);
    }

    /// Resumes the tasks of the operator.
    pub fn resume(&self) {
        self.0.iter().for_each(Tasks::resume);
    }
}

impl fmt::Debug for RunningOperator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunningOperator").field("phase", &*self.phase.borrow()).finish_non_exhaustive()
    }
}
