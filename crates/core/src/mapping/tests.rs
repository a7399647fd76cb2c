use kubewright_machinery::object::{GroupKind, Key};
use serde_json::{Value, json};

use super::*;

fn owned(namespace: &str, owners: Value) -> Value {
    json!({"metadata": {"name": "pod", "namespace": namespace, "ownerReferences": owners}})
}

fn reference(api_version: &str, kind: &str, controller: bool) -> Value {
    json!({"apiVersion": api_version, "kind": kind, "name": "w", "uid": "u", "controller": controller})
}

fn widget() -> GroupKind {
    GroupKind::new("example.com", "Widget")
}

// MAP-9
#[test]
fn an_annotation_names_the_key() {
    let object = |value: &str| json!({"metadata": {"name": "a", "namespace": "demo", "annotations": {"owner": value}}});
    let key = |namespace: &str, name: &str| Some(Key::new(namespace, name));
    for (value, expected) in
        [("w", key("demo", "w")), ("other/w", key("other", "w")), ("/w", key("", "w")), ("", None), ("other/", None)]
    {
        assert_eq!(by_annotation(&object(value), "owner"), expected, "{value:?}");
    }
    assert_eq!(by_annotation(&object("w"), "another"), None);
}

// MAP-2
#[test]
fn the_controller_owner_gives_the_key() {
    let ours = || reference("example.com/v1", "Widget", true);
    let in_namespace = Some(Key::new("demo", "w"));
    let in_cluster = Some(Key::new("", "w"));
    for (object, namespaced, expected) in [
        (owned("demo", json!([ours()])), true, in_namespace.clone()),
        (owned("demo", json!([reference("example.com/v2beta1", "Widget", true)])), true, in_namespace.clone()),
        (owned("demo", json!([reference("v1", "ConfigMap", false), ours()])), true, in_namespace),
        // Cluster-scoped owners of namespaced and of cluster-scoped dependents.
        (owned("demo", json!([ours()])), false, in_cluster.clone()),
        (owned("", json!([ours()])), false, in_cluster),
        // A namespaced owner of a cluster-scoped dependent has no namespace in which it could be found.
        (owned("", json!([ours()])), true, None),
        // Owners of another kind with the same name.
        (owned("demo", json!([reference("example.com/v1", "Gadget", true)])), true, None),
        (owned("demo", json!([reference("other.com/v1", "Widget", true)])), true, None),
        (owned("demo", json!([reference("v1", "Widget", true)])), true, None),
        // Owners that are not the controller of the object.
        (owned("demo", json!([reference("example.com/v1", "Widget", false)])), true, None),
        (owned("demo", json!([reference("v1", "ConfigMap", true), reference("example.com/v1", "Widget", false)])), true, None),
        // An owner whose group is malformed.
        (owned("demo", json!([reference("a/b/c", "Widget", true)])), true, None),
        (owned("demo", json!(null)), true, None),
    ] {
        assert_eq!(controller_owner_key(&object, &widget(), namespaced), expected, "{object} {namespaced}");
    }
}

fn labelled(labels: Value) -> Value {
    json!({"metadata": {"name": "x", "namespace": "demo", "labels": labels}})
}

fn unset(label: &str) -> Result<Key, UnsetLabel> {
    Err(UnsetLabel { label: label.to_owned() })
}

// MAP-3, MAP-10
#[test]
fn labels_name_the_key() {
    let moved = ["a", "b"].map(|name| by_label(&labelled(json!({"app": name})), "app", None));
    assert_eq!(moved, [Ok(Key::new("demo", "a")), Ok(Key::new("demo", "b"))]);
    let both = labelled(json!({"app": "a", "team": "t"}));
    assert_eq!(by_label(&both, "app", Some("team")), Ok(Key::new("t", "a")));
}

// MAP-3, MAP-4
#[test]
fn a_label_that_is_missing_or_empty_gives_nothing() {
    for labels in [json!(null), json!({}), json!({"app": ""}), json!({"team": "t"})] {
        let object = labelled(labels);
        assert_eq!(by_label(&object, "app", None), unset("app"));
        assert_eq!(by_label_cluster(&object, "app"), unset("app"));
    }
    for labels in [json!({"app": "a"}), json!({"app": "a", "team": ""})] {
        assert_eq!(by_label(&labelled(labels), "app", Some("team")), unset("team"));
    }
}

// MAP-4, MAP-5, MAP-6
#[test]
fn keys_in_the_cluster_have_no_namespace() {
    let object = labelled(json!({"app": "a"}));
    assert_eq!(by_label_cluster(&object, "app"), Ok(Key::new("", "a")));
    assert_eq!(namespace_of(&object), Some(Key::new("", "demo")));
    assert_eq!(namespace_of(&json!({"metadata": {"name": "node"}})), None);
    assert_eq!(sentinel(Key::new("", "all"))(&object), Key::new("", "all"));
}
