//! Elements and parts: `index`, `slice`.

use super::super::seen::{SeenValue, plain};
use crate::error::FunctionError;
use crate::value::{GoString, GoValue, IntegerType};

/// `index`: the element of an element, down all given indexes and keys.
pub(super) fn index(arguments: &[GoValue]) -> Result<GoValue, FunctionError> {
    let Some((first, indexes)) = arguments.split_first() else { return Ok(GoValue::Nil) };
    if matches!(first, GoValue::Nil) {
        return Err(FunctionError::new("index of untyped nil"));
    }
    let mut item = first.clone();
    for index in indexes {
        item = match &plain(item.clone()) {
            GoValue::Nil => return Err(FunctionError::new("index of nil pointer")),
            GoValue::List(list) => {
                let position = position(index, list.len())?;
                let element = list.get(position).cloned();
                element.ok_or_else(|| FunctionError::new("reflect: slice index out of range"))?
            }
            GoValue::String(text) => {
                let position = position(index, text.len())?;
                let byte = text.as_bytes().get(position).copied();
                let byte = byte.ok_or_else(|| FunctionError::new("reflect: string index out of range"))?;
                GoValue::Integer(byte.into(), IntegerType::Uint8)
            }
            GoValue::Map(map) => match index {
                GoValue::String(key) => map.get_or_zero(key),
                GoValue::Nil => return Err(FunctionError::new("value is nil; should be of type string")),
                other => {
                    return Err(FunctionError::new(format!("value has type {}; should be string", other.type_name())));
                }
            },
            _ => return Err(FunctionError::new(format!("can't index item of type {}", item.type_name()))),
        };
    }
    Ok(item)
}

/// `slice`: a part of a string or of a list. Unlike `index` it does not look behind the type `interface {}` of an index.
pub(super) fn slice(arguments: &[SeenValue]) -> Result<GoValue, FunctionError> {
    let Some((SeenValue { value: item, .. }, indexes)) = arguments.split_first() else { return Ok(GoValue::Nil) };
    let value = plain(item.clone());
    let length = match &value {
        GoValue::Nil => return Err(FunctionError::new("slice of untyped nil")),
        _ if indexes.len() > 3 => {
            return Err(FunctionError::new(format!("too many slice indexes: {}", indexes.len())));
        }
        GoValue::String(_) if indexes.len() == 3 => return Err(FunctionError::new("cannot 3-index slice a string")),
        GoValue::String(text) => text.len(),
        GoValue::List(list) => list.len(),
        _ => return Err(FunctionError::new(format!("can't slice item of type {}", item.type_name()))),
    };
    let mut bounds = [0, length, length];
    for (bound, index) in bounds.iter_mut().zip(indexes) {
        if index.is_element {
            return Err(FunctionError::new("cannot index slice/array with type interface {}"));
        }
        *bound = position(&index.value, length)?;
    }
    for pair in bounds.windows(2) {
        if pair[0] > pair[1] {
            return Err(FunctionError::new(format!("invalid slice index: {} > {}", pair[0], pair[1])));
        }
    }
    let range = bounds[0]..bounds[1];
    Ok(match &value {
        GoValue::String(text) => GoString::from(text.as_bytes().get(range).unwrap_or_default()).into(),
        GoValue::List(list) => list.part(range).map_or(GoValue::Nil, Into::into),
        _ => GoValue::Nil,
    })
}

/// Returns an index as a position. Go lets one pass that is just behind the end.
fn position(index: &GoValue, length: usize) -> Result<usize, FunctionError> {
    let value = match plain(index.clone()) {
        GoValue::Integer(value, _) => value as i64,
        GoValue::Nil => return Err(FunctionError::new("cannot index slice/array with nil")),
        _ => return Err(FunctionError::new(format!("cannot index slice/array with type {}", index.type_name()))),
    };
    let position = usize::try_from(value).ok().filter(|position| *position <= length);
    position.ok_or_else(|| FunctionError::new(format!("index out of range: {value}")))
}
