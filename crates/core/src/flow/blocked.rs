//! Blocked: understood, and somebody must change something.

use super::join::{Extra, Part};
use super::{Delay, Event, Flow, Halt, Reason, text};

/// The pass cannot go on until somebody changes something. Not an error; repeated on the next event.
#[derive(Clone, Debug)]
#[must_use]
pub struct Blocked(pub(super) Box<Inner>);

#[derive(Clone, Debug)]
pub(super) struct Inner {
    pub(super) reason: Reason,
    pub(super) message: String,
    pub(super) parts: Vec<Part>,
    pub(super) event: Option<Event>,
    pub(super) extra: Extra,
}

impl Blocked {
    /// Blocked, with the reason and what would unblock it.
    pub fn new(reason: impl Into<Reason>, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            reason: reason.into(),
            message: text::cut(message.into()),
            parts: Vec::new(),
            event: None,
            extra: Extra::default(),
        }))
    }

    /// The pass is repeated no later than this.
    pub fn recheck(mut self, delay: Delay) -> Self {
        self.0.extra.recheck(delay);
        self
    }

    /// Replaces the runner's own event.
    pub fn with_event(mut self, event: Event) -> Self {
        self.0.event = Some(event);
        self
    }

    /// Why it is blocked.
    pub fn reason(&self) -> &Reason {
        &self.0.reason
    }

    /// What would unblock it.
    pub fn text(&self) -> String {
        self.0.message.clone()
    }
}

impl<T> From<Blocked> for Flow<T> {
    fn from(blocked: Blocked) -> Self {
        Err(Halt::Blocked(blocked))
    }
}
