//! Semantic equality of values, to avoid writes without effect.

use std::str::FromStr;

use jiff::Timestamp;
use serde_json::{Map, Number, Value};

/// Returns true if two values are semantically equal: absent, null, empty list and empty map are equal, numbers are compared by value and times by
/// instant; the transition time of a condition is ignored.
pub fn semantically_equal(one: &Value, other: &Value) -> bool {
    equal(one, other, false)
}

pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.values().all(is_empty),
        _ => false,
    }
}

fn equal(one: &Value, other: &Value, in_conditions: bool) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let mut keys = one.keys().chain(other.keys().filter(|key| !one.contains_key(*key)));
            keys.all(|key| {
                let ignored = in_conditions && key == "lastTransitionTime";
                ignored || equal(field(one, key), field(other, key), key == "conditions")
            })
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            one.iter().zip(other).all(|(one, other)| equal(one, other, in_conditions))
        }
        (Value::Number(one), Value::Number(other)) => same_number(one, other),
        (Value::String(one), Value::String(other)) => one == other || same_instant(one, other),
        (one, other) => one == other || is_empty(one) && is_empty(other),
    }
}

fn field<'a>(map: &'a Map<String, Value>, key: &str) -> &'a Value {
    map.get(key).unwrap_or(&Value::Null)
}

fn same_number(one: &Number, other: &Number) -> bool {
    one == other || one.is_f64() != other.is_f64() && one.as_f64() == other.as_f64()
}

fn same_instant(one: &str, other: &str) -> bool {
    let is_time = |text: &str| text.len() >= 20 && text.as_bytes()[4] == b'-' && text.as_bytes()[10] == b'T';
    if !(is_time(one) && is_time(other)) {
        return false;
    }
    matches!((Timestamp::from_str(one), Timestamp::from_str(other)), (Ok(one), Ok(other)) if one == other)
}
