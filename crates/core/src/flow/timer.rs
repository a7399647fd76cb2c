//! The reasons of the timers of a key.

use std::fmt;

use super::Reason;

/// The reason why the outcome of a pass set a timer for the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Timer {
    /// The pass requested a repetition, whatever its outcome.
    Recheck,
    /// The pass waits, with this reason, for its own time or with the safety net of an event.
    Wait(Option<Reason>),
    /// The pass is blocked, with this reason, and one of its branches waits for a time.
    Blocked(Option<Reason>),
    /// The pass failed with this reason.
    BackOff(Option<Reason>),
    /// The pass ended with a conflict: an object has a newer version.
    Conflict,
}

impl Timer {
    /// Returns the word for the reason, as it is displayed.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Recheck => "recheck",
            Self::Wait(_) => "wait",
            Self::Blocked(_) => "blocked",
            Self::BackOff(_) => "back-off",
            Self::Conflict => "conflict",
        }
    }

    /// Returns the reason of the halt that set the timer.
    pub const fn reason(&self) -> Option<&Reason> {
        match self {
            Self::Wait(reason) | Self::Blocked(reason) | Self::BackOff(reason) => reason.as_ref(),
            Self::Recheck | Self::Conflict => None,
        }
    }
}

/// Writes `recheck`, `wait ServiceUnavailable`, `back-off after Timeout`.
impl fmt::Display for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())?;
        match (self, self.reason()) {
            (_, None) => Ok(()),
            (Self::BackOff(_), Some(reason)) => write!(f, " after {reason}"),
            (_, Some(reason)) => write!(f, " {reason}"),
        }
    }
}

/// The variant of a [`Timer`] as the memory of a key stores it; its reason is the one that was last reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TimerKind {
    #[default]
    Recheck,
    Wait,
    Blocked,
    BackOff,
    Conflict,
}
