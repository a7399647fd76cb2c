use kubewright_machinery::object::ObjectExt as _;
use serde_json::{Value, json};

use super::*;
use crate::flow::Class;

const OWNER: &str = "example.com/owner-generation";
const INTERNAL: &str = "example.com/internal-generation";

fn labelled(labels: Value) -> Value {
    json!({ "metadata": { "labels": labels } })
}

// PROV-01
#[test]
fn provenance_labels_are_parsed_or_refused_with_the_label_name() {
    let read = |labels| Provenance::read(&labelled(labels), &format());
    let missing = || Err(InvalidProvenance::Missing { label: OWNER.to_owned() });
    let invalid = |label: &str| Err(InvalidProvenance::Invalid { label: label.to_owned(), value: "x".to_owned() });
    assert_eq!(read(json!({})), missing());
    assert_eq!(read(json!({INTERNAL: "4"})), missing());
    assert_eq!(read(json!({OWNER: "x"})), invalid(OWNER));
    assert_eq!(read(json!({OWNER: "3"})), Ok(Provenance { owner: 3, internal: -1 }));
    assert_eq!(read(json!({OWNER: "3", INTERNAL: "x"})), invalid(INTERNAL));
    assert_eq!(read(json!({OWNER: "3", INTERNAL: "4"})), Ok(Provenance { owner: 3, internal: 4 }));
}

// PROV-01, PRV-1
#[test]
fn broken_labels_are_a_failure_with_the_slow_back_off() {
    let failure = broken().failure(&format());
    let found = failure.classification();
    assert_eq!((found.reason.as_str(), found.class, found.slow), ("InvalidProvenanceLabels", Class::Backoff, true));
    assert!(failure.text().starts_with("no generation label"), "{}", failure.text());
    let of_openmcp = broken().failure(&Format::openmcp()).classification();
    assert_eq!(of_openmcp.reason.as_str(), "InvalidManagedControlPlaneLabels");
}

// PROV-01, PRV-2
#[test]
fn setting_leaves_the_label_of_an_absent_owner_and_removes_that_of_an_absent_configuration() {
    let mut object = labelled(json!({OWNER: "1", INTERNAL: "1", "a": "b"}));
    Provenance::UNKNOWN.set(&mut object, &format());
    assert_eq!(object, labelled(json!({OWNER: "1", "a": "b"})));
    Provenance::new(5, Some(6)).set(&mut object, &format());
    assert_eq!((object.label(OWNER), object.label(INTERNAL)), (Some("5"), Some("6")));
}

// PROV-01, PRV-3
#[test]
fn the_patch_names_an_absent_owner_and_removes_an_absent_configuration() {
    let labels = json!({ "metadata": { "labels": { OWNER: "-1", INTERNAL: null } } });
    assert_eq!(Provenance::UNKNOWN.merge_patch(&format(), false), labels);
    let patch = Provenance::new(2, Some(3)).merge_patch(&format(), true);
    let expected = json!({ "metadata": {
        "labels": { OWNER: "2", INTERNAL: "3" },
        "annotations": { "example.com/operation": "reconcile" },
    } });
    assert_eq!(patch, expected);
}
