//! Deep copies.

use crate::error::FunctionError;
use crate::library::limits::ValueBudget;
use crate::value::{GoList, GoMap, GoValue};

/// Returns a copy whose maps are others than those of the value. Types are kept.
pub(super) fn copy(value: &GoValue) -> Result<GoValue, FunctionError> {
    copy_within(value, 0, &mut ValueBudget::new())
}

fn copy_within(value: &GoValue, depth: usize, budget: &mut ValueBudget) -> Result<GoValue, FunctionError> {
    budget.take(depth)?;
    match value {
        GoValue::List(list) if !list.is_empty() => {
            let items = list.iter().map(|item| copy_within(item, depth + 1, budget)).collect::<Result<_, _>>()?;
            Ok(GoList::new(items, list.element()).into())
        }
        GoValue::Map(map) => {
            let entries = map.entries_to_copy().into_iter();
            let copied = entries.map(|(key, value)| Ok((key, copy_within(&value, depth + 1, budget)?)));
            let copy = GoMap::new(copied.collect::<Result<_, FunctionError>>()?, map.map_type());
            copy.keep_apart(map);
            Ok(copy.into())
        }
        other => Ok(other.clone()),
    }
}
