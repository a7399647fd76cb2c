//! The conditions for fields of dependents that differ from the manifests: fights, pending corrections, unknown fields.

use std::fmt::Write as _;

use jiff::{SignedDuration, Timestamp};

use super::ComponentStatus;
use crate::condition::{ConditionStatus, Keep, Updater};

/// The condition that is present while another program keeps changing fields of dependents.
pub const CONTESTED: &str = "Contested";

/// The condition that is present while a known drift waits for its correction.
pub const DRIFTED: &str = "Drifted";

/// The condition that is present while dependents lack fields of their manifests that the server does not know.
pub const UNKNOWN_FIELDS: &str = "UnknownFields";

/// The time for which the condition of a fight stays after the last report, because another instance may know of a fight that this process does not
/// know.
const PEACE: SignedDuration = SignedDuration::from_mins(10);

/// The number of objects that a message names.
const SHOWN: usize = 3;

impl ComponentStatus {
    /// Reports the field managers that keep changing fields of dependents (DRIFT-5). Without fights, the condition is removed once it is old enough;
    /// fights from before the start of this process (`since`) are unknown to it. The state stays as it is.
    pub fn contest<'a>(&mut self, fights: impl IntoIterator<Item = &'a str>, now: Timestamp, since: Timestamp) {
        let mut fights = fights.into_iter().peekable();
        if fights.peek().is_none() {
            let told = self.condition(CONTESTED).map(|condition| condition.last_transition_time.max(since));
            if told.is_none_or(|told| now.duration_since(told) < PEACE) {
                return;
            }
        }
        self.tell(CONTESTED, "DriftRepeated", fights, now);
    }

    /// Reports the dependents that were written without fields that the server does not know (WRITE-12). A process that has not written such a
    /// dependent does not know of it, so without any the condition stays until the component changes (`restarted`).
    pub fn lack_fields(&mut self, dropped: impl IntoIterator<Item = String>, restarted: bool, now: Timestamp) {
        let dropped: Vec<String> = dropped.into_iter().collect();
        if !dropped.is_empty() || restarted {
            self.tell(UNKNOWN_FIELDS, "FieldsDropped", dropped.iter().map(String::as_str), now);
        }
    }

    /// Reports the drifts that wait for their correction, and the times of the corrections (DRIFT-5). The state stays as it is.
    pub fn await_corrections<'a>(&mut self, pending: impl IntoIterator<Item = &'a str>, now: Timestamp) {
        self.tell(DRIFTED, "CorrectionDelayed", pending, now);
    }

    /// Sets a condition whose message names objects, or removes it when there are none.
    fn tell<'a>(&mut self, condition: &str, reason: &str, objects: impl IntoIterator<Item = &'a str>, now: Timestamp) {
        let mut objects = objects.into_iter();
        let mut message = objects.by_ref().take(SHOWN).collect::<Vec<_>>().join("; ");
        let mut conditions = Updater::new(&self.conditions, now, Keep::Untouched);
        if message.is_empty() {
            conditions.remove(condition);
        } else {
            match objects.count() {
                0 => {}
                more => drop(write!(message, "; and {more} more")),
            }
            conditions.set(condition, ConditionStatus::True, reason, message);
        }
        self.conditions = conditions.finish().0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // DRIFT-5, STA-4
    #[test]
    fn a_fight_is_a_condition_while_it_lasts() {
        let now = Timestamp::UNIX_EPOCH;
        let mut status = ComponentStatus::default();
        status.contest([], now, now);
        assert!(status.conditions.is_empty());
        status.contest(["a", "b", "c", "d"], now, now);
        let condition = status.condition(CONTESTED).unwrap();
        assert_eq!((condition.reason.as_str(), condition.message.as_str()), ("DriftRepeated", "a; b; c; and 1 more"));
        status.contest([], now + PEACE - SignedDuration::from_secs(1), now);
        assert!(status.condition(CONTESTED).is_some(), "another instance may know of it");
        let restarted = now + PEACE;
        status.contest([], restarted, restarted);
        assert!(status.condition(CONTESTED).is_some(), "a process that has just started knows of no fight");
        status.contest([], now + PEACE, now);
        assert!(status.condition(CONTESTED).is_none());
    }

    // WRITE-12, STA-4
    #[test]
    fn unknown_fields_are_a_condition_until_the_component_changes() {
        let now = Timestamp::UNIX_EPOCH;
        let mut status = ComponentStatus::default();
        status.lack_fields(["Foo demo/a: .spec.colour".to_owned()], false, now);
        let condition = status.condition(UNKNOWN_FIELDS).unwrap();
        assert_eq!((condition.reason.as_str(), condition.message.as_str()), ("FieldsDropped", "Foo demo/a: .spec.colour"));
        status.lack_fields([], false, now);
        assert!(status.condition(UNKNOWN_FIELDS).is_some(), "a process that has just started knows of none");
        status.lack_fields([], true, now);
        assert!(status.condition(UNKNOWN_FIELDS).is_none());
    }

    // DRIFT-5, STA-4
    #[test]
    fn a_drift_that_waits_is_a_condition_until_it_is_corrected() {
        let now = Timestamp::UNIX_EPOCH;
        let mut status = ComponentStatus::default();
        status.await_corrections(["a", "b", "c", "d", "e"], now);
        let condition = status.condition(DRIFTED).unwrap();
        assert_eq!((condition.reason.as_str(), condition.message.as_str()), ("CorrectionDelayed", "a; b; c; and 2 more"));
        status.await_corrections([], now);
        assert!(status.conditions.is_empty());
    }
}
