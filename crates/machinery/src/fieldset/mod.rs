//! Sets of field paths as `metadata.managedFields` writes them (FieldsV1): who owns what in an object.

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
