//! The closed set of ways in which a pass can stop.

use std::error::Error;

use super::{Blocked, Class, Delay, Failure, Reason, Wait, WaitOn};

/// The result of a step: `Ok` continues, a [`Halt`] ends the pass.
///
/// The result must be used:
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// fn step() -> kubewright_core::flow::Flow { Ok(()) }
/// fn main() { step(); }
/// ```
pub type Flow<T = ()> = Result<T, Halt>;

/// The reason why a pass stopped before its last step: exactly one of four. Exhaustive on purpose.
///
/// It has no default and is not an error type:
///
/// ```compile_fail
/// let halt = kubewright_core::flow::Halt::default();
/// ```
///
/// ```compile_fail
/// fn error<E: std::error::Error>() {}
/// error::<kubewright_core::flow::Halt>();
/// ```
#[derive(Debug)]
pub enum Halt {
    /// The pass succeeded; the remaining steps are skipped.
    Done,
    /// The pass waits, as expected; this is not a failure.
    Wait(Wait),
    /// The pass is blocked until a user changes something.
    Blocked(Blocked),
    /// The pass failed unexpectedly.
    Failed(Failure),
}

/// The variant of a [`Halt`], without its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HaltKind {
    /// The variant [`Halt::Done`].
    Done,
    /// The variant [`Halt::Wait`].
    Wait,
    /// The variant [`Halt::Blocked`].
    Blocked,
    /// The variant [`Halt::Failed`].
    Failed,
}

/// The comparable parts of a [`Halt`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HaltSummary {
    /// The variant.
    pub kind: HaltKind,
    /// The reason; none for `Done`.
    pub reason: Option<Reason>,
    /// The class of a failure.
    pub class: Option<Class>,
    /// The delay that the halt itself contains: of a timer, a safety net, the bound of a growing wait, or the class `After`.
    pub delay: Option<Delay>,
}

impl Halt {
    /// Returns the variant.
    pub const fn kind(&self) -> HaltKind {
        match self {
            Self::Done => HaltKind::Done,
            Self::Wait(_) => HaltKind::Wait,
            Self::Blocked(_) => HaltKind::Blocked,
            Self::Failed(_) => HaltKind::Failed,
        }
    }

    /// Returns true for `Done`.
    pub const fn is_done(&self) -> bool {
        matches!(self, Self::Done)
    }

    /// Returns true for a wait.
    pub const fn is_wait(&self) -> bool {
        matches!(self, Self::Wait(_))
    }

    /// Returns true for a block.
    pub const fn is_blocked(&self) -> bool {
        matches!(self, Self::Blocked(_))
    }

    /// Returns true for a failure.
    pub const fn is_failed(&self) -> bool {
        matches!(self, Self::Failed(_))
    }

    /// Returns the failure; none for other variants.
    pub const fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Failed(failure) => Some(failure),
            _ => None,
        }
    }

    /// Returns the reason; none for `Done`.
    pub fn reason(&self) -> Option<Reason> {
        match self {
            Self::Done => None,
            Self::Wait(wait) => Some(wait.reason().clone()),
            Self::Blocked(blocked) => Some(blocked.reason().clone()),
            Self::Failed(failure) => Some(failure.classification().reason),
        }
    }

    /// Returns the text for users; empty for `Done`.
    pub fn text(&self) -> String {
        match self {
            Self::Done => String::new(),
            Self::Wait(wait) => wait.text(),
            Self::Blocked(blocked) => blocked.text(),
            Self::Failed(failure) => failure.text(),
        }
    }

    /// Returns the comparable parts of the halt.
    pub fn summary(&self) -> HaltSummary {
        let class = self.failure().map(Failure::class);
        let delay = match self {
            Self::Wait(wait) => match wait.on() {
                WaitOn::Timer(delay) => Some(delay),
                WaitOn::Event { safety_net: delay } | WaitOn::Growing { at_most: delay } => delay,
            },
            Self::Failed(_) => match class {
                Some(Class::After(delay)) => Some(delay),
                _ => None,
            },
            Self::Done | Self::Blocked(_) => None,
        };
        HaltSummary { kind: self.kind(), reason: self.reason(), class, delay }
    }

    /// Sets the longest time until the pass is repeated; `Done` is unchanged.
    #[must_use]
    pub fn recheck(self, delay: Delay) -> Self {
        match self {
            Self::Done => Self::Done,
            Self::Wait(wait) => Self::Wait(wait.recheck(delay)),
            Self::Blocked(blocked) => Self::Blocked(blocked.recheck(delay)),
            Self::Failed(failure) => Self::Failed(failure.recheck(delay)),
        }
    }

    /// Adds the current activity: the text is put before the message of a wait, a block or a failure.
    #[must_use]
    pub fn context(self, text: &str) -> Self {
        match self {
            Self::Done => Self::Done,
            Self::Wait(mut wait) => {
                wait.0.extra.context(text);
                let message = format!("{text}: {}", wait.first_text());
                Self::Wait(wait.message(message))
            }
            Self::Blocked(mut blocked) => {
                blocked.0.extra.context(text);
                blocked.0.message = super::text::cut(format!("{text}: {}", blocked.0.message));
                Self::Blocked(blocked)
            }
            Self::Failed(failure) => Self::Failed(failure.context(text)),
        }
    }
}

impl From<Wait> for Halt {
    fn from(wait: Wait) -> Self {
        Self::Wait(wait)
    }
}

impl From<Blocked> for Halt {
    fn from(blocked: Blocked) -> Self {
        Self::Blocked(blocked)
    }
}

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for Halt {
    fn from(error: E) -> Self {
        Self::Failed(Failure::unclassified(error))
    }
}
