//! The change from one status to another, as a merge patch.

use serde_json::{Map, Value};

use super::equal::{is_empty, semantically_equal};

/// Returns the merge patch that turns the old status into the new one: removed and emptied fields are explicit nulls, lists are sent whole. None if
/// both are semantically equal.
pub fn diff(old: &Value, new: &Value) -> Option<Value> {
    if semantically_equal(old, new) {
        return None;
    }
    let none = Map::new();
    let (old, new) = (old.as_object().unwrap_or(&none), new.as_object().unwrap_or(&none));
    Some(Value::Object(changes(old, new)))
}

/// Applies the change from `start` to `new` to the live status: maps field by field, conditions by type, other lists whole. A field that is not
/// changed keeps its live value.
pub fn rebase(start: &Value, new: &Value, live: &Value) -> Value {
    match (start, new, live) {
        _ if semantically_equal(start, new) => live.clone(),
        (Value::Object(_) | Value::Null, Value::Object(new), Value::Object(live)) => {
            let empty = Map::new();
            let start = start.as_object().unwrap_or(&empty);
            let mut result = live.clone();
            for key in start.keys().chain(new.keys().filter(|key| !start.contains_key(*key))) {
                let of = |map: &Map<String, Value>| map.get(key).cloned().unwrap_or(Value::Null);
                let (before, after, current) = (of(start), of(new), of(live));
                let value = if key == "conditions" {
                    rebase_conditions(&before, &after, &current)
                } else {
                    rebase(&before, &after, &current)
                };
                if value.is_null() {
                    result.remove(key);
                } else {
                    result.insert(key.clone(), value);
                }
            }
            Value::Object(result)
        }
        _ => new.clone(),
    }
}

fn changes(old: &Map<String, Value>, new: &Map<String, Value>) -> Map<String, Value> {
    let mut changes = Map::new();
    for (key, before) in old.iter().filter(|(key, before)| !before.is_null() && new.get(*key).is_none_or(is_empty)) {
        if !is_empty(before) {
            changes.insert(key.clone(), Value::Null);
        }
    }
    for (key, after) in new.iter().filter(|(_, after)| !is_empty(after)) {
        match (old.get(key), after) {
            (Some(before), after) if before == after => {}
            (Some(Value::Object(before)), Value::Object(after)) => {
                let nested = self::changes(before, after);
                if !nested.is_empty() {
                    changes.insert(key.clone(), Value::Object(nested));
                }
            }
            (_, after) => {
                changes.insert(key.clone(), after.clone());
            }
        }
    }
    changes
}

fn rebase_conditions(start: &Value, new: &Value, live: &Value) -> Value {
    let type_of = |condition: &Value| condition.get("type").and_then(Value::as_str).map(str::to_owned);
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let find = |list: &[Value], type_: &Option<String>| list.iter().find(|entry| type_of(entry) == *type_).cloned();
    let (start, new, mut result) = (list(start), list(new), list(live));
    for condition in &new {
        let type_ = type_of(condition);
        let unchanged = find(&start, &type_).is_some_and(|before| semantically_equal(&before, condition));
        match result.iter_mut().find(|entry| type_of(entry) == type_) {
            _ if unchanged => {}
            Some(entry) => *entry = condition.clone(),
            None => result.push(condition.clone()),
        }
    }
    for removed in start.iter().map(type_of).filter(|type_| find(&new, type_).is_none()) {
        result.retain(|entry| type_of(entry) != removed);
    }
    Value::Array(result)
}
