//! Merging an applied configuration into an object (SMD-8).

use std::collections::{BTreeMap, BTreeSet};

use kubewright_machinery::fieldset::PathElement;
use serde_json::Value;

use super::types::{List, Map, Shape, Type};

/// Merges the applied configuration into the live object.
pub(super) fn merge(live: &Value, applied: &Value, type_: &Type) -> Value {
    match (type_.shape(applied), live, applied) {
        (Shape::Map(map), _, _) if !map.atomic => match (live.as_object(), applied.as_object()) {
            (Some(live), Some(applied)) if !(live.is_empty() && applied.is_empty()) => members(map, live, applied),
            // A null was applied to a map that has content: the content stays.
            (Some(live), None) if !live.is_empty() => Value::Object(live.clone()),
            _ => applied.clone(),
        },
        (Shape::List(list), _, _) if !list.atomic => match (live.as_array(), applied.as_array()) {
            (Some(live), Some(applied)) if !(live.is_empty() && applied.is_empty()) => items(list, live, applied),
            (Some(live), None) if !live.is_empty() => Value::Array(live.clone()),
            _ => applied.clone(),
        },
        _ => applied.clone(),
    }
}

type Members = serde_json::Map<String, Value>;

fn members(map: &Map, live: &Members, applied: &Members) -> Value {
    let mut merged = live.clone();
    for (name, applied) in applied {
        let value = live.get(name).map_or_else(|| applied.clone(), |live| merge(live, applied, map.member(name)));
        merged.insert(name.clone(), value);
    }
    Value::Object(merged)
}

/// Merges two lists and keeps the order of both as far as possible: applied items stand in the order of the applied list, and live items that
/// were not applied stay behind the item that they follow.
fn items(list: &List, live: &[Value], applied: &[Value]) -> Value {
    let (live, applied) = (list.elements(live), list.elements(applied));
    let mut at_live: BTreeMap<&PathElement, &Value> = BTreeMap::new();
    for (element, item) in &live {
        at_live.entry(element).or_insert(item);
    }
    let at_applied: BTreeMap<&PathElement, &Value> = applied.iter().map(|(element, item)| (element, *item)).collect();
    let shared: Vec<&PathElement> =
        applied.iter().map(|(element, _)| element).filter(|element| at_live.contains_key(element)).collect();
    let mut next = shared.iter().peekable();
    let mut done: BTreeSet<&PathElement> = BTreeSet::new();
    let mut merged = Vec::with_capacity(live.len() + applied.len());
    let merge_item = |element: &PathElement, item: &Value| {
        at_live.get(element).map_or_else(|| item.clone(), |live| merge(live, item, list.items.get()))
    };
    let (mut left, mut right) = (live.iter().peekable(), applied.iter().peekable());
    loop {
        match (left.peek().copied(), right.peek().copied()) {
            (Some((live, _)), Some((applied, item))) if live == applied => {
                merged.push(merge_item(applied, item));
                done.insert(applied);
                if next.peek() == Some(&&applied) {
                    next.next();
                }
                left.next();
                right.next();
            }
            (Some((live, _)), Some(_)) if at_applied.contains_key(live) && next.peek() != Some(&&live) => {
                // The item is merged at the position that it has in the applied list.
                left.next();
            }
            (Some((live, item)), _) if !at_applied.contains_key(live) => {
                merged.push((*item).clone());
                left.next();
            }
            (Some((live, _)), _) if done.contains(live) => {
                left.next();
            }
            (_, Some((applied, item))) => {
                merged.push(merge_item(applied, item));
                done.insert(applied);
                if next.peek() == Some(&&applied) {
                    next.next();
                }
                right.next();
            }
            (Some(_), None) => {
                left.next();
            }
            (None, None) => break,
        }
    }
    Value::Array(merged)
}
