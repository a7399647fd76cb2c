//! Assertions on values, for unit tests of reconcilers.

use kube::ResourceExt;
use kubewright_core::condition::{ConditionStatus, Conditioned};
use kubewright_machinery::object::Key;

/// Returns the key of an object, for [`TableRow::key`](crate::table::TableRow::key).
pub fn object_key(object: &impl ResourceExt) -> Key {
    Key::new(object.namespace().unwrap_or_default(), object.name_any())
}

/// Asserts that the top-level condition of a status is True.
///
/// ```
/// # use kubewright_core::condition::{Condition, ConditionManager, ConditionSet, Conditioned, ConditionsError};
/// # struct Status(Vec<Condition>);
/// # impl Conditioned for Status {
/// #     fn condition_set() -> ConditionSet { ConditionSet::living([]) }
/// #     fn conditions(&self) -> Vec<Condition> { self.0.clone() }
/// #     fn set_conditions(&mut self, conditions: Vec<Condition>) -> Result<(), ConditionsError> { self.0 = conditions; Ok(()) }
/// #     fn begin_pass(&mut self, manager: ConditionManager) -> Option<ConditionManager> { Some(manager) }
/// #     fn take_manager(&mut self) -> Option<ConditionManager> { None }
/// # }
/// # let condition = serde_json::json!({"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"});
/// # let status = Status(vec![serde_json::from_value(condition).unwrap()]);
/// kubewright_testing::assert_ready!(status);
/// ```
#[macro_export]
macro_rules! assert_ready {
    ($status:expr $(,)?) => {
        $crate::assert_top_level(&$status, "True")
    };
}

/// Asserts that the top-level condition of a status is False.
#[macro_export]
macro_rules! assert_failed {
    ($status:expr $(,)?) => {
        $crate::assert_top_level(&$status, "False")
    };
}

/// Asserts that the top-level condition of a status is Unknown, or that there is none yet.
#[macro_export]
macro_rules! assert_ongoing {
    ($status:expr $(,)?) => {
        $crate::assert_top_level(&$status, "Unknown")
    };
}

/// The implementation of the assertion macros.
#[doc(hidden)]
#[track_caller]
pub fn assert_top_level<S: Conditioned>(status: &S, expected: &str) {
    let set = S::condition_set();
    let conditions = status.conditions();
    let top = conditions.iter().find(|condition| condition.type_ == set.top());
    let found = match top.map(|condition| condition.status) {
        Some(ConditionStatus::True) => "True",
        Some(ConditionStatus::False) => "False",
        _ => "Unknown",
    };
    if found == expected {
        return;
    }
    let line = |condition: &kubewright_core::condition::Condition| {
        format!("  {} is {:?}: {} {}", condition.type_, condition.status, condition.reason, condition.message)
    };
    let lines: Vec<String> = conditions.iter().map(line).collect();
    let text = format!("expected condition {} to be {expected}, found {found}; conditions:\n{}", set.top(), lines.join("\n"));
    crate::cluster::fail(&text)
}
