//! Values as numbers, as the casts of sprig see them: a value that is no number is zero.

use crate::syntax;
use crate::value::GoValue;

/// Returns a value as an `int64`: a float without its fraction, true as 1, and a text in the form of Go's integers with a base prefix or a leading
/// zero for octal. Nil and everything else is zero.
pub(in super::super) fn int_of(value: &GoValue) -> i64 {
    match value {
        GoValue::Bool(value) => i64::from(*value),
        GoValue::Integer(value, _) => *value as i64,
        GoValue::Float(value) => truncated(*value),
        GoValue::String(text) => syntax::signed(without_zero_fraction(&text.to_text())).unwrap_or(0),
        GoValue::Object(_) => named_integer(value).unwrap_or(0),
        GoValue::Nil | GoValue::List(_) | GoValue::Map(_) => 0,
    }
}

/// Returns a value as a `float64`: true as 1, and a text in the form of a float. Nil and everything else is zero.
pub(in super::super) fn float_of(value: &GoValue) -> f64 {
    match value {
        GoValue::Bool(value) => f64::from(u8::from(*value)),
        GoValue::Integer(value, _) => *value as f64,
        GoValue::Float(value) => *value,
        GoValue::String(text) => parse_float(&text.to_text()).unwrap_or(0.0),
        GoValue::Object(_) => named_integer(value).unwrap_or(0) as f64,
        GoValue::Nil | GoValue::List(_) | GoValue::Map(_) => 0.0,
    }
}

/// Returns a value as a `uint64`. Negative numbers are zero, as everything is that is no number.
pub(super) fn unsigned_of(value: &GoValue) -> u64 {
    match value {
        GoValue::Float(value) if *value < 0.0 => 0,
        // Numbers out of the range, infinity and NaN become the highest bit, as on the machines that Go runs on.
        GoValue::Float(value) if *value < 18_446_744_073_709_551_616.0 => *value as u64,
        GoValue::Float(_) => 1 << 63,
        GoValue::Integer(value, _) => u64::try_from(*value).unwrap_or(0),
        other => u64::try_from(int_of(other)).unwrap_or(0),
    }
}

/// Returns the value of decimal digits with an optional sign, the nearest `int64` of a number that is too large, and zero of another text.
pub(in super::super) fn decimal_digits(text: &str) -> i64 {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return 0;
    }
    let nearest = if text.starts_with('-') { i64::MIN } else { i64::MAX };
    text.parse().unwrap_or(nearest)
}

/// Returns a float without its fraction. Numbers out of the range become the smallest one, as on the machines that Go runs on.
fn truncated(value: f64) -> i64 {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if (-LIMIT..LIMIT).contains(&value) { value as i64 } else { i64::MIN }
}

/// Returns the number of a named type over `int`: a month or a day of the week. Those over other types are no numbers for the casts.
fn named_integer(value: &GoValue) -> Option<i64> {
    match value {
        GoValue::Object(object) if object.kind() == "int" => match object.elements() {
            Some(GoValue::Integer(number, _)) => Some(number as i64),
            _ => None,
        },
        _ => None,
    }
}

/// Reads a float as `strconv.ParseFloat` does; None for one that is too large, too.
pub(in super::super) fn parse_float(text: &str) -> Option<f64> {
    let magnitude = text.strip_prefix(['+', '-']).unwrap_or(text);
    if magnitude.eq_ignore_ascii_case("inf") || magnitude.eq_ignore_ascii_case("infinity") {
        return Some(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY });
    }
    if text.eq_ignore_ascii_case("nan") {
        return Some(f64::NAN);
    }
    syntax::float(text)
}

/// Returns the text without a point and zeros at its end.
fn without_zero_fraction(text: &str) -> &str {
    let mut has_zero = false;
    for (index, byte) in text.bytes().enumerate().rev() {
        match byte {
            b'.' if has_zero => return &text[..index],
            b'.' => {}
            b'0' => has_zero = true,
            _ => break,
        }
    }
    text
}
