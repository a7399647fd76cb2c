//! The types of JSON values, as Go's decoder names them in errors.

use serde_json::Value;

/// Returns the name that Go's decoder has for the type of a value.
pub(crate) const fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
