use kubewright_machinery::object::GroupVersionKind;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use serde_json::{Value, json};

use super::decode;
use crate::forms::Definitions;

fn read(bytes: &[u8]) -> Value {
    decode(bytes, &GroupVersionKind::default()).unwrap()
}

fn round_trip(object: &Value) -> Value {
    read(&super::encode(object).unwrap())
}

// PB-2, PB-4
#[test]
fn every_kind_of_value_comes_back() {
    for object in [
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a", "labels": {"k": "v"}}, "data": {"k": "dg=="}}),
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "a", "creationTimestamp": "2026-01-02T03:04:05Z", "managedFields": [{"manager": "m", "fieldsV1": {"f:spec": {}}}]},
            "spec": {
                "replicas": 0,
                "strategy": {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 1}},
                "template": {"spec": {"containers": [{
                    "name": "c", "resources": {"limits": {"cpu": "100m"}}, "args": ["", "x"],
                    "livenessProbe": {"httpGet": {"port": 8080, "path": "/"}, "periodSeconds": 3},
                    "env": [{"name": "E", "valueFrom": {"configMapKeyRef": {"name": "n", "key": "k", "optional": false}}}],
                }], "volumes": [{"name": "v", "emptyDir": {}}]}},
            },
        }),
        json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {}, "spec": {"renewTime": "2026-01-02T03:04:05.123456Z"}}),
        json!({
            "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "metadata": {},
            "spec": {"extra": {"k": ["a", "b"], "none": []}, "user": "u"}, "status": {"allowed": false},
        }),
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "a.b"},
            "spec": {"group": "b", "names": {"kind": "A", "plural": "a"}, "scope": "Cluster", "versions": [{
                "name": "v1", "served": true, "storage": false, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {
                    "type": "object", "$ref": "r", "x-kubernetes-preserve-unknown-fields": true, "maximum": 1.5, "minimum": 0,
                    "default": {"a": [1]}, "enum": ["x", 1], "items": [{"type": "string"}, {}],
                    "additionalProperties": false, "properties": {"p": {"items": {"type": "integer"}, "additionalProperties": {"type": "object"}}},
                    "dependencies": {"d": ["x", "y"]},
                }},
            }]},
            "status": {"acceptedNames": {"kind": "", "plural": ""}},
        }),
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {},
            "spec": {"matchConstraints": {"resourceRules": [{"apiGroups": [""], "resources": ["pods"], "operations": ["*"], "resourceNames": ["n"]}]}},
            "status": {},
        }),
    ] {
        assert_eq!(round_trip(&object), object);
    }
}

// PB-5
#[test]
fn zeros_stay_only_where_a_client_could_have_meant_them() {
    // The bytes are a pod spec as Go writes it, in which every plain field is present.
    let mut raw = Vec::new();
    let spec = [0x58, 0x00, 0x52, 0x00, 0xf0, 0x01, 0x00];
    super::wire::put_bytes(&mut raw, 2, &spec);
    let body = super::envelope::seal("v1", "Pod", &raw);
    // The fields hostNetwork and nodeName are plain, enableServiceLinks is a pointer.
    assert_eq!(read(&body)["spec"], json!({"enableServiceLinks": false}));
}

// PB-2
#[test]
fn unknown_protobuf_fields_are_skipped() {
    let mut raw = Vec::new();
    super::wire::put_bytes(&mut raw, 1, &[0x0a, 0x01, b'a']);
    super::wire::put_number(&mut raw, 4000, 7);
    super::wire::put_fixed64(&mut raw, 4001, 7);
    raw.extend([0xfb, 0xfa, 0x01, 0x08, 0x01, 0xfc, 0xfa, 0x01]);
    let body = super::envelope::seal("v1", "ConfigMap", &raw);
    assert_eq!(read(&body), json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}));
}

// PB-1
#[test]
fn a_protobuf_envelope_without_a_kind_is_decoded_as_the_expected_kind() {
    let body = super::envelope::seal("", "", &[]);
    let expected = GroupVersionKind::new("apps", "v1", "Deployment");
    assert_eq!(decode(&body, &expected).unwrap(), json!({}));
    assert!(decode(&super::envelope::seal("v1", "Nothing", &[]), &expected).is_err());
}

// PB-7
#[test]
fn deeply_nested_protobuf_messages_exceed_the_recursion_limit() {
    let mut schema = Vec::new();
    for _ in 0..5_000 {
        let mut outer = Vec::new();
        super::wire::put_bytes(&mut outer, 28, &schema);
        schema = outer;
    }
    let mut validation = Vec::new();
    super::wire::put_bytes(&mut validation, 1, &schema);
    let (mut version, mut spec, mut raw) = (Vec::new(), Vec::new(), Vec::new());
    super::wire::put_bytes(&mut version, 4, &validation);
    super::wire::put_bytes(&mut spec, 7, &version);
    super::wire::put_bytes(&mut raw, 2, &spec);
    let body = super::envelope::seal("apiextensions.k8s.io/v1", "CustomResourceDefinition", &raw);
    let error = decode(&body, &GroupVersionKind::default()).unwrap_err();
    assert_eq!(error.to_string(), "proto: exceeded max recursion depth");
}

/// Generates objects of a definition in the form in which they are decoded: without empty values.
fn any_object(definition: &'static str, depth: u32) -> BoxedStrategy<Value> {
    use crate::forms::form::Form;
    fn any_value(form: &'static Form, depth: u32) -> BoxedStrategy<Value> {
        match form {
            Form::String => "[a-z]{1,4}".prop_map(Value::from).boxed(),
            Form::Bool => Just(Value::Bool(true)).boxed(),
            Form::Int32 => (1..i32::MAX).prop_map(Value::from).boxed(),
            Form::Int64 => (i64::MIN..-1).prop_map(Value::from).boxed(),
            Form::Number => (1_i64..1000).prop_map(|number| json!(number as f64 + 0.5)).boxed(),
            Form::Bytes => {
                "[a-z]{3}".prop_map(|text| Value::from(base64::Engine::encode(&base64::prelude::BASE64_STANDARD, text))).boxed()
            }
            Form::Time => Just(json!("2026-01-02T03:04:05Z")).boxed(),
            Form::MicroTime => Just(json!("2026-01-02T03:04:05.000006Z")).boxed(),
            Form::Quantity => "[1-9]{1,3}m".prop_map(Value::from).boxed(),
            Form::IntOrString => prop_oneof![any::<i32>().prop_map(Value::from), "[a-z%]{0,3}".prop_map(Value::from)].boxed(),
            Form::List(item) => prop::collection::vec(any_value(item, depth), 1..3).prop_map(Value::from).boxed(),
            Form::Map(item) => prop::collection::btree_map("[a-z]{1,3}", any_value(item, depth), 1..3)
                .prop_map(|entries| Value::Object(entries.into_iter().collect()))
                .boxed(),
            Form::Struct(definition) => any_object(definition, depth),
            Form::Any => Just(json!({"any": [1, "json"]})).boxed(),
            Form::SchemaOrList | Form::SchemaOrNames => Just(json!({"type": "string"})).boxed(),
            Form::SchemaOrBool => any::<bool>().prop_map(Value::from).boxed(),
        }
    }
    let fields = Definitions::embedded().form(definition).unwrap().fields().iter();
    let leaf = |form: &Form| !matches!(form, Form::Struct(_) | Form::List(_) | Form::Map(_));
    let is_marker = |name: &str| definition.ends_with("CustomResourceSubresources") && name == "status";
    let fields = fields.filter(|field| (depth > 0 || leaf(&field.form)) && !is_marker(&field.name));
    let members: Vec<_> = fields
        .filter(|field| !matches!(field.name.as_str(), "apiVersion" | "kind"))
        .map(|field| {
            let name = field.name.clone();
            prop::option::of(any_value(&field.form, depth.saturating_sub(1)))
                .prop_map(move |value| value.map(|value| (name.clone(), value)))
        })
        .collect();
    members.prop_map(|members| Value::Object(members.into_iter().flatten().collect())).boxed()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    // PB-6
    #[test]
    fn objects_come_back_as_they_were(kind in 0_usize..5, seed in any::<prop::sample::Index>()) {
        let (api_version, kind) = [("v1", "Pod"), ("apps/v1", "StatefulSet"), ("v1", "Node"), ("networking.k8s.io/v1", "Ingress"), ("resource.k8s.io/v1", "ResourceSlice")][kind];
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let definition = Definitions::embedded().name_of(&GroupVersionKind::new(group, version, kind)).unwrap();
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        for _ in 0..=seed.index(3) {
            let mut object = any_object(definition, 6).new_tree(&mut runner).unwrap().current();
            object["apiVersion"] = api_version.into();
            object["kind"] = kind.into();
            prop_assert_eq!(round_trip(&object), object);
        }
    }

    // PB-7
    #[test]
    fn garbage_is_refused_or_read_but_never_more(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0_usize..100, with in any::<u8>()) {
        let _ = decode(&bytes, &GroupVersionKind::new("", "v1", "Pod"));
        let _ = decode(&[b"k8s\0", bytes.as_slice()].concat(), &GroupVersionKind::new("", "v1", "Pod"));
        let _ = decode(&super::envelope::seal("v1", "Pod", &bytes), &GroupVersionKind::default());
        // The body is a valid message with one wrong byte.
        let mut body = super::encode(&json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "n", "labels": {"a": "b"}},
            "spec": {"containers": [{"name": "c", "ports": [{"containerPort": 80}], "resources": {"limits": {"cpu": "1"}}}]}})).unwrap();
        let at = at % body.len();
        body[at] = with;
        let _ = decode(&body, &GroupVersionKind::default());
    }
}
