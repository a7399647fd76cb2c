//! The writer of finalizers: nothing else adds or removes one.

mod writer;

#[cfg(test)]
mod tests;

pub use writer::{FinalizerWriter, Removal, Settled};
