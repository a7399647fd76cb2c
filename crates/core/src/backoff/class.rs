//! The class of a failure, which decides how it is retried.

use super::Delay;

/// The retry behaviour of a failure. Exhaustive on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Retried with a delay that doubles from failure to failure, per key.
    Backoff,
    /// Retried soon, after [`Timing::conflict`](super::Timing::conflict): the read was stale, or another writer was faster.
    Conflict,
    /// Retried after exactly this delay.
    After(Delay),
    /// Not retried until something changes.
    Terminal,
}
