//! Checks of the fields that OpenAPI allows and Kubernetes does not, of the extensions, and of the rules at every path of a schema.

use serde_json::Value;

use super::rules::RuleScope;
use super::{CONDITIONS, Object, entries, flag, lists, members, nested, rules, text};
use crate::field_error::FieldError;
use crate::node::JsonType;
use crate::path::ValuePath;

/// The fields that every object has, whatever its schema says.
const OBJECT_FIELDS: [&str; 3] = ["metadata", "kind", "apiVersion"];

/// Returns the first part of a schema that Kubernetes cannot decode.
pub(super) fn unsupported(schema: &Object) -> Option<String> {
    let filled = |name: &str| {
        schema.get(name).is_some_and(|value| match value {
            Value::Null => false,
            Value::String(text) => !text.is_empty(),
            Value::Object(members) => !members.is_empty() || name == "additionalItems",
            _ => true,
        })
    };
    for name in ["id", "$schema", "$ref", "patternProperties", "dependencies", "additionalItems", "definitions"] {
        if filled(name) {
            return Some(format!("OpenAPIV3Schema '{}' is not supported", name.replace("$schema", "schema")));
        }
    }
    if schema.get("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(false)) {
        return Some("internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined".to_owned());
    }
    if schema.get("items").is_some_and(Value::is_array) {
        return Some("OpenAPIV3Schema 'items' must be a schema, but is an array".to_owned());
    }
    let conditions = CONDITIONS.iter().flat_map(|name| entries(schema, name)).map(|(_, entry)| entry);
    let mut children = conditions
        .chain(["not", "items", "additionalProperties"].into_iter().filter_map(|name| nested(schema, name)))
        .chain(members(schema, "properties").map(|(_, property)| property));
    children.find_map(unsupported)
}

/// Returns the errors of a schema, those of its rules last. `unchanged` is true if the costs of rules need not be checked again; if it is `None`,
/// rules are not checked at all.
pub(super) fn check(schema: &Object, path: &ValuePath<'_>, unchanged: Option<bool>) -> Vec<FieldError> {
    let mut costs = rules::Costs::new(unchanged.unwrap_or_default());
    let mut errors = Errors::default();
    let scope = unchanged.map(|_| RuleScope::root());
    walk(schema, PathContext { root: true, ..PathContext::default() }, scope.as_ref(), path, &mut costs, &mut errors);
    let mut all = errors.schema;
    all.extend(errors.rules);
    all.extend(costs.verdict(path));
    all
}

/// The errors found so far. Errors of the schema itself keep the rules at the same path and above it from being checked.
#[derive(Default)]
struct Errors {
    schema: Vec<FieldError>,
    rules: Vec<FieldError>,
}

/// The properties of a path that follow from the schemas above it.
#[derive(Clone, Default)]
struct PathContext {
    root: bool,
    /// True inside of apiVersion, kind or metadata.
    inside_metadata: bool,
    /// The reason for which no default is allowed; `None` if defaults are allowed.
    no_defaults: Option<String>,
    /// The path of the outermost list whose items cannot be matched with those of another revision of the object.
    uncorrelatable: Option<String>,
}

impl PathContext {
    fn below(&self) -> Self {
        Self { root: false, ..self.clone() }
    }

    fn uncorrelatable_at(mut self, path: &ValuePath<'_>) -> Self {
        self.uncorrelatable.get_or_insert_with(|| path.to_string());
        self
    }
}

fn walk(
    schema: &Object,
    level: PathContext,
    scope: Option<&RuleScope<'_>>,
    path: &ValuePath<'_>,
    costs: &mut rules::Costs,
    errors: &mut Errors,
) {
    let before = errors.schema.len();
    standard(schema, &level, path, &mut errors.schema);
    if flag(schema, "uniqueItems") {
        let detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
        errors.schema.push(FieldError::forbidden(path.field("uniqueItems").to_string(), detail));
    }
    if let Some(additional) = schema.get("additionalProperties").filter(|additional| !additional.is_null()) {
        let field_path = path.field("additionalProperties");
        if members(schema, "properties").next().is_some() && additional != &Value::Bool(true) {
            let detail = "additionalProperties and properties are mutual exclusive";
            errors.schema.push(FieldError::forbidden(field_path.to_string(), detail));
        }
        if let Some(additional) = additional.as_object() {
            let mut below = level.below();
            if level.inside_metadata {
                below.no_defaults = Some("inside additionalProperties applying to object metadata".to_owned());
            }
            walk(additional, below, scope.map(|scope| scope.child(schema, additional)).as_ref(), &field_path, costs, errors);
        }
    }
    let properties = path.field("properties");
    for (name, property) in members(schema, "properties") {
        let mut below = level.below();
        if (level.root || flag(schema, "x-kubernetes-embedded-resource")) && OBJECT_FIELDS.contains(&name.as_str()) {
            below.inside_metadata = true;
            if level.root {
                below.no_defaults = Some(format!("in top-level {name}"));
            }
        }
        let scope = scope.map(|scope| scope.child(schema, property));
        walk(property, below, scope.as_ref(), &properties.key(name), costs, errors);
    }
    if let Some(not) = nested(schema, "not") {
        walk(not, level.below(), None, &path.field("not"), costs, errors);
    }
    for name in ["allOf", "oneOf", "anyOf"] {
        let field_path = path.field(name);
        for (index, entry) in entries(schema, name) {
            walk(entry, level.below(), None, &field_path.index(index), costs, errors);
        }
    }
    if let Some(items) = nested(schema, "items") {
        let mut below = level.below();
        if text(schema, "x-kubernetes-list-type") != "map" {
            below = below.uncorrelatable_at(path);
        }
        let scope = scope.map(|scope| scope.child(schema, items));
        walk(items, below, scope.as_ref(), &path.field("items"), costs, errors);
    }
    if schema.get("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(false)) {
        let field_path = path.field("x-kubernetes-preserve-unknown-fields").to_string();
        errors.schema.push(FieldError::invalid(field_path, &false.into(), "must be true or undefined"));
    }
    lists::check(schema, path, &mut errors.schema);
    rules::spelling(schema, path, &mut errors.schema);
    if errors.schema.len() == before
        && let Some(scope) = scope
    {
        let scope = scope.here(schema, level.root, level.uncorrelatable.as_deref());
        errors.rules.extend(rules::check(schema, &scope, path, costs));
    }
}

fn standard(schema: &Object, level: &PathContext, path: &ValuePath<'_>, errors: &mut Vec<FieldError>) {
    let type_name = text(schema, "type");
    let present = |name: &str| schema.get(name).is_some_and(|value| !value.is_null());
    let filled = |name: &str| schema.get(name).and_then(Value::as_object).is_some_and(|members| !members.is_empty());
    if !type_name.is_empty() && JsonType::parse(type_name).is_none() {
        errors.push(FieldError::not_supported(path.field("type").to_string(), &type_name.into(), &JsonType::NAMES));
    }
    let mut forbid = |field: &str, detail: &str| {
        errors.push(FieldError::forbidden(path.field(field).to_string(), detail));
    };
    if present("default")
        && let Some(reason) = &level.no_defaults
    {
        forbid("default", &format!("must not be set {reason}"));
    }
    if !text(schema, "id").is_empty() {
        forbid("id", "id is not supported");
    }
    for (field, set) in [
        ("additionalItems", present("additionalItems")),
        ("patternProperties", filled("patternProperties")),
        ("definitions", filled("definitions")),
        ("dependencies", present("dependencies")),
        ("$ref", present("$ref")),
    ] {
        if set {
            forbid(field, &format!("{field} is not supported"));
        }
    }
    if type_name == "null" {
        forbid("type", "type cannot be set to null, use nullable as an alternative");
    }
    if schema.get("items").and_then(Value::as_array).is_some_and(|items| !items.is_empty()) {
        forbid("items", "items must be a schema object and not an array");
    }
    if level.inside_metadata && flag(schema, "x-kubernetes-embedded-resource") {
        forbid("x-kubernetes-embedded-resource", "must not be used inside of resource meta");
    }
}
