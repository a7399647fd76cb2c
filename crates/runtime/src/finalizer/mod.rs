//! The writer of the finalizers of controllers. The finalizer on types that a component brings is a part of their manifests.

mod writer;

#[cfg(test)]
mod tests;

pub use writer::{FinalizerOutcome, FinalizerWriter, RemovalGuard};
