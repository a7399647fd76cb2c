use serde_json::json;

use super::*;
use crate::model::ChartLoader;

const CHART: &str = "apiVersion: v2\nname: web\nversion: 1.0.0\n";

pub(super) fn chart(values: &str, schema: Option<&Value>) -> Chart {
    let schema = schema.map(ToString::to_string);
    let files = [("Chart.yaml", CHART), ("values.yaml", values)];
    let schema = schema.iter().map(|schema| ("values.schema.json", schema.as_str()));
    ChartLoader::default().files(files.into_iter().chain(schema)).unwrap()
}

pub(super) fn found_in(chart: &Chart, typed: &Value) -> Vec<String> {
    compare_values(chart, typed).unwrap().iter().map(ToString::to_string).collect()
}

/// Returns the differences of typed values with these properties.
pub(super) fn found(values: &str, schema: Option<&Value>, properties: &Value) -> Vec<String> {
    found_in(&chart(values, schema), &json!({ "type": "object", "properties": properties }))
}

#[test]
fn fields_with_a_default_of_their_type_fit() {
    let values = "a: x\nb: 1\nc: 0.5\nd: true\ne: [x]\nf: {g: v}\nh:\ni: {}\nj: 80\n";
    let properties = json!({
        "a": { "type": "string" },
        "b": { "type": "integer" },
        "c": { "type": "number" },
        "d": { "type": ["boolean", "null"] },
        "e": { "type": "array", "items": { "type": "string" } },
        "f": { "type": "object", "properties": { "g": { "type": "string", "enum": ["v", "z"] } } },
        "h": { "type": "object", "properties": { "any": { "type": "string" } } },
        "i": { "type": "object", "properties": { "any": { "type": "string" } } },
        "j": { "x-kubernetes-int-or-string": true },
    });
    assert_eq!(found(values, None, &properties), Vec::<String>::new());
}

#[test]
fn unknown_names_are_listed_with_the_known_ones() {
    let properties = json!({
        "replicas": { "type": "integer" },
        "image": { "type": "object", "properties": { "tagg": { "type": "string" } } },
    });
    assert_eq!(
        found("replicaCount: 1\nimage: {tag: x, name: y}\n", None, &properties),
        [
            "image.tagg: found a field of this name (allowed: name, tag)",
            "replicas: found a field of this name (allowed: image, replicaCount)"
        ]
    );
    assert_eq!(found("", None, &json!({ "a": {} })), ["a: found a field of this name (allowed: no fields)"]);
}

#[test]
fn other_types_than_those_of_defaults_are_listed() {
    let properties = json!({
        "a": { "type": "string" },
        "b": { "type": "array", "items": { "type": "integer" } },
        "c": { "type": "array" },
        "d": { "anyOf": [{ "type": "object" }, { "type": "null" }] },
    });
    assert_eq!(
        found("a: 1\nb: [x]\nc: {}\nd: x\n", None, &properties),
        [
            "a: found type string (allowed: type number, as the default)",
            "b[]: found type integer (allowed: type string, as the default)",
            "c: found type array (allowed: type object, as the default)",
            "d: found type object (allowed: type string, as the default)"
        ]
    );
}

#[test]
fn a_schema_decides_before_defaults() {
    let schema = json!({
        "type": "object",
        "properties": {
            "a": { "type": ["integer", "string"] },
            "b": { "type": "integer" },
            "c": { "type": "string" },
            "open": { "type": "object", "additionalProperties": { "type": "string" } },
            "closed": { "type": "object", "properties": { "x": {} }, "additionalProperties": false },
        },
    });
    let properties = json!({
        "a": { "x-kubernetes-int-or-string": true },
        "b": { "type": "number" },
        "c": { "x-kubernetes-int-or-string": true },
        "open": { "type": "object", "properties": { "any": { "type": "boolean" } } },
        "closed": { "type": "object", "properties": { "x": { "type": "string" }, "v": { "type": "string" } } },
    });
    assert_eq!(
        found("a: 1\nclosed: {v: 1}\n", Some(&schema), &properties),
        [
            "b: found type number (allowed: type integer)",
            "c: found type integer or string (allowed: type string)",
            "closed.v: found a field of this name (allowed: v, x)",
            "open.any: found type boolean (allowed: type string)"
        ]
    );
}

#[test]
fn values_that_the_schema_refuses_are_listed() {
    let schema = json!({ "properties": {
        "level": { "enum": ["debug", "info"] },
        "mode": { "enum": ["a", "b"] },
        "kind": { "const": "web" },
    } });
    let properties = json!({
        "level": { "type": "string", "enum": ["info", "trace", null] },
        "mode": { "type": "string" },
        "kind": { "oneOf": [{ "const": "web" }, { "const": "db" }] },
    });
    assert_eq!(
        found("", Some(&schema), &properties),
        [
            "kind: found \"db\" (allowed: \"web\")",
            "level: found \"trace\" (allowed: \"debug\", \"info\")",
            "mode: found any value of type string (allowed: \"a\", \"b\")"
        ]
    );
}

#[test]
fn maps_and_free_fields_are_compared_with_the_rules_for_further_members() {
    let schema = json!({ "properties": {
        "labels": { "type": "object", "additionalProperties": { "type": "string" } },
        "ports": { "type": "object", "patternProperties": { "^p-": { "type": "integer" } }, "additionalProperties": false },
        "env": { "type": "object" },
    } });
    let properties = json!({
        "labels": { "type": "object", "additionalProperties": { "type": "integer" } },
        "ports": { "type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": { "p-a": { "type": "integer" } } },
        "env": { "type": "object", "additionalProperties": true },
    });
    assert_eq!(
        found("", Some(&schema), &properties),
        ["labels.*: found type integer (allowed: type string)", "ports: found fields of any name (allowed: )"]
    );
}

#[test]
fn required_values_need_a_default_or_a_required_field() {
    let schema = json!({ "required": ["a", "b", "c", "d", "e"], "properties": { "a": {}, "b": {}, "c": {}, "d": {}, "e": {} } });
    let typed = json!({
        "type": "object",
        "required": ["b"],
        "properties": { "b": { "type": "string" }, "c": { "type": "string" }, "d": { "type": "string", "default": "x" } },
    });
    let allowed = "a required field, or one with a default: the chart requires the value and has no default";
    assert_eq!(
        found_in(&chart("a: x\n", Some(&schema)), &typed),
        [format!("c: found an optional field (allowed: {allowed})"), format!("e: found no field (allowed: {allowed})")]
    );
}

#[test]
fn references_and_combinations_of_both_sides_are_resolved() {
    let schema = json!({
        "definitions": { "port": { "type": "integer" }, "loop": { "$ref": "#/definitions/loop" } },
        "allOf": [{ "properties": { "port": { "$ref": "#/definitions/port" }, "loop": { "$ref": "#/definitions/loop" } } }],
        "properties": { "either": { "oneOf": [{ "type": "string" }, { "type": "object", "properties": { "x": { "type": "string" } } }] } },
    });
    let typed = |port: &str, either: Value| {
        json!({
            "$ref": "#/$defs/Values",
            "$defs": { "Values": { "type": "object", "properties": { "port": { "type": port }, "either": either, "loop": { "type": "string" } } } },
        })
    };
    let chart = chart("", Some(&schema));
    let object = |name: &str| json!({ "type": "object", "properties": { name: { "type": "string" } } });
    assert!(found_in(&chart, &typed("integer", object("x"))).is_empty());
    assert!(found_in(&chart, &typed("integer", json!({ "type": "string" }))).is_empty());
    assert_eq!(
        found_in(&chart, &typed("string", object("y"))),
        ["either.y: found a field of this name (allowed: x)", "port: found type string (allowed: type integer)"]
    );
}

#[test]
fn a_type_that_contains_itself_has_an_end() {
    let typed = json!({
        "$ref": "#/$defs/Node",
        "$defs": { "Node": { "type": "object", "properties": { "a": { "$ref": "#/$defs/Node" }, "b": { "$ref": "#/$defs/Node" } } } },
    });
    let differences = found_in(&chart("a: {a: {a: x}}\n", None), &typed);
    assert!(
        differences.contains(&"a.a.a: found type object (allowed: type string, as the default)".to_owned()),
        "{differences:?}"
    );
}

#[test]
fn values_of_subcharts_are_compared_with_the_subcharts() {
    let files = [
        (
            "Chart.yaml",
            "apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n- {name: db, version: 1.x, alias: store, condition: store.enabled, tags: [data]}\n",
        ),
        ("values.yaml", "store: {size: 1}\n"),
        ("charts/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.0.0\n"),
        ("charts/db/values.yaml", "size: 10\nuser: admin\n"),
        ("charts/db/values.schema.json", r#"{"properties": {"user": {"type": "string", "enum": ["admin", "root"]}}}"#),
    ];
    let chart = ChartLoader::default().files(files).unwrap();
    let typed = |store: Value| json!({ "type": "object", "properties": { "store": { "type": "object", "properties": store } } });
    let fitting = json!({ "enabled": { "type": "boolean" }, "size": { "type": "integer" }, "user": { "type": "string", "enum": ["root"] } });
    assert_eq!(found_in(&chart, &typed(fitting)), Vec::<String>::new());
    let other = json!({ "enabled": { "type": "string" }, "user": { "type": "integer" }, "x": { "type": "string" } });
    assert_eq!(
        found_in(&chart, &typed(other)),
        [
            "store.enabled: found type string (allowed: type boolean, as the default)",
            "store.user: found type integer (allowed: type string)",
            "store.x: found a field of this name (allowed: enabled, global, size, user)"
        ]
    );
    let top = json!({ "type": "object", "properties": {
        "global": { "type": "object", "properties": { "x": {} } },
        "tags": { "type": "object", "properties": { "data": { "type": "boolean" }, "other": { "type": "boolean" } } },
    } });
    assert_eq!(found_in(&chart, &top), ["tags.other: found a field of this name (allowed: data)"]);
}

#[test]
fn a_schema_that_is_no_json_is_an_error_that_names_the_chart() {
    let files = [("Chart.yaml", CHART), ("values.schema.json", "{")];
    let chart = ChartLoader::default().files(files).unwrap();
    let error = compare_values(&chart, &json!({})).unwrap_err().to_string();
    assert!(error.contains("web:\nvalues.schema.json: "), "{error}");
}
