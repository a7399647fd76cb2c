//! Sets of field paths in the form of `metadata.managedFields` (FieldsV1), which record the fields that each field manager owns.

mod element;
mod extract;
mod format;
mod path;
mod set;
#[cfg(test)]
mod tests;

pub use element::PathElement;
pub use extract::extract;
pub use format::FieldSetError;
pub use path::Path;
pub use set::FieldSet;
