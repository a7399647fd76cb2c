//! Points in time. Both kinds are always passed as arguments: [`Timestamp`] for times that are stored and compared with those of other processes,
//! [`Moment`] for measuring and waiting inside this process.

use std::fmt;
use std::ops::Add;
use std::time::Duration;

pub use jiff::Timestamp;

/// A point in time on a clock that never goes back, counted from the start of the process (or of the test).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(pub Duration);

impl Moment {
    /// The start of the clock.
    pub const START: Self = Self(Duration::ZERO);

    /// Returns the time passed since `earlier`; zero if `earlier` is later.
    pub const fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<Duration> for Moment {
    type Output = Self;

    fn add(self, rhs: Duration) -> Self {
        Self(self.0.saturating_add(rhs))
    }
}

/// Formats a point in time as a `MicroTime` of Kubernetes: RFC 3339, UTC, always six digits of a second.
pub fn micros(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string()
}

/// Writes a duration in a short form: `500ms`, `10s`, `1m30s`, `6h`. Zero is `0s`.
pub(crate) fn write_human(f: &mut fmt::Formatter<'_>, duration: Duration) -> fmt::Result {
    let nanos = duration.subsec_nanos();
    let seconds = duration.as_secs();
    if seconds == 0 && nanos > 0 {
        return match nanos {
            n if n % 1_000_000 == 0 => write!(f, "{}ms", n / 1_000_000),
            n if n % 1_000 == 0 => write!(f, "{}us", n / 1_000),
            n => write!(f, "{n}ns"),
        };
    }
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        write!(f, "{hours}h")?;
    }
    if minutes > 0 {
        write!(f, "{minutes}m")?;
    }
    if nanos > 0 {
        let fraction = format!("{nanos:09}");
        write!(f, "{rest}.{}s", fraction.trim_end_matches('0'))
    } else if rest > 0 || seconds == 0 {
        write!(f, "{rest}s")
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_add_and_subtract_without_overflow() {
        let early = Moment::START + Duration::from_secs(2);
        let late = early + Duration::from_secs(3);
        assert_eq!(late.since(early), Duration::from_secs(3));
        assert_eq!(early.since(late), Duration::ZERO);
        assert_eq!(late + Duration::MAX, Moment(Duration::MAX));
    }

    #[test]
    fn micro_times_have_six_digits() {
        let time = |text: &str| micros(text.parse().unwrap());
        assert_eq!(time("2026-11-22T18:45:54Z"), "2026-11-22T18:45:54.000000Z");
        assert_eq!(time("2026-11-22T18:45:54.5223479Z"), "2026-11-22T18:45:54.522347Z");
    }
}
