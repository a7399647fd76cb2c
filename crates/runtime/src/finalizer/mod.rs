//! The writer of the finalizers of controllers. Finalizers on objects of the types that a component brings are part of the component's manifests.

mod writer;

#[cfg(test)]
mod tests;

pub use writer::{FinalizerOutcome, FinalizerWriter, RemovalGuard};
