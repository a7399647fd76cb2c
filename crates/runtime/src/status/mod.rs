//! The writer of statuses, through which all status writes go.

mod writer;

#[cfg(test)]
mod tests;

pub use writer::{Meanwhile, StatusWriter, Written};
