//! The values of numbers: integers of all bases, and decimal and hexadecimal floats.

use super::quote::quote;
use super::tree::NumberLiteral;

/// Returns the value of a number. Numbers without the form of a float are integers; a float without fraction is an integer, too.
pub(super) fn number(literal: &str) -> Result<NumberLiteral, String> {
    let mut number = NumberLiteral {
        integer: None,
        unsigned: None,
        float: None,
        complex: complex(literal),
        is_character: false,
        literal: literal.into(),
    };
    if let Some((real, imaginary)) = number.complex {
        if imaginary == 0.0 {
            number.float = Some(real);
            number.integer = exact_i64(real);
            number.unsigned = exact_u64(real);
        }
        return Ok(number);
    }
    number.unsigned = unsigned(literal);
    number.integer = signed(literal);
    if number.integer == Some(0) {
        number.unsigned = Some(0);
    }
    if let Some(integer) = number.integer {
        number.float = Some(integer as f64);
    } else if let Some(unsigned) = number.unsigned {
        number.float = Some(unsigned as f64);
    } else if let Some(float) = float(literal) {
        if !literal.contains(['.', 'e', 'E', 'p', 'P']) {
            return Err(format!("integer overflow: {}", quote(literal)));
        }
        number.float = Some(float);
        number.integer = exact_i64(float);
        number.unsigned = exact_u64(float);
    } else {
        return Err(format!("illegal number syntax: {}", quote(literal)));
    }
    Ok(number)
}

/// Returns the real and the imaginary part of `2i` or `1+2i`.
fn complex(literal: &str) -> Option<(f64, f64)> {
    let number = literal.strip_suffix('i')?;
    if let Some(imaginary) = float(number) {
        return Some((0.0, imaginary));
    }
    number.rmatch_indices(['+', '-']).find_map(|(sign, _)| {
        let (real, imaginary) = number.split_at(sign);
        Some((float(real)?, float(imaginary)?))
    })
}

/// Returns the value of an integer of any base, with or without a sign, as `strconv.ParseInt` reads it for base 0.
pub(crate) fn signed(text: &str) -> Option<i64> {
    match text.strip_prefix('-') {
        Some(text) => 0i64.checked_sub_unsigned(unsigned(text)?),
        None => i64::try_from(unsigned(text.strip_prefix('+').unwrap_or(text))?).ok(),
    }
}

/// Returns the value of an integer without sign: hexadecimal, octal or binary with a prefix, octal with a leading zero, else decimal.
fn unsigned(text: &str) -> Option<u64> {
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', _, ..] => (&text[2..], 16),
        [b'0', b'o' | b'O', _, ..] => (&text[2..], 8),
        [b'0', b'b' | b'B', _, ..] => (&text[2..], 2),
        [b'0', _, ..] => (&text[1..], 8),
        _ => (text, 10),
    };
    if digits.starts_with(['+', '-']) || !underscores_separate_digits(text) {
        return None;
    }
    u64::from_str_radix(&digits.replace('_', ""), radix).ok()
}

/// Returns true if each underscore stands between two digits, or between the prefix of a base and a digit.
fn underscores_separate_digits(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text).as_bytes();
    let (has_prefix, is_hexadecimal) = match text {
        [b'0', base @ (b'x' | b'X' | b'o' | b'O' | b'b' | b'B'), ..] => (true, base.eq_ignore_ascii_case(&b'x')),
        _ => (false, false),
    };
    let digits = if has_prefix { &text[2..] } else { text };
    let is_digit = |byte: &u8| byte.is_ascii_digit() || is_hexadecimal && byte.is_ascii_hexdigit();
    digits.iter().enumerate().filter(|(_, byte)| **byte == b'_').all(|(index, _)| {
        let follows = index.checked_sub(1).map_or(has_prefix, |before| is_digit(&digits[before]));
        follows && digits.get(index + 1).is_some_and(is_digit)
    })
}

/// Returns the value of a finite decimal or hexadecimal float.
pub(crate) fn float(text: &str) -> Option<f64> {
    if !underscores_separate_digits(text) {
        return None;
    }
    let plain = text.replace('_', "");
    let (is_negative, magnitude) = match plain.strip_prefix(['+', '-']) {
        Some(magnitude) => (plain.starts_with('-'), magnitude),
        None => (false, &*plain),
    };
    let value = match magnitude.strip_prefix("0x").or_else(|| magnitude.strip_prefix("0X")) {
        Some(hexadecimal) => hexadecimal_float(hexadecimal)?,
        // The conversion alone would accept names such as `inf`, too.
        None if magnitude.starts_with(|first: char| first.is_ascii_digit() || first == '.') => magnitude.parse().ok()?,
        None => return None,
    };
    value.is_finite().then_some(if is_negative { -value } else { value })
}

/// Returns the value of a hexadecimal float without its prefix, rounded half to even. The binary exponent is mandatory.
fn hexadecimal_float(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once(['p', 'P'])?;
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent_digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    if integer.len() + fraction.len() == 0 || exponent_digits.is_empty() {
        return None;
    }
    // An exponent of this size gives zero or infinity, whatever stands before it.
    const LARGE: i64 = 1 << 40;
    let magnitude = exponent_digits
        .bytes()
        .try_fold(0i64, |number, digit| digit.is_ascii_digit().then(|| (number * 10 + i64::from(digit - b'0')).min(LARGE)))?;
    let mut scale = if exponent.starts_with('-') { -magnitude } else { magnitude };
    scale -= 4 * fraction.len() as i64;

    // The first 60 bits or more, and in the lowest bit whether anything follows: all that rounding needs.
    let mut bits = 0u64;
    for digit in integer.chars().chain(fraction.chars()) {
        let digit = u64::from(digit.to_digit(16)?);
        if bits >> 60 == 0 {
            bits = bits << 4 | digit;
        } else {
            bits |= u64::from(digit != 0);
            scale += 4;
        }
    }
    Some(scaled(bits, scale))
}

/// Returns `bits * 2^scale`, rounded once.
fn scaled(bits: u64, scale: i64) -> f64 {
    if bits == 0 {
        return 0.0;
    }
    let shift = i64::from(bits.leading_zeros());
    let normal = bits << shift;
    // The value is 1.… times two to this power.
    let power = scale - shift + 63;
    if power > 1023 {
        return f64::INFINITY;
    }
    // Normal numbers have 53 bits; subnormal ones have fewer, the smaller the fewer.
    let dropped = if power >= -1022 { 11 } else { (11 - 1022 - power).min(65) };
    let wide = u128::from(normal);
    let kept = (wide >> dropped) as u64;
    let rest = wide & ((1 << dropped) - 1);
    let half = 1 << (dropped - 1);
    let rounded = kept + u64::from(rest > half || rest == half && kept & 1 == 1);
    // A carry out of the mantissa raises the exponent, as rounding up to the next power of two does.
    let exponent = if power >= -1022 { ((power + 1022) as u64) << 52 } else { 0 };
    f64::from_bits(exponent + rounded)
}

fn exact_i64(float: f64) -> Option<i64> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    ((-LIMIT..LIMIT).contains(&float) && float.fract() == 0.0).then_some(float as i64)
}

fn exact_u64(float: f64) -> Option<u64> {
    const LIMIT: f64 = 18_446_744_073_709_551_616.0;
    ((0.0..LIMIT).contains(&float) && float.fract() == 0.0).then_some(float as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Values = (Option<i64>, Option<u64>, Option<f64>);

    fn values(literal: &str) -> Values {
        let number = number(literal).unwrap();
        (number.integer, number.unsigned, number.float)
    }

    #[test]
    fn integers_have_bases_signs_and_underscores() {
        for (literal, expected) in [
            ("0", 0),
            ("42", 42),
            ("0755", 0o755),
            ("0_7", 7),
            ("0o17", 15),
            ("0x_Ff", 255),
            ("0b1_01", 5),
            ("1_000", 1000),
            ("9223372036854775807", i64::MAX),
        ] {
            assert_eq!(values(literal), (Some(expected), Some(expected as u64), Some(expected as f64)), "{literal}");
        }
        assert_eq!(values("-7"), (Some(-7), None, Some(-7.0)));
        assert_eq!(values("+7"), (Some(7), None, Some(7.0)));
        assert_eq!(values("-0"), (Some(0), Some(0), Some(0.0)));
        assert_eq!(values("18446744073709551615"), (None, Some(u64::MAX), Some(18_446_744_073_709_551_615.0)));
        assert_eq!(values("-9223372036854775808"), (Some(i64::MIN), None, Some(-9_223_372_036_854_775_808.0)));
    }

    #[test]
    fn floats_without_fraction_are_integers_too() {
        for (literal, expected) in [
            ("1.5", (None, None, Some(1.5))),
            (".5", (None, None, Some(0.5))),
            ("5.", (Some(5), Some(5), Some(5.0))),
            ("1e3", (Some(1000), Some(1000), Some(1000.0))),
            ("-1e3", (Some(-1000), None, Some(-1000.0))),
            ("1_0.2_5", (None, None, Some(10.25))),
            ("1e19", (None, Some(10_000_000_000_000_000_000), Some(1e19))),
            ("1e20", (None, None, Some(1e20))),
            ("0x1p-2", (None, None, Some(0.25))),
            ("0x1.8p1", (Some(3), Some(3), Some(3.0))),
            ("-0X.8P0", (None, None, Some(-0.5))),
        ] {
            assert_eq!(values(literal), expected, "{literal}");
        }
    }

    #[test]
    fn hexadecimal_floats_are_rounded_once() {
        for (literal, expected) in [
            ("0x1.fffffffffffffp1023", f64::MAX),
            ("0x1.00000000000008p0", 1.0),
            ("0x1.00000000000018p0", 1.0 + 2.0 * f64::EPSILON),
            ("0x1.000000000000080000000000000001p0", 1.0 + f64::EPSILON),
            ("0x1p-1074", f64::from_bits(1)),
            ("0x1p-1075", 0.0),
            ("0x1.8p-1075", f64::from_bits(1)),
            ("0x1.fffffffffffff8p-1023", f64::MIN_POSITIVE),
            ("0x1p-99999999999999999999", 0.0),
            ("0x0p99999999999999999999", 0.0),
        ] {
            assert_eq!(float(literal), Some(expected), "{literal}");
        }
        assert_eq!(float("0x1.fffffffffffff8p1023"), None);
    }

    #[test]
    fn complex_numbers_have_two_parts() {
        for (literal, expected) in [
            ("2i", (0.0, 2.0)),
            ("1+2i", (1.0, 2.0)),
            ("-1.5-0.5i", (-1.5, -0.5)),
            ("1e+5i", (0.0, 1e5)),
            ("1e+2-1e-2i", (100.0, -0.01)),
        ] {
            assert_eq!(number(literal).unwrap().complex, Some(expected), "{literal}");
        }
        assert_eq!(values("3+0i"), (Some(3), Some(3), Some(3.0)));
    }

    #[test]
    fn malformed_numbers_are_refused() {
        for (literal, expected) in [
            ("+", "illegal number syntax: \"+\""),
            (".", "illegal number syntax: \".\""),
            ("0x", "illegal number syntax: \"0x\""),
            ("0x1.8", "illegal number syntax: \"0x1.8\""),
            ("1__0", "illegal number syntax: \"1__0\""),
            ("1_", "illegal number syntax: \"1_\""),
            ("1e999", "illegal number syntax: \"1e999\""),
            ("08", "integer overflow: \"08\""),
            ("99999999999999999999", "integer overflow: \"99999999999999999999\""),
            ("1+i", "illegal number syntax: \"1+i\""),
            ("0x1i", "illegal number syntax: \"0x1i\""),
        ] {
            assert_eq!(number(literal).unwrap_err(), expected);
        }
    }
}
