//! Nesting of JSON values: its measurement, and the removal of values that are nested deeper than the stack.

use serde_json::Value;

/// The deepest nesting of lists and objects that a JSON reader accepts, and therefore the deepest of an object that can be sent or stored.
pub const MAX_NESTING: usize = 127;

/// Returns true if more than `most` lists and objects are nested in each other. Recurses at most `most` levels, however deep the value is.
pub fn is_nested_deeper(value: &Value, most: usize) -> bool {
    let inside = |inner: &Value| is_nested_deeper(inner, most - 1);
    match value {
        Value::Array(_) | Value::Object(_) if most == 0 => true,
        Value::Array(items) => items.iter().any(inside),
        Value::Object(members) => members.values().any(inside),
        _ => false,
    }
}

/// Drops a value that may be nested too deep for recursion on the stack.
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

    /// Returns this number of nested lists.
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
    fn the_maximum_nesting_equals_the_limit_of_the_json_reader() {
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
