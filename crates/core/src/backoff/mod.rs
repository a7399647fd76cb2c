//! Delays: back-off policies, token buckets, limiters that combine both, and the one value that holds all delays.

mod bucket;
mod class;
mod delay;
mod limiter;
mod persisted;
mod policy;
mod rng;
mod timing;
mod timing_config;
mod transient;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod vectors;

pub use bucket::TokenBucket;
pub use class::Class;
pub use delay::{Delay, ZeroDelay};
pub use limiter::{Exponential, FailedPass, MaxOf, RateLimiter, bucket, exponential, max_of};
pub use persisted::{PersistedBackoff, REQUEUE_TIME};
pub use policy::Policy;
pub(crate) use policy::jittered;
pub use rng::Rng;
pub use timing::Timing;
pub use transient::{Transient, TransientBackoff};
