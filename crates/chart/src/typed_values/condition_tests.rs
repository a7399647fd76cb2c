use serde_json::json;

use super::tests::{chart, found, found_in};
use super::*;

/// Returns a schema of a chart with `mode` and `size`, and further rules.
fn schema(rules: &Value) -> Value {
    let mut schema = json!({ "properties": { "mode": {}, "size": {}, "host": {} } });
    schema.as_object_mut().unwrap().extend(rules.as_object().unwrap().clone());
    schema
}

fn modes(modes: &[&str]) -> Value {
    json!({ "mode": { "type": "string", "enum": modes }, "size": { "type": "integer", "minimum": 1 } })
}

const MISSING: &str =
    "found no field (allowed: a required field, or one with a default: the chart requires the value and has no default";

#[test]
fn a_branch_counts_if_all_values_fit_its_condition() {
    let mode = |mode: &str| json!({ "properties": { "mode": { "const": mode } }, "required": ["mode"] });
    let rules = schema(
        &json!({ "if": mode("big"), "then": { "properties": { "size": { "minimum": 10 } } }, "else": { "required": ["host"] } }),
    );
    let size = "size: found minimum 1 (allowed: minimum 10 or more, as by #[schemars(range(min = 10))]";
    assert_eq!(found("mode: big\n", Some(&rules), &json!({ "size": { "type": "integer", "minimum": 1 } })), [format!("{size})")]);
    assert_eq!(found("mode: big\n", Some(&rules), &modes(&["big"])), [format!("{size})")]);
    assert_eq!(found("mode: small\n", Some(&rules), &modes(&["small"])), [format!("host: {MISSING})")]);
    assert_eq!(found("mode: small\nhost: x\n", Some(&rules), &modes(&["small"])), Vec::<String>::new());
}

#[test]
fn a_condition_that_some_values_fit_narrows_them() {
    let rules = schema(&json!({
        "if": { "properties": { "mode": { "const": "big" } }, "required": ["mode"] },
        "then": { "properties": { "size": { "minimum": 10 } }, "required": ["host"] },
    }));
    let condition = ", for values that fit {\"properties\":{\"mode\":{\"const\":\"big\"}},\"required\":[\"mode\"]})";
    assert_eq!(
        found("mode: small\n", Some(&rules), &modes(&["big", "small"])),
        [
            format!("size: found minimum 1 (allowed: minimum 10 or more, as by #[schemars(range(min = 10))]{condition}"),
            format!("host: {MISSING}{condition}"),
        ]
    );
    let fitting = json!({ "mode": { "enum": ["big", "small"], "type": "string" }, "size": { "type": "integer", "minimum": 10 } });
    assert_eq!(found("mode: small\nhost: x\n", Some(&rules), &fitting), Vec::<String>::new());
    assert_eq!(found("mode: small\n", Some(&rules), &modes(&["small", "middle"])), Vec::<String>::new());
}

#[test]
fn fields_of_a_branch_are_known() {
    let rules =
        schema(&json!({ "if": { "properties": { "host": { "pattern": "^x" } } }, "then": { "properties": { "extra": {} } } }));
    let typed = json!({ "host": { "type": "string" }, "extra": { "type": "string" } });
    assert_eq!(found("", Some(&rules), &typed), Vec::<String>::new());
    assert_eq!(found("", Some(&rules), &json!({ "other": {} })).len(), 1);
}

#[test]
fn a_condition_that_cannot_be_decided_is_left_out() {
    for condition in [
        json!({ "properties": { "host": { "pattern": "^x" } } }),
        json!({ "properties": { "size": { "minimum": 5 } } }),
        json!({ "properties": { "mode": { "contains": {} } } }),
    ] {
        let rules = schema(&json!({ "if": condition, "then": { "required": ["never"] }, "else": { "required": ["never"] } }));
        let typed = json!({ "host": { "type": "string" }, "size": { "type": "integer" }, "mode": { "type": "string" } });
        assert_eq!(found("", Some(&rules), &typed), Vec::<String>::new(), "{rules}");
    }
}

#[test]
fn values_that_the_chart_excludes_are_listed() {
    let not = |schema: &Value| json!({ "properties": { "mode": { "not": schema } } });
    let allowed = "(allowed: values that do not fit it, as the chart says with `not`)";
    let text = json!({ "mode": { "type": "string" } });
    assert_eq!(
        found("", Some(&not(&json!({ "const": "" }))), &text),
        [format!("mode: found values that fit {{\"const\":\"\"}} {allowed}")]
    );
    let listed = json!({ "mode": { "type": "string", "enum": ["a", "b"] } });
    assert_eq!(
        found("", Some(&not(&json!({ "enum": ["b", "c"] }))), &listed),
        [format!("mode: found values that fit {{\"enum\":[\"b\",\"c\"]}} {allowed}")]
    );
    assert_eq!(found("", Some(&not(&json!({ "pattern": "^c" }))), &listed), Vec::<String>::new());
    assert_eq!(found("", Some(&not(&json!({ "pattern": "^b" }))), &listed).len(), 1);
    for fitting in [json!({ "const": 1 }), json!({ "type": "array" }), json!({ "pattern": "^b" })] {
        assert_eq!(found("", Some(&not(&fitting)), &text), Vec::<String>::new(), "{fitting}");
    }
    let long = json!({ "mode": { "type": "string", "minLength": 1 } });
    assert_eq!(found("", Some(&not(&json!({ "const": "" }))), &long), Vec::<String>::new());
}

#[test]
fn fields_that_exclude_each_other_are_listed() {
    let rules = schema(&json!({ "not": { "required": ["mode", "host"] } }));
    let field = json!({ "type": "string" });
    let expected = "the values: found values that fit {\"required\":[\"mode\",\"host\"]} \
         (allowed: values that do not fit it, as the chart says with `not`)";
    assert_eq!(found("", Some(&rules), &json!({ "mode": field, "host": field })), [expected]);
    assert_eq!(found("host: x\n", Some(&rules), &json!({ "mode": field })), [expected]);
    assert_eq!(found("", Some(&rules), &json!({ "mode": field })), Vec::<String>::new());
}

#[test]
fn values_that_others_need_are_missing_if_these_can_be_there() {
    for keyword in ["dependentRequired", "dependencies"] {
        let rules = schema(&json!({ keyword: { "mode": ["host"] } }));
        let field = json!({ "type": "string" });
        assert_eq!(
            found("", Some(&rules), &json!({ "mode": field, "host": field })),
            ["host: found an optional field (allowed: a required field, or one with a default: \
             the chart requires the value beside mode and has no default)"]
        );
        assert_eq!(found("host: x\n", Some(&rules), &json!({ "mode": field })), Vec::<String>::new());
        assert_eq!(found("", Some(&rules), &json!({ "host": field })), Vec::<String>::new());
    }
}

#[test]
fn a_field_that_several_parts_describe_has_all_of_their_rules() {
    let rules = json!({ "properties": { "mode": { "enum": ["a"] } } });
    let typed = json!({
        "type": "object",
        "allOf": [{ "properties": { "mode": { "type": "string" } } }, { "properties": { "mode": { "enum": ["a"] } } }],
    });
    assert_eq!(found_in(&chart("", Some(&rules)), &typed), Vec::<String>::new());
}
