//! Plans: the decisions of rules about writes and their next evaluation.

use std::time::Duration;

use jiff::Timestamp;
use kubewright_machinery::object::{ObjectExt, ObjectKey};
use serde_json::Value;

use super::StageDelays;
use super::read::without_zeros;

/// The inputs of a rule besides objects.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RuleContext<'a> {
    /// Wall time.
    pub now: Timestamp,
    /// The delays of the stages.
    pub delays: &'a StageDelays,
}

impl<'a> RuleContext<'a> {
    /// Returns the inputs for a time and delays.
    pub fn new(now: Timestamp, delays: &'a StageDelays) -> Self {
        Self { now, delays }
    }
}

/// A write that a rule has decided on.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PlannedWrite {
    /// Creates this object, which has a name or a `generateName`.
    Create(Value),
    /// Applies this merge patch to the object.
    Patch(ObjectKey, Value),
    /// Sets the status of the object.
    Status(ObjectKey, Value),
    /// Binds the pod to the node of this name.
    Bind(ObjectKey, String),
    /// Deletes the object and, through the garbage collector, its dependents.
    Delete(ObjectKey),
    /// Deletes the pod without a grace period.
    DeleteNow(ObjectKey),
}

/// The writes to make now, and the time of the next evaluation if nothing changes before.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct WorkloadPlan {
    /// The writes in order. They belong together: a failed one ends the round.
    pub writes: Vec<PlannedWrite>,
    /// The next time at which the rule may decide differently.
    pub wake: Option<Timestamp>,
    /// True if there is more to create than one burst allows. The rule continues after a pause ([`WorkloadPlan::PAUSE`]).
    pub is_burst: bool,
}

/// The maximum number of writes in one burst of pods.
const MOST_WRITES: usize = 500;

impl WorkloadPlan {
    /// The pause of a rule after a burst, whatever changes meanwhile.
    pub const PAUSE: Duration = Duration::from_secs(1);

    /// Returns true if one more pod may be created in this burst.
    pub(super) fn may_create(&mut self) -> bool {
        self.is_burst |= self.writes.len() >= MOST_WRITES;
        !self.is_burst
    }

    pub(super) fn create(&mut self, object: Value) {
        self.writes.push(PlannedWrite::Create(object));
    }

    pub(super) fn patch(&mut self, object: &Value, patch: Value) {
        self.writes.extend(object.key().map(|key| PlannedWrite::Patch(key, patch)));
    }

    pub(super) fn delete(&mut self, object: &Value) {
        self.writes.extend(object.key().map(PlannedWrite::Delete));
    }

    /// Plans a write of the status, unless the object already has it (STG-14).
    pub(super) fn status(&mut self, object: &Value, status: Value) {
        if without_zeros(object.get("status").unwrap_or(&Value::Null)) != without_zeros(&status) {
            self.writes.extend(object.key().map(|key| PlannedWrite::Status(key, status)));
        }
    }

    /// Plans an evaluation at that time, if it is in the future.
    pub(super) fn wake_at(&mut self, time: Timestamp, now: Timestamp) {
        if time > now {
            self.wake = Some(self.wake.map_or(time, |wake| wake.min(time)));
        }
    }
}
