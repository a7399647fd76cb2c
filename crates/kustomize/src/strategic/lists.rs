//! Merging of lists whose items are identified by keys, or by their value.

use std::collections::HashSet;

use serde_json::Value;

use super::maps::{DIRECTIVE, MergeContext, MergeDirective, merge_values};
use crate::error::BuildProblem;
use crate::resource::scalar_text;

/// Merges a list whose schema says so. Items of the patch come first, then the others in their order.
pub(super) fn merge_lists(
    dest: Option<Value>,
    patch: Option<Value>,
    context: MergeContext<'_>,
) -> Result<Option<Value>, BuildProblem> {
    let (base, patch) = match (dest, patch) {
        (Some(Value::Array(dest)), None) => (dest, Vec::new()),
        (dest, Some(Value::Array(patch))) => {
            let (directive, patch) = directive(patch)?;
            match (directive, dest) {
                (MergeDirective::Delete, Some(Value::Array(_))) => return Ok(None),
                (MergeDirective::Merge, Some(Value::Array(dest))) => (dest, patch),
                (_, _) => (patch.clone(), patch),
            }
        }
        _ => return Ok(None),
    };
    let keys = context.position.keys();
    let merged = if keys.is_empty() { merge_scalars(base, patch) } else { merge_items(base, patch, &keys, context)? };
    Ok(Some(Value::Array(merged)))
}

/// Takes the directive for a list out of its items: an item with no other member.
fn directive(mut patch: Vec<Value>) -> Result<(MergeDirective, Vec<Value>), BuildProblem> {
    let is_directive =
        |item: &Value| item.as_object().is_some_and(|members| members.len() == 1 && members.contains_key(DIRECTIVE));
    let Some(index) = patch.iter().position(is_directive) else { return Ok((MergeDirective::Merge, patch)) };
    let item = patch.remove(index);
    Ok((MergeDirective::parse(&item[DIRECTIVE])?, patch))
}

fn merge_scalars(base: Vec<Value>, patch: Vec<Value>) -> Vec<Value> {
    let mut seen = HashSet::new();
    patch.into_iter().chain(base).filter(|item| !item.is_null() && seen.insert(scalar_text(item))).collect()
}

fn merge_items(
    mut base: Vec<Value>,
    patch: Vec<Value>,
    keys: &[&str],
    context: MergeContext<'_>,
) -> Result<Vec<Value>, BuildProblem> {
    let identities = identities(&patch, &base, keys);
    let position = context.position.item();
    let mut items = KeyedItems::default();
    // The keys of the last item count for the rest of the list, as in kustomize: keys that no item has are left out.
    let mut used: Vec<&str> = keys.to_vec();
    for identity in &identities {
        let wanted = MergedItemKey::of(identity, keys, &identities);
        used = wanted.keys();
        let own = MergedItemKey::of(identity, keys, std::slice::from_ref(identity));
        let index = base.iter().position(|item| own.matches(item));
        let change = patch.iter().find(|item| own.matches(item));
        let replaces = change.is_some_and(|change| change.get(DIRECTIVE).is_some_and(|value| value == "replace"));
        let live = index.map(|index| base[index].clone());
        let merged = merge_values(live, change.cloned(), MergeContext { position, ..context })?;
        let Some(mut merged) = merged.filter(|merged| merged.as_object().is_none_or(|members| !members.is_empty())) else {
            base.retain(|item| !wanted.matches(item));
            continue;
        };
        wanted.complete(&mut merged);
        // A replaced item does not change the live one, which then takes its place again.
        if let (Some(index), false) = (index, replaces) {
            base[index] = merged.clone();
        }
        items.set(&wanted, merged);
    }
    if identities.is_empty() {
        return Ok(base);
    }
    for item in base {
        let pairs: Vec<(&str, String)> = used.iter().filter_map(|key| Some((*key, scalar_text(item.get(*key)?)))).collect();
        if pairs.is_empty() {
            items.0.push(item);
            continue;
        }
        // An item that lacks a key takes the place of those that agree in the others.
        let identity = MergedItemKey(pairs);
        if used.len() > 1 {
            items.0.retain(|known| !identity.matches(known));
        }
        items.set(&identity, item);
    }
    Ok(items.0)
}

/// Returns the values of the keys of all items, those of the patch first. An absent value is the empty text; items that differ in absent values only
/// have the same identity.
fn identities(patch: &[Value], base: &[Value], keys: &[&str]) -> Vec<Vec<String>> {
    let mut identities: Vec<Vec<String>> = Vec::new();
    for item in patch.iter().chain(base) {
        let values: Vec<String> = keys.iter().map(|key| item.get(*key).map(scalar_text).unwrap_or_default()).collect();
        if !identities.contains(&values) {
            identities.push(values);
        }
    }
    if keys.len() > 1 {
        for first in 0..identities.len() {
            for second in 0..identities.len() {
                if let Some(common) = common(&identities[first], &identities[second]) {
                    identities[first].clone_from(&common);
                    identities[second] = common;
                }
            }
        }
    }
    identities
}

/// Returns the values of two items if they agree in at least one, and differ only where one has none.
fn common(first: &[String], second: &[String]) -> Option<Vec<String>> {
    let mut agrees = false;
    let values: Option<Vec<String>> = first
        .iter()
        .zip(second)
        .map(|(first, second)| {
            agrees |= first == second;
            match (first.as_str(), second.as_str()) {
                (_, "") => Some(first.clone()),
                ("", _) => Some(second.clone()),
                _ => (first == second).then(|| first.clone()),
            }
        })
        .collect();
    values.filter(|_| agrees)
}

/// The keys of an item with their values.
struct MergedItemKey<'k>(Vec<(&'k str, String)>);

impl<'k> MergedItemKey<'k> {
    /// Returns the identity with the keys that at least one of `all` has a value for.
    fn of(values: &[String], keys: &[&'k str], all: &[Vec<String>]) -> Self {
        let is_used = |index: usize| all.iter().any(|values| !values[index].is_empty());
        let any_used = (0..keys.len()).any(is_used);
        let pairs = keys.iter().zip(values).enumerate().filter(|(index, _)| !any_used || is_used(*index));
        Self(pairs.map(|(_, (key, value))| (*key, value.clone())).collect())
    }

    fn keys(&self) -> Vec<&'k str> {
        self.0.iter().map(|(key, _)| *key).collect()
    }

    /// Returns true for an item with these values; a value that is empty stands for any.
    fn matches(&self, item: &Value) -> bool {
        self.0.iter().all(|(key, value)| item.get(*key).is_some_and(|found| value.is_empty() || scalar_text(found) == *value))
    }

    /// Adds the keys that an item lacks.
    fn complete(&self, item: &mut Value) {
        if let Value::Object(members) = item {
            for (key, value) in self.0.iter().filter(|(_, value)| !value.is_empty()) {
                let number = value.parse::<i64>().ok().filter(|number| number.to_string() == *value);
                members.entry(*key).or_insert_with(|| number.map_or_else(|| value.as_str().into(), Value::from));
            }
        }
    }
}

/// Items in order, which are found by their identity.
#[derive(Default)]
struct KeyedItems(Vec<Value>);

impl KeyedItems {
    /// Replaces the items of an identity, or adds one.
    fn set(&mut self, identity: &MergedItemKey<'_>, item: Value) {
        let mut found = false;
        for known in self.0.iter_mut().filter(|known| identity.matches(known)) {
            *known = item.clone();
            found = true;
        }
        if !found {
            self.0.push(item);
        }
    }
}
