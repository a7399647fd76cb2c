//! Access to and comparison of parts of objects.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use kubewright_machinery::object::ObjectExt;
use serde_json::{Map, Value};

/// Returns the value at a JSON pointer, or null.
pub(super) fn at<'a>(value: &'a Value, pointer: &str) -> &'a Value {
    value.pointer(pointer).unwrap_or(&Value::Null)
}

/// Returns the text at a JSON pointer, or an empty one.
pub(super) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    at(value, pointer).as_str().unwrap_or_default()
}

/// Returns the number at a JSON pointer, or 0.
pub(super) fn int(value: &Value, pointer: &str) -> i64 {
    at(value, pointer).as_i64().unwrap_or_default()
}

/// Returns the flag at a JSON pointer, or false.
pub(super) fn flag(value: &Value, pointer: &str) -> bool {
    at(value, pointer).as_bool().unwrap_or_default()
}

/// Returns the list at a JSON pointer, or an empty one.
pub(super) fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    at(value, pointer).as_array().map_or(&[], Vec::as_slice)
}

/// Returns the time at a JSON pointer.
pub(super) fn time(value: &Value, pointer: &str) -> Option<Timestamp> {
    text(value, pointer).parse().ok()
}

/// Returns the creation time of the object.
pub(super) fn created(object: &Value) -> Timestamp {
    time(object, "/metadata/creationTimestamp").unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Returns true if the object is being deleted.
pub(super) fn is_deleted(object: &Value) -> bool {
    object.deletion_timestamp().is_some()
}

/// Returns a time in the form in which objects carry it, in whole seconds.
pub(super) fn stamp(time: Timestamp) -> Value {
    Timestamp::from_second(time.as_second()).unwrap_or(time).to_string().into()
}

/// Returns the time after a delay.
pub(super) fn after(time: Timestamp, delay: Duration) -> Timestamp {
    SignedDuration::try_from(delay).ok().and_then(|delay| time.checked_add(delay).ok()).unwrap_or(Timestamp::MAX)
}

/// Returns the time after a number of seconds.
pub(super) fn seconds_after(time: Timestamp, seconds: i64) -> Timestamp {
    after(time, Duration::from_secs(seconds.max(0) as u64))
}

/// Returns a number, or the number for a percentage of a total.
pub(super) fn scaled(value: &Value, default: &str, total: i64, round_up: bool) -> i64 {
    let percentage = |text: &str| -> i64 {
        // The type is wide enough for any product; values that are not numbers are refused before they are stored.
        let percent: i64 = text.trim_end_matches('%').parse().unwrap_or_default();
        let hundredfold = i128::from(percent) * i128::from(total) + if round_up { 99 } else { 0 };
        i64::try_from(hundredfold / 100).unwrap_or(if percent < 0 { i64::MIN } else { i64::MAX })
    };
    match value {
        Value::Number(number) => number.as_i64().unwrap_or_default(),
        Value::String(text) => percentage(text),
        _ => percentage(default),
    }
}

/// Returns the object without members that are null, zero or empty, which built-in types omit when they are printed.
pub(super) fn without_zeros(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept =
                members.iter().map(|(key, member)| (key.clone(), without_zeros(member))).filter(|(_, member)| !is_zero(member));
            Value::Object(kept.collect::<Map<_, _>>())
        }
        Value::Array(items) => items.iter().map(without_zeros).collect(),
        other => other.clone(),
    }
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_i64() == Some(0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // STG-9
    #[test]
    fn shares_of_any_size_are_scaled() {
        let share = |text: &str, total| scaled(&json!(text), "25%", total, true);
        assert_eq!(
            [share("34%", 3), share("0%", 3), share("9223372036854775807%", 2), share("200%", 7)],
            [2, 0, i64::MAX / 50 + 1, 14]
        );
        assert_eq!(share("9223372036854775807%", i64::MAX), i64::MAX);
    }
}
