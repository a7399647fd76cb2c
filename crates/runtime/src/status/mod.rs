//! The writer of statuses: nothing else writes one.

mod writer;

#[cfg(test)]
mod tests;

pub use writer::{Meanwhile, StatusWriter, Written};
