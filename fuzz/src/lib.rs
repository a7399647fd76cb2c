//! One function for each decoder of texts that strangers send. None may panic, whatever the bytes are.
//!
//! The fuzz targets call them, and so does the seeded test `nonsense` of `kubewright-apiserver`, which CI runs.

use kubewright_apiserver::{
    definition,
    patch::strategic_merge,
    proto,
    schema::{Schema, field_path},
    tables::JsonPath,
};
use kubewright_machinery::{
    fieldset::FieldSet,
    object::GroupVersionKind,
    patch::{json_patch, merge_patch},
    quantity::Quantity,
    selector::{FieldSelector, LabelSelector},
    yaml,
};
use serde_json::{Value, json};

/// A decoder and its name.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: &[Target] = &[
    ("documents", documents),
    ("selectors", selectors),
    ("quantities", quantities),
    ("patches", patches),
    ("field_sets", field_sets),
    ("definitions", definitions),
    ("rules", rules),
    ("objects", objects),
    ("paths", paths),
    ("protobuf", protobuf),
];

/// YAML documents.
pub fn documents(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = yaml::documents_with_repeats(text);
    }
}

/// Label and field selectors. One that is read is read again from its text.
pub fn selectors(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(selector) = LabelSelector::parse(&text) {
        assert!(LabelSelector::parse(&selector.to_string()).is_ok(), "{text:?}");
    }
    let _ = FieldSelector::parse(&text);
}

/// Amounts such as `1Gi`.
pub fn quantities(data: &[u8]) {
    if let Ok(quantity) = Quantity::from_value(&Value::from(String::from_utf8_lossy(data))) {
        let _ = quantity.canonical();
    }
}

/// Patches of all forms, applied to a Deployment.
pub fn patches(data: &[u8]) {
    let Ok(patch) = serde_json::from_slice::<Value>(data) else { return };
    let mut deployment = json!({"metadata": {"name": "a", "labels": {"a": "b"}, "finalizers": ["x", "y"]}, "spec": {"template": {"spec": {
        "containers": [{"name": "c", "image": "i", "ports": [{"containerPort": 80}]}], "volumes": [{"name": "v"}]}}}});
    let _ = json_patch(&mut deployment.clone(), &patch);
    merge_patch(&mut deployment.clone(), &patch);
    let _ = strategic_merge(&mut deployment, &patch, "io.k8s.api.apps.v1.Deployment");
}

/// Sets of fields as managers own them. One that is read says the same when it is written.
pub fn field_sets(data: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(data) else { return };
    if let Ok(set) = FieldSet::parse(&value) {
        let written = set.to_value();
        assert_eq!(FieldSet::parse(&written).map(|set| set.to_value()).ok(), Some(written));
    }
}

/// CustomResourceDefinitions.
pub fn definitions(data: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(data) else { return };
    let version = json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": value}});
    let names = json!({"plural": "as", "kind": "A"});
    let spec = json!({"group": "ex.io", "scope": "Cluster", "names": names, "versions": [version]});
    let whole = json!({"metadata": {"name": "as.ex.io"}, "spec": spec});
    let _ = definition::validate(&whole, None);
    let _ = definition::validate(&value, Some(&whole));
}

/// A rule: its text is compiled, and evaluated if it is one.
pub fn rules(data: &[u8]) {
    let rule = String::from_utf8_lossy(data);
    let property = json!({"type": "object", "properties": {"s": {"type": "string"}, "i": {"type": "integer"},
        "l": {"type": "array", "items": {"type": "string"}}}, "x-kubernetes-validations": [{"rule": rule}]});
    let schema = json!({"type": "object", "properties": {"spec": property}});
    definitions(schema.to_string().as_bytes());
    let object = json!({"spec": {"s": "a", "i": 1, "l": ["x", "y"]}});
    let _ = Schema::compile(&schema).validate(&object, Some(&object), &mut Vec::new());
}

/// Half of the bytes are a schema, the rest an object.
pub fn objects(data: &[u8]) {
    let (schema, object) = data.split_at(data.iter().position(|byte| *byte == 0).unwrap_or(data.len() / 2));
    let object = object.strip_prefix(b"\0").unwrap_or(object);
    let (Ok(schema), Ok(mut object)) = (serde_json::from_slice::<Value>(schema), serde_json::from_slice::<Value>(object)) else {
        return;
    };
    let schema = Schema::compile(&schema);
    let before = object.clone();
    let _ = schema.prune(&mut object);
    schema.default(&mut object);
    let _ = schema.validate(&object, Some(&before), &mut Vec::new());
    // What was brought into form once stays as it is.
    let settled = object.clone();
    schema.default(&mut object);
    assert_eq!(object, settled);
}

/// Paths of printer columns, of selectable fields and of rules.
pub fn paths(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let object = json!({"spec": {"a": [{"b": "c", "n": 1}, {"b": "d"}], "m": {"x.y": true}}, "status": {"conditions": [{"type": "Ready"}]}});
    for text in [text.clone(), format!(".{text}").into(), format!(".spec.a[?(@{text})].b").into(), format!("{{..{text}}}").into()]
    {
        if let Ok(path) = JsonPath::parse(&text) {
            let found = path.find(&object);
            assert_eq!(path.first(&object), found.first().copied());
        }
    }
    let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"a": {"type": "string"},
        "m": {"type": "object", "additionalProperties": {"type": "integer"}}}}}});
    if let Some(schema) = schema.as_object() {
        for text in [text.clone(), format!(".spec.{text}").into(), format!(".spec['{text}']").into()] {
            let _ = field_path::resolve(&text, schema, true);
        }
    }
}

/// Protobuf: the bytes as they are, as a message, and in the middle of a message that is in order.
pub fn protobuf(data: &[u8]) {
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "labels": {"a": "b"}, "creationTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {"containers": [{"name": "c", "image": "i", "ports": [{"containerPort": 80}], "resources": {"limits": {"cpu": "1"}},
            "livenessProbe": {"httpGet": {"port": "http"}}}], "volumes": [{"name": "v", "emptyDir": {}}]}});
    let sound = proto::encode(&pod).unwrap_or_default();
    let at = data.first().map_or(0, |first| usize::from(*first) * 2) % sound.len().max(1);
    let mut changed = sound.clone();
    changed.splice(at..(at + 1).min(sound.len()), data.iter().copied());
    let mut enclosed = b"k8s\0\x12".to_vec();
    let mut length = data.len();
    while length >= 0x80 {
        enclosed.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    enclosed.push(length as u8);
    enclosed.extend_from_slice(data);
    for (group, version, kind) in
        [("", "v1", "Pod"), ("", "v1", "Secret"), ("apps", "v1", "Deployment"), ("events.k8s.io", "v1", "Event")]
    {
        let expected = GroupVersionKind::new(group, version, kind);
        for bytes in [data, &changed, &enclosed] {
            if let Ok(object) = proto::decode(bytes, &expected) {
                let _ = proto::encode(&object);
            }
        }
    }
}
