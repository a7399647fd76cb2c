//! When a key runs again.

use super::Delay;

/// When a key runs again if nothing happens before. Any trigger runs it earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Only when something happens.
    OnEvent,
    /// After this time.
    After(Delay),
}

impl Schedule {
    /// The earlier of the two.
    #[must_use]
    pub fn sooner(self, delay: Option<Delay>) -> Self {
        match (self, delay) {
            (Self::OnEvent, Some(delay)) => Self::After(delay),
            (Self::After(one), Some(other)) => Self::After(one.min(other)),
            (schedule, None) => schedule,
        }
    }

    /// The delay, if there is one.
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
