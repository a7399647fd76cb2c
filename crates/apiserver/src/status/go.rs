//! Values as errors of a server in Go print them.

use serde_json::Value;

/// The type of a value, as `%T` prints it.
pub(crate) fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

/// A value as `%v` prints it.
pub(crate) fn go_value(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(go_value).collect::<Vec<_>>().join(" ")),
        Value::Object(members) => {
            let members: Vec<_> = members.iter().map(|(name, value)| format!("{name}:{}", go_value(value))).collect();
            format!("map[{}]", members.join(" "))
        }
        other => other.to_string(),
    }
}

/// A value as `%#v` prints it.
pub(crate) fn go_syntax(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::Array(items) => format!("[]interface {{}}{{{}}}", items.iter().map(go_syntax).collect::<Vec<_>>().join(", ")),
        Value::Object(members) => {
            let members: Vec<_> = members.iter().map(|(name, value)| format!("{name:?}:{}", go_syntax(value))).collect();
            format!("map[string]interface {{}}{{{}}}", members.join(", "))
        }
        other => other.to_string(),
    }
}
