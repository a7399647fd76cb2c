//! The polling of types that cannot be watched (WATCH-6, WAIT-3).

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::Timestamp;

use super::ComponentStatus;
use crate::condition::{ConditionStatus, Keep, Updater};

/// The condition that is present while types are polled because watching them is forbidden.
pub const POLLING: &str = "Polling";

/// The number of types that the message names.
const SHOWN: usize = 10;

/// Returns the delay before the next poll after this number of polls in a row without a change.
pub const fn poll_delay(polls: u32) -> Duration {
    match polls {
        0..5 => Duration::from_millis(50 << polls),
        5..20 => Duration::from_secs(1),
        20..50 => Duration::from_secs(2),
        _ => Duration::from_secs(10),
    }
}

impl ComponentStatus {
    /// Reports the types that are polled. Without any, the condition is removed. The state stays as it is.
    pub fn poll(&mut self, types: &BTreeSet<String>, now: Timestamp) {
        if types.is_empty() && self.condition(POLLING).is_none() {
            return;
        }
        let mut conditions = Updater::new(&self.conditions, now, Keep::Untouched);
        if types.is_empty() {
            conditions.remove(POLLING);
        } else {
            let named: Vec<&str> = types.iter().take(SHOWN).map(String::as_str).collect();
            let more = match types.len().saturating_sub(SHOWN) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let message =
                format!("polled, since watching them is forbidden: {}{more} (grant list and watch on them)", named.join(", "));
            conditions.set(POLLING, ConditionStatus::True, "WatchForbidden", message);
        }
        self.conditions = conditions.finish().0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // WAIT-3
    #[test]
    fn polls_become_rarer_the_longer_nothing_changes() {
        let delays: Vec<u128> = (0..55).map(|polls| poll_delay(polls).as_millis()).collect();
        assert_eq!(delays[..5], [50, 100, 200, 400, 800]);
        assert!(delays[5..20].iter().all(|delay| *delay == 1000));
        assert!(delays[20..50].iter().all(|delay| *delay == 2000));
        assert!(delays[50..].iter().all(|delay| *delay == 10_000));
    }

    // STA-4
    #[test]
    fn polled_types_are_a_condition_while_there_are_some() {
        let now = Timestamp::UNIX_EPOCH;
        let types = |count: usize| (0..count).map(|n| format!("Kind{n:02}")).collect::<BTreeSet<_>>();
        let mut status = ComponentStatus::default();
        status.poll(&types(0), now);
        assert!(status.conditions.is_empty());
        status.poll(&types(12), now);
        let condition = status.condition(POLLING).unwrap();
        assert_eq!(condition.reason, "WatchForbidden");
        assert!(condition.message.contains(": Kind00, ") && condition.message.contains("Kind09 and 2 more"), "{condition:?}");
        status.poll(&types(0), now);
        assert!(status.condition(POLLING).is_none());
    }
}
