use super::{GENERATION, NOW, at, begun, knative, stored, texts, top};
use crate::backoff::Timing;
use crate::condition::ConditionStatus::{False, True, Unknown};
use crate::condition::*;
use crate::flow::{Blocked, Conclusion, Delay, Failure, Flow, Halt, KeyMemory, PassReport, Wait, report};

fn two() -> ConditionSet {
    ConditionSet::living(["A", "B"])
}

fn none() -> ConditionSet {
    ConditionSet::living([])
}

fn reported(manager: &ConditionManager, outcome: Flow) -> PassReport {
    report(&outcome, &KeyMemory::default(), &manager.prior(), &Timing::default())
}

fn concluded(manager: &mut ConditionManager, outcome: Flow, method: ConcludedMethod) -> Option<UnmarkedGeneration> {
    let report = reported(manager, outcome);
    manager.conclude(&report, method)
}

/// Returns every kind of halt that is reported, each with its reason.
fn halts() -> [(Halt, &'static str); 4] {
    [
        (Wait::after(Delay::secs::<5>(), "Waiting").into(), "Waiting"),
        (Blocked::new("Blocking", "change something").into(), "Blocking"),
        (Failure::msg("broken").reason("Failing").into(), "Failing"),
        (Failure::terminal("Ending", "broken").into(), "Ending"),
    ]
}

/// Returns a status with all dependents True, as a pass finds it at its start.
fn ready() -> [Condition; 3] {
    [stored("A", True, "A_True", 10), stored("B", True, "B_True", 10), stored("Ready", True, "Reconciled", 10)]
}

fn with(condition: Condition) -> Vec<Condition> {
    let mut list = ready().to_vec();
    list.retain(|found| found.type_ != condition.type_);
    list.push(condition);
    list
}

// CSET-20
#[test]
fn success_computes_the_top_level_condition() {
    let table: Vec<(ConditionSet, Vec<Condition>, (&str, &str))> = vec![
        (two(), with(stored("Ready", False, "Halted", 10)), ("True", "Reconciled")),
        (two(), with(stored("A", False, "Broken", 10)), ("False", "Broken")),
        (two(), with(stored("A", Unknown, "Unsure", 10)), ("Unknown", "Unsure")),
        (two(), vec![], ("Unknown", "Initializing")),
        (none(), vec![], ("True", "Reconciled")),
        (none(), vec![stored("Ready", False, "Halted", 10)], ("True", "Reconciled")),
        (ConditionSet::batch([]), vec![], ("True", "Reconciled")),
    ];
    for (set, existing, expected) in table {
        for outcome in [Ok(()), Err(Halt::Done)] {
            let mut manager = begun(set.clone(), &existing);
            manager.initialize();
            assert_eq!(concluded(&mut manager, outcome, ConcludedMethod::Reconcile), None);
            assert_eq!(top(&manager), expected, "{existing:?}");
            assert_eq!(manager.top().unwrap().observed_generation, Some(GENERATION));
        }
    }
}

// CSET-20
#[test]
fn a_direct_mark_survives_success_where_no_dependent_decides() {
    for set in [none(), two()] {
        let mut manager = begun(set, &ready());
        manager.mark_unknown("Ready", "Unsure", "text");
        manager.mark_true("Info");
        concluded(&mut manager, Ok(()), ConcludedMethod::Reconcile);
        assert_eq!(texts(&manager, "Ready"), ("Unknown", "Unsure", "text"));
    }
    let mut manager = begun(two(), &with(stored("A", False, "Broken", 10)));
    manager.mark_unknown("Ready", "Unsure", "text");
    concluded(&mut manager, Ok(()), ConcludedMethod::Reconcile);
    assert_eq!(top(&manager), ("False", "Broken"));
}

// CSET-20, CSET-10
#[test]
fn success_computes_ready_from_conditions_that_were_set_without_a_mark() {
    let mut manager = begun(two(), &ready());
    manager.set(Condition::new("A", False, "Broken", "text"));
    concluded(&mut manager, Ok(()), ConcludedMethod::Reconcile);
    assert_eq!(texts(&manager, "Ready"), ("False", "Broken", "text"));
}

// CSET-21, CSET-23, ACT-11
#[test]
fn a_halt_lowers_the_top_level_condition_only() {
    type Case = (&'static str, fn(&mut ConditionManager), Option<(&'static str, &'static str)>);
    let table: [Case; 7] = [
        ("nothing marked", |_| {}, None),
        ("all True", |m| m.mark_true("A"), None),
        ("only an undeclared one", |m| m.mark_false("Info", "InfoFailed", ""), None),
        ("one False", |m| m.mark_false("A", "Broken", ""), Some(("False", "Broken"))),
        ("one Unknown", |m| m.mark_unknown("A", "Unsure", ""), Some(("Unknown", "Unsure"))),
        ("the top-level Unknown", |m| m.mark_unknown("Ready", "Unsure", ""), Some(("Unknown", "Unsure"))),
        ("the top-level True", |m| m.mark_true("Ready"), None),
    ];
    for (name, marks, kept) in table {
        for method in [ConcludedMethod::Reconcile, ConcludedMethod::Finalize] {
            for (halt, reason) in halts() {
                let mut manager = begun(two(), &ready());
                marks(&mut manager);
                let dependents = [texts(&manager, "A").1.to_owned(), texts(&manager, "B").1.to_owned()];
                assert_eq!(concluded(&mut manager, Err(halt), method), None);
                assert_eq!(top(&manager), kept.unwrap_or(("False", reason)), "{name}, {method:?}");
                assert_eq!([texts(&manager, "A").1, texts(&manager, "B").1], dependents.each_ref().map(String::as_str));
            }
        }
    }
}

// CSET-21
#[test]
fn a_halt_replaces_texts_that_no_mark_of_this_pass_left() {
    for existing in [with(stored("Ready", False, "Before", 10)), with(stored("A", False, "Broken", 10)), vec![]] {
        for set in [none(), two()] {
            for is_new in [false, true] {
                let mut manager = begun(set.clone(), &existing);
                manager.initialize();
                if is_new {
                    manager.new_generation();
                }
                concluded(&mut manager, Wait::for_event("Waiting").into(), ConcludedMethod::Reconcile);
                assert_eq!(texts(&manager, "Ready"), ("False", "Waiting", "waiting for an event"));
            }
        }
    }
}

// ACT-5
#[test]
fn the_stalled_condition_is_present_only_for_blocked_and_terminal_outcomes() {
    for existing in [vec![], vec![stored("Stalled", True, "Before", 10)]] {
        for (halt, reason) in halts() {
            let is_stuck = matches!(reason, "Blocking" | "Ending");
            let mut manager = begun(two(), &existing);
            concluded(&mut manager, Err(halt), ConcludedMethod::Reconcile);
            let expected = is_stuck.then_some((True, reason, Some(GENERATION)));
            let stalled = manager.get("Stalled");
            assert_eq!(stalled.map(|found| (found.status, found.reason.as_str(), found.observed_generation)), expected);
            assert!(stalled.is_none_or(|found| found.last_transition_time == at(if existing.is_empty() { NOW } else { 10 })));
        }
        let mut manager = begun(two(), &existing);
        concluded(&mut manager, Ok(()), ConcludedMethod::Reconcile);
        assert!(manager.get("Stalled").is_none());
    }
}

// ACT-10, ACT-14
#[test]
fn a_cancelled_pass_changes_no_conditions() {
    let existing = with(stored("Stalled", True, "Before", 10));
    let quiet = Conclusion::cancelled().report;
    for method in [ConcludedMethod::Reconcile, ConcludedMethod::Finalize] {
        let mut manager = begun(two(), &existing);
        assert_eq!(manager.conclude(&quiet, method), None);
        let mut sorted = existing.clone();
        sorted.sort_by(|a, b| a.type_.cmp(&b.type_));
        assert_eq!(manager.finish(), sorted);
    }
}

// CSET-22, STAGE-9
#[test]
fn success_without_a_mark_does_not_count_for_a_new_generation() {
    let mut manager = begun(two(), &ready());
    manager.initialize();
    manager.new_generation();
    let unobserved = ("Unknown", "NewObservedGenFailure", "unsuccessfully observed a new generation");
    assert_eq!(texts(&manager, "Ready"), unobserved);
    manager.mark_true("Info");
    let warning = concluded(&mut manager, Ok(()), ConcludedMethod::Reconcile).unwrap();
    assert_eq!(texts(&manager, "Ready"), unobserved);
    let text = warning.to_string();
    assert!(text.starts_with("Ready stays Unknown") && text.contains("none of Ready, A, B;"), "{text}");

    // The next pass of the same generation has no new information.
    let mut next = begun(two(), &manager.finish());
    next.initialize();
    assert!(concluded(&mut next, Ok(()), ConcludedMethod::Reconcile).is_some());
    assert_eq!(texts(&next, "Ready"), unobserved);
    let mut marked = begun(two(), &next.finish());
    marked.mark_true("A");
    assert_eq!(concluded(&mut marked, Ok(()), ConcludedMethod::Reconcile), None);
    assert_eq!(top(&marked), ("True", "Reconciled"));
}

// CSET-22
#[test]
fn success_without_a_mark_does_not_count_after_a_failure_for_the_generation_either() {
    let old: Vec<Condition> =
        ready().into_iter().map(|condition| Condition { observed_generation: Some(GENERATION - 1), ..condition }).collect();
    let mut failed = begun(two(), &old);
    failed.new_generation();
    concluded(&mut failed, Failure::backoff("broken").into(), ConcludedMethod::Reconcile);
    assert_eq!(top(&failed), ("False", "InternalError"));
    let mut next = begun(two(), &failed.finish());
    next.initialize();
    assert!(concluded(&mut next, Ok(()), ConcludedMethod::Reconcile).is_some());
    assert_eq!(top(&next), ("Unknown", "NewObservedGenFailure"));
}

// CSET-22
#[test]
fn one_mark_or_no_dependents_make_a_new_generation_count() {
    type Marks = fn(&mut ConditionManager);
    let table: [(ConditionSet, Marks, (&str, &str)); 5] = [
        (two(), |m| m.mark_true("B"), ("True", "Reconciled")),
        (two(), |m| m.set(Condition::new("A", True, "", "")), ("True", "Reconciled")),
        (two(), |m| m.mark_true_with("Ready", "Fine", ""), ("True", "Fine")),
        (two(), |m| m.mark_false("B", "Broken", ""), ("False", "Broken")),
        (none(), |_| {}, ("True", "Reconciled")),
    ];
    for (set, marks, expected) in table {
        let mut manager = begun(set, &ready());
        manager.new_generation();
        marks(&mut manager);
        assert_eq!(concluded(&mut manager, Ok(()), ConcludedMethod::Reconcile), None);
        assert_eq!(top(&manager), expected);
    }
}

// CSET-23
#[test]
fn success_of_finalize_changes_no_condition() {
    let existing = with(stored("Stalled", True, "Before", 10));
    let mut manager = begun(two(), &existing);
    manager.mark_false("A", "Leaving", "");
    let before = manager.conditions();
    assert_eq!(concluded(&mut manager, Ok(()), ConcludedMethod::Finalize), None);
    assert_eq!(manager.finish(), before);
}

// CSET-2
#[test]
fn the_knative_shape_has_no_reason_after_success() {
    let mut manager = knative(none(), &[]);
    concluded(&mut manager, Ok(()), ConcludedMethod::Reconcile);
    assert_eq!(top(&manager), ("True", ""));
    concluded(&mut manager, Blocked::new("Blocking", "change something").into(), ConcludedMethod::Reconcile);
    assert_eq!(manager.get("Stalled").unwrap().severity, Some(Severity::Info));
    assert_eq!((manager.get("Stalled").unwrap().status, top(&manager)), (True, ("False", "Blocking")));
}
