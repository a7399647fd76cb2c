//! What a version offers besides its schema: subresources, columns, selectable fields.

use serde_json::Value;

use crate::definition::versions;
use crate::status::FieldError;

pub(super) fn subresources(version: &Value, place: &str, errors: &mut Vec<FieldError>) {
    let Some(scale) = version.pointer("/subresources/scale") else {
        return;
    };
    let mut check = |field: &str, root: &str, optional: bool| {
        let place = format!("{place}.subresources.scale.{field}");
        match scale.get(field).and_then(Value::as_str).unwrap_or_default() {
            "" if optional => {}
            "" => errors.push(FieldError::required(place, "")),
            path if path.contains('[') => errors.push(FieldError::invalid(place, &path.into(), "should be a simple json path")),
            path if path.starts_with(root) || (optional && path.starts_with(".spec.")) => {}
            path => {
                let detail = format!("should be a json path under {}", root.trim_end_matches('.'));
                errors.push(FieldError::invalid(place, &path.into(), detail));
            }
        }
    };
    check("specReplicasPath", ".spec.", false);
    check("statusReplicasPath", ".status.", false);
    check("labelSelectorPath", ".status.", true);
}

pub(super) fn columns(version: &Value, place: &str, errors: &mut Vec<FieldError>) {
    const TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
    const FORMATS: [&str; 10] = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password", "binary", "name"];
    for (index, column) in version.get("additionalPrinterColumns").and_then(Value::as_array).into_iter().flatten().enumerate() {
        let place = format!("{place}.additionalPrinterColumns[{index}]");
        let text = |field: &str| column.get(field).and_then(Value::as_str).unwrap_or_default();
        for field in ["name", "type", "jsonPath"] {
            if text(field).is_empty() {
                errors.push(FieldError::required(format!("{place}.{field}"), ""));
            }
        }
        if !text("type").is_empty() && !TYPES.contains(&text("type")) {
            errors.push(FieldError::not_supported(format!("{place}.type"), &text("type").into(), &TYPES));
        }
        if !text("format").is_empty() && !FORMATS.contains(&text("format")) {
            errors.push(FieldError::not_supported(format!("{place}.format"), &text("format").into(), &FORMATS));
        }
        if !text("jsonPath").is_empty()
            && let Err(error) = crate::tables::JsonPath::parse(text("jsonPath"))
        {
            errors.push(FieldError::invalid(format!("{place}.jsonPath"), &text("jsonPath").into(), error.to_string()));
        }
    }
}

pub(super) fn selectable_fields(version: &Value, place: &str, errors: &mut Vec<FieldError>) {
    let fields = version.get("selectableFields").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if fields.len() > 8 {
        errors.push(FieldError::too_many(format!("{place}.selectableFields"), fields.len(), 8));
    }
    let mut seen = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        let place = format!("{place}.selectableFields[{index}].jsonPath");
        let path = field.get("jsonPath").and_then(Value::as_str).unwrap_or_default();
        if path.is_empty() {
            errors.push(FieldError::required(place, ""));
        } else if path.starts_with(".metadata.") || !path.starts_with('.') || path.contains('[') {
            let detail = "is an invalid path: must be a simple path to a string, boolean or integer field outside metadata";
            errors.push(FieldError::invalid(place, &path.into(), detail));
        } else if seen.contains(&path) {
            errors.push(FieldError::duplicate(place, &path.into()));
        } else if !versions::schema(version).is_some_and(|schema| is_scalar(schema, path)) {
            let detail = "is an invalid path: does not refer to a valid field";
            errors.push(FieldError::invalid(place, &path.into(), detail));
        }
        seen.push(path);
    }
}

fn is_scalar(schema: &Value, path: &str) -> bool {
    let mut members = path.trim_start_matches('.').split('.');
    let found = members.try_fold(schema, |schema, member| schema.get("properties")?.get(member));
    found.and_then(|schema| schema.get("type")?.as_str()).is_some_and(|name| matches!(name, "string" | "boolean" | "integer"))
}
