//! The JSON patch between two states of an object.

use serde_json::{Map, Value, json};

use super::diff;

/// Returns the JSON patch that turns `old` into `new`; none if they are equal. It makes the changes that [`diff`] finds: maps field by field, lists
/// as a whole; a null in `new` means the same as an absent field.
pub fn json_patch_between(old: &Value, new: &Value) -> Option<Value> {
    let changes = diff(old, new)?;
    let mut operations = Vec::new();
    match (old, &changes) {
        (Value::Object(old), Value::Object(changes)) => write_fields("", old, changes, &mut operations),
        _ => operations.push(json!({"op": "replace", "path": "", "value": changes})),
    }
    Some(Value::Array(operations))
}

fn write_fields(path: &str, old: &Map<String, Value>, changes: &Map<String, Value>, operations: &mut Vec<Value>) {
    for (name, change) in changes {
        let path = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
        match (old.get(name), change) {
            (_, Value::Null) => operations.push(json!({"op": "remove", "path": path})),
            (Some(Value::Object(old)), Value::Object(changes)) => write_fields(&path, old, changes, operations),
            (Some(_), value) => operations.push(json!({"op": "replace", "path": path, "value": value})),
            (None, value) => operations.push(json!({"op": "add", "path": path, "value": value})),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::object::testing::{any_value, without_nulls};
    use crate::patch::json_patch;

    // HLP-4
    #[test]
    fn each_changed_field_is_one_operation() {
        let old = json!({"a": 1, "b": {"c": 1, "d": 2}, "l": [1, 2], "x/y~z": {"k": 1}, "same": {"x": 1}});
        let new = json!({"b": {"c": 1, "d": 3}, "l": [1], "x/y~z": {"k": 2}, "same": {"x": 1}, "new": {"y": 1}});
        assert_eq!(
            json_patch_between(&old, &new),
            Some(json!([
                {"op": "remove", "path": "/a"},
                {"op": "replace", "path": "/b/d", "value": 3},
                {"op": "replace", "path": "/l", "value": [1]},
                {"op": "add", "path": "/new", "value": {"y": 1}},
                {"op": "replace", "path": "/x~1y~0z/k", "value": 2},
            ]))
        );
        assert_eq!(json_patch_between(&new, &new), None);
        assert_eq!(json_patch_between(&json!({}), &json!([])), Some(json!([{"op": "replace", "path": "", "value": []}])));
    }

    proptest! {
        // HLP-4
        #[test]
        fn the_patch_leads_to_the_new_value(old in any_value(), new in any_value(), shared in any_value()) {
            let old = without_nulls(json!({"a": old, "shared": shared, "both": {"x": 1}}));
            let new = without_nulls(json!({"a": new, "shared": shared, "both": {"y": 1}}));
            let mut patched = old.clone();
            if let Some(patch) = json_patch_between(&old, &new) {
                json_patch(&mut patched, &patch).unwrap();
            }
            prop_assert_eq!(patched, new);
        }
    }
}
