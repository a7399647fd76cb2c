//! The names of types in JSON schemas.

use serde_json::Value;

/// Returns the name of a value's type in a JSON schema. Integers are numbers.
pub(crate) const fn schema_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
