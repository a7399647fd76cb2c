//! The removal of a finalizer although the cleanup did not succeed.

use jiff::Timestamp;

use crate::flow::{Delay, Event, Flow, Halt};
use crate::reason;

/// The value of the annotation that forces the removal.
pub const FORCED: &str = "true";

/// The policy for objects whose cleanup does not succeed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum GiveUp {
    /// The cleanup is retried forever.
    #[default]
    Never,
    /// The finalizer is removed after the first unsuccessful cleanup that ends at least this long after the deletion.
    After(Delay),
}

/// A completed cleanup, with the inputs of the decision about its finalizer.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::exhaustive_structs)] // callers build it as an argument
pub struct EndedCleanup<'a> {
    /// The outcome of the cleanup.
    pub outcome: &'a Flow,
    /// The deletion timestamp of the object. Without one the object is not being deleted, and its finalizer is not given up.
    pub deleted: Option<Timestamp>,
    /// True if the object has the annotation that forces the removal.
    pub is_forced: bool,
    /// The current time.
    pub now: Timestamp,
}

/// The decision about the finalizer after a cleanup.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Released {
    /// The finalizer is removed, because the cleanup succeeded.
    Done,
    /// The finalizer is removed without a successful cleanup; this event reports the reason.
    GivenUp(Event),
    /// The finalizer is kept.
    No,
    /// The finalizer is kept, and the cleanup runs once more after at most this time, as the last try.
    Later(Delay),
}

impl GiveUp {
    /// Decides about the finalizer (FZ-12, FZ-13).
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
