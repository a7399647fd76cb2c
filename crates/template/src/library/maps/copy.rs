//! Deep copies.

use crate::error::FunctionError;
use crate::library::limits::{self, DEEPEST_VALUE};
use crate::value::{GoList, GoMap, GoValue};

/// Returns a copy whose maps are others than those of the value. Types are kept.
pub(super) fn copy(value: &GoValue) -> Result<GoValue, FunctionError> {
    copy_within(value, DEEPEST_VALUE)
}

fn copy_within(value: &GoValue, depth: usize) -> Result<GoValue, FunctionError> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(limits::too_deep());
    };
    match value {
        GoValue::List(list) if !list.is_empty() => {
            let items = list.iter().map(|item| copy_within(item, depth)).collect::<Result<_, _>>()?;
            Ok(GoList::new(items, list.element()).into())
        }
        GoValue::Map(map) => {
            let entries = map.entries().into_iter().map(|(key, value)| Ok((key, copy_within(&value, depth)?)));
            Ok(GoMap::new(entries.collect::<Result<_, FunctionError>>()?, map.map_type()).into())
        }
        other => Ok(other.clone()),
    }
}
