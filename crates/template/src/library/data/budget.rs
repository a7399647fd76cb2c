//! Limits of the values that are encoded: shared values and maps that contain themselves can stand for texts of any size.

use crate::format::LARGEST_TEXT;

/// The number of values beyond which they are neither encoded nor read.
pub(super) const MOST_VALUES: usize = 4_000_000;
/// The nesting beyond which values are neither encoded nor read. Encoding and reading take the stack of the caller, a few KiB per level.
pub(super) const DEPTH: usize = 300;

/// The numbers of values and of bytes that an encoding may still have.
#[derive(Debug)]
pub(super) struct EncodingBudget {
    values: usize,
    size: usize,
}

impl EncodingBudget {
    pub(super) const fn new() -> Self {
        Self { values: MOST_VALUES, size: LARGEST_TEXT }
    }

    /// Counts a value with a text of this size.
    pub(super) fn take(&mut self, depth: usize, size: usize) -> Result<(), String> {
        if depth > DEPTH {
            return Err(format!("the value is nested more than {DEPTH} levels deep"));
        }
        self.values = self.values.checked_sub(1).ok_or_else(|| format!("the value has more than {MOST_VALUES} parts"))?;
        self.size = self.size.checked_sub(size).ok_or_else(too_large)?;
        Ok(())
    }

    /// Checks the size of a text before it becomes longer.
    pub(super) fn check_text(size: usize) -> Result<(), String> {
        if size > LARGEST_TEXT { Err(too_large()) } else { Ok(()) }
    }
}

fn too_large() -> String {
    format!("the text of the value is larger than {LARGEST_TEXT} bytes")
}
