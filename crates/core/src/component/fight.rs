//! Fights about fields, as a condition.

use std::fmt::Write as _;

use jiff::{SignedDuration, Timestamp};

use super::ComponentStatus;
use crate::condition::{ConditionStatus, Keep, Updater};

/// The condition that is present while another program keeps changing fields of dependents.
pub const CONTESTED: &str = "Contested";

/// A fight that this process does not know of may be known to another instance: its condition stays for as long as peace must last.
const PEACE: SignedDuration = SignedDuration::from_mins(10);

/// How many objects the message names.
const SHOWN: usize = 3;

impl ComponentStatus {
    /// Says who keeps changing which fields (DRIFT-5). Nobody: the condition goes. The state stays as it is. What was before this
    /// process started (`since`), it does not know.
    pub fn contest<'a>(&mut self, fights: impl IntoIterator<Item = &'a str>, now: Timestamp, since: Timestamp) {
        let mut fights = fights.into_iter();
        let mut message = fights.by_ref().take(SHOWN).collect::<Vec<_>>().join("; ");
        if message.is_empty() {
            let told = self.condition(CONTESTED).map(|condition| condition.last_transition_time.max(since));
            if told.is_none_or(|told| now.duration_since(told) < PEACE) {
                return;
            }
        }
        let mut conditions = Updater::new(&self.conditions, now, Keep::Untouched);
        if message.is_empty() {
            conditions.remove(CONTESTED);
        } else {
            match fights.count() {
                0 => {}
                more => drop(write!(message, "; and {more} more")),
            }
            conditions.set(CONTESTED, ConditionStatus::True, "DriftRepeated", message);
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
}
