//! The schedule of the next pass of a key.

use super::Delay;

/// The time of the next pass of a key without an event before it. Any trigger runs the key earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// The next pass comes only with an event.
    OnEvent,
    /// The next pass comes after this time.
    After(Delay),
}

impl Schedule {
    /// Returns the earlier of the schedule and the delay.
    #[must_use]
    pub fn sooner(self, delay: Option<Delay>) -> Self {
        match (self, delay) {
            (Self::OnEvent, Some(delay)) => Self::After(delay),
            (Self::After(one), Some(other)) => Self::After(one.min(other)),
            (schedule, None) => schedule,
        }
    }

    /// Returns the delay, if there is one.
    pub const fn delay(self) -> Option<Delay> {
        match self {
            Self::OnEvent => None,
            Self::After(delay) => Some(delay),
        }
    }
}

impl From<Option<Delay>> for Schedule {
    fn from(delay: Option<Delay>) -> Self {
        delay.map_or(Self::OnEvent, Self::After)
    }
}
