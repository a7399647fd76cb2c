//! The merge of maps, by the rules of the mergo library of Go.

use crate::error::FunctionError;
use crate::library::limits::ValueBudget;
use crate::library::printing::is_empty;
use crate::value::{GoMap, GoString, GoValue, MapType};

/// Adds the entries of a map to another one, which changes.
///
/// Without overwriting, only keys change that are missing or have an empty value; with it, all others too, and a value may become nil or empty. Maps under
/// a key of both are merged in both cases, and lists never.
pub(super) fn merge(target: &GoMap, source: &GoMap, overwrites: bool, budget: &mut ValueBudget) -> Result<(), FunctionError> {
    merge_within(target, source, overwrites, 0, budget)
}

fn merge_within(
    target: &GoMap,
    source: &GoMap,
    overwrites: bool,
    depth: usize,
    budget: &mut ValueBudget,
) -> Result<(), FunctionError> {
    for (key, value) in source.entries_to_copy() {
        budget.take(depth)?;
        if source.is_apart(&key) {
            target.keep_apart(source);
        }
        let old = target.value_to_merge(&key);
        if let (Some(GoValue::Map(old)), GoValue::Map(new)) = (&old, &value) {
            merge_within(old, new, overwrites, depth + 1, budget)?;
        }
        let is_free = old.as_ref().is_none_or(is_empty);
        let replaces = match (&old, &value) {
            (_, GoValue::Nil) => overwrites,
            (Some(GoValue::Map(_)), GoValue::Map(_)) => is_free,
            _ => overwrites || is_free,
        };
        if replaces {
            assign(target, source, key, value)?;
        }
    }
    Ok(())
}

/// Sets the value of a key. Go's reflection cannot set a value of a map of any values in a map of strings.
fn assign(target: &GoMap, source: &GoMap, key: GoString, value: GoValue) -> Result<(), FunctionError> {
    if target.map_type() == MapType::String && source.map_type() != MapType::String {
        return Err(FunctionError::new("reflect.Value.SetMapIndex: value of type interface {} is not assignable to type string"));
    }
    target.set(key, value);
    Ok(())
}
