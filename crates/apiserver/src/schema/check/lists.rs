//! Lists that are sets or maps, and what their items need for it.

use serde_json::Value;

use crate::status::FieldError;

use super::Object;
use crate::schema::parse::texts;
use crate::schema::path::Path;

pub(super) fn lists(schema: &Object, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let list_type = schema.get("x-kubernetes-list-type").and_then(Value::as_str).unwrap_or_default();
    let is_array = schema.get("type").and_then(Value::as_str) == Some("array");
    let place = path.field("x-kubernetes-list-type").to_string();
    if !list_type.is_empty() && !is_array {
        let found = schema.get("type").cloned().unwrap_or_else(|| "".into());
        errors.push(FieldError::invalid(
            path.field("type").to_string(),
            &found,
            "must be array if x-kubernetes-list-type is specified",
        ));
    }
    if !matches!(list_type, "" | "atomic" | "set" | "map") {
        errors.push(FieldError::not_supported(&place, &list_type.into(), &["atomic", "map", "set"]));
    }
    if let Some(map_type) = schema.get("x-kubernetes-map-type").and_then(Value::as_str)
        && !matches!(map_type, "atomic" | "granular")
    {
        errors.push(FieldError::not_supported(
            path.field("x-kubernetes-map-type").to_string(),
            &map_type.into(),
            &["atomic", "granular"],
        ));
    }
    let keys = texts(schema, "x-kubernetes-list-map-keys");
    let keys_place = path.field("x-kubernetes-list-map-keys");
    if list_type != "map" {
        if !keys.is_empty() {
            errors.push(FieldError::forbidden(keys_place.to_string(), "must be empty unless x-kubernetes-list-type is map"));
        }
        return;
    }
    if keys.is_empty() {
        errors.push(FieldError::required(keys_place.to_string(), "must not be empty if x-kubernetes-list-type is map"));
    }
    let Some(items) = schema.get("items").and_then(Value::as_object) else {
        return;
    };
    let items_place = path.field("items");
    if items.get("type").and_then(Value::as_str) != Some("object") {
        let found = items.get("type").cloned().unwrap_or_else(|| "".into());
        let detail = "must be object if parent array's x-kubernetes-list-type is map";
        errors.push(FieldError::invalid(items_place.field("type").to_string(), &found, detail));
    }
    let required = texts(items, "required");
    for (index, key) in keys.iter().enumerate() {
        let property = items.get("properties").and_then(|properties| properties.get(key));
        let Some(property) = property else {
            let detail = "entries must all be names of item properties";
            errors.push(FieldError::invalid(keys_place.index(index).to_string(), &key.as_str().into(), detail));
            continue;
        };
        let properties = items_place.field("properties");
        let place = properties.key(key);
        if matches!(property.get("type").and_then(Value::as_str), Some("array" | "object")) {
            let detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
            errors.push(FieldError::invalid(place.field("type").to_string(), &property["type"], detail));
        }
        if !required.contains(key) && property.get("default").is_none() {
            let detail = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
            errors.push(FieldError::required(place.field("default").to_string(), detail));
        }
    }
}
