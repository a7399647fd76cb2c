//! The health of an object, as far as it is known.

use std::fmt;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The health of an object, in the words of kstatus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Health {
    /// Its controller works on it.
    InProgress,
    /// It is as it should be. Only this is ready.
    Current,
    /// Its controller gave up, or nearly so.
    Failed,
    /// It is being deleted.
    Terminating,
    /// It does not exist.
    NotFound,
    /// Its status cannot be read.
    #[default]
    Unknown,
}

impl Health {
    /// Returns the status as JSON spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InProgress => "InProgress",
            Self::Current => "Current",
            Self::Failed => "Failed",
            Self::Terminating => "Terminating",
            Self::NotFound => "NotFound",
            Self::Unknown => "Unknown",
        }
    }
}

impl fmt::Display for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The health of an object at the time it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Readiness {
    /// The health.
    pub status: Health,
    /// The reason why the object is not ready; may be empty.
    pub message: String,
    /// The time at which the health changes without any event, and the health from then on.
    pub changes_at: Option<(Timestamp, Health)>,
    /// True if the object would be ready if its controller had observed the current generation (READY-6).
    pub lagging: bool,
}

impl Readiness {
    /// Creates a health that lasts until the object changes.
    pub fn new(status: Health, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), changes_at: None, lagging: false }
    }

    /// Creates the health of a ready object.
    pub fn current() -> Self {
        Self::new(Health::Current, "")
    }

    /// Creates the health of an object that is not ready yet.
    pub fn in_progress(message: impl Into<String>) -> Self {
        Self::new(Health::InProgress, message)
    }

    /// Creates the health of a failed object.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Health::Failed, message)
    }

    /// Returns the health at an instant.
    pub fn status_at(&self, now: Timestamp) -> Health {
        match self.changes_at {
            Some((instant, status)) if now >= instant => status,
            _ => self.status,
        }
    }
}
