use k8s_openapi::api::apps::v1::{DeploymentCondition, DeploymentStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1 as metav1;
use serde_json::json;

use super::{GENERATION, NOW, at, begun};
use crate::condition::ConditionStatus::{False, True, Unknown};
use crate::condition::*;

fn deployment() -> Option<Vec<DeploymentCondition>> {
    serde_json::from_value(json!([
        {"type": "Progressing", "status": "True", "reason": "New", "lastUpdateTime": "2026-01-01T00:00:05Z",
         "lastTransitionTime": "2026-01-01T00:00:00Z"},
        {"type": "Available", "status": "False", "lastUpdateTime": "2026-01-01T00:00:07Z"},
    ]))
    .unwrap()
}

#[test]
fn conditions_of_other_types_are_read() {
    let read = read_list(&deployment());
    assert_eq!(read[0].last_transition_time.to_string(), "2026-01-01T00:00:00Z");
    assert_eq!(read[1], Condition::new("Available", False, "", ""));
    assert!(read_list(&None::<Vec<DeploymentCondition>>).is_empty());
    assert!(read_list(&"nonsense").is_empty());
}

#[test]
fn a_list_of_conditions_is_written_back_unchanged() {
    let (before, mut list) = (deployment(), deployment());
    write_list(&mut list, read_list(&before)).unwrap();
    assert_eq!(list, before);
    let mut none = None::<Vec<DeploymentCondition>>;
    write_list(&mut none, Vec::new()).unwrap();
    assert_eq!(none, None);
}

#[test]
fn fields_that_only_the_other_type_has_survive_a_change() {
    let mut status = DeploymentStatus { conditions: deployment(), ..DeploymentStatus::default() };
    let mut manager = begun(ConditionSet::living(["Available"]), &read_list(&status.conditions));
    manager.mark_true("Available");
    write_list(&mut status.conditions, manager.finish()).unwrap();
    let json = serde_json::to_value(&status.conditions).unwrap();
    let expected = json!([
        {"type": "Available", "status": "True", "reason": "Available_True", "lastUpdateTime": "2026-01-01T00:00:07Z",
         "lastTransitionTime": "1970-01-01T00:01:39Z"},
        {"type": "Progressing", "status": "True", "reason": "New", "lastUpdateTime": "2026-01-01T00:00:05Z",
         "lastTransitionTime": "2026-01-01T00:00:00Z"},
        {"type": "Ready", "status": "True", "reason": "Reconciled", "message": "", "lastTransitionTime": "1970-01-01T00:01:39Z"},
    ]);
    assert_eq!(json, expected);
}

#[test]
fn standard_conditions_go_there_and_back() {
    let mut list: Vec<metav1::Condition> = Vec::new();
    let mut manager = begun(ConditionSet::living(["A"]), &[]);
    manager.mark_unknown("A", "Unsure", "text");
    let written = manager.finish();
    write_list(&mut list, written.clone()).unwrap();
    assert_eq!(list[0].observed_generation, Some(GENERATION));
    assert_eq!(list[0].last_transition_time.0, at(NOW));
    assert_eq!(read_list(&list), written);
    write_list(&mut list, Vec::new()).unwrap();
    assert!(list.is_empty());
}

#[test]
fn a_list_that_does_not_take_conditions_stays() {
    let mut list = vec![3_u8];
    let error = write_list(&mut list, vec![Condition::new("A", Unknown, "", "")]).unwrap_err();
    assert!(error.to_string().starts_with("conditions do not fit into "), "{error}");
    assert_eq!(list, [3]);
}

#[derive(Debug, Default)]
struct OwnStatus {
    conditions: Conditions,
    foreign: Vec<metav1::Condition>,
}

// The calls that the derive generates for the two kinds of fields.
#[test]
fn a_field_keeps_the_manager_if_it_can() {
    #[allow(unused_imports)]
    use crate::condition::derive::{ReadsList as _, StatusField, WritesList as _};
    let mut status = OwnStatus::default();
    let manager = || begun(ConditionSet::living([]), &[]);
    assert!(StatusField(&mut status.conditions).begin(manager()).is_none());
    assert!(StatusField(&mut status.foreign).begin(manager()).is_some());
    assert!(StatusField(&mut status.conditions).take().is_some());
    assert!(StatusField(&mut status.foreign).take().is_none());
    let list = vec![Condition::new("A", True, "Good", "")];
    StatusField(&mut status.conditions).write(list.clone()).unwrap();
    StatusField(&mut status.foreign).write(list.clone()).unwrap();
    assert_eq!(StatusField(&status.conditions).read(), list);
    assert_eq!(StatusField(&status.foreign).read(), list);
}
