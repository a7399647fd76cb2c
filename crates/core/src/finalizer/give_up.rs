//! Whether a finalizer is removed although the cleanup did not succeed.

use jiff::Timestamp;

use crate::flow::{Delay, Event, Flow, Halt};
use crate::reason;

/// The value of the annotation that forces the removal.
pub const FORCED: &str = "true";

/// What becomes of an object whose cleanup does not succeed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum GiveUp {
    /// The cleanup is retried for ever.
    #[default]
    Never,
    /// The finalizer is removed after the first cleanup that ends without success this long after the deletion, or later.
    After(Delay),
}

/// A cleanup that has ended, with what decides about its finalizer.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::exhaustive_structs)] // an argument
pub struct EndedCleanup<'a> {
    /// The outcome.
    pub outcome: &'a Flow,
    /// The deletion timestamp of the object. Without one nothing is given up: the object stays.
    pub deleted: Option<Timestamp>,
    /// Whether the object has the annotation that forces the removal.
    pub is_forced: bool,
    /// The time.
    pub now: Timestamp,
}

/// What to do with the finalizer after a cleanup.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Released {
    /// It is removed: the cleanup succeeded.
    Done,
    /// It is removed all the same, and this event tells why.
    GivenUp(Event),
    /// It stays.
    No,
    /// It stays, and the cleanup runs again no later than after this time, to be the last one.
    Later(Delay),
}

impl GiveUp {
    /// Decides (FZ-12, FZ-13).
    pub fn after(self, cleanup: &EndedCleanup<'_>) -> Released {
        let text = match cleanup.outcome {
            Ok(()) | Err(Halt::Done) => return Released::Done,
            Err(halt) => halt.text(),
        };
        let Some(deleted) = cleanup.deleted else { return Released::No };
        if cleanup.is_forced {
            let note = format!("the finalizer is removed by force, the cleanup did not succeed: {text}");
            return Released::GivenUp(Event::warning(reason!("FinalizerForced"), note).action(reason!("Finalize")));
        }
        let Self::After(limit) = self else { return Released::No };
        let passed = cleanup.now.duration_since(deleted);
        let left =
            jiff::SignedDuration::try_from(limit.as_duration()).unwrap_or(jiff::SignedDuration::MAX).saturating_sub(passed);
        if let Some(left) = std::time::Duration::try_from(left).ok().and_then(|left| Delay::try_from(left).ok()) {
            return Released::Later(left);
        }
        let note = format!("the finalizer is removed, the cleanup did not succeed within {limit}: {text}");
        Released::GivenUp(Event::warning(reason!("FinalizerAbandoned"), note).action(reason!("Finalize")))
    }
}
