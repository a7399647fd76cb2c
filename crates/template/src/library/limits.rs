//! The bounds of the values that functions make of their arguments.

use crate::error::FunctionError;
use crate::format::LARGEST_TEXT;

/// The maximal depth of values that functions copy and merge.
const DEEPEST_VALUE: usize = 500;

/// The maximal number of elements of a list that a function makes.
pub(super) const LONGEST_LIST: usize = 1_000_000;
/// The maximal number of values that a function copies or merges: shared values can stand for any number.
const MOST_COPIES: usize = 1_000_000;

/// The values that a function may still copy or merge.
pub(super) struct ValueBudget(usize);

impl ValueBudget {
    pub(super) const fn new() -> Self {
        Self(MOST_COPIES)
    }

    /// Counts a value at a depth.
    pub(super) fn take(&mut self, depth: usize) -> Result<(), FunctionError> {
        if depth >= DEEPEST_VALUE {
            return Err(FunctionError::new(format!("value is nested more than {DEEPEST_VALUE} levels deep, or contains itself")));
        }
        let rest = self.0.checked_sub(1);
        self.0 = rest.ok_or_else(|| FunctionError::new(format!("value has more than {MOST_COPIES} parts")))?;
        Ok(())
    }
}

/// Returns the size of a text of so many parts of a size, or an error if it is too large.
pub(super) fn text_size(parts: usize, size: usize) -> Result<usize, FunctionError> {
    let total = parts.checked_mul(size).filter(|total| *total <= LARGEST_TEXT);
    total.ok_or_else(|| {
        FunctionError::new(format!("result of {parts} times {size} bytes is larger than the limit of {LARGEST_TEXT} bytes"))
    })
}

/// Checks the number of elements of a list, or of entries of a map.
pub(super) fn list_length(elements: usize) -> Result<(), FunctionError> {
    if elements > LONGEST_LIST {
        return Err(FunctionError::new(format!("list of {elements} elements is longer than the limit of {LONGEST_LIST}")));
    }
    Ok(())
}

/// Returns the error of the use of nil where Go needs a value with a type.
pub(super) fn nil_pointer() -> FunctionError {
    FunctionError::new("runtime error: invalid memory address or nil pointer dereference")
}
