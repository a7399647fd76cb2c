//! What a rule decides: writes, and when to look again.

use std::time::Duration;

use jiff::Timestamp;
use kubewright_machinery::object::{ObjectExt, ObjectKey};
use serde_json::Value;

use super::{StageDelays, read::without_zeros};

/// What a rule may look at besides the objects.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Surroundings<'a> {
    /// Wall time.
    pub now: Timestamp,
    /// How long stages take.
    pub delays: &'a StageDelays,
}

impl<'a> Surroundings<'a> {
    /// Time and delays.
    pub fn new(now: Timestamp, delays: &'a StageDelays) -> Self {
        Self { now, delays }
    }
}

/// One write.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Write {
    /// Create this object. It has a name or a `generateName`.
    Create(Value),
    /// Merge this patch into the object.
    Patch(ObjectKey, Value),
    /// Make this the status of the object.
    Status(ObjectKey, Value),
    /// Put the pod on the node of this name.
    Bind(ObjectKey, String),
    /// Delete the object; its dependents follow.
    Delete(ObjectKey),
    /// Delete the pod without grace.
    DeleteNow(ObjectKey),
}

/// What is to be done now, and when to look again though nothing changes.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Plan {
    /// In this order; they belong together, and a failed one ends the round.
    pub writes: Vec<Write>,
    /// The next time at which the rule may decide something else.
    pub wake: Option<Timestamp>,
    /// Whether there is more to create than one burst. The rule goes on after a pause ([`Plan::PAUSE`]).
    pub is_burst: bool,
}

/// The most that is written in one burst of pods.
const MOST_WRITES: usize = 500;

impl Plan {
    /// How long a rule rests after a burst, whatever changes meanwhile.
    pub const PAUSE: Duration = Duration::from_secs(1);

    /// Whether one more pod may be created in this burst.
    pub(super) fn may_create(&mut self) -> bool {
        self.is_burst |= self.writes.len() >= MOST_WRITES;
        !self.is_burst
    }

    pub(super) fn create(&mut self, object: Value) {
        self.writes.push(Write::Create(object));
    }

    pub(super) fn patch(&mut self, object: &Value, patch: Value) {
        self.writes.extend(object.key().map(|key| Write::Patch(key, patch)));
    }

    pub(super) fn delete(&mut self, object: &Value) {
        self.writes.extend(object.key().map(Write::Delete));
    }

    /// Writes the status, unless the object has it already (STG-14).
    pub(super) fn status(&mut self, object: &Value, status: Value) {
        if without_zeros(object.get("status").unwrap_or(&Value::Null)) != without_zeros(&status) {
            self.writes.extend(object.key().map(|key| Write::Status(key, status)));
        }
    }

    /// Asks to be called again at that time, when it is still to come.
    pub(super) fn wake_at(&mut self, time: Timestamp, now: Timestamp) {
        if time > now {
            self.wake = Some(self.wake.map_or(time, |wake| wake.min(time)));
        }
    }
}
