use std::borrow::Cow;
use std::sync::Arc;

use kubewright_machinery::object::{GroupKind, HasMetadata, Key};
use kubewright_machinery::selector::LabelSelector;
use serde_json::{Map, Value, json};

use super::*;

type Block = Box<dyn Filter<Value> + Send + Sync>;

/// Boxes a filter, as a trigger does.
fn block(filter: impl Filter<Value> + Send + Sync + 'static) -> Block {
    Box::new(filter)
}

fn of_objects<P>(old: Option<P>, new: Option<P>) -> Change<P> {
    Change { key: Key::new("demo", "a"), old: old.map(Arc::new), new: new.map(Arc::new), cause: Cause::Event }
}

fn object(metadata: Value) -> Value {
    json!({"metadata": metadata})
}

fn seen(new: Value) -> Change<Value> {
    of_objects(None, Some(object(new)))
}

fn deleted(last: Value) -> Change<Value> {
    of_objects(Some(object(last)), None)
}

fn updated(old: Value, new: Value) -> Change<Value> {
    of_objects(Some(object(old)), Some(object(new)))
}

fn annotated(value: &str) -> Value {
    json!({"annotations": {"k": value}})
}

fn labelled(value: &str) -> Value {
    json!({"labels": {"k": value}})
}

fn version(version: &str) -> Value {
    json!({"resourceVersion": version, "managedFields": [{"manager": version}]})
}

fn owned(kind: &str, controller: bool) -> Value {
    json!({"ownerReferences": [{"apiVersion": "apps/v1", "kind": kind, "name": "r", "uid": "u", "controller": controller}]})
}

fn deletion() -> Value {
    json!({"generation": 2, "deletionTimestamp": "2026-01-01T00:00:00Z"})
}

// Table of flow-and-contract.md, 10; FILT-01, TRF-2, EF-4
#[test]
fn comparing_filters_pass_created_and_deleted_objects_and_updates_of_their_part() {
    let none = || json!({});
    let (first, second) = (json!({"generation": 1}), json!({"generation": 2}));
    let held = json!({"finalizers": ["x/y"]});
    for (name, block, passing, quiet) in [
        ("generation", block(generation()), (first, second), (annotated("1"), annotated("2"))),
        ("labels", block(labels()), (labelled("1"), labelled("2")), (none(), json!({"labels": {}}))),
        ("annotations", block(annotations()), (annotated("1"), none()), (labelled("1"), labelled("2"))),
        ("labels added", block(labels()), (none(), labelled("1")), (none(), none())),
        ("labels removed", block(labels()), (labelled("1"), none()), (labelled("1"), labelled("1"))),
        ("annotations added", block(annotations()), (none(), annotated("1")), (none(), none())),
        (
            "annotations of another value",
            block(annotations()),
            (annotated("1"), annotated("2")),
            (annotated("1"), annotated("1")),
        ),
        ("finalizers", block(finalizers()), (none(), held), (annotated("1"), annotated("2"))),
        ("owners", block(owners()), (owned("A", true), owned("B", true)), (annotated("1"), annotated("2"))),
        ("deleting", block(deleting()), (none(), deletion()), (deletion(), deletion())),
        ("gained", block(gained("k", None)), (none(), annotated("1")), (annotated("1"), annotated("2"))),
        ("gained a value", block(gained("k", Some("2"))), (annotated("1"), annotated("2")), (none(), annotated("1"))),
        ("gained_label", block(gained_label("k", None)), (none(), labelled("1")), (labelled("1"), labelled("2"))),
        ("gained_label a value", block(gained_label("k", Some("2"))), (labelled("1"), labelled("2")), (none(), labelled("1"))),
        ("lost", block(lost("k", None)), (annotated("1"), none()), (annotated("1"), annotated("2"))),
        ("lost a value to another", block(lost("k", Some("1"))), (annotated("1"), annotated("2")), (annotated("2"), none())),
        ("lost a value", block(lost("k", Some("1"))), (annotated("1"), none()), (none(), annotated("1"))),
        ("lost_label", block(lost_label("k", None)), (labelled("1"), none()), (labelled("1"), labelled("2"))),
        ("lost_label a value", block(lost_label("k", Some("1"))), (labelled("1"), labelled("2")), (labelled("2"), none())),
        ("changed", block(changed("k")), (annotated("1"), annotated("2")), (labelled("1"), labelled("2"))),
        ("changed to empty", block(changed("k")), (none(), annotated("")), (annotated("1"), annotated("1"))),
        ("resource_version", block(resource_version()), (version("1"), version("2")), (version("1"), version("1"))),
        ("metadata_changed", block(metadata_changed()), (none(), annotated("1")), (version("1"), version("2"))),
        ("metadata_changed by removal", block(metadata_changed()), (annotated("1"), none()), (none(), version("1"))),
        ("primary_default", block(primary_default(&["x/y"])), (none(), deletion()), (deletion(), deletion())),
    ] {
        assert!(block.passes(&seen(none())), "{name}: seen");
        assert!(block.passes(&deleted(none())), "{name}: deleted");
        for (expected, (old, new)) in [(true, passing), (false, quiet)] {
            assert_eq!(block.passes(&updated(old.clone(), new.clone())), expected, "{name}: {old} to {new}");
        }
    }
}

// Table of flow-and-contract.md, 10; FILT-01
#[test]
fn the_status_filter_passes_changed_statuses_and_objects_without_a_status() {
    let of = |generation: i64, status: Value| json!({"metadata": {"generation": generation}, "status": status});
    let passes = |old: Option<Value>, new: Option<Value>| block(status()).passes(&of_objects(old, new));
    let (ready, broken) = (json!({"phase": "Ready"}), json!({"phase": "Broken"}));
    assert!(passes(Some(of(1, ready.clone())), Some(of(1, broken))));
    assert!(!passes(Some(of(1, ready.clone())), Some(of(2, ready.clone()))));
    assert!(passes(Some(object(json!({}))), Some(of(1, ready.clone()))));
    assert!(passes(Some(object(json!({}))), Some(object(json!({})))));
    assert!(passes(None, Some(of(1, ready.clone()))) && passes(Some(of(1, ready)), None));
}

// Table of flow-and-contract.md, 10; FILT-01, TRF-2
#[test]
fn blocks_that_ask_look_at_the_latest_state() {
    let selector = |text| LabelSelector::parse(text).unwrap();
    let kind = |group: &str| GroupKind::new(group, "ReplicaSet");
    let none = || json!({});
    let controlled = || owned("ReplicaSet", true);
    for (name, block, yes, no) in [
        ("has", block(has("k", None)), annotated("1"), labelled("1")),
        ("has a value", block(has("k", Some("2"))), annotated("2"), annotated("1")),
        ("has_label", block(has_label("k", None)), labelled("1"), annotated("1")),
        ("has_label a value", block(has_label("k", Some("2"))), labelled("2"), labelled("1")),
        ("annotation", block(annotation("k", "1", false)), annotated("1"), none()),
        ("annotation of another value", block(annotation("k", "1", false)), annotated("1"), annotated("2")),
        ("annotation or unset", block(annotation("k", "1", true)), none(), annotated("2")),
        ("annotation or unset, set", block(annotation("k", "1", true)), annotated("1"), annotated("")),
        ("label", block(label("k", "1", false)), labelled("1"), none()),
        ("label of another value", block(label("k", "1", false)), labelled("1"), labelled("2")),
        ("label or unset", block(label("k", "1", true)), none(), labelled("2")),
        ("label or unset, set", block(label("k", "1", true)), labelled("1"), labelled("")),
        ("selected", block(selected(selector("k in (1,3)"))), labelled("1"), labelled("2")),
        ("selected by absence", block(selected(selector("!k"))), annotated("1"), labelled("1")),
        ("controlled_by", block(controlled_by(kind("apps"))), controlled(), owned("ReplicaSet", false)),
        ("controlled_by another kind", block(controlled_by(kind("apps"))), controlled(), owned("Job", true)),
        ("controlled_by another group", block(controlled_by(kind("")).not()), controlled(), {
            json!({"ownerReferences": [{"apiVersion": "v1", "kind": "ReplicaSet", "name": "r", "controller": true}]})
        }),
    ] {
        for (expected, now, before) in [(true, &yes, &no), (false, &no, &yes)] {
            assert_eq!(block.passes(&seen(now.clone())), expected, "{name}: {now} seen");
            assert_eq!(block.passes(&updated(before.clone(), now.clone())), expected, "{name}: {before} to {now}");
            assert_eq!(block.passes(&deleted(now.clone())), expected, "{name}: {now} deleted");
        }
    }
}

// FILT-01, TRF-2
#[test]
fn filters_match_objects_by_namespace_and_name() {
    for (block, expected) in [
        (block(named(Some("demo"), "a")), true),
        (block(named(None, "a")), true),
        (block(named(Some("other"), "a")), false),
        (block(named(Some(""), "a")), false),
        (block(named(None, "b")), false),
        (block(namespace("demo")), true),
        (block(namespace("")), false),
        (block(name("a")), true),
        (block(name("b")), false),
    ] {
        for change in [seen(json!({})), updated(json!({}), json!({})), deleted(json!({}))] {
            assert_eq!(block.passes(&change), expected, "{change:?}");
        }
    }
}

// FILT-02, TRF-3
#[test]
fn an_update_of_a_primary_object_passes_when_more_than_its_status_or_our_finalizer_differs() {
    const OURS: &str = "example.com/widget";
    const FORMER: &str = "widgets.";
    let object = |change: &dyn Fn(&mut Value), status: &str| {
        let mut object = json!({
            "metadata": {"name": "a", "generation": 1, "resourceVersion": status, "managedFields": [status], "finalizers": ["x/y"]},
            "status": {"phase": status},
        });
        change(&mut object["metadata"]);
        object
    };
    for (name, expected, change) in [
        ("own status write", false, (&|_: &mut Value| {}) as &dyn Fn(&mut Value)),
        ("our finalizer", false, &|metadata| metadata["finalizers"] = json!(["x/y", OURS])),
        ("all our finalizers", false, &|metadata| metadata["finalizers"] = json!([FORMER, "x/y", OURS])),
        ("the finalizer of another", true, &|metadata| metadata["finalizers"] = json!(["x/y", "x/z"])),
        ("the finalizer of another beside ours", true, &|metadata| metadata["finalizers"] = json!([OURS])),
        ("our finalizer and a label", true, &|metadata| {
            metadata["finalizers"] = json!(["x/y", OURS]);
            metadata["labels"] = json!({"a": "b"});
        }),
        ("label edit", true, &|metadata| metadata["labels"] = json!({"a": "b"})),
        ("annotation", true, &|metadata| metadata["annotations"] = json!({"a": "b"})),
        ("owner", true, &|metadata| metadata["ownerReferences"] = json!([{"kind": "A", "uid": "u"}])),
        ("generation", true, &|metadata| metadata["generation"] = json!(2)),
        ("deletion", true, &|metadata| metadata["deletionTimestamp"] = json!("2026-01-01T00:00:00Z")),
    ] {
        let (before, after) = (object(&|_| {}, "1"), object(change, "2"));
        let block = block(primary_default(&[OURS, FORMER]));
        assert_eq!(block.passes(&of_objects(Some(before.clone()), Some(after.clone()))), expected, "{name}");
        assert_eq!(block.passes(&of_objects(Some(after), Some(before))), expected, "{name}, undone");
    }
}

// TRF-3
#[test]
fn an_update_of_a_primary_object_without_generation_passes_by_its_resource_version() {
    let block = block(primary_default(&[] as &[&str]));
    assert!(block.passes(&updated(version("1"), version("2"))));
    assert!(!block.passes(&updated(version("1"), version("1"))));
}

/// An object that is kept as text, and one of which only the metadata is kept.
struct Kept(&'static str);
struct MetadataOnly(Map<String, Value>);

impl HasMetadata for Kept {
    fn metadata_map(&self) -> Cow<'_, Map<String, Value>> {
        let object: Value = serde_json::from_str(self.0).unwrap();
        Cow::Owned(object.metadata_map().into_owned())
    }

    fn status_value(&self) -> Option<Cow<'_, Value>> {
        let mut object: Value = serde_json::from_str(self.0).unwrap();
        object.get_mut("status").map(|status| Cow::Owned(status.take()))
    }
}

impl HasMetadata for MetadataOnly {
    fn metadata_map(&self) -> Cow<'_, Map<String, Value>> {
        Cow::Borrowed(&self.0)
    }
}

#[test]
fn blocks_read_every_object_that_has_metadata() {
    fn kept(label: &str) -> Box<dyn Filter<Kept> + Send + Sync> {
        // The filter must not borrow from the arguments of the call.
        let label = label.to_owned();
        Box::new(generation().or(gained_label(&label, None)).and(status().not()))
    }
    let labelled = Kept(r#"{"metadata": {"labels": {"a": "b"}}, "status": {"phase": "Ready"}}"#);
    let bare = || Kept(r#"{"metadata": {}, "status": {"phase": "Ready"}}"#);
    assert!(kept("a").passes(&of_objects(Some(bare()), Some(labelled))));
    assert!(!kept("a").passes(&of_objects(Some(bare()), Some(bare()))));

    let only = |labels: Value| MetadataOnly(Map::from_iter([("labels".to_owned(), labels)]));
    let change = of_objects(Some(only(json!({}))), Some(only(json!({"a": "b"}))));
    assert!(labels().passes(&change) && status().passes(&change) && !generation().passes(&change));
}

#[test]
fn filters_are_combined() {
    let change = updated(json!({"generation": 1}), json!({"generation": 2}));
    assert!(generation().or(labels()).passes(&change));
    assert!(!generation().and(labels()).passes(&change));
    assert!(!annotations().or(labels()).passes(&change));
    assert!(block(generation().and(labels().not())).passes(&change));
    assert!(generation().and(matches(|object: &Value| object["metadata"]["generation"] == 2)).passes(&change));
}
