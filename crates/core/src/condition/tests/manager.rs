use super::{GENERATION, KNATIVE, NOW, at, begun, knative, stored, texts, top};
use crate::condition::ConditionStatus::{False, True, Unknown};
use crate::condition::*;

fn two() -> ConditionSet {
    ConditionSet::living(["A", "B"])
}

fn time(manager: &ConditionManager, type_: &str) -> i64 {
    manager.get(type_).unwrap().last_transition_time.as_second()
}

// CSET-1
#[test]
fn duplicates_and_the_top_level_type_are_no_dependents() {
    let living = ConditionSet::living(["A", "Ready", "A", "Succeeded"]);
    assert_eq!((living.top(), living.dependents()), ("Ready", ["A".to_owned(), "Succeeded".to_owned()].as_slice()));
    let batch = ConditionSet::batch(["Succeeded", "B"]);
    assert_eq!((batch.top(), batch.dependents()), ("Succeeded", ["B".to_owned()].as_slice()));
}

// CSET-2
#[test]
fn the_standard_shape_has_a_reason_and_a_generation_always_and_no_severity() {
    let mut manager = begun(two().severity("A", Severity::Warning), &[]);
    manager.initialize();
    assert_eq!(texts(&manager, "A"), ("Unknown", "Initializing", ""));
    assert_eq!(texts(&manager, "Ready"), ("Unknown", "Initializing", ""));
    manager.mark_true("A");
    manager.mark_true_with("B", "Good", "all is well");
    manager.mark_false("Info", "", "");
    manager.set(Condition { severity: Some(Severity::Warning), ..Condition::new("Own", Unknown, "", "") });
    assert_eq!(texts(&manager, "A"), ("True", "A_True", ""));
    assert_eq!(texts(&manager, "B"), ("True", "Good", "all is well"));
    assert_eq!(texts(&manager, "Ready"), ("True", "Reconciled", ""));
    assert_eq!(texts(&manager, "Info"), ("False", "Info_False", ""));
    assert_eq!(texts(&manager, "Own"), ("Unknown", "Own_Unknown", ""));
    for condition in manager.finish() {
        assert_eq!((condition.observed_generation, condition.severity), (Some(GENERATION), None), "{}", condition.type_);
    }
}

// CSET-2
#[test]
fn an_absent_dependent_gives_the_top_level_a_made_up_reason() {
    let mut manager = begun(two(), &[]);
    manager.mark_true("A");
    assert_eq!(texts(&manager, "Ready"), ("Unknown", "Ready_Unknown", ""));
}

// CSET-2
#[test]
fn the_knative_shape_has_a_severity_and_nothing_made_up() {
    let mut manager = knative(two().severity("B", Severity::Warning).severity("Loud", Severity::Error), &[]);
    manager.initialize();
    assert_eq!(texts(&manager, "A"), ("Unknown", "", ""));
    manager.mark_true("A");
    manager.mark_true("B");
    manager.mark_true("Info");
    manager.mark_true("Loud");
    manager.set(Condition { severity: Some(Severity::Warning), ..Condition::new("Own", True, "", "") });
    assert_eq!(texts(&manager, "Ready"), ("True", "", ""));
    let severities: Vec<_> = manager
        .finish()
        .into_iter()
        .map(|found| (found.type_, found.severity, found.observed_generation, found.reason))
        .collect();
    let expected = [
        ("A", None),
        ("B", Some(Severity::Warning)),
        ("Info", Some(Severity::Info)),
        ("Loud", None),
        ("Own", Some(Severity::Warning)),
        ("Ready", None),
    ];
    assert_eq!(severities, expected.map(|(type_, severity)| (type_.to_owned(), severity, None, String::new())));
}

// CSET-2
#[test]
fn a_severity_that_is_read_decides_nothing() {
    for severity in [None, Some(Severity::Error), Some(Severity::Warning), Some(Severity::Info)] {
        let dependent = Condition { severity, ..stored("A", False, "Broken", 10) };
        let other = Condition { severity, ..stored("Old", False, "Leftover", 20) };
        for begin in [begun, knative] {
            let mut manager = begin(two(), &[dependent.clone(), other.clone()]);
            manager.mark_true("B");
            assert_eq!(top(&manager), ("False", "Broken"));
            assert_eq!(manager.get("Old").unwrap().severity, severity);
        }
    }
}

// CSET-3
#[test]
fn an_absent_condition_is_unknown() {
    let manager = begun(two(), &[]);
    assert!(!manager.is_true("A") && !manager.is_false("A") && manager.is_unknown("A"));
    assert!(!manager.is_happy() && manager.top().is_none());
}

// CSET-4
#[test]
fn the_transition_time_moves_by_policy() {
    let (same, changed) = ((False, "Broken"), (False, "Other"));
    let table = [
        (TransitionTime::OnStatusChange, vec![(True, ""), same], 10),
        (TransitionTime::OnStatusChange, vec![changed], 10),
        (TransitionTime::OnStatusChange, vec![(True, "")], NOW),
        (TransitionTime::OnAnyChange, vec![(True, ""), same], 10),
        (TransitionTime::OnAnyChange, vec![changed, same], 10),
        (TransitionTime::OnAnyChange, vec![changed], NOW),
        (TransitionTime::OnAnyChange, vec![(True, "")], NOW),
    ];
    for (transition, marks, expected) in table {
        let policy = ConditionPolicy { transition, ..ConditionPolicy::default() };
        let existing = [stored("A", False, "Broken", 10)];
        let mut manager = ConditionManager::begin(two(), policy, &existing, at(NOW), None);
        for (status, reason) in &marks {
            manager.set(Condition::new("A", *status, *reason, ""));
        }
        assert_eq!(time(&manager, "A"), expected, "{transition:?} {marks:?}");
    }
}

// CSET-4
#[test]
fn all_changes_of_a_pass_carry_the_same_whole_second() {
    let now = jiff::Timestamp::new(NOW, 900_000_000).unwrap();
    let mut manager = ConditionManager::begin(two(), ConditionPolicy::default(), &[], now, None);
    manager.initialize();
    manager.mark_true("A");
    manager.mark_false("Info", "Because", "");
    assert!(manager.finish().iter().all(|found| found.last_transition_time == at(NOW)));
}

// CSET-5
#[test]
fn setting_a_condition_that_differs_only_in_its_time_changes_nothing() {
    let existing = [Condition { observed_generation: Some(GENERATION), ..stored("A", False, "Broken", 10) }];
    let mut manager = begun(two(), &existing);
    manager.set(Condition { last_transition_time: at(50), ..existing[0].clone() });
    assert_eq!(manager.finish(), existing);
}

// CSET-10
#[test]
fn setting_computes_nothing_until_the_next_mark() {
    let mut manager = begun(two(), &[]);
    manager.initialize();
    manager.set(Condition::new("A", False, "Broken", "it is broken"));
    assert_eq!(texts(&manager, "Ready"), ("Unknown", "Initializing", ""));
    manager.mark_true("B");
    assert_eq!(texts(&manager, "Ready"), ("False", "Broken", "it is broken"));
}

// CSET-10, CND-5
#[test]
fn a_generation_that_is_given_stays() {
    let mut manager = begun(two(), &[]);
    manager.set(Condition { observed_generation: Some(3), ..Condition::new("A", True, "", "") });
    assert_eq!(manager.get("A").unwrap().observed_generation, Some(3));
}

// CSET-11
#[test]
fn declared_conditions_cannot_be_cleared() {
    let mut manager = begun(two(), &[stored("Old", False, "Leftover", 10)]);
    for type_ in ["Ready", "A"] {
        assert_eq!(manager.clear(type_).unwrap_err().to_string(), "clearing terminal conditions not implemented");
    }
    assert_eq!(manager.clear("Old"), Ok(()));
    assert_eq!(manager.clear("Absent"), Ok(()));
    assert!(manager.finish().is_empty());
}

// CSET-12
#[test]
fn missing_conditions_are_initialized_and_existing_ones_stay_unchanged() {
    let ready = |status| stored("Ready", status, "Before", 10);
    let table = [
        (vec![], "Unknown", "Unknown"),
        (vec![ready(True)], "True", "True"),
        (vec![ready(False)], "False", "Unknown"),
        (vec![ready(Unknown)], "Unknown", "Unknown"),
        (vec![stored("B", False, "Broken", 10)], "Unknown", "Unknown"),
    ];
    for (existing, expected_top, expected) in table {
        let mut manager = begun(two().retired(["Old", "A", "Ready"]), &existing);
        manager.set(Condition::new("Old", False, "Leftover", ""));
        manager.initialize();
        assert_eq!((texts(&manager, "Ready").0, texts(&manager, "A").0), (expected_top, expected), "{existing:?}");
        assert!(manager.get("Old").is_none());
        let present: Vec<_> = existing.iter().filter(|found| manager.get(&found.type_) != Some(found)).collect();
        assert!(present.is_empty(), "{present:?} changed");
    }
}

/// Applies marks that are given as text: each a type and a status.
fn after(set: ConditionSet, existing: &[Condition], marks: &str) -> ConditionManager {
    let mut manager = begun(set, existing);
    manager.initialize();
    for mark in marks.split_whitespace() {
        let (type_, status) = mark.split_once('=').unwrap();
        let reason = format!("{type_}{status}");
        match status {
            "T" => manager.mark_true(type_),
            "F" => manager.mark_false(type_, &reason, "text"),
            _ => manager.mark_unknown(type_, &reason, "text"),
        }
    }
    manager
}

// CSET-13, CSET-14, CSET-15
#[test]
fn the_top_level_condition_follows_from_the_marks() {
    let none = || ConditionSet::living([]);
    let one = || ConditionSet::living(["A"]);
    let table: Vec<(ConditionSet, &str, (&str, &str))> = vec![
        // 1: no dependents
        (none(), "", ("Unknown", "Initializing")),
        (none(), "X=T", ("Unknown", "Initializing")),
        (none(), "Ready=F X=T", ("False", "ReadyF")),
        (none(), "Ready=U X=F", ("Unknown", "ReadyU")),
        (none(), "Ready=T X=F", ("True", "Ready_True")),
        // 2: neither kind of mark
        (one(), "A=T X=F", ("True", "Reconciled")),
        (one(), "A=F X=T", ("False", "AF")),
        // 3, 4
        (two(), "A=T", ("Unknown", "Initializing")),
        (two(), "A=F B=F", ("False", "BF")),
        (two(), "B=F A=F", ("False", "AF")),
        (two(), "A=F B=F A=F", ("False", "AF")),
        (two(), "A=F B=F B=T", ("False", "AF")),
        (two(), "B=F A=U", ("False", "BF")),
        (two(), "A=U B=U", ("Unknown", "BU")),
        (two(), "A=F A=U", ("Unknown", "AU")),
        (two(), "A=T B=U", ("Unknown", "BU")),
        // 5
        (two(), "A=T B=T", ("True", "Reconciled")),
        (two(), "A=T B=T Ready=F", ("False", "ReadyF")),
        (two(), "A=T B=T Ready=U", ("Unknown", "ReadyU")),
        (two(), "A=T B=T Ready=T", ("True", "Ready_True")),
        (two(), "A=T B=T Ready=F A=T", ("True", "Reconciled")),
        (two(), "A=T B=T Ready=F X=T", ("False", "ReadyF")),
        // a direct mark beside a dependent that is not True
        (two(), "A=F Ready=T", ("False", "AF")),
        (two(), "A=F Ready=U", ("Unknown", "ReadyU")),
        (two(), "A=F Ready=U B=T", ("False", "AF")),
        (two(), "A=U Ready=F", ("False", "ReadyF")),
        (two(), "A=U Ready=F B=T", ("Unknown", "AU")),
        // the other top-level type is like any other
        (ConditionSet::batch(["A"]), "Ready=F A=T", ("True", "Reconciled")),
        (ConditionSet::batch(["A"]), "A=F Ready=T", ("False", "AF")),
    ];
    for (set, marks, expected) in table {
        let manager = after(set, &[], marks);
        assert_eq!(top(&manager), expected, "{marks}");
        assert_eq!(manager.is_happy(), expected.0 == "True", "{marks}");
    }
}

// CSET-15
#[test]
fn the_deciding_dependent_is_the_newest_then_the_one_marked_last_then_the_first() {
    let three = || ConditionSet::living(["C", "A", "B"]);
    let existing = |a, b, c| [stored("A", False, "AOld", a), stored("B", False, "BOld", b), stored("C", True, "COld", c)];
    assert_eq!(top(&after(three(), &existing(5, 9, 0), "C=T")), ("False", "BOld"));
    assert_eq!(top(&after(three(), &existing(9, 5, 0), "C=T")), ("False", "AOld"));
    assert_eq!(top(&after(three(), &existing(5, 5, 0), "C=T")), ("False", "AOld"));
    assert_eq!(top(&after(three(), &existing(5, 5, 0), "B=F C=T")), ("False", "BF"));
    assert_eq!(top(&after(three(), &existing(5, 5, 0), "B=F A=F C=T")), ("False", "AF"));
    // A mark that leaves the status unchanged is not a newer transition.
    assert_eq!(top(&after(three(), &existing(5, 9, 0), "A=F C=T")), ("False", "BOld"));
    assert_eq!(top(&after(three(), &existing(5, 9, 0), "C=F")), ("False", "CF"));
}

// CSET-15
#[test]
fn a_leftover_condition_has_no_effect() {
    for begin in [begun, knative] {
        let mut manager = begin(two(), &[stored("Old", False, "Leftover", 98)]);
        manager.initialize();
        manager.mark_true("A");
        assert!(manager.is_unknown("Ready"));
        manager.mark_true("B");
        assert!(manager.is_happy());
    }
}

// SW-9, HALT-11
#[test]
fn messages_are_without_credentials_and_not_too_long() {
    let mut manager = begun(two(), &[]);
    manager.mark_false("A", "Refused", "sent Bearer abcdefghijklmnop to https://me:secret@example.com");
    let message = &manager.get("A").unwrap().message;
    assert!(!message.contains("secret") && !message.contains("abcdefgh"), "{message}");
    assert_eq!(manager.top().unwrap().message, *message);
    manager.mark_false("A", "Long", "x".repeat(40_000));
    assert_eq!(manager.get("A").unwrap().message.len(), 32_768);
}

// CND-6
#[test]
fn types_and_reasons_are_made_legal() {
    let mut manager = ConditionManager::begin(ConditionSet::living(["My Type"]), KNATIVE, &[], at(NOW), None);
    manager.mark_false("My Type", "no such @thing:", "");
    assert_eq!(texts(&manager, "My_Type"), ("False", "no_such__thing_", ""));
    assert_eq!(top(&manager), ("False", "no_such__thing_"));
}

// ACT-6
#[test]
fn prior_returns_the_conditions_stored_before_the_pass() {
    use crate::flow::{Prior, PriorCondition};
    let mut manager = begun(two(), &[stored("Ready", True, "Reconciled", 10)]);
    manager.mark_false("A", "Broken", "");
    let Prior::Conditions { ready, stalled } = manager.prior() else { panic!("a kind with conditions") };
    assert_eq!((ready, stalled), (Some(PriorCondition { is_true: true, reason: "Reconciled".to_owned() }), None));
}
