//! The aggregation of child tasks into the task that created them (16).

use jiff::Timestamp;

use crate::condition::ConditionStatus;

/// The state of a child task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // an argument
pub struct ChildTask {
    /// When it started.
    pub started: Option<Timestamp>,
    /// When it completed.
    pub completed: Option<Timestamp>,
    /// How many of its parts run.
    pub active: u64,
    /// How many of its parts succeeded.
    pub succeeded: u64,
    /// How many of its parts failed.
    pub failed: u64,
    /// Its condition `Running`.
    pub is_running: bool,
    /// Its condition `Failed`.
    pub has_failed: bool,
    /// Its condition `Complete`.
    pub is_complete: bool,
}

/// The state of a task, from its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskSummary {
    /// When the first child started.
    pub started: Option<Timestamp>,
    /// When the last child completed, once the task is complete.
    pub completed: Option<Timestamp>,
    /// The running parts of all children.
    pub active: u64,
    /// The parts of all children that succeeded.
    pub succeeded: u64,
    /// The parts of all children that failed.
    pub failed: u64,
    /// Condition `Running`: whether any child runs.
    pub running: ConditionStatus,
    /// Condition `Failed`: whether any child failed.
    pub has_failed: ConditionStatus,
    /// Condition `Complete`: True when all expected children are complete, else Unknown.
    pub complete: ConditionStatus,
}

/// Aggregates the children that exist. `expected` is how many the spec asks for (FAN-2, FAN-3).
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
