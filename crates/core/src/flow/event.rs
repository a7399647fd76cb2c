//! An event about the object that a pass worked on, as data.

use super::Reason;

/// The type of an event: an expected occurrence or a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventType {
    /// An expected occurrence.
    Normal,
    /// A problem.
    Warning,
}

impl EventType {
    /// Returns the value of the field `type`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "Normal",
            Self::Warning => "Warning",
        }
    }
}

/// An event to be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Normal or Warning.
    pub kind: EventType,
    /// The reason of the event.
    pub reason: Reason,
    /// The note, a text for users.
    pub note: String,
    /// The action of the controller; `Reconcile` by default.
    pub action: Reason,
}

impl Event {
    /// Creates an event of type Normal.
    pub fn normal(reason: impl Into<Reason>, note: impl Into<String>) -> Self {
        Self::new(EventType::Normal, reason, note)
    }

    /// Creates an event of type Warning.
    pub fn warning(reason: impl Into<Reason>, note: impl Into<String>) -> Self {
        Self::new(EventType::Warning, reason, note)
    }

    /// Creates an event of the given type.
    pub fn new(kind: EventType, reason: impl Into<Reason>, note: impl Into<String>) -> Self {
        Self { kind, reason: reason.into(), note: note.into(), action: crate::reason!("Reconcile") }
    }

    /// Sets the action.
    #[must_use]
    pub fn action(mut self, action: impl Into<Reason>) -> Self {
        self.action = action.into();
        self
    }
}
