//! How long to wait: back-off policies, token buckets, and the one value that holds all delays.

mod bucket;
mod policy;
mod rng;
mod timing;
mod transient;

#[cfg(test)]
mod tests;

pub use bucket::TokenBucket;
pub use policy::Policy;
pub(crate) use policy::jittered;
pub use rng::Rng;
pub use timing::Timing;
pub use transient::{Transient, TransientBackoff};
