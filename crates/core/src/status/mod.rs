//! What to write into a status, and whether to write at all.

mod change;
mod equal;
mod write;

#[cfg(test)]
mod tests;

pub use change::{diff, rebase};
pub use equal::semantically_equal;
pub use write::StatusWrite;
