//! The merge patch between two states of an object.

use serde_json::{Map, Value};

/// Returns the smallest merge patch that turns `old` into `new`; none if they are equal. A null in `new` means the same as an absent field, because a
/// merge patch cannot set one.
pub fn diff(old: &Value, new: &Value) -> Option<Value> {
    let (Value::Object(old_fields), Value::Object(new_fields)) = (old, new) else {
        return (old != new).then(|| new.clone());
    };
    diff_fields(old_fields, new_fields)
}

/// Returns the smallest merge patch between the fields of two objects; see [`diff`].
pub fn diff_fields(old_fields: &Map<String, Value>, new_fields: &Map<String, Value>) -> Option<Value> {
    let mut changes = Map::new();
    for (name, value) in new_fields.iter().filter(|(_, value)| !value.is_null()) {
        match old_fields.get(name) {
            Some(before) => {
                changes.extend(diff(before, value).map(|change| (name.clone(), change)));
            }
            None => {
                changes.insert(name.clone(), value.clone());
            }
        }
    }
    for (name, before) in old_fields {
        let after = new_fields.get(name);
        if after.is_none_or(Value::is_null) && after != Some(before) {
            changes.insert(name.clone(), Value::Null);
        }
    }
    (!changes.is_empty()).then_some(Value::Object(changes))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::object::testing::{any_value, without_nulls};
    use crate::patch::merge_patch;

    #[test]
    fn only_changed_fields_are_in_the_merge_patch() {
        let old = json!({"a": 1, "b": {"c": 1, "d": 2}, "l": [1, 2], "same": {"x": 1}});
        let new = json!({"b": {"c": 1, "d": 3}, "l": [1], "same": {"x": 1}, "new": {"y": 1}});
        assert_eq!(diff(&old, &new), Some(json!({"a": null, "b": {"d": 3}, "l": [1], "new": {"y": 1}})));
        assert_eq!(diff(&new, &new), None);
        assert_eq!(diff(&json!({"a": null}), &json!({"a": null})), None);
        assert_eq!(diff(&json!({"a": 5}), &json!({"a": {}})), Some(json!({"a": {}})));
    }

    proptest! {
        #[test]
        fn the_patch_leads_to_the_new_value(old in any_value(), new in any_value(), shared in any_value()) {
            let old = without_nulls(json!({"a": old, "shared": shared, "both": {"x": 1}}));
            let new = without_nulls(json!({"a": new, "shared": shared, "both": {"y": 1}}));
            let mut patched = old.clone();
            if let Some(patch) = diff(&old, &new) {
                merge_patch(&mut patched, &patch);
            }
            prop_assert_eq!(patched, new);
        }
    }
}
