//! A comparison of the index with the recorded behaviour of Knative's tracker.

use std::collections::{BTreeMap, BTreeSet};

use kubewright_machinery::object::{Key, ObjectExt};
use kubewright_machinery::selector::Labels;
use serde_json::{Value, json};

use super::*;
use crate::recorded::knative_vectors;

fn reference(line: &Value) -> Result<TrackedReference, InvalidReference> {
    TrackedReference::parse(&serde_json::from_value(line["reference"].clone()).unwrap())
}

// TRK-2
#[test]
fn references_are_valid_and_refused_as_recorded() {
    let Some(lines) = knative_vectors("tracker.jsonl") else { return };
    let lines: Vec<_> = lines.iter().filter(|line| line["test"] == "reference").collect();
    assert_eq!(lines.len(), 19);
    for line in lines {
        let error = reference(line).err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), line["error"].as_str(), "{line}");
    }
}

/// The intended differences from the recording: test, index of the action, observers, reason.
const OTHERWISE: [(&str, usize, &[&str], &str); 5] = [
    ("other-version", 1, &["ns/x"], "TRK-5: an object is tracked by group and kind, in any version"),
    ("selector-old-labels", 2, &["ns/x"], "TRK-5: the labels before count as well"),
    ("second-selector-replaces", 2, &["ns/x"], "TRK-3: an observer has any number of selectors"),
    ("name-and-selector", 2, &["ns/x"], "TRK-5: an observer is told once per change"),
    ("lease-expires", 3, &["ns/x"], "TRK-4: there is no lease"),
];

// TRK-1, TRK-3, TRK-4, TRK-5, TRK-6, TRK-8
#[test]
fn notified_observers_match_the_recordings_except_for_the_listed_differences() {
    let Some(lines) = knative_vectors("tracker.jsonl") else { return };
    let lines: Vec<_> = lines.iter().filter(|line| line["test"] != "reference").collect();
    assert_eq!(lines.len(), 22);
    let mut differences = 0;
    for line in lines {
        let test = line["test"].as_str().unwrap();
        let (mut index, mut objects) = (TrackerIndex::new(), BTreeMap::new());
        for (number, action) in line["actions"].as_array().unwrap().iter().enumerate() {
            let observer = Key::new("ns", action["observer"].as_str().unwrap_or_default());
            let told = match action["do"].as_str().unwrap() {
                "track" => {
                    let pass = index.begin(observer);
                    index.track(&pass, reference(action).unwrap());
                    index.settle(pass, Settlement::Add);
                    // TRK-1: the recorded tracker calls back at once; this index registers before the object is read, which saves the pass.
                    continue;
                }
                "observer-deleted" => {
                    index.drop_observer(&observer);
                    BTreeSet::new()
                }
                "changed" => {
                    let object = as_object(&action["object"]);
                    let before = objects.insert(object.key(), object.clone());
                    told(&index, &object, before.as_ref(), Some(&object))
                }
                "deleted" => {
                    let object = as_object(&action["object"]);
                    told(&index, &object, objects.remove(&object.key()).as_ref().or(Some(&object)), None)
                }
                "observers" => index.observers_of_object(&as_object(&action["object"])),
                "wait" | "half" => BTreeSet::new(),
                other => panic!("{test}: unknown action {other}"),
            };
            let told: Vec<String> = told.iter().map(Key::to_string).collect();
            match OTHERWISE.iter().find(|row| (row.0, row.1) == (test, number)) {
                Some((_, _, ours, why)) => {
                    differences += usize::from(json!(ours) != action["notified"]);
                    assert_eq!(told, *ours, "{test}, {number}: {why}");
                }
                None => assert_eq!(json!(told), action["notified"], "{test}, {number}"),
            }
        }
    }
    assert_eq!(differences, OTHERWISE.len(), "a listed difference is none any more");
}

/// Builds an object from the flat metadata of the recording.
fn as_object(flat: &Value) -> Value {
    json!({
        "apiVersion": flat["apiVersion"], "kind": flat["kind"],
        "metadata": {"namespace": flat["namespace"], "name": flat["name"], "labels": flat["labels"]},
    })
}

/// Returns the observers of a change of an object that was recorded with or without its kind.
fn told(index: &TrackerIndex<Key>, object: &Value, before: Option<&Value>, after: Option<&Value>) -> BTreeSet<Key> {
    let [before, after] = [before, after].map(|object| object.map(|object| object.labels() as &dyn Labels));
    let kind = object.gvk().map(|gvk| gvk.group_kind()).unwrap_or_default();
    index.observers_of_change(&kind, object.namespace(), object.name(), before, after)
}
