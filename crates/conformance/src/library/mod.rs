//! The library of recorded scripts, their known deviations, and the rules that they prove, as files.

mod deviation;
mod folder;
mod rows;

pub use deviation::{Deviation, Deviations};
pub use folder::{Library, LibraryError, ScriptFile};
pub(crate) use rows::tests_naming_rules;
pub use rows::{Level, Row, Rows};
