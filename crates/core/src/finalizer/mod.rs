//! Finalizers: their names, and the patches that add and remove them without touching foreign ones.

mod depending;
mod form;
mod give_up;
mod name;
mod patch;
mod write;

#[cfg(test)]
mod tests;

pub use depending::depending;
pub use form::FinalizerForm;
pub use give_up::{EndedCleanup, FORCED, GiveUp, Released};
pub use name::{FinalizerName, InvalidFinalizerName};
pub use patch::{add_merge_patch, add_patch, applied_finalizers, remove_merge_patch, remove_patch};
pub use write::FinalizerWrite;
