//! Time and randomness. No other module of the crate reads either.
//!
//! A [`Clock`] reads wall time and monotonic time from one source: the machine, or tokio's timer with an epoch, so that `tokio::time::pause` makes a whole
//! operator run in virtual time. A [`Random`] is seeded, so that a run can be repeated.

mod random;
mod source;

pub use random::Random;
pub use source::{Clock, Elapsed};

#[cfg(test)]
mod tests;
