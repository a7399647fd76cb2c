//! Types of plain scalars, as go-yaml resolves them.

use serde_json::{Number, Value};

/// A plain scalar by its type.
#[derive(Clone, Debug, PartialEq)]
pub enum PlainScalar {
    /// `null`, `~`, or nothing.
    Null,
    /// `true`, `yes`, `on`, `y`, and their opposites.
    Bool(bool),
    /// An integer of 64 bits, in decimal, hexadecimal, octal or binary.
    Integer(i128),
    /// Any other number, infinity, or no number.
    Float(f64),
    /// A date or a time, which is read as a text.
    Timestamp,
    /// A text.
    Text,
}

impl PlainScalar {
    /// Returns the type of a scalar in YAML 1.1, as go-yaml v2 resolves it, with its value if it is no text.
    pub fn resolve(text: &str) -> Self {
        if let Some(first) = text.as_bytes().first()
            && !may_begin_value(*first)
        {
            return Self::Text;
        }
        match text {
            "" | "~" | "null" | "Null" | "NULL" => return Self::Null,
            "true" | "True" | "TRUE" | "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => return Self::Bool(true),
            "false" | "False" | "FALSE" | "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => return Self::Bool(false),
            ".nan" | ".NaN" | ".NAN" => return Self::Float(f64::NAN),
            ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => return Self::Float(f64::INFINITY),
            "-.inf" | "-.Inf" | "-.INF" => return Self::Float(f64::NEG_INFINITY),
            _ => {}
        }
        match text.as_bytes().first() {
            Some(b'.') => float(text).map_or(Self::Text, Self::Float),
            Some(b'0'..=b'9' | b'+' | b'-') => {
                if is_timestamp(text) {
                    return Self::Timestamp;
                }
                let plain = text.replace('_', "");
                let number = integer(&plain).map(Self::Integer).or_else(|| float(&plain).map(Self::Float));
                number.unwrap_or(Self::Text)
            }
            _ => Self::Text,
        }
    }

    /// Returns the type of a scalar in YAML 1.2, as go-yaml v3 resolves it: `yes`, `no`, `on`, `off`, `y` and `n` are texts.
    pub fn resolve_as_yaml_1_2(text: &str) -> Self {
        match Self::resolve(text) {
            Self::Bool(_) if !text.eq_ignore_ascii_case("true") && !text.eq_ignore_ascii_case("false") => Self::Text,
            scalar => scalar,
        }
    }

    /// Returns the JSON of a scalar that has this type. A number that JSON does not have is an error with its text in Go.
    pub fn value(&self, text: &str) -> Result<Value, &'static str> {
        match self {
            Self::Null => Ok(Value::Null),
            Self::Bool(value) => Ok((*value).into()),
            Self::Integer(number) => Ok(match (i64::try_from(*number), u64::try_from(*number)) {
                (Ok(number), _) => number.into(),
                (_, Ok(number)) => number.into(),
                _ => text.into(),
            }),
            Self::Float(number) => match Number::from_f64(*number) {
                Some(number) => Ok(Value::Number(number)),
                None if number.is_nan() => Err("NaN"),
                None if *number > 0.0 => Err("+Inf"),
                None => Err("-Inf"),
            },
            Self::Timestamp | Self::Text => Ok(text.into()),
        }
    }
}

/// Returns true for the first byte of a scalar that may be no text. Most scalars are texts, which is seen by their first byte.
const fn may_begin_value(byte: u8) -> bool {
    matches!(byte, b'~' | b'.' | b'+' | b'-' | b'0'..=b'9' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'y' | b'Y' | b'o' | b'O')
}

/// Returns the value of a finite decimal number.
fn float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(end) => (&unsigned[..end], Some(&unsigned[end + 1..])),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let has_digits = !whole.is_empty() || !fraction.is_empty();
    let is_exponent = |exponent: &str| {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !digits.is_empty() && are_digits(digits)
    };
    if !has_digits || !are_digits(whole) || !are_digits(fraction) || !exponent.is_none_or(is_exponent) {
        return None;
    }
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

fn are_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the value of an integer of 64 bits in one of Go's notations.
fn integer(text: &str) -> Option<i128> {
    let (sign, unsigned) = match (text.strip_prefix('+'), text.strip_prefix('-')) {
        (Some(unsigned), _) => (Some(1), unsigned),
        (None, Some(unsigned)) => (Some(-1), unsigned),
        (None, None) => (None, text),
    };
    let prefixed = |prefix: &str| unsigned.get(..2).filter(|start| start.eq_ignore_ascii_case(prefix)).map(|_| &unsigned[2..]);
    let (digits, radix) = if let Some(digits) = prefixed("0x") {
        (digits, 16)
    } else if let Some(digits) = prefixed("0b") {
        (digits, 2)
    } else if let Some(digits) = prefixed("0o") {
        (digits, 8)
    } else if unsigned.len() > 1 && unsigned.starts_with('0') {
        (&unsigned[1..], 8)
    } else {
        (unsigned, 10)
    };
    // The digits of a binary number may have a sign of their own.
    if digits.starts_with(['+', '-']) && !(radix == 2 && unsigned.starts_with("0b") && sign.is_none()) {
        return None;
    }
    let number =
        sign.unwrap_or(1) * i128::from_str_radix(digits, radix).ok().filter(|number| number.unsigned_abs() <= 1 << 64)?;
    let is_wide = sign.is_none() && u64::try_from(number).is_ok();
    (is_wide || i64::try_from(number).is_ok()).then_some(number)
}

/// Returns true for a date that exists, alone or with a time.
fn is_timestamp(text: &str) -> bool {
    let mut rest = TimestampFields(text);
    let (Some(year), true) = (rest.number(4, 4), rest.take("-")) else { return false };
    let (Some(month), true) = (rest.number(1, 2), rest.take("-")) else { return false };
    let Some(day) = rest.number(1, 2) else { return false };
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        _ => 31,
    };
    if !(1..=12).contains(&month) || !(1..=days).contains(&day) {
        return false;
    }
    if rest.0.is_empty() {
        return true;
    }
    if rest.take("T") || rest.take("t") {
        return rest.time() && (rest.take("Z") || rest.offset()) && rest.0.is_empty();
    }
    let length = rest.0.len();
    rest.0 = rest.0.trim_start_matches(' ');
    rest.0.len() < length && rest.time() && rest.0.is_empty()
}

/// The fields of a timestamp, and the part of its text that is not read yet.
struct TimestampFields<'a>(&'a str);

impl TimestampFields<'_> {
    fn take(&mut self, text: &str) -> bool {
        let rest = self.0.strip_prefix(text);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// Reads a number of at least and at most so many digits.
    fn number(&mut self, least: usize, most: usize) -> Option<u32> {
        let length = self.0.bytes().take(most).take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.0.split_at(length);
        self.0 = rest;
        (length >= least).then(|| digits.parse().ok()).flatten()
    }

    fn time(&mut self) -> bool {
        let is_time = self.number(1, 2).is_some_and(|hour| hour < 24)
            && self.take(":")
            && self.number(1, 2).is_some_and(|minute| minute < 60)
            && self.take(":")
            && self.number(1, 2).is_some_and(|second| second < 60);
        let is_digit = |digit: char| digit.is_ascii_digit();
        if let Some(fraction) = self.0.strip_prefix(['.', ',']).filter(|fraction| is_time && fraction.starts_with(is_digit)) {
            self.0 = fraction.trim_start_matches(is_digit);
        }
        is_time
    }

    fn offset(&mut self) -> bool {
        (self.take("+") || self.take("-"))
            && self.number(2, 2).is_some_and(|hour| hour <= 24)
            && self.take(":")
            && self.number(2, 2).is_some_and(|minute| minute <= 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_notations_of_go() {
        for (text, number) in [
            ("1", 1),
            ("-1", -1),
            ("+1", 1),
            ("0x1F", 31),
            ("-0x1f", -31),
            ("0b11", 3),
            ("0b-1", -1),
            ("010", 8),
            ("0o17", 15),
            ("1_000", 1000),
            ("-0", 0),
            ("18446744073709551615", i128::from(u64::MAX)),
        ] {
            assert_eq!(PlainScalar::resolve(text), PlainScalar::Integer(number), "{text}");
        }
        for (text, number) in [
            ("1.5", 1.5),
            ("1.", 1.0),
            (".5", 0.5),
            ("1e3", 1000.0),
            ("089", 89.0),
            ("18446744073709551616", 18_446_744_073_709_551_616.0),
        ] {
            assert_eq!(PlainScalar::resolve(text), PlainScalar::Float(number), "{text}");
        }
    }

    #[test]
    fn booleans_of_yaml_1_2_are_true_and_false() {
        for text in ["yes", "No", "on", "OFF", "y", "N", "tRue"] {
            assert_eq!(PlainScalar::resolve_as_yaml_1_2(text), PlainScalar::Text, "{text}");
        }
        assert_eq!(PlainScalar::resolve_as_yaml_1_2("True"), PlainScalar::Bool(true));
        assert_eq!(PlainScalar::resolve_as_yaml_1_2("010"), PlainScalar::Integer(8));
    }

    #[test]
    fn dates_that_exist_are_timestamps() {
        for text in
            ["2020-01-02", "2020-1-2", "2020-02-29", "2020-01-02T03:04:05Z", "2020-01-02 03:04:05", "2020-01-02t3:4:5.123+01:00"]
        {
            assert_eq!(PlainScalar::resolve(text), PlainScalar::Timestamp, "{text}");
        }
    }

    #[test]
    fn everything_else_is_text() {
        for text in [
            "a",
            "yEs",
            "tRue",
            ".",
            "..",
            ".5.",
            "1.2.3",
            "1e",
            "e3",
            "0x",
            "0xg",
            "1e999",
            "2020-13-01",
            "2021-02-29",
            "2020-01-02T25:00:00Z",
            "2020-01-02T03:04:05",
            "10.0.0.1",
            "12:30:45",
            "=",
            "<<",
            "-",
            "+",
            "--1",
            "infinity",
            "nan",
            "100m",
            "0b12",
            "_1",
            "0x-1",
            "+-1",
            "é",
        ] {
            assert_eq!(PlainScalar::resolve(text), PlainScalar::Text, "{text}");
        }
    }
}
