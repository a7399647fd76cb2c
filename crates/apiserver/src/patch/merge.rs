//! Merging of maps.

use kubewright_machinery::patch::MergePosition;
use serde_json::{Map, Value};

use super::lists::{self, Merge};

/// A patch that cannot be applied, with the text of the real server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StrategicError {
    /// A directive has the wrong form.
    #[error("invalid patch format of {0}")]
    Format(&'static str),
    /// A list contains a list.
    #[error("lists of lists are not supported")]
    Nested,
    /// Any other problem, with its text.
    #[error("{0}")]
    Other(String),
}

pub(super) const DIRECTIVE: &str = "$patch";
const RETAIN_KEYS: &str = "$retainKeys";
pub(super) const ELEMENT_ORDER: &str = "$setElementOrder";
const DELETE_FROM_LIST: &str = "$deleteFromPrimitiveList";

/// Applies a strategic merge patch to an object of a built-in type; `definition` is the name of its schema. On an error the object is unchanged.
pub fn strategic_merge(object: &mut Value, patch: &Value, definition: &str) -> Result<(), StrategicError> {
    let Value::Object(patch) = patch else {
        return Err(StrategicError::Other("a strategic merge patch must be an object".to_owned()));
    };
    let merged = merge_maps(object.as_object().cloned().unwrap_or_default(), patch, MergePosition::of_definition(definition))?;
    *object = Value::Object(merged);
    Ok(())
}

/// Applies a patch to a map.
pub(super) fn merge_maps(
    mut live: Map<String, Value>,
    patch: &Map<String, Value>,
    position: MergePosition,
) -> Result<Map<String, Value>, StrategicError> {
    if let Some(directive) = patch.get(DIRECTIVE) {
        return match directive.as_str() {
            Some("replace") => {
                let mut replaced = patch.clone();
                replaced.remove(DIRECTIVE);
                Ok(replaced)
            }
            Some("delete") => Ok(Map::new()),
            _ => Err(bad_directive(directive, patch)),
        };
    }
    let mut patch = patch.clone();
    if let Some(kept) = patch.remove(RETAIN_KEYS) {
        retain_keys(&mut live, &patch, &kept)?;
    }
    ordered_lists(&mut live, &mut patch, position)?;
    for (name, value) in patch {
        let deleted_from = field_of(&name, DELETE_FROM_LIST);
        let field = deleted_from.unwrap_or(&name);
        if value.is_null() {
            live.remove(field);
            continue;
        }
        let merged = match (live.remove(field), value) {
            (Some(Value::Object(live)), Value::Object(patch)) if deleted_from.is_none() => {
                let position = position.member(field);
                Some(Value::Object(if position.replaces() { patch } else { merge_maps(live, &patch, position)? }))
            }
            (Some(Value::Array(live)), Value::Array(patch)) => {
                let position = position.member(field);
                Some(Value::Array(match deleted_from {
                    Some(_) => lists::merge(live, patch, position, Merge::Delete)?,
                    None if position.merges() => lists::merge(live, patch, position, Merge::Union)?,
                    None => patch,
                }))
            }
            (live, _) if deleted_from.is_some() => live,
            (_, value) => without_directives(without_nulls(value)),
        };
        if let Some(merged) = merged {
            live.insert(field.to_owned(), merged);
        }
    }
    Ok(live)
}

pub(super) fn bad_directive(directive: &Value, map: &Map<String, Value>) -> StrategicError {
    StrategicError::Other(format!("unknown patch type: {} in map: {}", go_value(directive), go_map(map)))
}

/// Returns the field that a member with the prefix refers to, as in `$setElementOrder/field`.
fn field_of<'a>(name: &'a str, prefix: &str) -> Option<&'a str> {
    name.strip_prefix(prefix)?.strip_prefix('/')
}

fn retain_keys(live: &mut Map<String, Value>, patch: &Map<String, Value>, kept: &Value) -> Result<(), StrategicError> {
    let Some(kept) = kept.as_array() else { return Err(StrategicError::Format("retainKeys")) };
    let is_kept = |name: &str| kept.iter().any(|kept| kept == name);
    let is_directive = |name: &str| name.starts_with(DELETE_FROM_LIST) || name.starts_with(ELEMENT_ORDER);
    if patch.iter().any(|(name, value)| !value.is_null() && !is_directive(name) && !is_kept(name)) {
        return Err(StrategicError::Format("retainKeys"));
    }
    live.retain(|name, _| is_kept(name));
    Ok(())
}

/// Merges the lists whose order the patch sets, even if the patch does not change their items.
fn ordered_lists(
    live: &mut Map<String, Value>,
    patch: &mut Map<String, Value>,
    position: MergePosition,
) -> Result<(), StrategicError> {
    let fields: Vec<String> = patch.keys().filter_map(|name| field_of(name, ELEMENT_ORDER)).map(str::to_owned).collect();
    for field in fields {
        let order = list(patch.remove(&format!("{ELEMENT_ORDER}/{field}")).unwrap_or_default())?;
        let present = live.remove(&field).map(list).transpose()?;
        let changes = patch.remove(&field).map(list).transpose()?;
        let position = position.member(&field);
        lists::check_order(changes.as_deref().unwrap_or_default(), &order, position.merge_key())?;
        let before = present.clone().unwrap_or_default();
        let merged = match (present, changes) {
            (None, None) => continue,
            (Some(present), None) => present,
            (None, Some(changes)) => changes.into_iter().filter_map(without_directives).collect(),
            (Some(present), Some(changes)) if position.merges() => lists::merge(present, changes, position, Merge::Union)?,
            (Some(_), Some(changes)) => changes,
        };
        live.insert(field, Value::Array(lists::in_order(merged, &order, &before, position.merge_key())));
    }
    Ok(())
}

fn list(value: Value) -> Result<Vec<Value>, StrategicError> {
    let found = match value {
        Value::Array(items) => return Ok(items),
        Value::Null => "%!s(<nil>)",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Object(_) => "map[string]interface {}",
    };
    Err(StrategicError::Other(format!("expected a []interface {{}}, but received a {found}")))
}

/// Drops nulls from a new value, which has no live members that they could delete.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            members.into_iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| (name, without_nulls(value))).collect()
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

/// Drops maps with a directive from a new value, which has no live map that they could be merged with.
fn without_directives(value: Value) -> Option<Value> {
    Some(match value {
        Value::Object(members) if members.contains_key(DIRECTIVE) => return None,
        Value::Object(members) => {
            members.into_iter().filter_map(|(name, value)| Some((name, without_directives(value)?))).collect()
        }
        Value::Array(items) => items.into_iter().filter_map(without_directives).collect(),
        other => other,
    })
}

/// Returns a map as Go prints it.
pub(super) fn go_map(map: &Map<String, Value>) -> String {
    let members: Vec<_> = map.iter().map(|(name, value)| format!("{name}:{}", go_value(value))).collect();
    format!("map[{}]", members.join(" "))
}

/// Returns a list as Go prints it.
pub(super) fn go_list(items: &[Value]) -> String {
    format!("[{}]", items.iter().map(go_value).collect::<Vec<_>>().join(" "))
}

fn go_value(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => go_list(items),
        Value::Object(members) => go_map(members),
        other => other.to_string(),
    }
}
