//! How far the stages go, and how long they take.

use std::time::Duration;

/// Whether somebody plays the workload controllers, the scheduler and the kubelet (STG-1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Workloads {
    /// Nobody: workloads stay as they were written, as on an API server alone.
    #[default]
    Off,
    /// Only the status of workloads is written; they have no child objects. Cheap enough for thousands of servers.
    Status,
    /// ReplicaSets, pods, revisions and claims are created as the real controllers do it, and the pods are run.
    Pods,
}

/// How long the stages of a workload take on the server's clock (STG-2). All zero at first: a workload is ready before the answer to
/// its write is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StageDelays {
    /// From the creation of a pod until it has a node.
    pub scheduled: Duration,
    /// From then until its sandbox and its init containers are done.
    pub started: Duration,
    /// From then until its containers are ready.
    pub ready: Duration,
    /// From then until a pod of a Job is done.
    pub job_done: Duration,
    /// From the deletion of a pod until it is gone; never longer than its grace period.
    pub terminated: Duration,
    /// From the creation of a claim until it is bound.
    pub bound: Duration,
}

impl StageDelays {
    /// No delay anywhere.
    pub const NONE: Self = Self {
        scheduled: Duration::ZERO,
        started: Duration::ZERO,
        ready: Duration::ZERO,
        job_done: Duration::ZERO,
        terminated: Duration::ZERO,
        bound: Duration::ZERO,
    };

    /// This long until ready, done, and terminated, and no other delay: slow enough to watch.
    pub const fn visible(delay: Duration) -> Self {
        Self { ready: delay, job_done: delay, terminated: delay, ..Self::NONE }
    }

    /// From the creation of a pod until it is ready.
    pub(super) fn until_ready(&self) -> Duration {
        self.scheduled + self.started + self.ready
    }
}
