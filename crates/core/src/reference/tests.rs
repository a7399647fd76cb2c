use std::collections::BTreeMap;
use std::sync::Arc;

use kubewright_machinery::object::sha256_hex;
use serde_json::{Value, json};

use super::*;
use crate::manifest::component_digest;

fn key_ref(name: &str, key: Option<&str>) -> SecretKeyRef {
    SecretKeyRef { name: name.to_owned(), key: key.map(str::to_owned) }
}

fn one(field: &impl HoldsReferences, rules: ReferenceRules) -> References {
    let mut references = References::default();
    references.field(Some("credentials"), rules, field);
    references
}

fn data(value: Value) -> impl Fn(&ListedReference) -> Found {
    move |_| Found::Data(Arc::new(ReferencedData::of(&json!({ "data": value }))))
}

// REF-1
#[test]
fn references_in_options_lists_maps_and_boxes_have_paths_of_their_own() {
    let name = |name: &str| ConfigMapRef { name: name.to_owned() };
    let mut references = References::default();
    references.field(Some("none"), ReferenceRules::default(), &None::<SecretRef>);
    references.field(Some("list"), ReferenceRules::default(), &vec![name("a"), name("b")]);
    let map = BTreeMap::from([("x".to_owned(), Some(Box::new(name("a"))))]);
    references.field(Some("map"), ReferenceRules::default(), &map);
    references.field(None, ReferenceRules::default(), &name("flat"));
    let paths: Vec<_> = references.all().iter().map(|reference| reference.path.join(".")).collect();
    assert_eq!(paths, ["list.0", "list.1", "map.x", ""]);
    assert_eq!(references.targets().len(), 3);
}

// REF-8, REF-9
#[test]
fn the_digest_of_a_resolved_key_is_part_of_the_component_digest() {
    let references = one(&key_ref("s", Some("password")), ReferenceRules::default());
    let resolution = resolve(&references, "demo", false, data(json!({"password": "czNjcjN0"})));
    assert_eq!(resolution.resolved.secret(&key_ref("s", Some("password"))), Some(&b"s3cr3t"[..]));
    let spec = json!({"replicas": 2, "credentials": {"name": "s"}});
    assert_eq!(
        component_digest(1, &BTreeMap::new(), &spec, &resolution.digests),
        "k1:bcf6cee3208f5d22c9288dce5ffa55e521288613a11dc98c31712e06d71a373d"
    );
}

// REF-8
#[test]
fn the_digest_of_a_map_is_that_of_its_data() {
    let references = one(&ConfigMapRef { name: "c".to_owned() }, ReferenceRules::default());
    let resolution = resolve(&references, "demo", false, data(json!({"b": "2", "a": "1"})));
    let digests: Vec<_> = resolution.digests.into_values().collect();
    assert_eq!(digests, ["21f76dfbfe6dfe21f762080ef484112cf2952974cef30741fd1931e1c6d92112"]);
}

// REF-5
#[test]
fn missing_references_and_keys_are_named_with_their_paths() {
    let mut references = References::default();
    let sources = vec![key_ref("a", Some("k")), key_ref("b", Some("k")), key_ref("b", None)];
    references.field(Some("sources"), ReferenceRules::default(), &sources);
    let resolution = resolve(&references, "demo", false, |reference| match reference.target.name.as_str() {
        "a" => Found::Absent,
        _ => Found::Data(Arc::new(ReferencedData::of(&json!({ "data": {"other": ""} })))),
    });
    let messages: Vec<_> = resolution.problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "spec.sources[0]: error loading Secret demo/a: not found",
            "spec.sources[1]: key k not found in Secret demo/b (its keys: other)",
            "spec.sources[2]: no key of Secret demo/b is named: set spec.sources[2].key (its keys: other)",
        ]
    );
    assert!(resolution.problems.iter().all(|problem| problem.waits));
}

// REF-3
#[test]
fn fallback_keys_are_tried_in_order_when_no_key_is_given() {
    let rules = ReferenceRules { fallback_keys: &["value", "value.yaml"], ..ReferenceRules::default() };
    let resolution = resolve(&one(&key_ref("s", None), rules), "demo", false, data(json!({"value.yaml": "eA==", "z": ""})));
    assert_eq!(resolution.resolved.secret(&Some(key_ref("s", None))), Some(&b"x"[..]));
}

// REF-4
#[test]
fn a_missing_object_can_be_ignored_while_deleting_but_a_missing_key_cannot() {
    let rules = ReferenceRules { ignore_on_deletion: true, ..ReferenceRules::default() };
    let references = one(&key_ref("s", Some("k")), rules);
    let gone = resolve(&references, "demo", true, |_| Found::Absent);
    assert!(gone.problems.is_empty());
    assert_eq!(gone.resolved.secret(&key_ref("s", Some("k"))), None);
    assert_eq!(resolve(&references, "demo", false, |_| Found::Absent).problems.len(), 1);
    assert_eq!(resolve(&references, "demo", true, data(json!({}))).problems.len(), 1);
}

// REF-4
#[test]
fn an_object_that_is_gone_for_good_holds_back_no_deletion() {
    let references = one(&key_ref("s", Some("k")), ReferenceRules::default());
    let gone = resolve(&references, "demo", true, |_| Found::Gone);
    assert!(gone.problems.is_empty());
    assert_eq!(gone.resolved.secret(&key_ref("s", Some("k"))), None);
    assert_eq!(resolve(&references, "demo", false, |_| Found::Gone).problems.len(), 1);
    assert_eq!(resolve(&references, "demo", true, |_| Found::Absent).problems.len(), 1);
}

#[test]
fn contents_are_never_printed() {
    let references = one(&key_ref("s", Some("k")), ReferenceRules::default());
    let resolution = resolve(&references, "demo", false, data(json!({"k": "aHVudGVyMg=="})));
    let text = format!("{resolution:?}");
    assert!(text.contains("\"s\"") && !text.contains("hunter2") && !text.contains("aHVudGVyMg"), "{text}");
}

// REF-6, REF-8
#[test]
fn bytes_of_a_config_map_are_those_of_both_fields() {
    let object = json!({ "data": { "a": "text" }, "binaryData": { "b": "AP8=" } });
    let find = |_: &ListedReference| Found::Data(Arc::new(ReferencedData::of(&object)));
    let all = ConfigMapBytesRef { name: "c".to_owned() };
    let key = |key: &str| ConfigMapBytesKeyRef { name: "c".to_owned(), key: Some(key.to_owned()) };
    let resolution = resolve(&one(&vec![key("a"), key("b")], ReferenceRules::default()), "demo", false, find);
    assert_eq!(resolution.resolved.config_map(&key("a")), Some(&b"text"[..]));
    assert_eq!(resolution.resolved.config_map(&key("b")), Some(&b"\x00\xff"[..]));
    let digests: Vec<_> = resolution.digests.into_values().collect();
    assert_eq!(digests, [sha256_hex(b"text"), sha256_hex(b"\x00\xff")]);
    let resolution = resolve(&one(&all, ReferenceRules::default()), "demo", false, find);
    let expected = BTreeMap::from([("a", &b"text"[..]), ("b", &b"\x00\xff"[..])]);
    assert_eq!(resolution.resolved.config_map(&all), Some(expected));
}

// REF-6, REF-8
#[test]
fn binary_values_are_in_the_digest_of_bytes_alone() {
    let digest = |field: &dyn Fn() -> References, binary: &str| {
        let object = json!({ "data": { "a": "text" }, "binaryData": { "b": binary } });
        let resolution = resolve(&field(), "demo", false, |_| Found::Data(Arc::new(ReferencedData::of(&object))));
        resolution.digests.into_values().collect::<Vec<_>>()
    };
    let bytes = || one(&ConfigMapBytesRef { name: "c".to_owned() }, ReferenceRules::default());
    assert_ne!(digest(&bytes, "AA=="), digest(&bytes, "AQ=="));
    let texts = || one(&ConfigMapRef { name: "c".to_owned() }, ReferenceRules::default());
    assert_eq!(digest(&texts, "AA=="), digest(&texts, "AQ=="));
    let plain = resolve(&bytes(), "demo", false, data(json!({ "a": "text" }))).digests.into_values().collect::<Vec<_>>();
    assert_eq!(plain, digest(&texts, "AA=="), "without binary data");
}

// REF-5, REF-6
#[test]
fn a_reference_to_a_text_does_not_find_binary_values() {
    let object = json!({ "binaryData": { "b": "AP8=" } });
    let key = ConfigMapKeyRef { name: "c".to_owned(), key: Some("b".to_owned()) };
    let references = one(&key, ReferenceRules::default());
    let resolution = resolve(&references, "demo", false, |_| Found::Data(Arc::new(ReferencedData::of(&object))));
    assert_eq!(resolution.problems[0].message, "spec.credentials: key b not found in ConfigMap demo/c (it has no keys)");
    assert_eq!(format!("{:?}", ReferencedData::of(&object)), "[\"b\"]");
}

// REF-5
#[test]
fn a_missing_key_is_reported_with_the_existing_keys_but_without_their_values() {
    let rules = ReferenceRules { fallback_keys: &["value", "value.yaml"], ..ReferenceRules::default() };
    let message = |fields: Value| {
        let references = one(&key_ref("s", None), rules.clone());
        resolve(&references, "demo", false, data(fields)).problems.remove(0).message
    };
    let told = message(json!({"user": "c2VjcmV0", "password": "c2VjcmV0"}));
    assert!(
        told.ends_with("no matching key found in Secret demo/s (tried value, value.yaml; its keys: password, user)"),
        "{told}"
    );
    let told = message(json!({}));
    assert!(told.ends_with("no matching key found in Secret demo/s (tried value, value.yaml; it has no keys)"), "{told}");
    let many: serde_json::Map<String, Value> = (0..12).map(|number| (format!("k{number:02}"), json!(""))).collect();
    let told = message(Value::Object(many));
    assert!(told.ends_with("k08, k09, 2 more)"), "{told}");
}
