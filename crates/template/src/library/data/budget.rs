//! Limits of the values that are encoded: shared values and maps that contain themselves can stand for texts of any size.

/// The nesting beyond which values are neither encoded nor read. Encoding and reading take the stack of the caller, a few KiB per level.
pub(super) const DEPTH: usize = 300;
/// The number of values beyond which they are not encoded.
const VALUES: usize = 4_000_000;
/// The size of all texts, in bytes, beyond which they are not encoded.
const SIZE: usize = 64 << 20;

/// The numbers of values and of bytes that an encoding may still have.
#[derive(Debug)]
pub(super) struct EncodingBudget {
    values: usize,
    size: usize,
}

impl EncodingBudget {
    pub(super) const fn new() -> Self {
        Self { values: VALUES, size: SIZE }
    }

    /// Counts a value with a text of this size.
    pub(super) fn take(&mut self, depth: usize, size: usize) -> Result<(), String> {
        if depth > DEPTH {
            return Err(format!("the value is nested more than {DEPTH} levels deep"));
        }
        self.values = self.values.checked_sub(1).ok_or_else(|| format!("the value has more than {VALUES} parts"))?;
        self.size = self.size.checked_sub(size).ok_or_else(|| format!("the text of the value is larger than {SIZE} bytes"))?;
        Ok(())
    }
}
