//! Defaults, and nulls that stand for an absent field.

use serde_json::Value;

use crate::node::{Additional, SchemaNode};

/// Drops nulls where the schema allows none and has no default, so that a null means an absent field. Returns true if there were any.
pub(crate) fn drop_nulls(value: &mut Value, node: &SchemaNode) -> bool {
    let mut changed = false;
    match value {
        Value::Object(members) => members.retain(|name, value| {
            let Some(member) = node.member(name) else {
                return true;
            };
            if value.is_null() && !member.nullable && member.default.is_none() {
                changed = true;
                return false;
            }
            changed |= drop_nulls(value, member);
            true
        }),
        Value::Array(items) => {
            if let Some(node) = &node.items {
                for item in items {
                    changed |= drop_nulls(item, node);
                }
            }
        }
        _ => {}
    }
    changed
}

/// Fills in defaults from the outside in, because a default may contain objects that get defaults of their own. Returns true if there were any.
pub(crate) fn fill(value: &mut Value, node: &SchemaNode) -> bool {
    let mut changed = false;
    match value {
        Value::Object(members) => {
            for (name, property) in &node.properties {
                let Some(default) = &property.default else {
                    continue;
                };
                if members.get(name).is_none_or(|value| value.is_null() && !property.nullable) {
                    members.insert(name.clone(), default.clone());
                    changed = true;
                }
            }
            for (name, value) in members {
                match (node.properties.get(name), &node.additional) {
                    (Some(property), _) => changed |= fill(value, property),
                    (None, Some(Additional::Schema(additional))) => {
                        changed |= fill_existing(value, additional);
                    }
                    (None, _) => {}
                }
            }
        }
        Value::Array(items) => {
            if let Some(node) = &node.items {
                for item in items {
                    changed |= fill_existing(item, node);
                }
            }
        }
        _ => {}
    }
    changed
}

/// Fills in defaults in a value that exists, such as an item of a list; a null takes the default.
fn fill_existing(value: &mut Value, node: &SchemaNode) -> bool {
    let mut changed = false;
    if value.is_null()
        && !node.nullable
        && let Some(default) = &node.default
    {
        *value = default.clone();
        changed = true;
    }
    fill(value, node) || changed
}
