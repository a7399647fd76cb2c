//! Blocked outcomes: the input is valid, but a user must change something before the pass can continue.

use super::join::{Extra, JoinedBranch};
use super::{Delay, Event, Flow, Halt, Reason, text};

/// A block: the pass cannot continue until a user changes something. It is not an error, and is repeated on the next event.
#[derive(Clone, Debug)]
#[must_use]
pub struct Blocked(pub(super) Box<Inner>);

#[derive(Clone, Debug)]
pub(super) struct Inner {
    pub(super) reason: Reason,
    pub(super) message: String,
    pub(super) parts: Vec<JoinedBranch>,
    pub(super) event: Option<Event>,
    pub(super) extra: Extra,
}

impl Blocked {
    /// Creates a block with its reason, and a message that says how to unblock it.
    pub fn new(reason: impl Into<Reason>, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            reason: reason.into(),
            message: text::cut(message.into()),
            parts: Vec::new(),
            event: None,
            extra: Extra::default(),
        }))
    }

    /// Sets the longest time until the pass is repeated.
    pub fn recheck(mut self, delay: Delay) -> Self {
        self.0.extra.recheck(delay);
        self
    }

    /// Replaces the runner's own event.
    pub fn with_event(mut self, event: Event) -> Self {
        self.0.event = Some(event);
        self
    }

    /// Returns the reason of the block.
    pub fn reason(&self) -> &Reason {
        &self.0.reason
    }

    /// Returns the message, which says how to unblock it.
    pub fn text(&self) -> String {
        self.0.message.clone()
    }
}

impl<T> From<Blocked> for Flow<T> {
    fn from(blocked: Blocked) -> Self {
        Err(Halt::Blocked(blocked))
    }
}
