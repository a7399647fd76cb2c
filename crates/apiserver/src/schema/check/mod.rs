//! Is a schema structural? The rules for `openAPIV3Schema` of a CustomResourceDefinition, checked when one is written.
//!
//! Every value has a type, unknown fields are known to be unknown, and conditions (allOf, anyOf, oneOf, not) only narrow what stands outside them.

mod condition;
mod lists;

use regex::Regex;
use serde_json::{Map, Value};

use crate::status::FieldError;

use condition::condition;
use lists::lists;

use super::node::Type;
use super::parse::{self, list};
use super::path::Path;
use super::{default, prune, validate};

/// Everything that keeps a schema from being accepted; `path` is where it stands in its definition.
pub fn check(schema: &Value, path: &str) -> Vec<FieldError> {
    let root = Path::Root;
    let place = root.field(path);
    let mut errors = Vec::new();
    match schema.as_object() {
        Some(schema) => structural(schema, Level::Root, &place, &mut errors),
        None => errors.push(FieldError::required(path, "schemas are required")),
    }
    errors
}

#[derive(Clone, Copy, PartialEq)]
enum Level {
    Root,
    Field,
    Item,
}

type Object = Map<String, Value>;

fn structural(schema: &Object, level: Level, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    children(schema, path, errors, &|schema, level, path, errors| {
        structural(schema, level, path, errors);
    });
    types(schema, level, path, errors);
    forbidden(schema, level, path, errors);
    values(schema, path, errors);
    lists(schema, path, errors);
    rules(schema, path, errors);
    for name in ["allOf", "anyOf", "oneOf"] {
        let place = path.field(name);
        for (index, nested) in list(schema, name).iter().enumerate() {
            if let Some(nested) = nested.as_object() {
                condition(nested, schema, &place.index(index), errors);
            }
        }
    }
    if let Some(nested) = schema.get("not").and_then(Value::as_object) {
        condition(nested, schema, &path.field("not"), errors);
    }
    if let Some(default) = schema.get("default") {
        default_value(schema, default, path, errors);
    }
}

type Visit<'v> = &'v dyn Fn(&Object, Level, &Path<'_>, &mut Vec<FieldError>);

fn children(schema: &Object, path: &Path<'_>, errors: &mut Vec<FieldError>, visit: Visit<'_>) {
    if let Some(items) = schema.get("items").and_then(Value::as_object) {
        visit(items, Level::Item, &path.field("items"), errors);
    }
    let place = path.field("properties");
    for (name, property) in members(schema, "properties") {
        if let Some(property) = property.as_object() {
            visit(property, Level::Field, &place.key(name), errors);
        }
    }
    if let Some(additional) = schema.get("additionalProperties").and_then(Value::as_object) {
        visit(additional, Level::Field, &path.field("additionalProperties"), errors);
    }
}

fn types(schema: &Object, level: Level, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let type_name = schema.get("type").and_then(Value::as_str).unwrap_or_default();
    let place = path.field("type").to_string();
    if !type_name.is_empty() && Type::parse(type_name).is_none() {
        errors.push(FieldError::not_supported(&place, &type_name.into(), &Type::NAMES));
    }
    if flag(schema, "x-kubernetes-int-or-string") {
        if !type_name.is_empty() {
            errors.push(FieldError::invalid(&place, &type_name.into(), "must be empty if x-kubernetes-int-or-string is true"));
        }
    } else if type_name.is_empty() {
        match level {
            Level::Root => errors.push(FieldError::required(&place, "must not be empty at the root")),
            _ if flag(schema, "x-kubernetes-preserve-unknown-fields") => {}
            Level::Field => errors.push(FieldError::required(&place, "must not be empty for specified object fields")),
            Level::Item => errors.push(FieldError::required(&place, "must not be empty for specified array items")),
        }
    }
    if level == Level::Root && !type_name.is_empty() && type_name != "object" {
        errors.push(FieldError::invalid(&place, &type_name.into(), "must be object at the root"));
    }
    if flag(schema, "x-kubernetes-embedded-resource") {
        if type_name != "object" {
            errors.push(FieldError::invalid(
                &place,
                &type_name.into(),
                "must be object if x-kubernetes-embedded-resource is true",
            ));
        }
        if members(schema, "properties").next().is_none() && !flag(schema, "x-kubernetes-preserve-unknown-fields") {
            let detail =
                "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
            errors.push(FieldError::required(path.field("properties").to_string(), detail));
        }
    }
    if type_name == "array" && !schema.get("items").is_some_and(Value::is_object) {
        errors.push(FieldError::required(path.field("items").to_string(), "must be specified"));
    }
}

fn forbidden(schema: &Object, level: Level, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let mut forbid = |field: &str, detail: &str| {
        errors.push(FieldError::forbidden(path.field(field).to_string(), detail));
    };
    if level == Level::Root {
        if schema.contains_key("additionalProperties") {
            forbid("additionalProperties", "must not be used at the root");
        }
        if flag(schema, "nullable") {
            forbid("nullable", "nullable cannot be true at the root");
        }
        if schema.get("properties").and_then(|properties| properties.get("metadata")).is_some_and(restricts_metadata) {
            forbid(
                "properties[metadata]",
                "must not specify anything other than name and generateName, but metadata is implicitly specified",
            );
        }
    }
    if schema.get("additionalProperties") == Some(&Value::Bool(false)) {
        forbid("additionalProperties", "additionalProperties cannot be set to false");
    }
    if schema.contains_key("additionalProperties") && members(schema, "properties").next().is_some() {
        forbid("additionalProperties", "additionalProperties and properties are mutual exclusive");
    }
    if flag(schema, "uniqueItems") {
        forbid("uniqueItems", "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
    }
    if schema.get("$ref").and_then(Value::as_str).is_some_and(|reference| !reference.is_empty()) {
        forbid("$ref", "$ref is not supported");
    }
    for field in ["definitions", "dependencies", "patternProperties", "id", "$schema", "additionalItems"] {
        if schema.get(field).is_some_and(|value| !value.is_null()) {
            forbid(field, &format!("{field} is not supported"));
        }
    }
    if schema.get("items").is_some_and(Value::is_array) {
        forbid("items", "items must be a schema object and not an array");
    }
}

/// The metadata of an object may only be narrowed by conditions on its names.
fn restricts_metadata(metadata: &Value) -> bool {
    let Some(metadata) = metadata.as_object() else {
        return false;
    };
    let known = |(name, value): (&String, &Value)| match name.as_str() {
        "type" | "description" => true,
        "properties" => {
            value.as_object().is_some_and(|properties| properties.keys().all(|name| name == "name" || name == "generateName"))
        }
        _ => false,
    };
    !metadata.iter().all(known)
}

fn values(schema: &Object, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if let Some(pattern) = schema.get("pattern").and_then(Value::as_str)
        && let Err(error) = Regex::new(pattern)
    {
        let reason = error.to_string().lines().last().unwrap_or_default().to_owned();
        let detail = format!("must be a valid regular expression, but isn't: {reason}");
        errors.push(FieldError::invalid(path.field("pattern").to_string(), &pattern.into(), detail));
    }
    let place = path.field("required");
    let mut seen = Vec::new();
    for (index, name) in list(schema, "required").iter().enumerate() {
        if seen.contains(&name) {
            errors.push(FieldError::duplicate(place.index(index).to_string(), name));
        }
        seen.push(name);
    }
}

fn rules(schema: &Object, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if list(schema, "x-kubernetes-validations").is_empty() {
        return;
    }
    #[cfg(feature = "cel")]
    let node = parse::node(&Value::Object(schema.clone()));
    let place = path.field("x-kubernetes-validations");
    for (index, rule) in list(schema, "x-kubernetes-validations").iter().enumerate() {
        let place = place.index(index);
        if rule.get("rule").and_then(Value::as_str).is_none_or(|rule| rule.trim().is_empty()) {
            errors.push(FieldError::required(place.field("rule").to_string(), "rule is not specified"));
        }
        #[cfg(feature = "cel")]
        errors.extend(crate::schema::cel::check(rule, &node, &place.to_string()));
        if let Some(reason) = rule.get("reason").and_then(Value::as_str) {
            const REASONS: [&str; 4] = ["FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired", "FieldValueDuplicate"];
            if !REASONS.contains(&reason) {
                errors.push(FieldError::not_supported(place.field("reason").to_string(), &reason.into(), &REASONS));
            }
        }
    }
}

/// A default must be valid and survive pruning.
fn default_value(schema: &Object, found: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let place = path.field("default").to_string();
    let node = parse::node(&Value::Object(schema.clone()));
    let mut value = found.clone();
    if !prune::unknown_fields(&mut value, &node, node.embedded_resource).is_empty() {
        errors.push(FieldError::invalid(&place, found, "must not have unknown fields"));
        return;
    }
    default::fill(&mut value, &node);
    errors.extend(validate::default(&node, &value).into_iter().map(|mut error| {
        error.field = if error.field == "<nil>" { place.clone() } else { format!("{place}.{}", error.field) };
        error
    }));
}

fn flag(schema: &Object, name: &str) -> bool {
    schema.get(name) == Some(&Value::Bool(true))
}

fn members<'a>(schema: &'a Object, name: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    schema.get(name).and_then(Value::as_object).into_iter().flatten()
}
