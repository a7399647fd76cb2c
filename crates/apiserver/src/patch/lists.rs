//! Merging of lists, and the order of the merged items.

use std::collections::{HashMap, HashSet};

use kubewright_machinery::patch::MergePosition;
use serde_json::{Map, Value};

use super::merge::{DIRECTIVE, ELEMENT_ORDER, StrategicError, bad_directive, go_list, go_map, merge_maps};

/// The effect of a list in a patch on a live list that is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Merge {
    /// The items of the patch are added, or merged with the live items of the same key.
    Union,
    /// The items of the patch are removed from the live list.
    Delete,
}

/// Applies a patch to a list whose strategy is to be merged.
pub(super) fn merge(
    live: Vec<Value>,
    patch: Vec<Value>,
    position: MergePosition,
    merge: Merge,
) -> Result<Vec<Value>, StrategicError> {
    if live.is_empty() && patch.is_empty() {
        return Ok(live);
    }
    let key = position.merge_key();
    if !is_of_maps(&live, &patch)? {
        if merge == Merge::Delete {
            let gone = Order::of(&patch, None);
            return Ok(live.into_iter().filter(|item| gone.index_of(item).is_none()).collect());
        }
        let mut seen = HashSet::with_capacity(live.len() + patch.len());
        let merged = live.iter().chain(&patch).filter(|item| seen.insert(item.to_string())).cloned().collect();
        return Ok(in_order(merged, &patch, &live, None));
    }
    let Some(key) = key else {
        return Err(StrategicError::Other("cannot merge lists without merge key for the items of this list".to_owned()));
    };
    let (present, changes) = directives(live, patch, key)?;
    let mut merged = present.clone();
    let mut indexes = Order::of(&present, Some(key));
    for change in &changes {
        let Value::Object(members) = change else { continue };
        if !members.contains_key(key) {
            return Err(no_key(members, key));
        }
        if let Some(found) = indexes.index_of(change) {
            let item = &mut merged[found];
            let live = item.as_object().cloned().unwrap_or_default();
            *item = Value::Object(merge_maps(live, members, position.item())?);
        } else {
            indexes.put(change, merged.len());
            merged.push(change.clone());
        }
    }
    Ok(in_order(merged, &changes, &present, Some(key)))
}

/// Returns true if the items of both lists are maps. All items must be of one type, and none may be a list.
fn is_of_maps(live: &[Value], patch: &[Value]) -> Result<bool, StrategicError> {
    let mut items = live.iter().chain(patch);
    let first = items.next();
    if first.is_some_and(Value::is_array) {
        return Err(StrategicError::Nested);
    }
    let same = |item: &Value| first.is_some_and(|first| std::mem::discriminant(first) == std::mem::discriminant(item));
    if first.is_some_and(Value::is_null) || !items.all(same) {
        let lists = format!("[{} {}]", go_list(live), go_list(patch));
        return Err(StrategicError::Other(format!("list element types are not identical: {lists}")));
    }
    Ok(first.is_some_and(Value::is_object))
}

/// Follows the directives among the items of a patch. Returns the live items that are left, and the changes that are to be merged into them.
fn directives(mut live: Vec<Value>, patch: Vec<Value>, key: &str) -> Result<(Vec<Value>, Vec<Value>), StrategicError> {
    let (mut changes, mut replace) = (Vec::new(), false);
    let mut deleted = HashSet::new();
    for item in patch {
        let Some((map, directive)) = item.as_object().and_then(|map| Some((map, map.get(DIRECTIVE)?))) else {
            changes.push(item);
            continue;
        };
        match directive.as_str() {
            Some("delete") => {
                deleted.insert(map.get(key).ok_or_else(|| no_key(map, key))?.to_string());
            }
            Some("replace") => replace = true,
            Some("merge") => {
                return Err(StrategicError::Other("merging lists cannot yet be specified in the patch".to_owned()));
            }
            _ => return Err(bad_directive(directive, map)),
        }
    }
    if !deleted.is_empty() {
        live.retain(|item| item.get(key).is_none_or(|value| !deleted.contains(&value.to_string())));
    }
    Ok(if replace { (changes, Vec::new()) } else { (live, changes) })
}

fn no_key(map: &Map<String, Value>, key: &str) -> StrategicError {
    StrategicError::Other(format!("map: {} does not contain declared merge key: {key}", go_map(map)))
}

/// Checks that the items of the patch stand in the order that it sets, and that none is missing from that order.
pub(super) fn check_order(patch: &[Value], order: &[Value], key: Option<&str>) -> Result<(), StrategicError> {
    if order.is_empty() || patch.is_empty() {
        return Ok(());
    }
    let mut expected = order.iter();
    for item in patch.iter().filter(|item| item.get(DIRECTIVE).is_none()) {
        if let (Some(key), Some(map)) = (key, item.as_object())
            && !map.contains_key(key)
        {
            return Err(no_key(map, key));
        }
        if !expected.any(|expected| same(expected, item, key)) {
            return Err(StrategicError::Other(format!(
                "The order in patch list:\n{}\n doesn't match {ELEMENT_ORDER} list:\n{}\n",
                go_list(patch),
                go_list(order)
            )));
        }
    }
    Ok(())
}

/// Sorts merged items. Items that `order` names stand in that order; the others keep their live order, and come before the next named item only
/// if both are live and they stand before it in the live list.
pub(super) fn in_order(merged: Vec<Value>, order: &[Value], live: &[Value], key: Option<&str>) -> Vec<Value> {
    let (order, live) = (Order::of(order, key), Order::of(live, key));
    let (mut named, mut rest): (Vec<_>, Vec<_>) = merged.into_iter().partition(|item| order.index_of(item).is_some());
    named.sort_by_cached_key(|item| order.index_of(item));
    rest.sort_by_cached_key(|item| live.index_of(item));
    let mut result = Vec::with_capacity(named.len() + rest.len());
    let (mut named, mut rest) = (named.into_iter().peekable(), rest.into_iter().peekable());
    loop {
        let rest_first = match (rest.peek(), named.peek()) {
            (None, None) => return result,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (Some(other), Some(next)) => {
                matches!((live.index_of(other), live.index_of(next)), (Some(other), Some(next)) if other < next)
            }
        };
        result.extend(if rest_first { rest.next() } else { named.next() });
    }
}

/// The indexes of the items of a list, by merge key or by the whole item.
struct Order<'k> {
    key: Option<&'k str>,
    indexes: HashMap<String, usize>,
}

impl<'k> Order<'k> {
    fn of(list: &[Value], key: Option<&'k str>) -> Self {
        let mut order = Self { key, indexes: HashMap::with_capacity(list.len()) };
        for (index, item) in list.iter().enumerate() {
            order.put(item, index);
        }
        order
    }

    /// Records the index of an item. Of equal items, the first index counts.
    fn put(&mut self, item: &Value, index: usize) {
        if let Some(identity) = self.identity(item) {
            self.indexes.entry(identity).or_insert(index);
        }
    }

    fn index_of(&self, item: &Value) -> Option<usize> {
        self.indexes.get(&self.identity(item)?).copied()
    }

    /// Returns the text that identifies an item. The members of a map are sorted, so that equal values have equal texts.
    fn identity(&self, item: &Value) -> Option<String> {
        match self.key {
            Some(key) => item.get(key).map(Value::to_string),
            None => Some(item.to_string()),
        }
    }
}

fn same(a: &Value, b: &Value, key: Option<&str>) -> bool {
    match key {
        Some(key) => a.get(key).is_some() && a.get(key) == b.get(key),
        None => a == b,
    }
}
