mod adopt;
mod conclude;
mod conditions;
mod convert;
mod events;
mod halted;
mod list;
mod manager;
mod properties;
mod updater;
mod vectors;

use jiff::Timestamp;

use super::{
    Condition, ConditionEvents, ConditionManager, ConditionPolicy, ConditionSet, ConditionShape, ConditionStatus, Keep,
    TransitionTime, Updater,
};

/// The time of the passes.
const NOW: i64 = 99;
/// The generation of the objects.
const GENERATION: i64 = 7;

const KNATIVE: ConditionPolicy = ConditionPolicy { shape: ConditionShape::Knative, transition: TransitionTime::OnAnyChange };

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

/// Returns a condition of an earlier pass, of generation 1.
fn stored(type_: &str, status: ConditionStatus, reason: &str, since: i64) -> Condition {
    Condition {
        observed_generation: Some(GENERATION),
        last_transition_time: at(since),
        ..Condition::new(type_, status, reason, "")
    }
}

fn begun(set: ConditionSet, existing: &[Condition]) -> ConditionManager {
    ConditionManager::begin(set, ConditionPolicy::default(), existing, at(NOW), Some(GENERATION))
}

fn knative(set: ConditionSet, existing: &[Condition]) -> ConditionManager {
    ConditionManager::begin(set, KNATIVE, existing, at(NOW), Some(GENERATION))
}

/// Returns the status, reason and message of a condition.
fn texts<'a>(manager: &'a ConditionManager, type_: &str) -> (&'static str, &'a str, &'a str) {
    manager.get(type_).map_or(("absent", "", ""), |found| (found.status.as_str(), found.reason.as_str(), found.message.as_str()))
}

/// Returns the status and reason of the top-level condition.
fn top(manager: &ConditionManager) -> (&'static str, &str) {
    let (status, reason, _) = texts(manager, manager.condition_set().top());
    (status, reason)
}
