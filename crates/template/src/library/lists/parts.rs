//! Parts of lists: slices and chunks.

use super::elements;
use crate::error::FunctionError;
use crate::function::FunctionCall;
use crate::library::numbers::cast::int_of;
use crate::value::{ElementType, GoList, GoValue};

/// The body of `slice`: the part between two indexes, of the same type.
pub(super) fn slice(call: &mut FunctionCall<'_>) -> Result<GoValue, FunctionError> {
    let indexes = call.rest(1);
    let list = elements(&call.take(0), "list should be type of slice or array but")?;
    if list.is_empty() {
        return Ok(GoValue::Nil);
    }
    let start = indexes.first().map_or(0, int_of);
    let end = indexes.get(1).map_or(list.len() as i64, int_of);
    let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
    let part = range.and_then(|(start, end)| list.part(start..end));
    part.map(GoValue::List).ok_or_else(|| FunctionError::new("reflect.Value.Slice: slice index out of bounds"))
}

/// The body of `chunk`: lists of a size, of which the last may be smaller.
pub(super) fn chunks(call: &mut FunctionCall<'_>) -> Result<GoValue, FunctionError> {
    let size = call.int(0);
    let list = elements(&call.take(1), "Cannot chunk type")?;
    let chunks: Vec<GoValue> = match usize::try_from(size) {
        Ok(size) if size > 0 => list.chunks(size).map(|chunk| GoValue::list(chunk.iter().cloned())).collect(),
        _ => chunks_of_negative_size(&list, size)?,
    };
    Ok(GoList::new(chunks, ElementType::List).into())
}

/// Returns the chunks that Go's arithmetic makes of a size below one: none, the whole list as one, or the error of a length that cannot be.
fn chunks_of_negative_size(list: &GoList, size: i64) -> Result<Vec<GoValue>, FunctionError> {
    let count = ((list.len() as f64 - 1.0) / size as f64).floor() + 1.0;
    match (count, list.is_empty()) {
        (0.0, _) => Ok(Vec::new()),
        (1.0, false) if size < -1 => Ok(vec![GoValue::list(list.iter().cloned())]),
        _ => Err(FunctionError::new("runtime error: makeslice: len out of range")),
    }
}
