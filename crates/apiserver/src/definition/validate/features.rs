//! Validation of the features of a version besides its schema: subresources, columns, selectable fields.

use std::collections::HashSet;

use kubewright_schema::{FieldError, field_path};
use serde_json::{Map, Value};

use crate::definition::versions;

pub(super) fn subresources(version: &Value, error_path: &str, errors: &mut Vec<FieldError>) {
    let Some(scale) = version.pointer("/subresources/scale").filter(|scale| scale.is_object()) else {
        return;
    };
    for (field, roots) in
        [("specReplicasPath", &[".spec"][..]), ("statusReplicasPath", &[".status"]), ("labelSelectorPath", &[".spec", ".status"])]
    {
        let path = scale.get(field).and_then(Value::as_str).unwrap_or_default();
        let error_path = format!("{error_path}.subresources.scale.{field}");
        if path.is_empty() {
            if field != "labelSelectorPath" {
                errors.push(FieldError::required(error_path, ""));
            }
        } else if !path.starts_with('.') {
            errors.push(FieldError::invalid(error_path, &path.into(), SIMPLE));
        } else if !roots.iter().any(|root| path.starts_with(&format!("{root}."))) {
            let detail = match roots {
                [root] => format!("should be a json path under {root}"),
                _ => format!("should be a json path under either {}", roots.join(" or ")),
            };
            errors.push(FieldError::invalid(error_path, &path.into(), detail));
        }
    }
}

const SIMPLE: &str = "must be a simple json path starting with .";

pub(super) fn columns(version: &Value, error_path: &str, errors: &mut Vec<FieldError>) {
    const TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
    const FORMATS: [&str; 8] = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
    for (index, column) in version.get("additionalPrinterColumns").and_then(Value::as_array).into_iter().flatten().enumerate() {
        let error_path = format!("{error_path}.additionalPrinterColumns[{index}]");
        let text = |field: &str| column.get(field).and_then(Value::as_str).unwrap_or_default();
        if text("name").is_empty() {
            errors.push(FieldError::required(format!("{error_path}.name"), ""));
        }
        let types = format!("must be one of {}", TYPES.join(","));
        if text("type").is_empty() {
            errors.push(FieldError::required(format!("{error_path}.type"), types));
        } else if !TYPES.contains(&text("type")) {
            errors.push(FieldError::invalid(format!("{error_path}.type"), &text("type").into(), types));
        }
        if !text("format").is_empty() && !FORMATS.contains(&text("format")) {
            let formats = format!("must be one of {}", FORMATS.join(","));
            errors.push(FieldError::invalid(format!("{error_path}.format"), &text("format").into(), formats));
        }
        let path = text("jsonPath");
        if path.is_empty() {
            errors.push(FieldError::required(format!("{error_path}.JSONPath"), ""));
        } else if !path.starts_with('.') {
            errors.push(FieldError::invalid(format!("{error_path}.JSONPath"), &path.into(), SIMPLE));
        }
    }
}

pub(super) fn selectable_fields(version: &Value, error_path: &str, stored: Option<&Value>, errors: &mut Vec<FieldError>) {
    const MOST: usize = 8;
    let fields = version.get("selectableFields").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let error_path = format!("{error_path}.selectableFields");
    let empty = Map::new();
    let schema = versions::schema(version).and_then(Value::as_object).unwrap_or(&empty);
    let mut seen = HashSet::new();
    for (index, field) in fields.iter().enumerate() {
        let error_path = format!("{error_path}[{index}].jsonPath");
        let path = field.get("jsonPath").and_then(Value::as_str).unwrap_or_default();
        if path.is_empty() {
            errors.push(FieldError::required(error_path, ""));
            continue;
        }
        let found = match field_path::resolve(path, schema, false) {
            Ok(found) => found,
            Err(problem) => {
                errors.push(FieldError::invalid(error_path, &path.into(), format!("is an invalid path: {problem}")));
                continue;
            }
        };
        if path.starts_with(".metadata.") {
            errors.push(FieldError::invalid(&error_path, &path.into(), "must not point to fields in metadata"));
        }
        if !matches!(found.schema.get("type").and_then(Value::as_str), Some("string" | "boolean" | "integer")) {
            let detail = "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
            errors.push(FieldError::invalid(&error_path, &path.into(), detail));
        }
        if !seen.insert(found.path) {
            errors.push(FieldError::duplicate(error_path, &path.into()));
        }
    }
    // More fields than the limit are accepted if the stored definition already has them.
    let before = stored.map(versions::all).unwrap_or_default();
    let before = before.iter().find(|before| versions::name(before) == versions::name(version));
    let kept = before.is_some_and(|before| before.get("selectableFields") == version.get("selectableFields"));
    if seen.len() > MOST && !kept {
        errors.push(FieldError::too_many(error_path, seen.len(), MOST));
    }
}
