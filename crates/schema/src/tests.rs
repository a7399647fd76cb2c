use serde_json::{Value, json};

use crate::*;

/// Returns the schema of VEC-8.
fn widget() -> Schema {
    Schema::compile(&json!({"type": "object", "required": ["spec"], "properties": {
        "spec": {"type": "object", "required": ["size"],
            "x-kubernetes-validations": [{"rule": "self.size >= self.min", "message": "size must be >= min"}],
            "properties": {
                "size": {"type": "integer", "minimum": 0, "maximum": 100},
                "min": {"type": "integer", "default": 1},
                "color": {"type": "string", "enum": ["red", "blue"], "default": "red"},
                "name": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 5},
                "ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "proto"],
                    "items": {"type": "object", "required": ["port"], "properties": {
                        "port": {"type": "integer"}, "proto": {"type": "string", "default": "TCP"}, "n": {"type": "string"}}}},
                "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
                "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                "ios": {"x-kubernetes-int-or-string": true},
                "nul": {"type": "string", "nullable": true},
                "imm": {"type": "string"},
                "when": {"type": "string", "format": "date-time"},
                "tmpl": {"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true},
                "am": {"type": "object", "additionalProperties": {"type": "string"}}}},
        "status": {"type": "object", "properties": {"phase": {"type": "string"}}}}}))
}

fn object(spec: Value) -> Value {
    json!({"apiVersion": "ex.io/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": spec})
}

/// Returns the stored form of a written object, and the unknown fields.
fn written(spec: Value) -> (Value, Vec<String>) {
    let schema = widget();
    let mut object = object(spec);
    let unknown = schema.prune(&mut object).unwrap();
    schema.default(&mut object);
    (object["spec"].clone(), unknown)
}

fn causes(errors: &[FieldError]) -> Vec<(String, &'static str, String)> {
    errors.iter().map(|error| (error.field.clone(), error.reason.as_str(), error.message.clone())).collect()
}

fn errors_of(schema: Value, value: Value) -> Vec<String> {
    let schema = Schema::compile(&json!({"type": "object", "properties": {"v": schema}}));
    schema
        .validate(&json!({"v": value}), None, &mut Vec::new())
        .iter()
        .map(|error| format!("{}: {}", error.field, error.message))
        .collect()
}

// CRD-4
#[test]
fn unknown_fields_are_dropped_and_reported() {
    let schema = widget();
    let mut object = object(json!({"size": 5, "bogus": 1, "any": {"x": {"y": 1}}, "ports": [{"port": 1, "q": 2}]}));
    object["zork"] = json!(2);
    assert_eq!(schema.prune(&mut object).unwrap(), ["spec.bogus", "spec.ports[0].q", "zork"]);
    assert_eq!(object["spec"], json!({"size": 5, "any": {"x": {"y": 1}}, "ports": [{"port": 1}]}));
    assert_eq!(object["metadata"], json!({"name": "a"}));
}

// CRD-4
#[test]
fn embedded_objects_keep_their_metadata_in_typed_form() {
    let tmpl = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", "zz": 1, "labels": {}}, "spec": {"q": 1}});
    let (spec, unknown) = written(json!({"size": 1, "tmpl": tmpl}));
    assert_eq!(unknown, ["spec.tmpl.metadata.zz"]);
    assert_eq!(spec["tmpl"], json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": {"q": 1}}));

    let mut bad = object(json!({"tmpl": {"metadata": {"labels": {"a": 5}}}}));
    let error = widget().prune(&mut bad).unwrap_err();
    assert_eq!(error.field, "spec.tmpl.metadata");
    assert_eq!(
        error.to_string(),
        "spec.tmpl.metadata: Invalid value: {\"labels\":{\"a\":5}}: json: cannot unmarshal number into Go struct field \
         ObjectMeta.labels of type string"
    );

    let errors = widget().validate(&object(json!({"size": 1, "tmpl": {"spec": {}}})), None, &mut Vec::new());
    assert_eq!(errors[0], FieldError::required("spec.tmpl.apiVersion", ""));
    assert_eq!(errors[1], FieldError::required("spec.tmpl.kind", ""));
}

// CRD-5
#[test]
fn defaults_fill_absent_fields_and_forbidden_nulls() {
    let (spec, unknown) = written(json!({"size": 5, "color": null, "nul": null, "imm": null, "ports": [{"port": 1}]}));
    assert_eq!(spec, json!({"color": "red", "min": 1, "nul": null, "size": 5, "ports": [{"port": 1, "proto": "TCP"}]}));
    assert!(unknown.is_empty());
}

// CRD-5
#[test]
fn reads_show_new_defaults_and_hide_dropped_fields() {
    let mut stored = object(json!({"size": 5, "old": true}));
    widget().read(&mut stored);
    assert_eq!(stored["spec"], json!({"color": "red", "min": 1, "size": 5}));
}

// VEC-8, CRD-6, SCH-2
#[test]
fn every_violation_has_the_text_of_the_real_server() {
    let (spec, _) = written(json!({"size": 500, "color": "green", "name": "TOOLONGX", "ports": [{"port": 1}, {"port": 1}],
        "tags": ["a", "a"], "ios": {}, "when": "nope"}));
    let mut found = causes(&widget().validate(&object(spec), None, &mut Vec::new()));
    let last = found.pop().unwrap();
    found.sort();
    let mut expected = vec![
        ("spec.size", "FieldValueInvalid", "Invalid value: 500: spec.size in body should be less than or equal to 100"),
        (
            "spec.ios",
            "FieldValueTypeInvalid",
            r#"Invalid value: "object": spec.ios in body must be of type integer,string: "object""#,
        ),
        ("spec.color", "FieldValueNotSupported", r#"Unsupported value: "green": supported values: "red", "blue""#),
        ("spec.when", "FieldValueTypeInvalid", r#"Invalid value: "nope": spec.when in body must be of type date-time: "nope""#),
        ("spec.name", "FieldValueTooLong", "Too long: may not be more than 5 bytes"),
        ("spec.tags[1]", "FieldValueDuplicate", r#"Duplicate value: "a""#),
        ("spec.ports[1]", "FieldValueDuplicate", r#"Duplicate value: {"port":1,"proto":"TCP"}"#),
    ];
    expected.sort_unstable();
    let expected: Vec<_> =
        expected.into_iter().map(|(field, reason, text)| (field.to_owned(), reason, text.to_owned())).collect();
    assert_eq!(found, expected);
    assert_eq!(
        last,
        (
            "<nil>".to_owned(),
            "FieldValueInvalid",
            "Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to \
             complete validation"
                .to_owned()
        )
    );
}

// CRD-6
#[test]
fn types_and_required_fields_are_checked() {
    let errors = widget().validate(&object(json!({"size": "x"})), None, &mut Vec::new());
    assert_eq!(errors[0].message, r#"Invalid value: "string": spec.size in body must be of type integer: "string""#);
    let errors = widget().validate(&json!({"metadata": {}}), None, &mut Vec::new());
    assert_eq!(causes(&errors[..1]), [("spec".to_owned(), "FieldValueRequired", "Required value".to_owned())]);
    assert!(
        widget()
            .validate(
                &object(json!({"size": 1, "min": 1, "nul": null, "ios": 5, "when": "2026-01-02T03:04:05Z"})),
                None,
                &mut Vec::new()
            )
            .is_empty()
    );
    assert_eq!(
        errors_of(json!({"type": "string"}), Value::Null),
        [r#"v: Invalid value: "null": v in body must be of type string: "null""#]
    );
}

// SCH-2
#[test]
fn limits_are_checked_with_their_texts() {
    for (schema, value, expected) in [
        (
            json!({"type": "string", "minLength": 2}),
            json!("a"),
            r#"v: Invalid value: "a": v in body should be at least 2 chars long"#,
        ),
        (json!({"type": "string", "pattern": "^b$"}), json!("a"), r#"v: Invalid value: "a": v in body should match '^b$'"#),
        (json!({"type": "integer", "multipleOf": 5}), json!(7), "v: Invalid value: 7: v in body should be a multiple of 5"),
        (
            json!({"type": "integer", "maximum": 5, "exclusiveMaximum": true}),
            json!(5),
            "v: Invalid value: 5: v in body should be less than 5",
        ),
        (
            json!({"type": "number", "minimum": 0.5}),
            json!(0.25),
            "v: Invalid value: 0.25: v in body should be greater than or equal to 0.5",
        ),
        (
            json!({"type": "integer", "minimum": 0, "exclusiveMinimum": true}),
            json!(0),
            "v: Invalid value: 0: v in body should be greater than 0",
        ),
        (
            json!({"type": "integer", "maximum": 4_294_967_295_u64}),
            json!(4_294_967_296_u64),
            "v: Invalid value: 4294967296: v in body should be less than or equal to 4.294967295e+09",
        ),
        (
            json!({"type": "array", "minItems": 1, "items": {"type": "string"}}),
            json!([]),
            "v: Invalid value: 0: v in body should have at least 1 items",
        ),
        (
            json!({"type": "array", "maxItems": 1, "items": {"type": "string"}}),
            json!(["a", "b"]),
            "v: Too many: 2: must have at most 1 items",
        ),
        (
            json!({"type": "object", "minProperties": 1}),
            json!({}),
            "v: Invalid value: 0: v in body should have at least 1 properties",
        ),
        (json!({"type": "integer", "enum": [1, 2]}), json!(3), r#"v: Unsupported value: 3: supported values: "1", "2""#),
    ] {
        assert_eq!(errors_of(schema, value), [expected]);
    }
}

#[test]
fn conditions_are_checked() {
    let either = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "oneOf": [{"required": ["a"]}, {"required": ["b"]}]});
    assert!(errors_of(either.clone(), json!({"a": "x"})).is_empty());
    assert_eq!(
        errors_of(either.clone(), json!({}))[0],
        r#"<nil>: Invalid value: "": "v" must validate one and only one schema (oneOf). Found none valid"#
    );
    assert_eq!(
        errors_of(either, json!({"a": "x", "b": "y"})),
        [r#"<nil>: Invalid value: "": "v" must validate one and only one schema (oneOf). Found 2 valid alternatives"#]
    );
    let not = json!({"type": "object", "not": {"required": ["a"]}});
    assert_eq!(errors_of(not, json!({"a": 1})), [r#"<nil>: Invalid value: "": "v" must not validate the schema (not)"#]);
    let any = json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]});
    assert!(errors_of(any, json!("50%")).is_empty());
}

#[test]
fn formats_are_checked() {
    for (format, good, bad) in [
        ("ipv4", "10.0.0.1", "10.0.0"),
        ("ipv6", "::1", "10.0.0.1"),
        ("cidr", "10.0.0.0/8", "10.0.0.0/33"),
        ("uuid", "b9a6f7a0-1c1e-4a8e-9d67-9d27f2a9d7c1", "b9a6"),
        ("date", "2026-01-02", "2026-13-02"),
        ("duration", "1h30m", "soon"),
        ("byte", "aGk=", "?"),
        ("mac", "00:11:22:33:44:55", "00"),
        ("hostname", "a-b.cc", "a_b"),
        ("email", "a@b.c", "a"),
        ("unheard-of", "x", ""),
    ] {
        assert!(format::matches(format, good), "{format}");
        assert!(format == "unheard-of" || !format::matches(format, bad), "{format}");
    }
}

// SCH-5, CRD-8
#[test]
fn unchanged_invalid_fields_do_not_block_an_update() {
    let schema = widget();
    let old = object(
        json!({"size": 500, "min": 1, "name": "TOOLONG", "ports": [{"port": 1, "proto": "TCP", "n": 5}], "tags": ["a", "a"]}),
    );
    let mut new = old.clone();
    new["metadata"]["labels"] = json!({"a": "b"});
    new["spec"]["imm"] = json!("changed");
    new["spec"]["ports"] = json!([{"port": 2, "proto": "TCP"}, {"port": 1, "proto": "TCP", "n": 5}]);
    assert_eq!(schema.validate(&new, Some(&old), &mut Vec::new()), []);
    new["spec"]["size"] = json!(501);
    assert_eq!(schema.validate(&new, Some(&old), &mut Vec::new()).len(), 1);
}

// CRD-2
#[test]
fn schemas_must_be_structural() {
    let errors = |schema: Value| -> Vec<String> {
        check(&schema, "s", SchemaContext::default()).iter().map(|error| format!("{}: {}", error.field, error.message)).collect()
    };
    assert_eq!(
        errors(json!({"type": "object", "properties": {"a": {"properties": {"b": {}}}}})),
        [
            "s.properties[a].properties[b].type: Required value: must not be empty for specified object fields",
            "s.properties[a].type: Required value: must not be empty for specified object fields"
        ]
    );
    assert_eq!(
        errors(json!({"type": "object", "properties": {"a": {"type": "integer", "default": "x"}}})),
        [r#"s.properties[a].default: Invalid value: "string":  in body must be of type integer: "string""#]
    );
    for (schema, expected) in [
        (json!({}), "s.type: Required value: must not be empty at the root"),
        (json!({"type": "string"}), r#"s.type: Invalid value: "string": must be object at the root"#),
        (
            json!({"type": "object", "properties": {"a": {"type": "array"}}}),
            "s.properties[a].items: Required value: must be specified",
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": "array", "uniqueItems": true, "items": {"type": "string"}}}}),
            "s.properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": "string", "anyOf": [{"type": "string"}]}}}),
            "s.properties[a].anyOf[0].type: Forbidden: must be empty to be structural",
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": "array", "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["k"], "items": {"type": "object", "properties": {"k": {"type": "string"}}}}}}),
            "s.properties[a].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a \
             default or be a required property",
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": "object", "x-kubernetes-embedded-resource": true}}}),
            "s.properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without \
             x-kubernetes-preserve-unknown-fields",
        ),
    ] {
        assert_eq!(errors(schema), [expected]);
    }
    assert!(errors(json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})).is_empty());
}

// META-1, CRD-4
#[test]
fn metadata_is_typed() {
    let mut metadata = json!({"name": "a", "foo": "x", "labels": {"a": null}, "finalizers": [], "annotations": null,
        "generation": 0, "deletionGracePeriodSeconds": 0,
        "ownerReferences": [{"apiVersion": "v1", "kind": "A", "uid": "u", "z": 1, "controller": false}]});
    let mut unknown = Vec::new();
    coerce_object_meta(&mut metadata, "", &mut unknown).unwrap();
    assert_eq!(unknown, ["metadata.foo", "metadata.ownerReferences[0].z"]);
    assert_eq!(
        metadata,
        json!({"name": "a", "labels": {"a": ""}, "deletionGracePeriodSeconds": 0,
               "ownerReferences": [{"apiVersion": "v1", "kind": "A", "name": "", "uid": "u", "controller": false}]})
    );
    let problem = |mut metadata, within| coerce_object_meta(&mut metadata, within, &mut Vec::new()).unwrap_err().to_string();
    let wrong = "json: cannot unmarshal number into Go struct field";
    assert_eq!(problem(json!({"name": 5}), ""), format!("{wrong} ObjectMeta.name of type string"));
    assert_eq!(problem(json!({"uid": 5}), "metadata"), format!("{wrong} ObjectMeta.metadata.uid of type types.UID"));
    assert_eq!(
        problem(json!({"ownerReferences": [{"name": 5}]}), "metadata"),
        format!("{wrong} OwnerReference.metadata.ownerReferences.name of type string")
    );
    assert!(problem(json!({"creationTimestamp": "nope"}), "").starts_with("parsing time"));
}

#[test]
fn errors_for_long_paths_and_long_lists_are_limited_in_number() {
    let long = "k".repeat(100_000);
    let many: Vec<_> = (0..20_000).collect();
    let map = json!({"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}});
    let errors = errors_of(map, json!({long.as_str(): many}));
    assert!((1..1_000).contains(&errors.len()), "{}", errors.len());
    let choice = json!({"type": "array", "items": {"type": "string", "enum": [long]}});
    let errors = errors_of(choice, many.iter().map(ToString::to_string).collect());
    assert!((1..1_000).contains(&errors.len()), "{}", errors.len());
}

#[test]
fn long_lists_are_compared_item_by_key() {
    let list = json!({"type": "array", "uniqueItems": false, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
        "items": {"type": "object", "properties": {"k": {"type": "integer"}, "v": {"type": "integer", "maximum": 0}}}});
    let schema = Schema::compile(&json!({"type": "object", "properties": {"v": list}}));
    let object = |changed: i64| {
        let items: Vec<_> = (0..50_000_i64).map(|k| json!({"k": k, "v": if k == changed { 2 } else { 1 }})).collect();
        json!({"v": items})
    };
    let errors = schema.validate(&object(7), Some(&object(-1)), &mut Vec::new());
    assert_eq!(causes(&errors).iter().map(|cause| cause.0.as_str()).collect::<Vec<_>>(), ["v[7].v"]);
}

// SCH-3
#[test]
fn a_fraction_is_one_of_whole_numbers_by_its_whole_part() {
    let schema = Schema::compile(&json!({"type": "object", "properties": {"n": {"type": "number", "enum": [1, 2, 4.5]}}}));
    let is_allowed = |n: Value| schema.validate(&json!({"n": n}), None, &mut Vec::new()).is_empty();
    for n in [json!(1), json!(1.25), json!(2.99), json!(4.5), json!(1.0)] {
        assert!(is_allowed(n.clone()), "{n}");
    }
    for n in [json!(3), json!(3.5), json!(4), json!(-1.5), json!(0.9)] {
        assert!(!is_allowed(n.clone()), "{n}");
    }
}

// CRD-5
#[test]
fn objects_embedded_in_a_status_are_not_looked_at_when_it_is_written() {
    let embedded =
        json!({"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true});
    let status = json!({"type": "object", "properties": {"c": embedded}});
    let schema = Schema::compile(&json!({"type": "object", "properties": {"status": status}}));
    let object = json!({"status": {"c": {}}});
    assert!(schema.validate_status(&object, None, &mut Vec::new()).is_empty());
    let fields: Vec<String> = schema.validate(&object, None, &mut Vec::new()).into_iter().map(|error| error.field).collect();
    assert_eq!(fields, ["status.c.apiVersion", "status.c.kind"]);
}
