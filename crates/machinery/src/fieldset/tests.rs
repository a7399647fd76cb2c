use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::object::canonical_json;

/// A set of paths without any structure.
type Model = BTreeSet<Path>;

fn any_element() -> impl Strategy<Value = PathElement> {
    prop_oneof![
        4 => "[a-d]".prop_map(PathElement::field),
        1 => (0..3_i64).prop_map(|port| PathElement::key([("port", json!(port * 75)), ("protocol", json!("TCP"))])),
        1 => prop_oneof![Just(json!("x")), Just(json!(7)), Just(json!(10)), Just(json!(true)), Just(json!(null))]
            .prop_map(PathElement::Value),
        1 => (0..12_i64).prop_map(PathElement::Index),
    ]
}

fn any_model() -> impl Strategy<Value = Model> {
    let path = prop::collection::vec(any_element(), 1..4).prop_map(Path::from);
    prop::collection::btree_set(path, 0..12)
}

fn set_of(model: &Model) -> FieldSet {
    model.iter().collect()
}

fn model_of(set: &FieldSet) -> Model {
    set.paths().into_iter().collect()
}

fn is_below_any(path: &Path, model: &Model) -> bool {
    (1..=path.len()).any(|length| model.contains(&Path::from(path[..length].to_vec())))
}

proptest! {
    // SMD-2
    #[test]
    fn operations_agree_with_plain_sets_of_paths(a in any_model(), b in any_model()) {
        let (set_a, set_b) = (set_of(&a), set_of(&b));
        prop_assert_eq!(model_of(&set_a.union(&set_b)), &a | &b);
        prop_assert_eq!(model_of(&set_a.intersection(&set_b)), &a & &b);
        prop_assert_eq!(model_of(&set_a.difference(&set_b)), &a - &b);
        let kept: Model = a.iter().filter(|path| !is_below_any(path, &b)).cloned().collect();
        prop_assert_eq!(model_of(&set_a.recursive_difference(&set_b)), kept);
        prop_assert_eq!(set_a.len(), a.len());
        prop_assert!(a.iter().all(|path| set_a.has(path)));
        prop_assert!(b.iter().all(|path| set_a.has(path) == a.contains(path)));
    }

    #[test]
    fn sets_can_be_taken_apart_and_put_together(a in any_model()) {
        let set = set_of(&a);
        let parts = set.elements().map(|(element, member, below)| (element.clone(), member, below.clone())).collect::<Vec<_>>();
        for (element, member, below) in &parts {
            prop_assert_eq!(set.element(element), Some((*member, below)));
        }
        prop_assert_eq!(FieldSet::from_elements(parts.into_iter().rev()), set);
    }

    #[test]
    fn equal_sets_are_equal_however_they_came_about(a in any_model(), b in any_model()) {
        let (set_a, set_b) = (set_of(&a), set_of(&b));
        prop_assert_eq!(set_a.union(&set_b), set_b.union(&set_a));
        prop_assert_eq!(set_a.difference(&set_b).union(&set_a.intersection(&set_b)), set_a);
    }

    #[test]
    fn paths_and_leaves_come_in_order(model in any_model()) {
        let set = set_of(&model);
        prop_assert!(set.paths().is_sorted());
        let leaves: Vec<Path> = model
            .iter()
            .filter(|path| !model.iter().any(|other| other.len() > path.len() && other.starts_with(path)))
            .cloned()
            .collect();
        prop_assert_eq!(set.leaves(), leaves);
    }

    // SMD-1
    #[test]
    fn sets_survive_their_text(model in any_model()) {
        let set = set_of(&model);
        let text = canonical_json(&set.to_value());
        let read = FieldSet::parse(&serde_json::from_str(&text).unwrap()).unwrap();
        prop_assert_eq!(read, set);
    }

    #[test]
    fn a_part_of_a_set_is_what_lies_below(model in any_model(), prefix in any_element()) {
        let below: Model = model
            .iter()
            .filter(|path| path.len() > 1 && path[0] == prefix)
            .map(|path| Path::from(path[1..].to_vec()))
            .collect();
        prop_assert_eq!(model_of(&set_of(&model).below(&[prefix])), below);
    }
}

// SMD-1
#[test]
fn a_field_that_is_a_member_and_has_children_is_encoded_with_a_dot() {
    let mut set = FieldSet::new();
    set.insert(&Path::fields(["data"]));
    set.insert(&Path::fields(["data", "k"]));
    assert_eq!(set.to_value(), json!({"f:data": {".": {}, "f:k": {}}}));
    set = set.difference(&[Path::fields(["data"])].into_iter().collect());
    assert_eq!(set.to_value(), json!({"f:data": {"f:k": {}}}));
}

// SMD-1, VEC-4
#[test]
fn elements_are_written_with_compact_sorted_keys() {
    let element = PathElement::key([("protocol", json!("TCP")), ("port", json!(80))]);
    assert_eq!(element.to_key(), r#"k:{"port":80,"protocol":"TCP"}"#);
    assert_eq!(PathElement::parse(r#"k:{"protocol":"TCP", "port":80}"#).unwrap(), Some(element));
    assert_eq!(PathElement::Value(json!("a")).to_key(), r#"v:"a""#);
    assert_eq!(PathElement::field("a:b").to_key(), "f:a:b");
    assert_eq!(PathElement::parse("f:a:b").unwrap(), Some(PathElement::field("a:b")));
}

// SMD-1
#[test]
fn elements_sort_by_type_and_then_by_content() {
    let sorted = [
        PathElement::field("a"),
        PathElement::field("b"),
        PathElement::key([("a", json!(9))]),
        PathElement::key([("a", json!(80))]),
        PathElement::key([("a", json!(80)), ("b", json!("x"))]),
        PathElement::Value(json!(2)),
        PathElement::Value(json!(10)),
        PathElement::Value(json!("1")),
        PathElement::Index(2),
        PathElement::Index(10),
    ];
    assert!(sorted.is_sorted_by(|a, b| a < b));
}

// SMD-1
#[test]
fn unknown_element_types_are_skipped() {
    let set = FieldSet::parse(&json!({"f:a": {"z:new": {}}, "z:other": {"f:b": {}}, "f:c": {}})).unwrap();
    assert_eq!(set.to_value(), json!({"f:c": {}}));
}

#[test]
fn malformed_field_sets_are_errors_that_name_the_element() {
    let cases = [
        (json!([]), "read field set: \"\" is a list, not a map"),
        (json!({"f:a": 1}), "read field set: \"f:a\" is a number, not a map"),
        (json!({"k:[]": {}}), "read field set: element \"k:[]\" must be a JSON object of key fields"),
        (json!({"i:x": {}}), "read field set: element \"i:x\" must be a whole number"),
    ];
    for (fields, text) in cases {
        assert_eq!(FieldSet::parse(&fields).unwrap_err().to_string(), text);
    }
}

// SMD-13
#[test]
fn paths_print_like_the_server_prints_them() {
    let path = Path::from(vec![
        PathElement::field("spec"),
        PathElement::field("containers"),
        PathElement::key([("name", json!("c1"))]),
        PathElement::field("image"),
    ]);
    assert_eq!(path.to_string(), r#".spec.containers[name="c1"].image"#);
    assert_eq!(path.keys(), ["f:spec", "f:containers", r#"k:{"name":"c1"}"#, "f:image"]);
    let path = Path::from(vec![PathElement::field("a"), PathElement::Value(json!("v"))]);
    assert_eq!(path.to_string(), r#".a[="v"]"#);
}

// DIG-3
#[test]
fn live_values_are_found_by_field_key_member_and_index() {
    let live = json!({
        "spec": {"ports": [{"port": 443, "protocol": "TCP"}, {"port": 80, "protocol": "TCP", "name": "web"}]},
        "metadata": {"finalizers": ["x", "y"]},
        "list": [[1, 2]],
    });
    let at = |fields: Value| {
        let path = FieldSet::parse(&fields).unwrap().leaves().remove(0);
        extract(&live, &path).cloned()
    };
    assert_eq!(at(json!({"f:spec": {"f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {"f:name": {}}}}})), Some(json!("web")));
    assert_eq!(at(json!({"f:spec": {"f:ports": {"k:{\"port\":81,\"protocol\":\"TCP\"}": {"f:name": {}}}}})), None);
    assert_eq!(at(json!({"f:metadata": {"f:finalizers": {"v:\"y\"": {}}}})), Some(json!("y")));
    assert_eq!(at(json!({"f:metadata": {"f:finalizers": {"v:\"z\"": {}}}})), None);
    assert_eq!(at(json!({"f:list": {"i:0": {"i:1": {}}}})), Some(json!(2)));
    assert_eq!(at(json!({"f:spec": {".": {}}})), Some(live["spec"].clone()));
}
