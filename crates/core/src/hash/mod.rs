//! The consistent hash that determines the owner of a key among buckets.
//!
//! Adding or removing a name moves few targets from one name to another. Programs that share buckets must agree on every owner, so the arithmetic is
//! that of Knative (HSH-1 to HSH-5).

mod buckets;
mod choose;

#[cfg(test)]
mod tests;

pub use buckets::Buckets;
pub use choose::{choose, fnv1a};
