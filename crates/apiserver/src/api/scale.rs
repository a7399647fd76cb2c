//! Validation of the fields behind `/scale` in instances of custom resources.

use kubewright_schema::FieldError;
use kubewright_schema::go::{go_type, go_value};
use serde_json::Value;

use crate::kinds::{FieldPath, KindSpec, ScaleSelector};

/// Returns the errors in the counts and the selector of a custom resource.
pub(crate) fn check(kind: &KindSpec, object: &Value) -> Vec<FieldError> {
    let Some(scale) = kind.scale.as_ref().filter(|_| kind.is_custom()) else { return Vec::new() };
    let mut errors = Vec::new();
    count(object, &scale.spec_replicas, &mut errors);
    count(object, &scale.status_replicas, &mut errors);
    if let ScaleSelector::Text(path) = &scale.selector
        && let Err(problem) = find(object, path, Value::is_string, "string")
    {
        errors.push(FieldError::invalid(format!(".{path}"), &"".into(), problem));
    }
    errors
}

fn count(object: &Value, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let field_path = format!(".{path}");
    match find(object, path, Value::is_i64, "int64") {
        Err(problem) => errors.push(FieldError::invalid(field_path, &0.into(), problem)),
        Ok(None) => {}
        Ok(Some(value)) => {
            let number = value.as_i64().unwrap_or_default();
            if number < 0 {
                errors.push(FieldError::invalid(field_path, value, "should be a non-negative integer"));
            } else if number > i64::from(i32::MAX) {
                let detail = format!("should be less than or equal to {}", i32::MAX);
                errors.push(FieldError::invalid(field_path, value, detail));
            }
        }
    }
}

/// Returns the value at a path, if it and all values on the way have the right type.
fn find<'v>(object: &'v Value, path: &FieldPath, accepts: fn(&Value) -> bool, wanted: &str) -> Result<Option<&'v Value>, String> {
    let problem = |length: usize, value: &Value, wanted: &str| {
        let prefix = path.members()[..length].join(".");
        Err(format!(".{prefix} accessor error: {} is of the type {}, expected {wanted}", go_value(value), go_type(value)))
    };
    let mut at = object;
    let length = path.members().len();
    for (index, member) in path.members().iter().enumerate() {
        let Some(members) = at.as_object() else {
            return problem(length, at, "map[string]interface{}");
        };
        match members.get(member) {
            None | Some(Value::Null) if index + 1 < length => return Ok(None),
            None => return Ok(None),
            Some(value) => at = value,
        }
    }
    if accepts(at) { Ok(Some(at)) } else { problem(length, at, wanted) }
}
