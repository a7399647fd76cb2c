//! Values inside values: how deep they go, and how to look at them without going as deep oneself.

use serde_json::Value;

/// The deepest nesting of lists and objects that a JSON reader takes, and so the deepest that an object can have to be sent or stored.
pub const MAX_NESTING: usize = 127;

/// Whether more than `most` lists and objects stand inside each other. Goes `most` deep at the most, however deep the value is.
pub fn is_nested_deeper(value: &Value, most: usize) -> bool {
    let inside = |inner: &Value| is_nested_deeper(inner, most - 1);
    match value {
        Value::Array(_) | Value::Object(_) if most == 0 => true,
        Value::Array(items) => items.iter().any(inside),
        Value::Object(members) => members.values().any(inside),
        _ => false,
    }
}

/// Drops a value that may be nested deeper than the stack is.
pub(crate) fn dismantle(value: Value) {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.into_iter().map(|(_, inner)| inner)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// So many lists inside each other.
    fn nested(depth: usize) -> Value {
        (0..depth).fold(Value::Null, |inner, _| Value::Array(vec![inner]))
    }

    #[test]
    fn nesting_counts_lists_and_objects() {
        assert!(!is_nested_deeper(&json!("text"), 0));
        assert!(is_nested_deeper(&json!({}), 0));
        assert!(!is_nested_deeper(&json!({"a": [1, {"b": 2}]}), 3));
        assert!(is_nested_deeper(&json!({"a": [1, {"b": 2}]}), 2));
    }

    #[test]
    fn what_a_reader_takes_is_not_nested_too_deep() {
        let text = |depth| serde_json::to_string(&nested(depth)).unwrap();
        assert!(serde_json::from_str::<Value>(&text(MAX_NESTING)).is_ok());
        assert!(serde_json::from_str::<Value>(&text(MAX_NESTING + 1)).is_err());
    }

    #[test]
    fn a_value_of_any_depth_is_looked_at_and_dropped() {
        let deep = nested(1_000_000);
        assert!(is_nested_deeper(&deep, MAX_NESTING));
        dismantle(deep);
    }
}
