//! The aggregation of child tasks into the task that created them (flow-and-contract.md, 16).

use jiff::Timestamp;

use crate::condition::ConditionStatus;

/// The state of a child task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // callers build it as an argument
pub struct ChildTask {
    /// The time at which the child started.
    pub started: Option<Timestamp>,
    /// The time at which the child completed.
    pub completed: Option<Timestamp>,
    /// The number of the child's parts that run.
    pub active: u64,
    /// The number of the child's parts that succeeded.
    pub succeeded: u64,
    /// The number of the child's parts that failed.
    pub failed: u64,
    /// The child's condition `Running`.
    pub is_running: bool,
    /// The child's condition `Failed`.
    pub has_failed: bool,
    /// The child's condition `Complete`.
    pub is_complete: bool,
}

/// The state of a task, computed from its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskSummary {
    /// The time at which the first child started.
    pub started: Option<Timestamp>,
    /// The time at which the last child completed; none until the task is complete.
    pub completed: Option<Timestamp>,
    /// The number of running parts of all children.
    pub active: u64,
    /// The number of parts of all children that succeeded.
    pub succeeded: u64,
    /// The number of parts of all children that failed.
    pub failed: u64,
    /// The condition `Running`: True if any child runs.
    pub running: ConditionStatus,
    /// The condition `Failed`: True if any child failed.
    pub has_failed: ConditionStatus,
    /// The condition `Complete`: True if all expected children are complete, otherwise Unknown.
    pub complete: ConditionStatus,
}

/// Aggregates the children that exist. `expected` is the number of children that the spec asks for (FAN-2, FAN-3).
pub fn tasks(children: &[ChildTask], expected: usize) -> TaskSummary {
    let sum = |part: fn(&ChildTask) -> u64| children.iter().map(part).fold(0, u64::saturating_add);
    let is_complete = children.iter().filter(|child| child.is_complete).count() >= expected;
    TaskSummary {
        started: children.iter().filter_map(|child| child.started).min(),
        completed: children.iter().filter_map(|child| child.completed).max().filter(|_| is_complete),
        active: sum(|child| child.active),
        succeeded: sum(|child| child.succeeded),
        failed: sum(|child| child.failed),
        running: children.iter().any(|child| child.is_running).into(),
        has_failed: children.iter().any(|child| child.has_failed).into(),
        complete: if is_complete { ConditionStatus::True } else { ConditionStatus::Unknown },
    }
}
