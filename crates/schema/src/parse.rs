//! Compilation of an `openAPIV3Schema`.

use serde_json::{Map, Value};

use crate::format;
use crate::node::{Additional, JsonType, ListType, Pattern, SchemaNode, ValueChecks};
use crate::rules::ValidationRule;

/// Compiles a schema. Invalid parts are left out, because [`crate::check`] has already rejected them.
pub(crate) fn node(schema: &Value) -> SchemaNode {
    let empty = Map::new();
    let schema = schema.as_object().unwrap_or(&empty);
    let flag = |name: &str| schema.get(name) == Some(&Value::Bool(true));
    let members = |name: &str| schema.get(name).and_then(Value::as_object).into_iter().flatten();
    let mut node = SchemaNode {
        type_: schema.get("type").and_then(Value::as_str).and_then(JsonType::parse),
        nullable: flag("nullable"),
        int_or_string: flag("x-kubernetes-int-or-string"),
        preserve_unknown: flag("x-kubernetes-preserve-unknown-fields"),
        embedded_resource: flag("x-kubernetes-embedded-resource"),
        default: schema.get("default").cloned(),
        properties: members("properties").map(|(name, schema)| (name.clone(), node(schema))).collect(),
        additional: match schema.get("additionalProperties") {
            Some(Value::Bool(true)) => Some(Additional::Any),
            Some(members @ Value::Object(_)) => Some(Additional::Schema(Box::new(node(members)))),
            _ => None,
        },
        items: schema.get("items").filter(|items| items.is_object()).map(|items| Box::new(node(items))),
        list: list_type(schema),
        checks: checks(schema),
        rules: list(schema, "x-kubernetes-validations").iter().map(ValidationRule::parse).collect(),
        has_rules: false,
    };
    node.has_rules = node.find_rules();
    node
}

fn list_type(schema: &Map<String, Value>) -> ListType {
    match schema.get("x-kubernetes-list-type").and_then(Value::as_str) {
        Some("set") => ListType::Set,
        Some("map") => ListType::Map(texts(schema, "x-kubernetes-list-map-keys")),
        _ => ListType::Atomic,
    }
}

fn checks(schema: &Map<String, Value>) -> ValueChecks {
    let count = |name: &str| schema.get(name).and_then(Value::as_u64);
    let number = |name: &str| schema.get(name).and_then(Value::as_number).cloned();
    let flag = |name: &str| schema.get(name) == Some(&Value::Bool(true));
    let nodes = |name: &str| list(schema, name).iter().map(node).collect::<Vec<_>>();
    ValueChecks {
        required: texts(schema, "required"),
        enumeration: list(schema, "enum").to_vec(),
        format: format(schema),
        pattern: schema.get("pattern").and_then(Value::as_str).and_then(pattern),
        min_length: count("minLength"),
        max_length: count("maxLength"),
        minimum: number("minimum"),
        exclusive_minimum: flag("exclusiveMinimum"),
        maximum: number("maximum"),
        exclusive_maximum: flag("exclusiveMaximum"),
        multiple_of: number("multipleOf"),
        min_items: count("minItems"),
        max_items: count("maxItems"),
        unique_items: flag("uniqueItems"),
        min_properties: count("minProperties"),
        max_properties: count("maxProperties"),
        all_of: nodes("allOf"),
        any_of: nodes("anyOf"),
        one_of: nodes("oneOf"),
        not: schema.get("not").filter(|not| not.is_object()).map(|not| Box::new(node(not))),
    }
}

/// Returns the format, if values of the type are checked for it.
fn format(schema: &Map<String, Value>) -> Option<String> {
    let text = |name: &str| schema.get(name).and_then(Value::as_str).unwrap_or_default();
    format::is_known(text("type"), text("format")).then(|| text("format").to_owned())
}

/// Compiles a pattern. A pattern that does not compile is left out; it is rejected when the definition is written.
fn pattern(source: &str) -> Option<Pattern> {
    kubewright_machinery::pattern::compile(source).ok().map(|regex| Pattern { source: source.to_owned(), regex })
}

pub(crate) fn list<'a>(schema: &'a Map<String, Value>, name: &str) -> &'a [Value] {
    schema.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

pub(crate) fn texts(schema: &Map<String, Value>, name: &str) -> Vec<String> {
    list(schema, name).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}
