//! Ages and durations in few characters.

use jiff::Timestamp;
use serde_json::Value;

/// Returns a duration in the form of kubectl: its two largest units, or only the largest one if it is long.
pub fn human_duration(seconds: i64) -> String {
    let (minutes, hours, days, years) = (seconds / 60, seconds / 3600, seconds / 86_400, seconds / 31_536_000);
    let two = |large: i64, unit: &str, small: i64, small_unit: &str| match small {
        0 => format!("{large}{unit}"),
        small => format!("{large}{unit}{small}{small_unit}"),
    };
    match () {
        () if seconds < -1 => "<invalid>".to_owned(),
        () if seconds < 0 => "0s".to_owned(),
        () if seconds < 120 => format!("{seconds}s"),
        () if minutes < 10 => two(minutes, "m", seconds % 60, "s"),
        () if minutes < 180 => format!("{minutes}m"),
        () if hours < 8 => two(hours, "h", minutes % 60, "m"),
        () if hours < 48 => format!("{hours}h"),
        () if days < 8 => two(days, "d", hours % 24, "h"),
        () if days < 730 => format!("{days}d"),
        () if years < 8 => two(years, "y", days % 365, "d"),
        () => format!("{years}y"),
    }
}

/// Returns the age of a time in an object: `<unknown>` if the time is absent, `<invalid>` if it cannot be parsed.
pub(super) fn since(time: Option<&Value>, now: Timestamp) -> String {
    match time.and_then(Value::as_str) {
        None | Some("") => "<unknown>".to_owned(),
        Some(text) => {
            parse(text).map_or_else(|| "<invalid>".to_owned(), |time| human_duration(now.as_second() - time.as_second()))
        }
    }
}

pub(super) fn parse(text: &str) -> Option<Timestamp> {
    text.parse().ok()
}
