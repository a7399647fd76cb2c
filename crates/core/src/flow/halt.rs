//! The closed set of ways in which a pass can stop.

use std::error::Error;

use super::{Blocked, Class, Delay, Failure, Reason, Wait, WaitOn};

/// The result of a step: `Ok` goes on, a [`Halt`] ends the pass.
///
/// It must be used:
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// fn step() -> kubewright_core::flow::Flow { Ok(()) }
/// fn main() { step(); }
/// ```
pub type Flow<T = ()> = Result<T, Halt>;

/// Why a pass stopped before its last step. Exactly one of four, on purpose exhaustive.
///
/// It has no default and is no error type:
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
    /// The pass is over and fine; the remaining steps are skipped.
    Done,
    /// Expected and no failure.
    Wait(Wait),
    /// Understood; somebody must change something.
    Blocked(Blocked),
    /// Unexpected.
    Failed(Failure),
}

/// The variant of a [`Halt`], without its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HaltKind {
    /// See [`Halt::Done`].
    Done,
    /// See [`Halt::Wait`].
    Wait,
    /// See [`Halt::Blocked`].
    Blocked,
    /// See [`Halt::Failed`].
    Failed,
}

/// What can be compared of a [`Halt`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The variant.
    pub kind: HaltKind,
    /// The reason; none for `Done`.
    pub reason: Option<Reason>,
    /// The class of a failure.
    pub class: Option<Class>,
    /// The delay that the halt itself names: of a timer, a safety net, the bound of a growing wait, or the class `After`.
    pub delay: Option<Delay>,
}

impl Halt {
    /// The variant.
    pub const fn kind(&self) -> HaltKind {
        match self {
            Self::Done => HaltKind::Done,
            Self::Wait(_) => HaltKind::Wait,
            Self::Blocked(_) => HaltKind::Blocked,
            Self::Failed(_) => HaltKind::Failed,
        }
    }

    /// Whether this is `Done`.
    pub const fn is_done(&self) -> bool {
        matches!(self, Self::Done)
    }

    /// Whether this is a wait.
    pub const fn is_wait(&self) -> bool {
        matches!(self, Self::Wait(_))
    }

    /// Whether this is blocked.
    pub const fn is_blocked(&self) -> bool {
        matches!(self, Self::Blocked(_))
    }

    /// Whether this is a failure.
    pub const fn is_failed(&self) -> bool {
        matches!(self, Self::Failed(_))
    }

    /// The failure, if this is one.
    pub const fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Failed(failure) => Some(failure),
            _ => None,
        }
    }

    /// The reason; none for `Done`.
    pub fn reason(&self) -> Option<Reason> {
        match self {
            Self::Done => None,
            Self::Wait(wait) => Some(wait.reason().clone()),
            Self::Blocked(blocked) => Some(blocked.reason().clone()),
            Self::Failed(failure) => Some(failure.classification().reason),
        }
    }

    /// The text for people; empty for `Done`.
    pub fn text(&self) -> String {
        match self {
            Self::Done => String::new(),
            Self::Wait(wait) => wait.text(),
            Self::Blocked(blocked) => blocked.text(),
            Self::Failed(failure) => failure.text(),
        }
    }

    /// What can be compared.
    pub fn summary(&self) -> Summary {
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
        Summary { kind: self.kind(), reason: self.reason(), class, delay }
    }

    /// The pass is repeated no later than this; `Done` stays as it is.
    #[must_use]
    pub fn recheck(self, delay: Delay) -> Self {
        match self {
            Self::Done => Self::Done,
            Self::Wait(wait) => Self::Wait(wait.recheck(delay)),
            Self::Blocked(blocked) => Self::Blocked(blocked.recheck(delay)),
            Self::Failed(failure) => Self::Failed(failure.recheck(delay)),
        }
    }

    /// Says what was being done: the text comes before the message of a wait, a block or a failure.
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
