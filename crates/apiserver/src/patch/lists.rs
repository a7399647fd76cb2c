//! Merging lists, and the order of what comes out.

use serde_json::{Map, Value};

use super::marks::Place;
use super::merge::{DIRECTIVE, StrategicError, go_map, merge_maps};

/// The patch applied to a list that is merged. `order` is that of `$setElementOrder`, else the order of the patch counts.
pub(super) fn merge(
    live: Vec<Value>,
    patch: &[Value],
    place: Place,
    order: Option<&[Value]>,
) -> Result<Vec<Value>, StrategicError> {
    let Some(key) = place.merge_key().filter(|_| has_maps(&live) || has_maps(patch)) else {
        let mut merged = live.clone();
        merged.extend(patch.iter().filter(|item| !live.contains(item)).cloned());
        check_order(patch, order, None)?;
        return Ok(ordered(merged, order.unwrap_or(patch), &live, None));
    };
    let (changes, deletions, replace) = directives(patch, key)?;
    check_order(&changes, order, Some(key))?;
    let present = if replace { Vec::new() } else { live.clone() };
    let mut merged: Vec<Value> =
        present.into_iter().filter(|item| !deletions.iter().any(|deletion| same(item, deletion, Some(key)))).collect();
    for change in &changes {
        let Value::Object(members) = change else {
            continue;
        };
        if !members.contains_key(key) {
            return Err(StrategicError(format!("map: {} does not contain declared merge key: {key}", go_map(members))));
        }
        match merged.iter_mut().find(|item| same(item, change, Some(key))) {
            Some(item) => {
                let live = item.as_object().cloned().unwrap_or_default();
                *item = Value::Object(merge_maps(live, members, place.item())?);
            }
            None => merged.push(Value::Object(merge_maps(Map::new(), members, place.item())?)),
        }
    }
    Ok(ordered(merged, order.unwrap_or(&changes), &live, Some(key)))
}

/// Splits a patch into what is merged, what is deleted, and whether the list is replaced.
fn directives(patch: &[Value], key: &str) -> Result<(Vec<Value>, Vec<Value>, bool), StrategicError> {
    let (mut changes, mut deletions, mut replace) = (Vec::new(), Vec::new(), false);
    for item in patch {
        let directive = item.get(DIRECTIVE);
        match directive.map(|directive| directive.as_str().unwrap_or_default()) {
            None => changes.push(item.clone()),
            Some("merge") => {
                let mut item = item.clone();
                if let Some(members) = item.as_object_mut() {
                    members.remove(DIRECTIVE);
                }
                changes.push(item);
            }
            Some("replace") => replace = true,
            Some("delete") if item.get(key).is_some() => deletions.push(item.clone()),
            Some("delete") => {
                return Err(StrategicError(format!("delete patch type with no merge key defined: {key} is missing")));
            }
            Some(other) => {
                let map = item.as_object().map(go_map).unwrap_or_default();
                return Err(StrategicError(format!("unknown patch type: {other} in map: {map}")));
            }
        }
    }
    Ok((changes, deletions, replace))
}

/// Every item of the patch must stand in a given order.
fn check_order(patch: &[Value], order: Option<&[Value]>, key: Option<&str>) -> Result<(), StrategicError> {
    let Some(order) = order else { return Ok(()) };
    match patch.iter().find(|item| position(order, item, key).is_none()) {
        None => Ok(()),
        Some(item) => {
            Err(StrategicError(format!("the order in $setElementOrder does not contain {item}, which is in the patch")))
        }
    }
}

/// Items named by `order` in that order; the others keep their live order and come before the next named item only if both are live and they
/// stand before it.
fn ordered(merged: Vec<Value>, order: &[Value], live: &[Value], key: Option<&str>) -> Vec<Value> {
    let (mut named, mut rest): (Vec<_>, Vec<_>) = merged.into_iter().partition(|item| position(order, item, key).is_some());
    named.sort_by_key(|item| position(order, item, key));
    rest.sort_by_key(|item| position(live, item, key));
    let mut result = Vec::with_capacity(named.len() + rest.len());
    let (mut named, mut rest) = (named.into_iter().peekable(), rest.into_iter().peekable());
    loop {
        let rest_first = match (rest.peek(), named.peek()) {
            (None, None) => return result,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (Some(other), Some(next)) => {
                matches!((position(live, other, key), position(live, next, key)), (Some(other), Some(next)) if other < next)
            }
        };
        result.extend(if rest_first { rest.next() } else { named.next() });
    }
}

fn position(list: &[Value], item: &Value, key: Option<&str>) -> Option<usize> {
    list.iter().position(|other| same(other, item, key))
}

fn same(a: &Value, b: &Value, key: Option<&str>) -> bool {
    match key {
        Some(key) => a.get(key).is_some() && a.get(key) == b.get(key),
        None => a == b,
    }
}

fn has_maps(items: &[Value]) -> bool {
    items.iter().any(Value::is_object)
}
