//! Writes of a status: the change to write, and the decision to write at all.

mod change;
mod equal;
mod write;

#[cfg(test)]
mod tests;

pub use change::{diff, rebase};
pub use equal::semantically_equal;
pub use write::StatusWrite;
