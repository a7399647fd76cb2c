//! Checks of lists that are sets or maps, and of atomic maps.

use std::collections::HashSet;

use serde_json::Value;

use super::{Object, flag, nested, text};
use crate::field_error::FieldError;
use crate::limit::can_be_told;
use crate::parse::texts;
use crate::path::ValuePath;

pub(super) fn check(schema: &Object, path: &ValuePath<'_>, errors: &mut Vec<FieldError>) {
    let list_type = schema.get("x-kubernetes-list-type").and_then(Value::as_str);
    if let Some(map_type) = schema.get("x-kubernetes-map-type").and_then(Value::as_str) {
        has_type(schema, "object", "x-kubernetes-map-type", path, errors);
        if !matches!(map_type, "atomic" | "granular") {
            let field_path = path.field("x-kubernetes-map-type").to_string();
            errors.push(FieldError::not_supported(field_path, &map_type.into(), &["atomic", "granular"]));
        }
    }
    if list_type.is_some() && !has_type(schema, "array", "x-kubernetes-list-type", path, errors) {
        // The items of a value that is not a list are not checked.
    } else if list_type == Some("set")
        && let Some(items) = nested(schema, "items")
    {
        set_items(items, &path.field("items"), errors);
    }
    let field_path = path.field("x-kubernetes-list-type");
    if let Some(other) = list_type.filter(|list_type| !matches!(*list_type, "atomic" | "set" | "map")) {
        errors.push(FieldError::not_supported(field_path.to_string(), &other.into(), &["atomic", "set", "map"]));
    }
    let keys = texts(schema, "x-kubernetes-list-map-keys");
    if !keys.is_empty() && list_type != Some("map") {
        let detail = "must be map if x-kubernetes-list-map-keys is non-empty";
        errors.push(match list_type {
            None => FieldError::required(field_path.to_string(), detail),
            Some(other) => FieldError::invalid(field_path.to_string(), &other.into(), detail),
        });
    }
    if list_type == Some("map") {
        map_list(schema, &keys, path, errors);
    }
    if matches!(list_type, Some("map" | "set"))
        && let Some(items) = nested(schema, "items")
    {
        items_of(items, list_type.unwrap_or_default(), &keys, &path.field("items"), errors);
    }
}

fn has_type(schema: &Object, wanted: &str, extension: &str, path: &ValuePath<'_>, errors: &mut Vec<FieldError>) -> bool {
    let field_path = path.field("type").to_string();
    let detail = format!("must be {wanted} if {extension} is specified");
    match text(schema, "type") {
        found if found == wanted => return true,
        "" => errors.push(FieldError::required(field_path, detail)),
        other => errors.push(FieldError::invalid(field_path, &other.into(), detail)),
    }
    false
}

/// Checks that the items of a set are atomic, because they are compared as a whole.
fn set_items(items: &Object, path: &ValuePath<'_>, errors: &mut Vec<FieldError>) {
    let detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
    let list_type = items.get("x-kubernetes-list-type").cloned().unwrap_or_default();
    match text(items, "type") {
        "array" if !list_type.is_null() && list_type != "atomic" => {
            errors.push(FieldError::invalid(path.field("x-kubernetes-list-type").to_string(), &list_type, detail));
        }
        "object" if text(items, "x-kubernetes-map-type") != "atomic" => {
            errors.push(FieldError::invalid(path.field("x-kubernetes-map-type").to_string(), &list_type, detail));
        }
        _ => {}
    }
}

fn map_list(schema: &Object, keys: &[String], path: &ValuePath<'_>, errors: &mut Vec<FieldError>) {
    let field_path = path.field("x-kubernetes-list-map-keys").to_string();
    if keys.is_empty() {
        errors.push(FieldError::required(&field_path, "must not be empty if x-kubernetes-list-type is map"));
    }
    let items_path = path.field("items");
    let Some(items) = nested(schema, "items") else {
        let detail = "must have a schema if x-kubernetes-list-type is map";
        errors.push(FieldError::required(items_path.to_string(), detail));
        return;
    };
    let found = Value::from(text(items, "type"));
    if found != "object" {
        let detail = "must be object if parent array's x-kubernetes-list-type is map";
        errors.push(FieldError::invalid(items_path.field("type").to_string(), &found, detail));
        return;
    }
    let all: Value = keys.into();
    let mut seen = HashSet::new();
    // Most errors quote all keys, so the errors are limited by the length of the keys.
    let length = all.to_string().len();
    for key in keys {
        if !can_be_told(errors.len(), length) {
            return;
        }
        match nested(items, "properties").and_then(|properties| nested(properties, key)) {
            None => errors.push(FieldError::invalid(&field_path, &all, "entries must all be names of item properties")),
            Some(property) if matches!(text(property, "type"), "array" | "object") => {
                let properties = items_path.field("properties");
                let detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
                errors.push(FieldError::invalid(properties.key(key).field("type").to_string(), &found, detail));
            }
            Some(_) => {}
        }
        if !seen.insert(key) {
            errors.push(FieldError::invalid(&field_path, &all, "must not contain duplicate entries"));
        }
    }
}

/// Checks that items cannot be null and have all their keys.
fn items_of(items: &Object, list_type: &str, keys: &[String], path: &ValuePath<'_>, errors: &mut Vec<FieldError>) {
    if flag(items, "nullable") {
        let detail = format!("cannot be nullable when x-kubernetes-list-type is {list_type}");
        errors.push(FieldError::forbidden(path.field("nullable").to_string(), detail));
    }
    if list_type != "map" {
        return;
    }
    let required: HashSet<String> = texts(items, "required").into_iter().collect();
    let properties = path.field("properties");
    for key in keys {
        let Some(property) = nested(items, "properties").and_then(|properties| nested(properties, key)) else {
            continue;
        };
        let field_path = properties.key(key);
        let reason = "this property is in x-kubernetes-list-map-keys, so it";
        if !required.contains(key) && property.get("default").is_none_or(Value::is_null) {
            let detail = format!("{reason} must have a default or be a required property");
            errors.push(FieldError::required(field_path.field("default").to_string(), detail));
        }
        if flag(property, "nullable") {
            errors.push(FieldError::forbidden(field_path.field("nullable").to_string(), format!("{reason} cannot be nullable")));
        }
    }
}
