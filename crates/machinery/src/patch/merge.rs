//! Merge patches (RFC 7386).

use serde_json::{Map, Value};

/// Applies a merge patch: maps are merged, null deletes, any other value replaces.
pub fn merge_patch(target: &mut Value, patch: &Value) {
    merge(target, patch, false);
}

/// Applies a merge patch as an API server does: maps inside of lists lose their nulls as well, unless the list replaces a map.
pub fn merge_patch_as_servers_do(target: &mut Value, patch: &Value) {
    merge(target, patch, true);
}

fn merge(target: &mut Value, patch: &Value, prune: bool) {
    let Value::Object(changes) = patch else {
        let was_map = target.is_object();
        *target = patch.clone();
        if prune && !was_map {
            drop_nulls(target);
        }
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(fields) = target else {
        return;
    };
    for (name, change) in changes {
        if change.is_null() {
            fields.remove(name);
        } else {
            merge(fields.entry(name.as_str()).or_insert(Value::Null), change, prune);
        }
    }
}

/// Drops the nulls of maps at any depth.
fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, member| !member.is_null());
            members.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // PATCH-3; the table of RFC 7386, appendix A
    #[test]
    fn merge_patches_follow_the_table_of_the_standard() {
        for (target, patch, result) in [
            (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "b"}), json!({"b": "c"}), json!({"a": "b", "b": "c"})),
            (json!({"a": "b"}), json!({"a": null}), json!({})),
            (json!({"a": "b", "b": "c"}), json!({"a": null}), json!({"b": "c"})),
            (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "c"}), json!({"a": ["b"]}), json!({"a": ["b"]})),
            (json!({"a": {"b": "c"}}), json!({"a": {"b": "d", "c": null}}), json!({"a": {"b": "d"}})),
            (json!({"a": [{"b": "c"}]}), json!({"a": [1]}), json!({"a": [1]})),
            (json!(["a", "b"]), json!(["c", "d"]), json!(["c", "d"])),
            (json!({"a": "b"}), json!(["c"]), json!(["c"])),
            (json!({"a": "foo"}), json!(null), json!(null)),
            (json!({"a": "foo"}), json!("bar"), json!("bar")),
            (json!({"e": null}), json!({"a": 1}), json!({"e": null, "a": 1})),
            (json!([1, 2]), json!({"a": "b", "c": null}), json!({"a": "b"})),
            (json!({}), json!({"a": {"bb": {"ccc": null}}}), json!({"a": {"bb": {}}})),
        ] {
            let mut value = target.clone();
            merge_patch(&mut value, &patch);
            assert_eq!(value, result, "{target} and {patch}");
        }
    }

    // PATCH-3
    #[test]
    fn servers_drop_nulls_inside_lists_that_do_not_replace_a_map() {
        let list = json!([{"a": null, "b": 1}, null, [{"c": null}], {"d": {"e": null}}]);
        let pruned = json!([{"b": 1}, null, [{}], {"d": {}}]);
        for (target, result) in
            [(json!({}), &pruned), (json!({"l": [1]}), &pruned), (json!({"l": "x"}), &pruned), (json!({"l": {"m": 1}}), &list)]
        {
            let mut value = target;
            merge_patch_as_servers_do(&mut value, &json!({"l": list}));
            assert_eq!(&value["l"], result);
        }
        let mut value = json!({});
        merge_patch(&mut value, &json!({"l": list}));
        assert_eq!(value["l"], list);
    }
}
