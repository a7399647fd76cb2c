//! Values that are a number or a text: ports and percentages.

use std::fmt;

use serde_json::Value;
use thiserror::Error;

/// A whole number, or a text: the name of a port, or a percentage.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum IntOrString {
    /// A number.
    Int(i64),
    /// A text.
    String(String),
}

/// The error of a value that is neither a number nor a usable text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("invalid value {found}: must be a whole number or a percentage such as \"25%\"")]
pub struct IntOrStringError {
    found: String,
}

impl IntOrString {
    /// Reads a field of an object; none for values that are neither.
    pub fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => number.as_i64().map(Self::Int),
            Value::String(text) => Some(Self::String(text.clone())),
            _ => None,
        }
    }

    /// Returns the number itself, or the share of `total` that a percentage means, rounded up or down.
    pub fn scaled(&self, total: i64, round_up: bool) -> Result<i64, IntOrStringError> {
        let text = match self {
            Self::Int(number) => return Ok(*number),
            Self::String(text) => text,
        };
        let percent = text.strip_suffix('%').and_then(|digits| digits.parse::<i64>().ok());
        let percent = percent.ok_or_else(|| IntOrStringError { found: format!("{text:?}") })?;
        let hundredths = i128::from(percent) * i128::from(total);
        let share = if round_up { (hundredths + 99).div_euclid(100) } else { hundredths.div_euclid(100) };
        i64::try_from(share).map_err(|_| IntOrStringError { found: format!("{text:?}") })
    }
}

impl fmt::Display for IntOrString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(number) => number.fmt(f),
            Self::String(text) => f.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn percentages_scale_and_numbers_stand() {
        let value = |value: Value| IntOrString::from_value(&value).unwrap();
        assert_eq!(value(json!(3)).scaled(10, true), Ok(3));
        assert_eq!(value(json!("25%")).scaled(10, true), Ok(3));
        assert_eq!(value(json!("25%")).scaled(10, false), Ok(2));
        assert_eq!(value(json!("0%")).scaled(10, true), Ok(0));
        assert_eq!(
            value(json!("x")).scaled(1, true).unwrap_err().to_string(),
            "invalid value \"x\": must be a whole number or a percentage such as \"25%\""
        );
        assert_eq!(IntOrString::from_value(&json!(1.5)), None);
    }
}
