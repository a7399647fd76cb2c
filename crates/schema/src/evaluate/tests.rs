use serde_json::{Value, json};

use crate::{Schema, SchemaContext, check};

fn spec_with(rules: Value, properties: Value) -> Value {
    json!({"type": "object", "properties": {"spec": {"type": "object", "properties": properties, "x-kubernetes-validations": rules}}})
}

fn errors(schema: &Value, new: Value, old: Option<Value>) -> Vec<String> {
    let old = old.map(|old| json!({"spec": old}));
    let found = Schema::compile(schema).validate(&json!({"spec": new}), old.as_ref(), &mut Vec::new());
    found.iter().map(|error| format!("{} {}: {}", error.reason.as_str(), error.field, error.message)).collect()
}

fn widget() -> Value {
    spec_with(
        json!([
            {"rule": "self.size >= self.min", "message": "size must be >= min"},
            {"rule": "!has(oldSelf.imm) || self.imm == oldSelf.imm", "messageExpression": "\"imm changed from \" + oldSelf.imm",
                "reason": "FieldValueForbidden", "fieldPath": ".imm"}]),
        json!({"size": {"type": "integer", "maximum": 100}, "min": {"type": "integer"}, "imm": {"type": "string"}}),
    )
}

// VEC-9, CRD-7
#[test]
fn violations_have_the_texts_of_the_real_server() {
    let schema = widget();
    assert!(errors(&schema, json!({"size": 5, "min": 1}), None).is_empty());
    assert_eq!(
        errors(&schema, json!({"size": 1, "min": 5}), None),
        ["FieldValueInvalid spec: Invalid value: size must be >= min"]
    );
    assert_eq!(
        errors(&schema, json!({"size": 1}), None),
        [r#"FieldValueInvalid spec: Invalid value: "object": no such key: min evaluating rule: size must be >= min"#]
    );
    let old = json!({"size": 5, "min": 1, "imm": "x"});
    assert_eq!(
        errors(&schema, json!({"size": 5, "min": 1, "imm": "y"}), Some(old)),
        ["FieldValueForbidden spec.imm: Forbidden: imm changed from x"]
    );
}

// CRD-6, SCH-3
#[test]
fn rules_wait_until_the_object_is_well_typed() {
    let found = errors(&widget(), json!({"size": "x", "min": 5}), None);
    assert_eq!(found.len(), 2);
    assert!(found[1].contains("<nil>: Invalid value: null: some validation rules were not checked"));
    // A number out of its range does not keep rules from being evaluated.
    let found = errors(&widget(), json!({"size": 101, "min": 500}), None);
    assert!(found[1].ends_with("size must be >= min"), "{found:?}");
}

// CRD-7
#[test]
fn old_self_can_be_optional() {
    let rules = json!([{"rule": "oldSelf.hasValue() || self.n == 1", "optionalOldSelf": true}]);
    let schema = spec_with(rules, json!({"n": {"type": "integer"}}));
    assert_eq!(
        errors(&schema, json!({"n": 2}), None),
        ["FieldValueInvalid spec: Invalid value: failed rule: oldSelf.hasValue() || self.n == 1"]
    );
    assert!(errors(&schema, json!({"n": 2}), Some(json!({"n": 1}))).is_empty());
}

// SCH-5
#[test]
fn rules_are_not_evaluated_where_nothing_changed() {
    let bad = json!({"size": 1, "min": 5});
    assert!(errors(&widget(), bad.clone(), Some(bad)).is_empty());
}

#[test]
fn rules_see_typed_values_and_escaped_names() {
    let schema = spec_with(
        json!([
            {"rule": "self.when > timestamp('2026-01-01T00:00:00Z')", "message": "when"},
            {"rule": "self.wait < duration('1h')", "message": "wait"},
            {"rule": "self.ratio > 0.5", "message": "ratio"},
            {"rule": "self.foo__dash__bar == 1 && self.__namespace__ == 'a'", "message": "names"},
            {"rule": "self.labels['a-b'] == 'c'", "message": "labels"},
            {"rule": "self.list.all(x, x.size() < 3)", "message": "list"},
            {"rule": "quantity(self.memory).isLessThan(quantity('2Gi'))", "message": "memory"}]),
        json!({"when": {"type": "string", "format": "date-time"}, "wait": {"type": "string", "format": "duration"},
            "ratio": {"type": "number"}, "foo-bar": {"type": "integer"}, "namespace": {"type": "string"},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "list": {"type": "array", "items": {"type": "string"}}, "memory": {"type": "string"}}),
    );
    assert!(check(&schema, "s", SchemaContext::default()).is_empty(), "{:?}", check(&schema, "s", SchemaContext::default()));
    let good = json!({"when": "2026-05-01T00:00:00Z", "wait": "5m", "ratio": 1, "foo-bar": 1, "namespace": "a", "labels": {"a-b": "c"},
        "list": ["a"], "memory": "1Gi"});
    assert_eq!(errors(&schema, good, None), Vec::<String>::new());
    let bad = json!({"when": "2025-05-01T00:00:00Z", "wait": "2h", "ratio": 0.25, "foo-bar": 2, "namespace": "a", "labels": {"a-b": ""},
        "list": ["abc"], "memory": "3Gi"});
    assert_eq!(errors(&schema, bad, None).len(), 7);
}

#[test]
fn items_of_a_map_list_are_compared_with_their_counterpart() {
    let schema = spec_with(
        json!([]),
        json!({"ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
            "items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"},
                "port": {"type": "integer", "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "fixed"}]}}}}}),
    );
    let old = json!({"ports": [{"name": "a", "port": 1}, {"name": "b", "port": 2}]});
    let new = json!({"ports": [{"name": "b", "port": 3}, {"name": "a", "port": 1}, {"name": "c", "port": 9}]});
    assert_eq!(errors(&schema, new, Some(old)), ["FieldValueInvalid spec.ports[0].port: Invalid value: 3: fixed"]);
}

// CRD-2, SCH-4
#[test]
fn rules_that_do_not_compile_are_refused() {
    let with = |rule: &str| json!({"type": "object", "properties": {"a": {"type": "integer", "x-kubernetes-validations": [{"rule": rule}]}}});
    let found = check(&with("self.b > 1"), "s", SchemaContext::default());
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].field, "s.properties[a].x-kubernetes-validations[0].rule");
    assert_eq!(
        found[0].message,
        "Invalid value: {\"Rule\":\"self.b \\u003e 1\",\"Message\":\"\",\"MessageExpression\":\"\",\"Reason\":null,\"FieldPath\":\"\",\
         \"OptionalOldSelf\":null}: compilation failed: ERROR: <input>:1:5: type 'int' does not support field selection\n | self.b > 1\n | ....^"
    );
    let found = check(&with("self >"), "s", SchemaContext::default());
    assert!(found[0].message.contains("compilation failed: ERROR: <input>:1:"), "{}", found[0].message);
    let typo = spec_with(json!([{"rule": "has(self.sise)"}]), json!({"size": {"type": "integer"}}));
    assert!(
        check(&typo, "s", SchemaContext::default())[0].message.contains("undefined field 'sise'"),
        "{:?}",
        check(&typo, "s", SchemaContext::default())
    );
}

// CRD-7
#[test]
fn unknown_fields_count_where_both_objects_have_them() {
    let mut schema = spec_with(json!([{"rule": "self == oldSelf", "message": "changed"}]), json!({"a": {"type": "integer"}}));
    schema["properties"]["spec"]["x-kubernetes-preserve-unknown-fields"] = json!(true);
    let is_same = |new: Value, old: Value| errors(&schema, new, Some(old)).is_empty();
    assert!(is_same(json!({"u": 1}), json!({"v": 2})));
    assert!(is_same(json!({"u": 1}), json!({"a": 2})));
    assert!(is_same(json!({"a": 1, "u": {"b": 1}}), json!({"a": 1, "u": {"b": 1}})));
    assert!(!is_same(json!({"a": 1, "u": {"b": 1}}), json!({"a": 1, "u": {"b": 2}})));
    assert!(!is_same(json!({"a": 1}), json!({"u": 1})));
    assert!(!is_same(json!({"u": 1}), json!({})));
}
