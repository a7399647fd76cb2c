//! The world of a rendering: the little that functions may ask for.

use std::any::Any;

use jiff::Timestamp;

/// The source of time and randomness, which are not in the data of a template. Two renderings with equal hosts give equal outputs.
pub trait TemplateHost {
    /// Returns the time that `now` gives.
    fn now(&self) -> Timestamp;

    /// Fills a buffer with the bytes that functions use as randomness: `randAlphaNum`, `genCA`, `uuidv4`. A host derives them from a seed, so that a
    /// second rendering is equal to the first.
    fn fill_random(&self, buffer: &mut [u8]);

    /// Returns the host for a downcast by functions that know its type, such as `lookup`.
    fn as_any(&self) -> &dyn Any;
}
