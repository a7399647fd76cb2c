use std::time::Duration;

use kubewright_machinery::object::{HasMetadata as _, MetadataView};
use serde_json::{Value, json};

use super::*;
use crate::time::Moment;

const OURS: &str = "example.com/widget";
const FORMER: &str = "widgets.";
const KEY: &str = "example.com/class";

fn filter() -> ClassFilter {
    ClassFilter::new(KEY, "blue").or_key("old.example.com/class")
}

fn object(annotations: Value, finalizers: Value) -> Value {
    json!({"metadata": {"name": "a", "annotations": annotations, "finalizers": finalizers}})
}

fn of_class(class: &str) -> Value {
    object(json!({KEY: class}), json!([]))
}

fn decide(filter: &ClassFilter, object: &Value) -> ClassDecision {
    filter.decide(MetadataView::of(&object.metadata_map()), &[OURS, FORMER])
}

// CLS-1
#[test]
fn the_first_annotation_that_exists_decides() {
    let old = "old.example.com/class";
    for (annotations, ours) in [
        (json!({KEY: "blue"}), true),
        (json!({old: "blue"}), true),
        (json!({KEY: "blue", old: "red"}), true),
        (json!({KEY: "red", old: "blue"}), false),
        (json!({KEY: "", old: "blue"}), false),
        (json!({KEY: "Blue"}), false),
        (json!({}), false),
        (json!(null), false),
    ] {
        let decision = decide(&filter(), &object(annotations.clone(), json!([])));
        assert_eq!(decision == ClassDecision::Ours, ours, "{annotations}");
        assert_eq!(decision == ClassDecision::NotOurs, !ours, "{annotations}");
    }
}

// CLS-1
#[test]
fn a_class_may_be_empty_and_is_not_the_same_as_none() {
    let empty = ClassFilter::new(KEY, "");
    assert_eq!(decide(&empty, &of_class("")), ClassDecision::Ours);
    assert_eq!(decide(&empty, &object(json!({}), json!([]))), ClassDecision::NotOurs);
}

// CLS-3
#[test]
fn an_object_of_another_class_with_our_finalizer_is_handed_over_by_the_policy() {
    for hand_over in [HandOver::Finalize, HandOver::Release] {
        let filter = filter().hand_over(hand_over);
        for deletion in [Value::Null, json!("2026-01-01T00:00:00Z")] {
            for name in [OURS, FORMER] {
                let mut moved = object(json!({KEY: "red"}), json!(["x/y", name]));
                moved["metadata"]["deletionTimestamp"] = deletion.clone();
                assert_eq!(decide(&filter, &moved), ClassDecision::HandOver(hand_over));
            }
            let mut foreign = object(json!({KEY: "red"}), json!(["x/y"]));
            foreign["metadata"]["deletionTimestamp"] = deletion.clone();
            assert_eq!(decide(&filter, &foreign), ClassDecision::NotOurs);
        }
    }
    assert_eq!(decide(&filter(), &object(json!({KEY: "blue"}), json!([OURS]))), ClassDecision::Ours);
    assert_eq!(filter().hand_over(HandOver::default()), filter().hand_over(HandOver::Finalize));
}

// CLS-2
#[test]
fn objects_of_others_are_not_queued_unless_they_are_handed_over() {
    let objects = (0..10).map(|index| of_class(if index < 3 { "blue" } else { "red" }));
    assert_eq!(objects.filter(|object| filter().concerns(object, &[OURS])).count(), 3);
    assert!(filter().concerns(&object(json!({KEY: "red"}), json!([OURS])), &[OURS]));
    assert!(!filter().concerns(&object(json!({KEY: "red"}), json!([OURS])), &[] as &[&str]));
}

fn at(seconds: u64) -> Moment {
    Moment(Duration::from_secs(seconds))
}

fn census(classes: &[&str]) -> ClassCensus {
    let mut census = ClassCensus::new(filter());
    for class in classes {
        census.changed(None, Some(&of_class(class)));
    }
    census
}

// CLS-4
#[test]
fn one_warning_names_the_classes_when_all_objects_carry_a_misspelt_one() {
    let mut census = census(&["bleu", "bleu", "bluue"]);
    census.changed(None, Some(&object(json!({}), json!([]))));
    assert_eq!((census.due(), census.check(at(1000))), (None, None));
    census.synced(at(10));
    census.synced(at(50));
    assert_eq!((census.due(), census.check(at(69))), (Some(at(70)), None));
    let warning = census.check(at(70)).unwrap();
    assert_eq!((warning.objects, warning.unset, warning.more), (4, 1, 0));
    assert_eq!(warning.seen, ["bleu", "bluue"]);
    assert_eq!(
        warning.to_string(),
        "none of 4 objects is of class \"blue\" (annotation example.com/class, else old.example.com/class); classes found: \
         \"bleu\", \"bluue\"; objects without a class: 1; correct the annotation of the objects, or the class of the controller"
    );
    assert_eq!((census.due(), census.check(at(1000))), (None, None));
}

// CLS-4
#[test]
fn a_warning_shows_five_values_and_no_long_ones() {
    let long = "x".repeat(100);
    let mut census = census(&["a", "b", "c", "d", "e", "f", &long, &long]);
    census.synced(at(0));
    let warning = census.check(at(60)).unwrap();
    assert_eq!((warning.seen.len(), warning.more), (5, 2));
    assert_eq!((warning.seen[0].len(), warning.seen[1].as_str()), (63, "a"));
}

// CLS-4
#[test]
fn no_class_mismatch_is_reported_without_objects_or_with_an_object_of_the_own_class() {
    for classes in [&[][..], &["red", "blue"]] {
        let mut census = census(classes);
        census.synced(at(0));
        assert_eq!((census.check(at(60)), census.due()), (None, None));
        // Objects that are added after the check do not indicate a wrong configuration.
        census.changed(Some(&of_class("blue")), Some(&of_class("red")));
        assert_eq!(census.check(at(600)), None);
    }
}

// CLS-4
#[test]
fn filtered_objects_are_counted_through_all_changes() {
    let mut census = census(&["red", "green", "blue"]);
    assert_eq!(census.filtered(), 2);
    census.changed(Some(&of_class("red")), Some(&of_class("blue")));
    assert_eq!(census.filtered(), 1);
    census.changed(Some(&of_class("blue")), Some(&object(json!({}), json!([]))));
    census.changed(Some(&of_class("blue")), Some(&of_class("green")));
    assert_eq!(census.filtered(), 3);
    census.changed(Some(&of_class("green")), None);
    census.changed(Some(&of_class("green")), None);
    assert_eq!(census.filtered(), 1);
}
