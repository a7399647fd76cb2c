//! Merging maps.

use serde_json::{Map, Value};

use super::lists;
use super::marks::Place;

/// A patch that cannot be applied, in the words of the real server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StrategicError(pub(super) String);

pub(super) const DIRECTIVE: &str = "$patch";
const RETAIN_KEYS: &str = "$retainKeys";
const ELEMENT_ORDER: &str = "$setElementOrder/";
const DELETE_FROM_LIST: &str = "$deleteFromPrimitiveList/";

/// Applies a strategic merge patch to an object of a built-in type; `definition` is the name of its schema. After an error the object
/// is in between.
pub fn strategic_merge(object: &mut Value, patch: &Value, definition: &str) -> Result<(), StrategicError> {
    let Value::Object(patch) = patch else {
        return Err(StrategicError("a strategic merge patch must be an object".to_owned()));
    };
    let merged = merge_maps(object.as_object().cloned().unwrap_or_default(), patch, Place::root(definition))?;
    *object = Value::Object(merged);
    Ok(())
}

/// The patch applied to a map.
pub(super) fn merge_maps(
    mut live: Map<String, Value>,
    patch: &Map<String, Value>,
    place: Place,
) -> Result<Map<String, Value>, StrategicError> {
    let mut patch = patch.clone();
    if let Some(directive) = patch.get(DIRECTIVE) {
        match directive.as_str() {
            Some("replace") => {
                patch.remove(DIRECTIVE);
                return Ok(patch);
            }
            Some("delete") => return Ok(Map::new()),
            Some("merge") => {
                patch.remove(DIRECTIVE);
            }
            other => {
                let name = other.unwrap_or_default();
                return Err(StrategicError(format!("unknown patch type: {name} in map: {}", go_map(&patch))));
            }
        }
    }
    if let Some(kept) = patch.remove(RETAIN_KEYS) {
        retain_keys(&mut live, &patch, &kept)?;
    }
    delete_from_lists(&mut live, &mut patch);
    ordered_lists(&mut live, &mut patch, place)?;
    for (name, value) in patch {
        if value.is_null() {
            live.remove(&name);
            continue;
        }
        let present = live.remove(&name);
        let merged = merge_values(present, &value, place.member(&name))?;
        live.insert(name, merged);
    }
    Ok(live)
}

/// The patch applied to a value of any kind.
pub(super) fn merge_values(live: Option<Value>, patch: &Value, place: Place) -> Result<Value, StrategicError> {
    match (live, patch) {
        (Some(Value::Object(_)), Value::Object(_)) if place.replaces() => Ok(patch.clone()),
        (Some(Value::Object(live)), Value::Object(patch)) => Ok(Value::Object(merge_maps(live, patch, place)?)),
        // In a new value there is nothing to delete, but directives and nulls still have to go.
        (_, Value::Object(patch)) => Ok(Value::Object(merge_maps(Map::new(), patch, place)?)),
        (live, Value::Array(patch)) if place.merges() => {
            let live = match live {
                Some(Value::Array(live)) => live,
                _ => Vec::new(),
            };
            Ok(Value::Array(lists::merge(live, patch, place, None)?))
        }
        (_, patch) => Ok(patch.clone()),
    }
}

fn retain_keys(live: &mut Map<String, Value>, patch: &Map<String, Value>, kept: &Value) -> Result<(), StrategicError> {
    let Some(kept) = kept.as_array() else {
        return Err(StrategicError("invalid patch format of retainKeys: the directive must be a list".to_owned()));
    };
    let is_kept = |name: &str| kept.iter().any(|kept| kept == name);
    let stray = patch.iter().find(|(name, value)| !name.starts_with('$') && !value.is_null() && !is_kept(name));
    if let Some((name, _)) = stray {
        return Err(StrategicError(format!("the value of {name} is set in the patch, but not listed in $retainKeys")));
    }
    live.retain(|name, _| is_kept(name));
    Ok(())
}

fn delete_from_lists(live: &mut Map<String, Value>, patch: &mut Map<String, Value>) {
    patch.retain(|name, values| {
        let Some(field) = name.strip_prefix(DELETE_FROM_LIST) else {
            return true;
        };
        let values = values.as_array().map(Vec::as_slice).unwrap_or_default();
        if let Some(items) = live.get_mut(field).and_then(Value::as_array_mut) {
            items.retain(|item| !values.contains(item));
        }
        false
    });
}

/// Merges the lists whose order the patch sets, also when it says nothing else about them.
fn ordered_lists(live: &mut Map<String, Value>, patch: &mut Map<String, Value>, place: Place) -> Result<(), StrategicError> {
    let fields: Vec<String> = patch.keys().filter_map(|name| name.strip_prefix(ELEMENT_ORDER)).map(str::to_owned).collect();
    for field in fields {
        let Some(Value::Array(order)) = patch.remove(&format!("{ELEMENT_ORDER}{field}")) else {
            return Err(StrategicError(format!("invalid patch format of $setElementOrder list {field}: it must be a list")));
        };
        let changes = match patch.get(&field) {
            // A null deletes the list, whatever its order.
            Some(Value::Null) => continue,
            Some(Value::Array(changes)) => changes.clone(),
            Some(_) => {
                return Err(StrategicError(format!("invalid patch format of list {field}: it must be a list")));
            }
            None => Vec::new(),
        };
        patch.remove(&field);
        let present = match live.remove(&field) {
            Some(Value::Array(present)) => present,
            _ if changes.is_empty() => continue,
            _ => Vec::new(),
        };
        let merged = lists::merge(present, &changes, place.member(&field), Some(&order))?;
        live.insert(field, Value::Array(merged));
    }
    Ok(())
}

/// A map as Go prints it.
pub(super) fn go_map(map: &Map<String, Value>) -> String {
    let members: Vec<_> = map.iter().map(|(name, value)| format!("{name}:{}", go_value(value))).collect();
    format!("map[{}]", members.join(" "))
}

fn go_value(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(go_value).collect::<Vec<_>>().join(" ")),
        Value::Object(members) => go_map(members),
        other => other.to_string(),
    }
}
