//! The verdict of a plan: the state of the dependents when no more requests can be sent in this pass.

use std::fmt;
use std::time::Duration;

use kubewright_machinery::object::ObjectKey;

use crate::health::Health;
use crate::manifest::ManifestErrors;

/// The verdict of a plan. The verdict of the last plan of a pass counts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// All dependents are as wanted or, in a deletion, gone.
    Complete,
    /// Some objects are not ready yet or, in a deletion, not gone yet; an event triggers the next pass.
    Incomplete {
        /// The objects that the plan waits for, in the order of the waves; never empty.
        waiting: Vec<Waiting>,
    },
    /// An expected obstacle holds the plan back.
    Wait {
        /// The obstacle, for people.
        message: String,
        /// The delay before the next pass; `None`: the back-off of transient errors if there were any, else the component's retry interval.
        after: Option<Duration>,
    },
    /// The plan cannot continue until a person changes something.
    Blocked {
        /// The kind of obstacle.
        reason: BlockedReason,
        /// The obstacle, for people.
        message: String,
    },
    /// The server refused a request. A person may have to correct the cause; the request is retried with back-off.
    Failed {
        /// The refusals, for people.
        message: String,
        /// The status code of the first refusal.
        code: Option<u16>,
    },
    /// The manifests contradict each other. No request is sent before they change.
    Invalid {
        /// The contradictions.
        errors: ManifestErrors,
    },
}

/// The reason why a plan is blocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BlockedReason {
    /// An object has another owner (OWN-2).
    OwnerConflict,
    /// A type is still in use (RED-2, GATE-3).
    DeletionBlocked,
    /// A dependent failed (READY-4).
    DependentFailed,
}

impl BlockedReason {
    /// Returns the reason as conditions spell it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OwnerConflict => "OwnerConflict",
            Self::DeletionBlocked => "DeletionBlocked",
            Self::DependentFailed => "DependentFailed",
        }
    }
}

/// An object that the plan waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The identity of the object.
    pub key: ObjectKey,
    /// The health of the object.
    pub status: Health,
    /// The reason why the object is not ready or not gone; may be empty.
    pub message: String,
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.key)?;
        if self.message.is_empty() { Ok(()) } else { write!(f, ": {}", self.message) }
    }
}
