use k8s_openapi::apimachinery::pkg::apis::meta::v1 as metav1;

use super::{GENERATION, NOW, at, begun, stored, texts, top};
use crate::condition::ConditionStatus::{False, True, Unknown};
use crate::condition::*;

fn before() -> Vec<Condition> {
    vec![
        stored("A", True, "A_True", 10),
        stored("B", True, "B_True", 10),
        stored("Info", True, "Info_True", 10),
        stored("Ready", True, "Reconciled", 10),
    ]
}

fn adopted(change: impl FnOnce(&mut Vec<Condition>)) -> ConditionManager {
    let mut manager = begun(ConditionSet::living(["A", "B"]), &before());
    let mut after = before();
    change(&mut after);
    manager.adopt(&before(), &after);
    manager
}

#[test]
fn changes_of_a_list_are_marks() {
    let broken = || stored("A", False, "Broken", 77);
    let table: [(Vec<Condition>, (&str, &str)); 6] = [
        (vec![], ("True", "Reconciled")),
        (vec![broken()], ("False", "Broken")),
        (vec![stored("Info", False, "Broken", 77)], ("True", "Reconciled")),
        (vec![stored("Ready", False, "Own", 77)], ("False", "Own")),
        (vec![broken(), stored("Ready", Unknown, "Own", 77)], ("Unknown", "Own")),
        (vec![broken(), stored("Ready", True, "Own", 77)], ("False", "Broken")),
    ];
    for (changes, expected) in table {
        let manager = adopted(|list| {
            list.retain(|found| !changes.iter().any(|change| change.type_ == found.type_));
            list.extend(changes.clone());
        });
        assert_eq!(top(&manager), expected, "{changes:?}");
        let types: Vec<&str> = changes.iter().map(|change| change.type_.as_str()).collect();
        assert_eq!(manager.marked, types);
    }
}

#[test]
fn an_adopted_condition_has_the_time_and_generation_of_the_pass() {
    let manager = adopted(|list| {
        list[0] = stored("A", False, "Broken", 77);
        list[1].observed_generation = Some(3);
        list[2].last_transition_time = at(77);
    });
    let written = |type_| manager.get(type_).map(|found| (found.observed_generation, found.last_transition_time));
    assert_eq!(written("A"), Some((Some(GENERATION), at(NOW))));
    assert_eq!(written("B"), Some((Some(3), at(10))));
    assert_eq!(written("Info"), Some((Some(GENERATION), at(10))));
}

#[test]
fn only_undeclared_conditions_can_be_removed() {
    let manager = adopted(Vec::clear);
    assert_eq!(manager.conditions().iter().map(|found| found.type_.as_str()).collect::<Vec<_>>(), ["A", "B", "Ready"]);
    assert!(manager.is_happy() && manager.marked.is_empty());
}

#[test]
fn a_list_of_another_type_is_changed_by_its_user() {
    let mut list: Vec<metav1::Condition> = Vec::new();
    let mut manager = begun(ConditionSet::living(["A"]), &[]);
    manager.initialize();
    write_list(&mut list, manager.conditions()).unwrap();
    let before = read_list(&list);
    list[0].status = "False".to_owned();
    list[0].message = "it is broken".to_owned();
    manager.adopt(&before, &read_list(&list));
    assert_eq!(texts(&manager, "Ready"), ("False", "Initializing", "it is broken"));
}
