//! Durations as Go reads and prints them: `1m30s`, `1.5h`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use thiserror::Error;

/// A signed duration with the text form of Go: reads `1.5h`, prints `1h30m0s`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GoDuration {
    nanos: i64,
}

/// The error of a text that is not a duration.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DurationError {
    /// The form is invalid, or the value does not fit.
    #[error("time: invalid duration {text:?}")]
    Invalid {
        /// The whole text.
        text: String,
    },
    /// A number has no unit.
    #[error("time: missing unit in duration {text:?}")]
    MissingUnit {
        /// The whole text.
        text: String,
    },
    /// A unit is unknown.
    #[error("time: unknown unit {unit:?} in duration {text:?}")]
    UnknownUnit {
        /// The unit.
        unit: String,
        /// The whole text.
        text: String,
    },
}

const SECOND: i128 = 1_000_000_000;

impl GoDuration {
    /// The duration of zero.
    pub const ZERO: Self = Self { nanos: 0 };

    /// Creates a duration of nanoseconds.
    pub const fn from_nanos(nanos: i64) -> Self {
        Self { nanos }
    }

    /// Creates a duration of seconds; the longest one if it does not fit.
    pub const fn from_secs(seconds: i64) -> Self {
        Self { nanos: seconds.saturating_mul(SECOND as i64) }
    }

    /// Returns the duration in nanoseconds.
    pub const fn nanos(self) -> i64 {
        self.nanos
    }

    /// Parses a duration: a sign, and numbers with units out of `ns`, `us`, `µs`, `ms`, `s`, `m`, `h`.
    pub fn parse(text: &str) -> Result<Self, DurationError> {
        let invalid = || DurationError::Invalid { text: text.to_owned() };
        let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
        if rest == "0" {
            return Ok(Self::ZERO);
        }
        if rest.is_empty() {
            return Err(invalid());
        }
        let mut nanos = 0_i128;
        while !rest.is_empty() {
            let whole = take_while(&mut rest, |c| c.is_ascii_digit());
            let mut fraction = "";
            if let Some(after) = rest.strip_prefix('.') {
                rest = after;
                fraction = take_while(&mut rest, |c| c.is_ascii_digit());
            }
            if whole.is_empty() && fraction.is_empty() {
                return Err(invalid());
            }
            let unit = take_while(&mut rest, |c| c != '.' && !c.is_ascii_digit());
            if unit.is_empty() {
                return Err(DurationError::MissingUnit { text: text.to_owned() });
            }
            let unit_nanos =
                unit_nanos(unit).ok_or_else(|| DurationError::UnknownUnit { unit: unit.to_owned(), text: text.to_owned() })?;
            let part = part_nanos(whole, fraction, unit_nanos).ok_or_else(invalid)?;
            nanos = nanos.checked_add(part).filter(|sum| *sum <= 1 << 63).ok_or_else(invalid)?;
        }
        let signed = if text.starts_with('-') { -nanos } else { nanos };
        i64::try_from(signed).map(|nanos| Self { nanos }).map_err(|_| invalid())
    }

    /// Converts to a standard duration; none if it is negative.
    pub fn to_std(self) -> Option<Duration> {
        u64::try_from(self.nanos).ok().map(Duration::from_nanos)
    }
}

/// Converts a standard duration; the longest duration if it does not fit.
impl From<Duration> for GoDuration {
    fn from(duration: Duration) -> Self {
        Self { nanos: i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX) }
    }
}

impl FromStr for GoDuration {
    type Err = DurationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl fmt::Display for GoDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.nanos.unsigned_abs();
        if self.nanos < 0 {
            f.write_str("-")?;
        }
        match nanos {
            0 => f.write_str("0s"),
            1..1_000 => write!(f, "{nanos}ns"),
            1_000..1_000_000 => write_decimal(f, nanos, 1_000, "µs"),
            1_000_000..1_000_000_000 => write_decimal(f, nanos, 1_000_000, "ms"),
            _ => {
                let minutes = nanos / 60_000_000_000;
                if minutes >= 60 {
                    write!(f, "{}h", minutes / 60)?;
                }
                if minutes > 0 {
                    write!(f, "{}m", minutes % 60)?;
                }
                write_decimal(f, nanos % 60_000_000_000, 1_000_000_000, "s")
            }
        }
    }
}

impl Serialize for GoDuration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for GoDuration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(de::Error::custom)
    }
}

fn take_while<'a>(rest: &mut &'a str, wanted: impl Fn(char) -> bool) -> &'a str {
    let (taken, after) = rest.split_at(rest.find(|c| !wanted(c)).unwrap_or(rest.len()));
    *rest = after;
    taken
}

fn unit_nanos(unit: &str) -> Option<i128> {
    Some(match unit {
        "ns" => 1,
        // The micro sign and the Greek letter mu look the same.
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => SECOND,
        "m" => 60 * SECOND,
        "h" => 3_600 * SECOND,
        _ => return None,
    })
}

fn part_nanos(whole: &str, fraction: &str, unit: i128) -> Option<i128> {
    // More than 18 decimal places are below a nanosecond even for hours.
    let fraction = &fraction[..fraction.len().min(18)];
    let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let parts: i128 = if fraction.is_empty() { 0 } else { fraction.parse().ok()? };
    whole.checked_mul(unit)?.checked_add(parts * unit / 10_i128.pow(fraction.len() as u32))
}

fn write_decimal(f: &mut fmt::Formatter<'_>, nanos: u64, unit: u64, name: &str) -> fmt::Result {
    let (whole, rest) = (nanos / unit, nanos % unit);
    write!(f, "{whole}")?;
    if rest > 0 {
        let width = unit.ilog10() as usize;
        let digits = format!("{rest:0width$}");
        write!(f, ".{}", digits.trim_end_matches('0'))?;
    }
    f.write_str(name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // COM-5
    #[test]
    fn durations_read_and_print_like_go() {
        for (text, printed) in [
            ("1m30s", "1m30s"),
            ("1.5h", "1h30m0s"),
            ("90s", "1m30s"),
            ("0", "0s"),
            ("0s", "0s"),
            ("1h", "1h0m0s"),
            ("100ms", "100ms"),
            ("1.5s", "1.5s"),
            ("1500us", "1.5ms"),
            ("1µs", "1µs"),
            ("1μs", "1µs"),
            ("3ns", "3ns"),
            ("-1m", "-1m0s"),
            ("+5s", "5s"),
            (".5s", "500ms"),
            ("1.s", "1s"),
            ("36h", "36h0m0s"),
            ("1h0.25s", "1h0m0.25s"),
            ("0.1ns", "0s"),
            ("2562047h47m16.854775807s", "2562047h47m16.854775807s"),
            ("-9223372036854775808ns", "-2562047h47m16.854775808s"),
        ] {
            assert_eq!(GoDuration::parse(text).unwrap().to_string(), printed, "{text}");
        }
    }

    // DISC-18
    #[test]
    fn an_invalid_duration_is_refused_with_the_error_text_of_go() {
        for (text, error) in [
            ("zz", "time: invalid duration \"zz\""),
            ("", "time: invalid duration \"\""),
            ("1", "time: missing unit in duration \"1\""),
            ("1x", "time: unknown unit \"x\" in duration \"1x\""),
            ("-", "time: invalid duration \"-\""),
            (".s", "time: invalid duration \".s\""),
            ("9223372036854775808ns", "time: invalid duration \"9223372036854775808ns\""),
            ("1m 30s", "time: unknown unit \"m \" in duration \"1m 30s\""),
        ] {
            assert_eq!(GoDuration::parse(text).unwrap_err().to_string(), error, "{text}");
        }
    }

    proptest! {
        #[test]
        fn durations_survive_their_text(nanos: i64) {
            let duration = GoDuration::from_nanos(nanos);
            prop_assert_eq!(GoDuration::parse(&duration.to_string()).unwrap(), duration);
            let json = serde_json::to_string(&duration).unwrap();
            prop_assert_eq!(serde_json::from_str::<GoDuration>(&json).unwrap(), duration);
        }

        #[test]
        fn no_text_makes_the_parser_fail_badly(text in "[-+0-9.nuµmsh ]{0,40}") {
            let _ = GoDuration::parse(&text);
        }
    }
}
