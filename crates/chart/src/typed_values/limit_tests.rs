use serde_json::json;

use super::tests::found;
use super::*;

/// Returns the differences of a field with a schema of the typed values and one of the chart.
fn of(typed: &Value, chart: &Value) -> Vec<String> {
    found("", Some(&json!({ "properties": { "a": chart } })), &json!({ "a": typed }))
}

/// Asserts the differences of pairs of a schema of the typed values and a difference.
fn assert_differences(chart: &Value, cases: &[(Value, &[&str])]) {
    for (typed, expected) in cases {
        let expected: Vec<String> = expected.iter().map(|difference| format!("a: found {difference}")).collect();
        assert_eq!(of(typed, chart), expected, "{typed} within {chart}");
    }
}

#[test]
fn the_range_of_a_number_must_lie_in_that_of_the_chart() {
    let least = "allowed: minimum 1 or more, as by #[schemars(range(min = 1))]";
    let most = "allowed: maximum 10 or less, as by #[schemars(range(max = 10))]";
    let no_least = format!("no minimum ({least})");
    let no_most = format!("no maximum ({most})");
    assert_differences(
        &json!({ "type": "number", "minimum": 1, "maximum": 10 }),
        &[
            (json!({ "type": "number", "minimum": 1, "maximum": 10 }), &[]),
            (json!({ "type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 11 }), &[]),
            (json!({ "type": "number", "exclusiveMinimum": 1, "exclusiveMaximum": 10.0 }), &[]),
            (json!({ "type": "number", "exclusiveMinimum": 0, "maximum": 10 }), &[&format!("exclusiveMinimum 0 ({least})")]),
            (
                json!({ "type": "integer", "minimum": 0, "maximum": 11 }),
                &[&format!("minimum 0 ({least})"), &format!("maximum 11 ({most})")],
            ),
            (json!({ "type": "integer" }), &[&no_least, &no_most]),
            (json!({ "type": ["integer", "null"], "minimum": 2, "allOf": [{ "maximum": 9 }] }), &[]),
            (json!({ "type": "integer", "enum": [1, 5, 10] }), &[]),
            (
                json!({ "type": "integer", "enum": [0, 5, 11, 12] }),
                &["11, 12 (allowed: values of maximum 10)", "0 (allowed: values of minimum 1)"],
            ),
            (json!({ "const": 7 }), &[]),
            (json!({}), &[]),
        ],
    );
}

#[test]
fn exclusive_bounds_of_all_drafts_are_compared() {
    let allowed = "allowed: exclusiveMinimum 0 or more, as by #[schemars(extend(\"exclusiveMinimum\" = 0))]";
    let no_exclusive = format!("minimum 0 ({allowed})");
    let chart = json!({ "type": "number", "exclusiveMinimum": 0 });
    assert_differences(
        &chart,
        &[
            (json!({ "type": "number", "minimum": 0 }), &[&no_exclusive]),
            (json!({ "type": "number", "minimum": 0, "exclusiveMinimum": true }), &[]),
            (json!({ "type": "integer", "minimum": 1 }), &[]),
        ],
    );
    let whole = "minimum 0 (allowed: exclusive minimum 0 or more, as by #[schemars(range(min = 1))])";
    assert_differences(
        &json!({ "type": "integer", "minimum": 0, "exclusiveMinimum": true }),
        &[(json!({ "type": "integer", "minimum": 0 }), &[whole]), (json!({ "type": "integer", "exclusiveMinimum": 0 }), &[])],
    );
}

#[test]
fn formats_of_integers_are_bounds() {
    let port = json!({ "type": "integer", "minimum": 0, "maximum": 65535 });
    let allowed = "allowed: maximum 65535 or less, as by #[schemars(range(max = 65535))]";
    let too_large = format!("maximum 4294967295 of format uint32 ({allowed})");
    assert_differences(
        &port,
        &[
            (json!({ "type": "integer", "format": "uint16" }), &[]),
            (json!({ "type": "integer", "format": "uint32", "minimum": 0 }), &[&too_large]),
            (json!({ "type": "integer", "format": "uint32", "minimum": 0, "maximum": 65535 }), &[]),
        ],
    );
    let int32 = json!({ "type": "integer", "minimum": i32::MIN, "maximum": i32::MAX });
    assert_differences(&int32, &[(json!({ "type": "integer", "format": "int32" }), &[])]);
}

#[test]
fn a_factor_must_be_a_multiple_of_that_of_the_chart() {
    let allowed = "allowed: multipleOf 5 or a multiple of it, as by #[schemars(extend(\"multipleOf\" = 5))]";
    assert_differences(
        &json!({ "type": "number", "multipleOf": 5 }),
        &[
            (json!({ "type": "number", "multipleOf": 10 }), &[]),
            (json!({ "type": "number", "multipleOf": 2 }), &[&format!("multipleOf 2 ({allowed})")]),
            (json!({ "type": "integer" }), &[&format!("no multipleOf ({allowed})")]),
            (json!({ "enum": [5, 15] }), &[]),
        ],
    );
    assert_differences(&json!({ "multipleOf": 1 }), &[(json!({ "type": "integer" }), &[])]);
    assert_differences(&json!({ "multipleOf": 0.1 }), &[(json!({ "type": "number", "multipleOf": 0.3 }), &[])]);
}

#[test]
fn lengths_of_texts_must_lie_in_those_of_the_chart() {
    let least = "minLength 0 (allowed: minLength 1 or more, as by #[schemars(length(min = 1))])";
    let most = "no maxLength (allowed: maxLength 3 or less, as by #[schemars(length(max = 3))])";
    assert_differences(
        &json!({ "type": "string", "minLength": 1, "maxLength": 3 }),
        &[
            (json!({ "type": "string", "minLength": 1, "maxLength": 3 }), &[]),
            (json!({ "type": ["string", "null"] }), &[least, most]),
            (json!({ "type": "string", "enum": ["a", "äöü"] }), &[]),
            (
                json!({ "enum": ["", "abcd"] }),
                &["\"abcd\" (allowed: values of maxLength 3)", "\"\" (allowed: values of minLength 1)"],
            ),
        ],
    );
}

#[test]
fn counts_of_items_and_equal_items_are_compared() {
    let list = |rest: Value| {
        let mut list = json!({ "type": "array", "items": { "type": "string" } });
        list.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        list
    };
    let least = "minItems 0 (allowed: minItems 1 or more, as by #[schemars(length(min = 1))])";
    let most = "maxItems 4 (allowed: maxItems 3 or less, as by #[schemars(length(max = 3))])";
    let unique =
        "items that may be equal (allowed: uniqueItems true, as by a BTreeSet, or #[schemars(extend(\"uniqueItems\" = true))])";
    assert_differences(
        &json!({ "type": "array", "minItems": 1, "maxItems": 3, "uniqueItems": true }),
        &[
            (list(json!({ "minItems": 1, "maxItems": 3, "uniqueItems": true })), &[]),
            (list(json!({ "minItems": 1, "maxItems": 1 })), &[]),
            (list(json!({ "maxItems": 4 })), &[least, most, unique]),
        ],
    );
    assert_differences(&json!({ "type": "array", "uniqueItems": false }), &[(list(json!({})), &[])]);
}

#[test]
fn members_are_counted_with_the_defaults() {
    let schema = |least: u64, most: u64| json!({ "properties": { "a": { "minProperties": least, "maxProperties": most } } });
    let typed = json!({ "a": { "type": "object", "required": ["x"], "properties": { "x": { "type": "string" }, "y": { "type": "string" } } } });
    assert_eq!(
        found(
            "a: {z: v}\n",
            Some(&schema(2, 3)),
            &json!({ "a": { "type": "object", "required": ["z"], "properties": { "z": {} } } })
        ),
        ["a: found minProperties 1 (allowed: minProperties 2 or more, as by #[schemars(extend(\"minProperties\" = 2))])"]
    );
    let sure =
        json!({ "properties": { "a": { "properties": { "x": {}, "y": {}, "z": {} }, "minProperties": 2, "maxProperties": 3 } } });
    assert_eq!(found("a: {z: v}\n", Some(&sure), &typed), Vec::<String>::new());
    let map = json!({ "a": { "type": "object", "additionalProperties": { "type": "string" } } });
    assert_eq!(
        found("", Some(&schema(0, 3)), &map),
        ["a: found no maxProperties (allowed: maxProperties 3 or less, as by #[schemars(extend(\"maxProperties\" = 3))])"]
    );
}

#[test]
fn a_pattern_must_be_that_of_the_chart_or_fit_all_listed_values() {
    let chart = json!({ "type": "string", "pattern": "^v\\d+$" });
    let allowed = "allowed: pattern ^v\\d+$, as by #[schemars(regex(pattern = r\"^v\\d+$\"))]";
    assert_differences(
        &chart,
        &[
            (json!({ "type": "string", "pattern": "^v\\d+$" }), &[]),
            (json!({ "type": "string", "pattern": "^v" }), &[&format!("pattern ^v ({allowed})")]),
            (json!({ "type": "string" }), &[&format!("no pattern ({allowed})")]),
            (json!({ "enum": ["v1", "v22"] }), &[]),
            (json!({ "enum": ["v1", "w1"] }), &["\"w1\" (allowed: values of pattern \"^v\\\\d+$\")"]),
        ],
    );
    assert_differences(&json!({ "pattern": ".*" }), &[(json!({ "type": "string" }), &[])]);
}

#[test]
fn formats_of_texts_count_in_the_drafts_that_check_them() {
    let chart = |draft: &str| json!({ "$schema": draft, "properties": { "a": { "type": "string", "format": "email" } } });
    let typed = |format: &str| json!({ "a": { "type": "string", "format": format } });
    let old = chart("http://json-schema.org/draft-07/schema#");
    assert_eq!(found("", Some(&old), &typed("email")), Vec::<String>::new());
    assert_eq!(
        found("", Some(&old), &typed("ipv4")),
        ["a: found format ipv4 (allowed: format email, as by #[schemars(extend(\"format\" = \"email\"))])"]
    );
    assert_eq!(found("", Some(&chart("https://json-schema.org/draft/2020-12/schema")), &typed("ipv4")), Vec::<String>::new());
}

#[test]
fn all_parts_count_and_one_choice_is_enough() {
    let parts = json!({ "allOf": [{ "minLength": 1 }, { "allOf": [{ "pattern": "^v" }] }] });
    assert_eq!(of(&json!({ "type": "string" }), &parts).len(), 2);
    assert_eq!(of(&json!({ "type": "string", "minLength": 1, "pattern": "^v" }), &parts), Vec::<String>::new());
    let lists = json!({ "allOf": [{ "enum": ["a", "b"] }, { "enum": ["b", "c"] }] });
    assert_eq!(of(&json!({ "enum": ["a", "b"] }), &lists), ["a: found \"a\" (allowed: \"b\", \"c\")"]);
    let choices = json!({ "anyOf": [{ "type": "integer", "minimum": 1 }, { "type": "string", "pattern": "%$" }] });
    assert_eq!(of(&json!({ "type": "integer", "minimum": 1 }), &choices), Vec::<String>::new());
    assert_eq!(of(&json!({ "type": "string", "pattern": "%$" }), &choices), Vec::<String>::new());
    let both = json!({ "x-kubernetes-int-or-string": true, "minimum": 1, "pattern": "%$" });
    assert_eq!(of(&both, &choices), Vec::<String>::new());
    assert_eq!(
        of(&json!({ "type": ["integer", "boolean"], "minimum": 1 }), &choices),
        ["a: found type boolean (allowed: type integer)"]
    );
    assert_eq!(
        of(&json!({ "type": "integer", "minimum": 0 }), &choices),
        ["a: found minimum 0 (allowed: minimum 1 or more, as by #[schemars(range(min = 1))])"]
    );
}
