//! Defaults, and nulls that stand for an absent field.

use serde_json::Value;

use super::node::{Additional, Node};

/// Drops nulls where the schema allows none and has no default: there a null means that the field is absent.
pub(super) fn drop_nulls(value: &mut Value, node: &Node) {
    match value {
        Value::Object(members) => members.retain(|name, value| {
            let Some(member) = node.member(name) else {
                return true;
            };
            if value.is_null() && !member.nullable && member.default.is_none() {
                return false;
            }
            drop_nulls(value, member);
            true
        }),
        Value::Array(items) => {
            if let Some(node) = &node.items {
                items.iter_mut().for_each(|item| drop_nulls(item, node));
            }
        }
        _ => {}
    }
}

/// Fills in defaults, outside in: a default may hold objects that get defaults of their own.
pub(super) fn fill(value: &mut Value, node: &Node) {
    match value {
        Value::Object(members) => {
            for (name, property) in &node.properties {
                let Some(default) = &property.default else {
                    continue;
                };
                let absent = members
                    .get(name)
                    .is_none_or(|value| value.is_null() && !property.nullable);
                if absent {
                    members.insert(name.clone(), default.clone());
                }
            }
            let additional = match &node.additional {
                Some(Additional::Schema(schema)) => Some(schema.as_ref()),
                _ => None,
            };
            for (name, value) in members {
                match node.properties.get(name) {
                    Some(property) => fill(value, property),
                    None => {
                        if let Some(additional) = additional {
                            fill_null(value, additional);
                            fill(value, additional);
                        }
                    }
                }
            }
        }
        Value::Array(items) => {
            let Some(node) = &node.items else { return };
            for item in items {
                fill_null(item, node);
                fill(item, node);
            }
        }
        _ => {}
    }
}

fn fill_null(value: &mut Value, node: &Node) {
    if value.is_null()
        && !node.nullable
        && let Some(default) = &node.default
    {
        *value = default.clone();
    }
}
