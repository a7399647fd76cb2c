//! The part of a component's status that the framework writes (STA-1).

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::Condition;
pub use crate::condition::{READY, STALLED};
use crate::dependents::Inventory;
use crate::manifest::COMPONENT_DIGEST_PREFIX;
use crate::seconds::Seconds;

/// Where a component stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum ComponentState {
    /// Everything is applied and ready.
    Ready,
    /// It waits for something outside.
    Pending,
    /// Its dependents are on their way.
    Processing,
    /// Its deletion waits for something outside.
    DeletionPending,
    /// Its dependents are going away, or something holds that back.
    Deleting,
    /// Something failed.
    Error,
}

impl ComponentState {
    /// All states, as the metric exports them.
    pub const ALL: [Self; 6] = [Self::Ready, Self::Pending, Self::Processing, Self::DeletionPending, Self::Deleting, Self::Error];

    /// Returns the state as JSON spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "Ready",
            Self::Pending => "Pending",
            Self::Processing => "Processing",
            Self::DeletionPending => "DeletionPending",
            Self::Deleting => "Deleting",
            Self::Error => "Error",
        }
    }
}

impl fmt::Display for ComponentState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The status of a component. The field order is that of its JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ComponentStatus {
    /// The generation of the last recorded pass; -1 before the first.
    pub observed_generation: i64,
    /// The generation of the last pass that ended Ready.
    #[serde(skip_serializing_if = "is_zero")]
    pub applied_generation: i64,
    /// The start of the pass that last changed the status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_observed_at: Option<Seconds>,
    /// The start of the last pass that ended Ready and changed the status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_applied_at: Option<Seconds>,
    /// The digest of the component that is being processed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub processing_digest: String,
    /// The start of the running timeout countdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processing_since: Option<Seconds>,
    /// The digest for which the revision was last incremented.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub last_processing_digest: String,
    /// Counts the digests that were processed.
    #[serde(skip_serializing_if = "is_zero")]
    pub revision: i64,
    /// Ready always; Stalled and Polling while they are true.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// Where the component stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<ComponentState>,
    /// The dependents.
    #[serde(skip_serializing_if = "Inventory::is_empty")]
    pub inventory: Inventory,
    /// The namespaces that were created for dependents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub created_namespaces: Vec<String>,
    /// The number of deletion-stage objects in the last rendering.
    #[serde(skip_serializing_if = "is_zero")]
    pub deletion_hooks: i64,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // the signature that serde requires
fn is_zero(number: &i64) -> bool {
    *number == 0
}

impl Default for ComponentStatus {
    fn default() -> Self {
        Self {
            observed_generation: -1,
            applied_generation: 0,
            last_observed_at: None,
            last_applied_at: None,
            processing_digest: String::new(),
            processing_since: None,
            last_processing_digest: String::new(),
            revision: 0,
            conditions: Vec::new(),
            state: None,
            inventory: Inventory::default(),
            created_namespaces: Vec::new(),
            deletion_hooks: 0,
        }
    }
}

impl ComponentStatus {
    /// Returns a condition by its type.
    pub fn condition(&self, type_: &str) -> Option<&Condition> {
        self.conditions.iter().find(|condition| condition.type_ == type_)
    }

    /// Returns the reason of the Ready condition.
    pub fn reason(&self) -> &str {
        self.condition(READY).map_or("", |condition| &condition.reason)
    }

    /// Returns the message of the Ready condition.
    pub fn message(&self) -> &str {
        self.condition(READY).map_or("", |condition| &condition.message)
    }

    /// Returns true if the component is Ready in this generation. `kubectl wait --for=condition=Ready` comes to the same result: the state follows
    /// the condition, and kubectl compares `status.observedGeneration` with the generation (STA-11).
    pub fn is_ready(&self, generation: Option<i64>) -> bool {
        self.state == Some(ComponentState::Ready) && Some(self.observed_generation) == generation
    }

    /// Returns true if another program of this name processed the component in its current state (TAKE-3).
    pub fn is_left_by_another(&self, generation: i64) -> bool {
        let digest = &self.processing_digest;
        !digest.is_empty() && !digest.starts_with(COMPONENT_DIGEST_PREFIX) && self.observed_generation == generation
    }

    /// Records the digest of the component (PASS-4). Returns true if processing restarts because the component changed.
    pub fn process(&mut self, digest: &str, generation: i64) -> bool {
        let mut restarted = false;
        if self.processing_digest.is_empty() {
            digest.clone_into(&mut self.processing_digest);
            self.processing_since = None;
        } else if self.processing_digest != digest {
            if self.is_left_by_another(generation) {
                // Another program of this name processed the same component, so its digest is replaced without counting a revision (TAKE-3).
                if self.last_processing_digest == self.processing_digest {
                    digest.clone_into(&mut self.last_processing_digest);
                }
            } else {
                self.processing_since = None;
                restarted = true;
            }
            digest.clone_into(&mut self.processing_digest);
        }
        if self.revision == 0 && self.last_applied_at.is_some() {
            self.revision = 1;
        }
        if self.processing_digest != self.last_processing_digest {
            self.revision += 1;
            digest.clone_into(&mut self.last_processing_digest);
        }
        restarted
    }

    /// Starts the countdown of the timeout, unless it is running already (TIME-1).
    pub fn start_countdown(&mut self, now: Timestamp) {
        self.processing_since.get_or_insert_with(|| now.into());
    }

    /// Returns the end of the running countdown.
    pub fn times_out_at(&self, timeout: Duration) -> Option<Timestamp> {
        self.processing_since.and_then(|since| since.timestamp().checked_add(timeout).ok())
    }

    /// Returns true if processing takes longer than the timeout (TIME-3).
    pub fn timed_out(&self, now: Timestamp, timeout: Duration) -> bool {
        self.times_out_at(timeout).is_some_and(|end| now >= end)
    }
}
