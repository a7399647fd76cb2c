//! The extent and the delays of the workload simulation.

use std::time::Duration;

/// The extent to which workload controllers, scheduler and kubelet are simulated (STG-1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Workloads {
    /// No simulation: workloads stay as they were written, as on an API server alone.
    #[default]
    Off,
    /// Only the status of workloads is written; they have no child objects. This is cheap enough for thousands of servers.
    Status,
    /// ReplicaSets, pods, revisions and claims are created as the real controllers do, and the pods are run.
    Pods,
}

/// The delays of the stages of a workload on the server's clock (STG-2). All are zero by default: a workload is ready before the answer to its write
/// is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StageDelays {
    /// The time from the creation of a pod until it has a node.
    pub scheduled: Duration,
    /// The time from the scheduling of a pod until its sandbox and its init containers are done.
    pub started: Duration,
    /// The time from the start of a pod until its containers are ready.
    pub ready: Duration,
    /// The time from the readiness of a Job's pod until it is done.
    pub job_done: Duration,
    /// The time from the deletion of a pod until it is gone; never longer than its grace period.
    pub terminated: Duration,
    /// The time from the creation of a claim until it is bound.
    pub bound: Duration,
}

impl StageDelays {
    /// No delays.
    pub const NONE: Self = Self {
        scheduled: Duration::ZERO,
        started: Duration::ZERO,
        ready: Duration::ZERO,
        job_done: Duration::ZERO,
        terminated: Duration::ZERO,
        bound: Duration::ZERO,
    };

    /// Returns delays that are long enough to observe: this time for `ready`, `job_done` and `terminated`, and none for the other stages.
    pub const fn visible(delay: Duration) -> Self {
        Self { ready: delay, job_done: delay, terminated: delay, ..Self::NONE }
    }

    /// Returns the time from the creation of a pod until it is ready.
    pub(super) fn until_ready(&self) -> Duration {
        self.scheduled + self.started + self.ready
    }
}
