use proptest::prelude::*;

use super::{GENERATION, KNATIVE, NOW, at, stored};
use crate::backoff::Timing;
use crate::condition::ConditionStatus::{False, True, Unknown};
use crate::condition::*;
use crate::flow::{Blocked, Failure, Flow, Halt, KeyMemory, Wait, report};

/// The operations of a reconciler on its conditions. The number makes texts differ.
#[derive(Clone, Debug)]
enum Operation {
    Initialize,
    Mark(&'static str, ConditionStatus, u8),
    Set(&'static str, ConditionStatus, u8),
    Clear(&'static str),
}

/// The declared types, and two that are not declared.
const TYPES: [&str; 6] = ["A", "B", "C", "Ready", "Info", "Old"];

fn set() -> ConditionSet {
    ConditionSet::living(["A", "B", "C"])
}

fn is_declared(type_: &str) -> bool {
    type_ == READY || set().is_dependent(type_)
}

fn status() -> impl Strategy<Value = ConditionStatus> {
    prop_oneof![Just(True), Just(False), Just(Unknown)]
}

fn operation() -> impl Strategy<Value = Operation> {
    let type_ = || prop::sample::select(TYPES.as_slice());
    prop_oneof![
        1 => Just(Operation::Initialize),
        8 => (type_(), status(), 0..3_u8).prop_map(|(type_, status, text)| Operation::Mark(type_, status, text)),
        2 => (type_(), status(), 0..3_u8).prop_map(|(type_, status, text)| Operation::Set(type_, status, text)),
        1 => type_().prop_map(Operation::Clear),
    ]
}

fn existing() -> impl Strategy<Value = Vec<Condition>> {
    let one = |type_: &'static str| {
        let condition = (status(), 0..3_u8, 10..13_i64);
        prop::option::of(condition.prop_map(move |(status, text, since)| stored(type_, status, &format!("Old{text}"), since)))
    };
    TYPES.map(one).prop_map(|conditions| conditions.into_iter().flatten().collect())
}

fn policy() -> impl Strategy<Value = ConditionPolicy> {
    prop_oneof![Just(ConditionPolicy::default()), Just(KNATIVE)]
}

fn outcome() -> impl Strategy<Value = u8> {
    0..5_u8
}

fn flow(outcome: u8) -> Flow {
    match outcome {
        0 => Ok(()),
        1 => Err(Halt::Done),
        2 => Wait::for_event("Waiting").into(),
        3 => Blocked::new("Blocking", "change something").into(),
        _ => Failure::msg("broken").into(),
    }
}

fn begin(policy: ConditionPolicy, existing: &[Condition]) -> ConditionManager {
    ConditionManager::begin(set(), policy, existing, at(NOW), Some(GENERATION))
}

fn apply(manager: &mut ConditionManager, operation: &Operation) {
    match operation {
        Operation::Initialize => manager.initialize(),
        Operation::Mark(type_, True, 0) => manager.mark_true(type_),
        Operation::Mark(type_, True, text) => manager.mark_true_with(type_, &format!("Good{text}"), ""),
        Operation::Mark(type_, Unknown, text) => manager.mark_unknown(type_, &format!("Unsure{text}"), "text"),
        Operation::Mark(type_, False, text) => manager.mark_false(type_, &format!("Bad{text}"), "text"),
        Operation::Set(type_, status, text) => manager.set(Condition::new(*type_, *status, format!("Set{text}"), "")),
        Operation::Clear(type_) => assert_eq!(manager.clear(type_).is_err(), is_declared(type_)),
    }
}

fn conclude(manager: &mut ConditionManager, outcome: u8, method: ConcludedMethod) {
    let report = report(&flow(outcome), &KeyMemory::default(), &manager.prior(), &Timing::default());
    manager.conclude(&report, method);
}

fn concerns_declared(operation: &Operation) -> bool {
    match operation {
        Operation::Initialize => true,
        Operation::Mark(type_, ..) | Operation::Set(type_, ..) | Operation::Clear(type_) => is_declared(type_),
    }
}

proptest! {
    // CSET-15: undeclared conditions, stored or marked, never make an object ready or unready.
    #[test]
    fn the_top_level_is_a_function_of_dependents_and_direct_marks(
        policy in policy(),
        existing in existing(),
        operations in prop::collection::vec(operation(), 0..12),
        outcome in outcome(),
    ) {
        let declared: Vec<_> = existing.iter().filter(|found| is_declared(&found.type_)).cloned().collect();
        let (mut with, mut without) = (begin(policy, &existing), begin(policy, &declared));
        for operation in &operations {
            apply(&mut with, operation);
            if concerns_declared(operation) {
                apply(&mut without, operation);
            }
            prop_assert_eq!(with.top(), without.top());
        }
        conclude(&mut with, outcome, ConcludedMethod::Reconcile);
        conclude(&mut without, outcome, ConcludedMethod::Reconcile);
        prop_assert_eq!(with.top(), without.top());
    }

    // CSET-15: a second, independent statement of its cases.
    #[test]
    fn the_status_of_the_top_level_after_a_mark_is_that_of_the_rule(
        policy in policy(),
        existing in existing(),
        operations in prop::collection::vec(operation(), 1..12),
    ) {
        let mut manager = begin(policy, &existing);
        for operation in &operations {
            let before = manager.top().cloned();
            apply(&mut manager, operation);
            let Operation::Mark(type_, status, _) = operation else { continue };
            let dependents = ["A", "B", "C"];
            let computed = if dependents.iter().any(|dependent| manager.is_false(dependent)) {
                False
            } else if dependents.iter().any(|dependent| manager.is_unknown(dependent)) {
                Unknown
            } else {
                True
            };
            let expected = match (*type_, *status) {
                ("Info" | "Old", _) => {
                    prop_assert_eq!(manager.top(), before.as_ref());
                    continue;
                }
                ("Ready", True) => computed,
                ("Ready", direct) => direct,
                _ => computed,
            };
            prop_assert_eq!(manager.top().map(|top| top.status), Some(expected));
        }
    }

    // CSET-5
    #[test]
    fn doing_the_same_again_changes_nothing(
        policy in policy(),
        existing in existing(),
        operations in prop::collection::vec(operation(), 1..12),
    ) {
        let mut manager = begin(policy, &existing);
        for operation in &operations {
            apply(&mut manager, operation);
            let once = manager.conditions();
            apply(&mut manager, operation);
            prop_assert_eq!(once, manager.conditions());
        }
    }

    // CSET-2, CSET-4, CND-4
    #[test]
    fn the_list_is_sorted_and_each_condition_is_as_the_policy_says(
        policy in policy(),
        existing in existing(),
        operations in prop::collection::vec(operation(), 0..12),
        outcome in outcome(),
    ) {
        let mut manager = begin(policy, &existing);
        for operation in &operations {
            apply(&mut manager, operation);
        }
        conclude(&mut manager, outcome, ConcludedMethod::Reconcile);
        let list = manager.finish();
        prop_assert!(list.is_sorted_by(|a, b| a.type_ < b.type_));
        for condition in &list {
            let original = existing.iter().find(|found| found.type_ == condition.type_);
            if original == Some(condition) {
                continue;
            }
            let keeps = |original: &&Condition| {
                let texts = (&original.reason, &original.message) == (&condition.reason, &condition.message);
                original.status == condition.status && (policy.transition == TransitionTime::OnStatusChange || texts)
            };
            let since = original.filter(keeps).map_or_else(|| at(NOW), |original| original.last_transition_time);
            prop_assert_eq!(condition.last_transition_time, since);
            if policy.shape == ConditionShape::Standard {
                prop_assert!(!condition.reason.is_empty());
                prop_assert_eq!((condition.observed_generation, condition.severity), (Some(GENERATION), None));
            } else {
                prop_assert_eq!(condition.observed_generation, None);
                let severity = (!is_declared(&condition.type_)).then_some(Severity::Info);
                prop_assert_eq!(condition.severity, severity);
            }
        }
    }

    // CSET-20, CSET-21, CSET-23, ACT-11
    #[test]
    fn an_outcome_raises_nothing_that_marks_have_lowered(
        policy in policy(),
        existing in existing(),
        operations in prop::collection::vec(operation(), 0..12),
        outcome in outcome(),
        is_new in any::<bool>(),
        method in prop_oneof![Just(ConcludedMethod::Reconcile), Just(ConcludedMethod::Finalize)],
    ) {
        let mut manager = begin(policy, &existing);
        if is_new {
            manager.new_generation();
        }
        for operation in &operations {
            apply(&mut manager, operation);
        }
        let before = manager.conditions();
        conclude(&mut manager, outcome, method);
        let dependents_hold = ["A", "B", "C"].iter().all(|dependent| manager.is_true(dependent));
        match (flow(outcome).is_ok() || outcome == 1, method) {
            (true, ConcludedMethod::Finalize) => prop_assert_eq!(&manager.conditions(), &before),
            (true, _) => prop_assert!(!manager.is_happy() || dependents_hold),
            (false, _) => prop_assert!(!manager.is_happy()),
        }
        let others = |list: Vec<Condition>| -> Vec<Condition> {
            list.into_iter().filter(|found| !["Ready", "Stalled"].contains(&found.type_.as_str())).collect()
        };
        prop_assert_eq!(others(manager.finish()), others(before));
    }
}
