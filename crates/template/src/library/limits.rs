//! The bounds of the values that functions make of their arguments.

use crate::error::FunctionError;

/// The maximal size of a text that a function makes, in bytes; also the default limit of a template's output.
pub(super) const LARGEST_TEXT: usize = 64 << 20;
/// The maximal depth of values that functions copy and merge.
pub(super) const DEEPEST_VALUE: usize = 500;

/// Returns the size of a text of so many parts of a size, or an error if it is too large.
pub(super) fn text_size(parts: usize, size: usize) -> Result<usize, FunctionError> {
    let total = parts.checked_mul(size).filter(|total| *total <= LARGEST_TEXT);
    total.ok_or_else(|| {
        FunctionError::new(format!("result of {parts} times {size} bytes is larger than the limit of {LARGEST_TEXT} bytes"))
    })
}

/// Returns the error of values that are nested too deeply, or contain themselves.
pub(super) fn too_deep() -> FunctionError {
    FunctionError::new(format!("value is nested more than {DEEPEST_VALUE} levels deep, or contains itself"))
}

/// Returns the error of the use of nil where Go needs a value with a type.
pub(super) fn nil_pointer() -> FunctionError {
    FunctionError::new("runtime error: invalid memory address or nil pointer dereference")
}
