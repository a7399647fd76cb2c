//! Back-off that survives restarts.

use std::time::Duration;

use serde_json::Value;

use super::Delay;

/// Back-off whose last delay is stored in the status of the object, so that it continues after a restart: for delays that are longer than the time
/// between restarts (BO-10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PersistedBackoff {
    first: Duration,
    cap: Duration,
}

/// The field of the status that stores the last delay, in nanoseconds (BO-9).
pub const REQUEUE_TIME: &str = "requeueTime";

impl PersistedBackoff {
    /// Creates a sequence that starts with twice `first` and doubles up to `cap`. Parameters below a nanosecond are raised to one.
    pub fn new(first: Duration, cap: Duration) -> Self {
        Self { first: first.max(Duration::from_nanos(1)), cap: cap.max(Duration::from_nanos(1)) }
    }

    /// Returns the delay of a failure, which is also the value to store for the next one. `stored` is the field of the status; a value that is not a
    /// positive integer counts as absent (BO-9, BO-10).
    pub fn next(&self, stored: Option<&Value>) -> Delay {
        let stored = stored.and_then(Value::as_u64).filter(|nanos| *nanos > 0).map_or(self.first, Duration::from_nanos);
        Delay::at_least_min(stored.saturating_mul(2).min(self.cap))
    }
}

/// 10 s, doubling up to 6 hours.
impl Default for PersistedBackoff {
    fn default() -> Self {
        Self::new(Duration::from_secs(5), Duration::from_hours(6))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // RTY-09, BO-10
    #[test]
    fn the_stored_delay_doubles_up_to_the_cap() {
        let (m, h) = (60, 3600);
        let table = [
            (0, 10),
            (1, 2),
            (5, 10),
            (17, 34),
            (m, 2 * m),
            (7 * m, 14 * m),
            (45 * m, 90 * m),
            (2 * h, 4 * h),
            (3 * h, 6 * h),
            (5 * h, 6 * h),
            (100 * h, 6 * h),
        ];
        for (stored, next) in table {
            let found = PersistedBackoff::default().next(Some(&json!(stored * 1_000_000_000_u64)));
            assert_eq!(found.as_duration(), Duration::from_secs(next), "{stored} s");
        }
    }

    // BO-9
    #[test]
    fn a_field_that_is_no_positive_integer_counts_as_none() {
        for stored in [json!(null), json!(0), json!(-5), json!("10"), json!(1.5), json!({})] {
            assert_eq!(PersistedBackoff::default().next(Some(&stored)), Delay::secs::<10>(), "{stored}");
        }
        assert_eq!(PersistedBackoff::default().next(None), Delay::secs::<10>());
    }
}
