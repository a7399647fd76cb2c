//! How things stand when nothing more can be sent in this pass.

use std::fmt;
use std::time::Duration;

use kubewright_machinery::object::ObjectKey;

use crate::health::Status;
use crate::manifest::ManifestErrors;

/// The verdict of a plan. That of the last plan of a pass counts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// Everything is as it should be; after a deletion: everything is gone.
    Complete,
    /// Objects are on their way; an event will tell.
    Incomplete {
        /// What is waited for, in the order of the waves; never empty.
        waiting: Vec<Waiting>,
    },
    /// An expected obstacle.
    Wait {
        /// What happened, for people.
        message: String,
        /// When to look again; `None`: after the back-off of transient errors if there were any, else after the component's retry
        /// interval.
        after: Option<Duration>,
    },
    /// Somebody must change something.
    Blocked {
        /// What kind of obstacle.
        reason: BlockedReason,
        /// What happened, for people.
        message: String,
    },
    /// The server refused, and a person may fix that; retried with back-off.
    Failed {
        /// What happened, for people.
        message: String,
        /// The status code of the first refusal.
        code: Option<u16>,
    },
    /// The manifests contradict each other; nothing is sent before they change.
    Invalid {
        /// What is wrong.
        errors: ManifestErrors,
    },
}

/// Why a plan is blocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BlockedReason {
    /// An object belongs to somebody else (OWN-2).
    OwnerConflict,
    /// A type is still in use (RED-2, GATE-3).
    DeletionBlocked,
    /// A dependent failed (READY-4).
    DependentFailed,
}

impl BlockedReason {
    /// The word in conditions.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OwnerConflict => "OwnerConflict",
            Self::DeletionBlocked => "DeletionBlocked",
            Self::DependentFailed => "DependentFailed",
        }
    }
}

/// An object that is waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The object.
    pub key: ObjectKey,
    /// Its health.
    pub status: Status,
    /// Why it is not ready or not gone; may be empty.
    pub message: String,
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.key)?;
        if self.message.is_empty() { Ok(()) } else { write!(f, ": {}", self.message) }
    }
}
