//! What is known about an object's health.

use std::fmt;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The health of an object, in the words of kstatus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Status {
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

impl Status {
    /// The status as JSON spells it.
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

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The health of an object at the time it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Readiness {
    /// The health.
    pub status: Status,
    /// Why it is not ready; may be empty.
    pub message: String,
    /// When the health changes without any event, and into what.
    pub changes_at: Option<(Timestamp, Status)>,
    /// Whether the object would be ready, if its controller had seen the present generation (READY-6).
    pub lagging: bool,
}

impl Readiness {
    /// A health that lasts until the object changes.
    pub fn new(status: Status, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), changes_at: None, lagging: false }
    }

    /// Ready.
    pub fn current() -> Self {
        Self::new(Status::Current, "")
    }

    /// Not ready yet.
    pub fn in_progress(message: impl Into<String>) -> Self {
        Self::new(Status::InProgress, message)
    }

    /// Failed.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Status::Failed, message)
    }

    /// The health at an instant.
    pub fn status_at(&self, now: Timestamp) -> Status {
        match self.changes_at {
            Some((instant, status)) if now >= instant => status,
            _ => self.status,
        }
    }
}
