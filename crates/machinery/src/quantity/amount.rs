//! Resource quantities: `500m`, `1.5Gi`, `2e3`.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde_json::Value;
use thiserror::Error;

/// An amount of a resource, exact to a billionth. Compares by amount, prints in canonical form.
#[derive(Clone, Copy, Debug)]
pub struct Quantity {
    nanos: i128,
    notation: Notation,
}

/// The error of a text that is not a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum QuantityError {
    /// The text does not have the form of a quantity.
    #[error("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")]
    Format,
    /// The number before the suffix is invalid.
    #[error("unable to parse numeric part of quantity")]
    Number,
    /// The suffix is unknown.
    #[error("unable to parse quantity's suffix")]
    Suffix,
}

/// The notation of an amount, in which it is read and printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notation {
    /// The suffixes `k`, `M`, `m`.
    Decimal,
    /// The suffix `e3`.
    Exponent,
    /// The suffixes `Ki`, `Mi`.
    Binary,
}

const ONE: i128 = 1_000_000_000;
const MILLI: i128 = 1_000_000;
/// The largest amount, to which larger ones are cut.
const MOST: i128 = i64::MAX as i128 * ONE;

/// The decimal suffixes, each with its power of ten.
const DECIMAL: [(&str, i32); 10] =
    [("n", -9), ("u", -6), ("m", -3), ("", 0), ("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18)];
/// The binary suffixes; each is 1024 times the previous one.
const BINARY: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

impl Quantity {
    /// Reads a quantity.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let number_length = unsigned.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(unsigned.len());
        let (number, suffix) = unsigned.split_at(number_length);
        if number.is_empty() || !is_suffix(suffix) {
            return Err(QuantityError::Format);
        }
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if fraction.contains('.') || whole.len() + fraction.len() == 0 {
            return Err(QuantityError::Number);
        }
        let (notation, scale) = read_suffix(suffix)?;
        let nanos = scale.nanos(whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
        Ok(Self { nanos: if text.starts_with('-') { -nanos } else { nanos }, notation })
    }

    /// Reads a quantity from a field: a string or a number.
    pub fn from_value(value: &Value) -> Result<Self, QuantityError> {
        match value {
            Value::String(text) => Self::parse(text.trim()),
            Value::Number(number) => Self::parse(&number.to_string()),
            _ => Err(QuantityError::Format),
        }
    }

    /// Creates a whole amount.
    pub fn from_units(units: i64) -> Self {
        Self { nanos: i128::from(units) * ONE, notation: Notation::Decimal }
    }

    /// Returns the amount in whole units, rounded away from zero.
    pub fn units(&self) -> i64 {
        round_up(self.nanos, ONE) as i64
    }

    /// Returns the amount in thousandths, rounded away from zero.
    pub fn millis(&self) -> i128 {
        round_up(self.nanos, MILLI)
    }

    /// Rounds the amount to whole thousandths, away from zero, as resource lists store it.
    pub fn rounded_to_milli(self) -> Self {
        Self { nanos: self.millis() * MILLI, ..self }
    }

    /// Returns true if the amount is zero.
    pub fn is_zero(&self) -> bool {
        self.nanos == 0
    }

    /// Returns true if the amount is below zero.
    pub fn is_negative(&self) -> bool {
        self.nanos < 0
    }

    /// Returns the canonical text that the server prints for this amount in its notation.
    pub fn canonical(&self) -> String {
        self.to_string()
    }

    fn write_decimal(self, f: &mut fmt::Formatter<'_>, exponents: bool) -> fmt::Result {
        let (mut mantissa, mut exponent) = (self.nanos, -9);
        while exponent < 18 && mantissa % 1000 == 0 {
            mantissa /= 1000;
            exponent += 3;
        }
        if exponents && exponent != 0 {
            return write!(f, "{mantissa}e{exponent}");
        }
        let suffix = DECIMAL.iter().find(|(_, power)| *power == exponent).map_or("", |(suffix, _)| *suffix);
        write!(f, "{mantissa}{suffix}")
    }

    fn write_binary(self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut mantissa, mut suffix) = (self.nanos / ONE, "");
        for next in BINARY {
            if mantissa % 1024 != 0 {
                break;
            }
            mantissa /= 1024;
            suffix = next;
        }
        write!(f, "{mantissa}{suffix}")
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_zero() {
            return f.write_str("0");
        }
        match self.notation {
            // Small and fractional amounts have no exact binary form.
            Notation::Binary if self.nanos.abs() >= 1024 * ONE && self.nanos % ONE == 0 => self.write_binary(f),
            Notation::Binary | Notation::Decimal => self.write_decimal(f, false),
            Notation::Exponent => self.write_decimal(f, true),
        }
    }
}

impl FromStr for Quantity {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        self.nanos.cmp(&other.nanos)
    }
}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.nanos == other.nanos
    }
}

impl Eq for Quantity {}

/// The factor of a suffix.
enum SuffixScale {
    Ten(i32),
    Two(u32),
}

impl SuffixScale {
    /// Returns `whole.fraction` times the scale in billionths, rounded up, cut to the largest amount.
    fn nanos(&self, whole: &str, fraction: &str) -> i128 {
        // 40 digits reach beyond the largest amount and below the finest one; further digits only matter for rounding.
        const DIGITS: usize = 40;
        let fraction_length = fraction.len() as i32;
        let digits = format!("{whole}{fraction}");
        let digits = digits.trim_start_matches('0');
        if digits.is_empty() {
            return 0;
        }
        let factor = match self {
            Self::Ten(_) => 1,
            Self::Two(power) => 1_i128 << power,
        };
        let power = match self {
            Self::Ten(power) => power.saturating_sub(fraction_length),
            Self::Two(_) => -fraction_length,
        };
        // The amount is digits * factor * 10^(power + 9) billionths.
        let shift = power.saturating_add(9);
        let length = digits.len() as i32;
        if length.saturating_add(shift) > DIGITS as i32 {
            return MOST;
        }
        if shift >= 0 {
            let text = format!("{digits}{}", "0".repeat(shift as usize));
            return text.parse::<i128>().ok().and_then(|value| value.checked_mul(factor)).map_or(MOST, cut);
        }
        divide_up(digits, factor, shift.unsigned_abs() as usize)
    }
}

/// Computes `digits` * `factor` / 10^`places`, rounded up.
fn divide_up(digits: &str, factor: i128, places: usize) -> i128 {
    if places > digits.len() + 30 {
        return 1;
    }
    // Long multiplication, because the digits may exceed any integer type.
    let mut product = Vec::with_capacity(digits.len() + 20);
    let mut carry = 0_i128;
    for digit in digits.bytes().rev() {
        carry += i128::from(digit - b'0') * factor;
        product.push((carry % 10) as u8);
        carry /= 10;
    }
    while carry > 0 {
        product.push((carry % 10) as u8);
        carry /= 10;
    }
    let broken = product.iter().take(places).any(|digit| *digit > 0);
    let mut value = 0_i128;
    for digit in product.iter().skip(places).rev() {
        let Some(next) = value.checked_mul(10) else {
            return MOST;
        };
        value = next + i128::from(*digit);
    }
    cut(value + i128::from(broken))
}

fn cut(nanos: i128) -> i128 {
    nanos.min(MOST)
}

fn round_up(nanos: i128, unit: i128) -> i128 {
    let (whole, rest) = (nanos / unit, nanos % unit);
    whole + rest.signum()
}

/// Returns true for `[eEinumkKMGTP]*[-+]?[0-9]*`.
fn is_suffix(suffix: &str) -> bool {
    let rest = suffix.trim_start_matches(|c| "eEinumkKMGTP".contains(c));
    let rest = rest.strip_prefix(['-', '+']).unwrap_or(rest);
    rest.bytes().all(|byte| byte.is_ascii_digit())
}

fn read_suffix(suffix: &str) -> Result<(Notation, SuffixScale), QuantityError> {
    if let Some((_, power)) = DECIMAL.iter().find(|(known, _)| *known == suffix) {
        return Ok((Notation::Decimal, SuffixScale::Ten(*power)));
    }
    if let Some(index) = BINARY.iter().position(|known| *known == suffix) {
        return Ok((Notation::Binary, SuffixScale::Two(10 * (index as u32 + 1))));
    }
    let exponent = suffix.strip_prefix(['e', 'E']).and_then(|digits| digits.parse().ok());
    exponent.map(|power| (Notation::Exponent, SuffixScale::Ten(power))).ok_or(QuantityError::Suffix)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    // NRM-4
    #[test]
    fn quantities_print_in_canonical_form() {
        for (text, canonical) in [
            ("1000m", "1"),
            ("1024Mi", "1Gi"),
            ("1.5Gi", "1536Mi"),
            ("0.5", "500m"),
            ("1500m", "1500m"),
            ("100000", "100k"),
            ("10000", "10k"),
            ("1234567", "1234567"),
            ("1e3", "1e3"),
            ("1000e-3", "1"),
            ("1E", "1E"),
            ("1E3", "1e3"),
            ("12e6", "12e6"),
            ("1.2e6", "1200e3"),
            ("0", "0"),
            ("0Mi", "0"),
            ("-1.5", "-1500m"),
            ("512Ki", "512Ki"),
            ("+1", "1"),
            ("0.1Ki", "102400m"),
            ("1Ki", "1Ki"),
            ("0.5Ki", "512"),
            ("1500Mi", "1500Mi"),
            ("00012", "12"),
            (".5", "500m"),
            ("1.", "1"),
            ("100u", "100u"),
            ("1n", "1n"),
            ("0.1n", "1n"),
            ("1025", "1025"),
            ("2048", "2048"),
            ("1.000", "1"),
            ("9Ei", "9223372036854775807"),
            ("1e400", "9223372036854775807"),
            ("1e-400", "1e-9"),
        ] {
            assert_eq!(Quantity::parse(text).unwrap().canonical(), canonical, "{text}");
        }
    }

    #[test]
    fn an_invalid_quantity_is_refused_with_the_reason() {
        for (text, error) in [
            ("", QuantityError::Format),
            ("abc", QuantityError::Format),
            ("1x", QuantityError::Format),
            ("1.2.3", QuantityError::Number),
            (".", QuantityError::Number),
            ("1KI", QuantityError::Format),
            ("1mm", QuantityError::Suffix),
            ("1K", QuantityError::Suffix),
            ("1e", QuantityError::Suffix),
            ("1i", QuantityError::Suffix),
            ("1 Gi", QuantityError::Format),
            ("--1", QuantityError::Format),
        ] {
            assert_eq!(Quantity::parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn amounts_compare_and_round() {
        let quantity = |text| Quantity::parse(text).unwrap();
        assert!(quantity("1Gi") > quantity("1G") && quantity("1000m") == quantity("1") && quantity("-1") < quantity("0"));
        assert_eq!((quantity("1.2").units(), quantity("-1.2").units(), quantity("1500m").millis()), (2, -2, 1500));
        assert_eq!(quantity("1u").rounded_to_milli().canonical(), "1m");
        assert_eq!(Quantity::from_value(&json!(2)).unwrap().canonical(), "2");
        assert_eq!(Quantity::from_value(&json!(0.25)).unwrap().canonical(), "250m");
        assert!(Quantity::from_value(&json!([])).is_err());
    }

    proptest! {
        #[test]
        fn canonical_forms_are_stable_and_equal_what_they_stand_for(
            whole in 0..2_000_000_u64, fraction in "(\\.[0-9]{1,12})?",
            suffix in prop::sample::select(vec!["", "n", "u", "m", "k", "M", "Ki", "Mi", "Gi", "e2", "e-4", "E5"]),
        ) {
            let quantity = Quantity::parse(&format!("{whole}{fraction}{suffix}")).unwrap();
            let again = Quantity::parse(&quantity.canonical()).unwrap();
            prop_assert_eq!(again, quantity);
            prop_assert_eq!(again.canonical(), quantity.canonical());
        }

        #[test]
        fn no_text_makes_the_parser_fail_badly(text in "[-+0-9.eEinumkKMGTP]{0,30}") {
            let _ = Quantity::parse(&text).map(|quantity| quantity.canonical());
        }

        #[test]
        fn order_is_that_of_the_numbers(a in -1_000_000..1_000_000_i64, b in -1_000_000..1_000_000_i64) {
            let quantity = |millis: i64| Quantity::parse(&format!("{millis}m")).unwrap();
            prop_assert_eq!(quantity(a).cmp(&quantity(b)), a.cmp(&b));
            prop_assert_eq!(quantity(a).millis(), i128::from(a));
        }
    }
}
