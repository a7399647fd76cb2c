use serde_json::json;

use super::{GENERATION, NOW, at, begun, stored, texts, top};
use crate::condition::ConditionStatus::{False, True};
use crate::condition::*;
use crate::contract::DeclaredCondition;

fn two() -> ConditionSet {
    ConditionSet::living(["A", "B"])
}

#[test]
fn marks_in_a_pass_are_those_of_the_manager() {
    let mut conditions = Conditions::from(vec![stored("Ready", True, "Reconciled", 10)]);
    let mut manager = begun(two(), conditions.as_slice());
    manager.initialize();
    conditions.begin(manager);
    assert!(conditions.is_true("A"), "an initialised condition is seen");
    conditions.mark_false("A", "Broken", format!("{} is broken", "web"));
    assert_eq!(conditions.top().map(|top| (top.status, top.message.as_str())), Some((False, "web is broken")));
    assert!(conditions.clear("A").is_err());
    conditions.initialize();
    let seen = conditions.as_slice().to_vec();
    let manager = conditions.take().unwrap();
    assert_eq!(manager.finish(), seen);
    assert_eq!(conditions.len(), 3);
    assert!(conditions.take().is_none());
}

#[test]
fn marks_outside_a_pass_change_only_the_condition_list() {
    let mut conditions = Conditions::from(vec![stored("Ready", True, "Reconciled", 10)]);
    conditions.mark_false("A", "Broken", "it is broken");
    conditions.mark_true("B");
    conditions.mark_unknown("C", "Unsure", "");
    conditions.initialize();
    assert!(conditions.is_happy() && conditions.is_false("A") && conditions.is_true("B") && conditions.is_unknown("C"));
    assert_eq!(conditions.get("A"), Some(&Condition::new("A", False, "Broken", "it is broken")));
    assert_eq!(conditions.get("B"), Some(&Condition::new("B", True, "B_True", "")));
    conditions.clear("A").unwrap();
    conditions.set(Condition::new("Ready", False, "Own", ""));
    assert_eq!(conditions.iter().map(|found| found.type_.as_str()).collect::<Vec<_>>(), ["B", "C", "Ready"]);
    assert_eq!(conditions.get("Ready").unwrap().last_transition_time, at(0));
}

#[test]
fn a_running_pass_makes_no_difference_to_equality_and_json() {
    let list = vec![stored("Ready", True, "Reconciled", 10)];
    let bare = Conditions::from(list.clone());
    let mut running = bare.clone();
    running.begin(begun(two(), &list));
    assert_eq!(bare, running);
    assert_eq!(format!("{bare:?}"), format!("{list:?}"));
    let json = serde_json::to_value(&running).unwrap();
    assert_eq!(json, serde_json::to_value(&list).unwrap());
    assert_eq!(serde_json::from_value::<Conditions>(json).unwrap(), bare);
    running.mark_true("A");
    assert_ne!(bare, running);
}

#[test]
fn a_list_of_any_form_is_read() {
    let json = json!([
        {"type": "A", "status": "True", "lastTransitionTime": null, "severity": ""},
        {"type": "B", "status": "Perhaps", "severity": "Info", "reason": null, "more": 1},
        {"status": "True"},
        "nonsense",
    ]);
    let conditions: Conditions = serde_json::from_value(json).unwrap();
    let expected = [
        Condition::new("A", True, "", ""),
        Condition { severity: Some(Severity::Info), ..Condition::new("B", ConditionStatus::Unknown, "", "") },
    ];
    assert_eq!(conditions.as_slice(), expected);
    assert_eq!(serde_json::from_value::<Conditions>(json!(null)).unwrap(), Conditions::default());
}

#[test]
fn the_schema_is_a_list_by_type_with_a_severity() {
    let settings = schemars::generate::SchemaSettings::openapi3().with(|settings| settings.inline_subschemas = true);
    let schema = settings.into_generator().into_root_schema_for::<Conditions>().to_value();
    assert_eq!(schema["x-kubernetes-list-map-keys"], json!(["type"]));
    assert_eq!(schema["items"]["properties"]["severity"]["type"], "string");
    assert!(schema["items"]["required"].as_array().unwrap().contains(&json!("type")));
}

// CSET-2: components have no severity, in their schema and in what they write.
#[test]
fn a_condition_without_severity_is_as_it_always_was() {
    let schema = schemars::schema_for!(Condition).to_value();
    assert!(schema["properties"].get("severity").is_none());
    let json = serde_json::to_value(stored("A", True, "Good", NOW)).unwrap();
    let expected = json!({
        "type": "A", "status": "True", "observedGeneration": GENERATION, "lastTransitionTime": "1970-01-01T00:01:39Z", "reason": "Good", "message": "",
    });
    assert_eq!(json, expected);
    for severity in [json!("Odd"), json!(""), json!(null), json!(3)] {
        let mut odd = expected.clone();
        odd["severity"] = severity;
        assert_eq!(serde_json::from_value::<Condition>(odd).unwrap().severity, None);
    }
}

// CND-7
#[test]
fn marks_take_typed_names() {
    struct Widget;
    const REACHABLE: ConditionType<Widget> = ConditionType::new("Reachable").internal();
    let mut manager = begun(ConditionSet::living([REACHABLE.as_str()]), &[]);
    manager.mark_false(REACHABLE, "Away", "nobody answers");
    assert_eq!(texts(&manager, "Reachable"), ("False", "Away", "nobody answers"));
    manager.mark_true("Reachable");
    assert_eq!(top(&manager).0, "True");
    let declared = DeclaredCondition::of(&REACHABLE);
    assert_eq!((declared.type_, declared.visibility), ("Reachable", ConditionVisibility::Internal));
    assert_eq!(declared.polarity, ConditionPolarity::Normal);
}

// CND-7
#[test]
fn a_typed_name_tells_which_status_is_good() {
    struct Widget;
    const DEGRADED: ConditionType<Widget> = ConditionType::new("Degraded").abnormal();
    const MIGRATED: ConditionType<Widget> = ConditionType::new("Migrated").informational();
    let polarities = [DEGRADED, MIGRATED].map(|type_| DeclaredCondition::of(&type_).polarity);
    assert_eq!(polarities, [ConditionPolarity::Abnormal, ConditionPolarity::Informational]);
}
