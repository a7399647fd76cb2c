//! Texts of floating-point numbers, as Go's `strconv.FormatFloat` gives them.

/// The largest number of digits that the exact decimal form of a `f64` can have after its point; further ones are zeros.
const MAXIMUM_FRACTION: usize = 1100;

/// The least number of digits of a shortest text that another text of the same length can be as near to the number as.
const TIE: usize = 15;

/// The form of a number's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloatForm {
    /// `-1.5e+06`: `%e`.
    Exponent,
    /// `-1500000`: `%f`.
    Fixed,
    /// The exponent form for very small and very large numbers, the fixed form for others: `%g`.
    General,
    /// `-4503599627370496p-52`: `%b`.
    Binary,
    /// `-0x1.8p+20`: `%x`.
    Hexadecimal,
}

/// Returns the text of a number, with the number of digits that the form counts, or with as few digits as identify the number.
pub(crate) fn format_float(value: f64, form: FloatForm, precision: Option<usize>) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let value = value.abs();
    let text = match form {
        FloatForm::Exponent => DecimalDigits::new(value, precision).exponent(precision),
        FloatForm::Fixed => fixed(value, precision),
        FloatForm::General => general(value, precision),
        FloatForm::Binary => binary(value),
        FloatForm::Hexadecimal => hexadecimal(value, precision),
    };
    format!("{sign}{text}")
}

/// Returns the shortest text of a number, as `%v` prints it: `1e+06` for a million.
pub(crate) fn shortest_float(value: f64) -> String {
    format_float(value, FloatForm::General, None)
}

/// Returns the text of a finite number in JSON: fixed from 1e-6 up to 1e21, and an exponent without padding for others.
pub(crate) fn json_float(value: f64) -> String {
    if value == 0.0 || (1e-6..1e21).contains(&value.abs()) {
        return format_float(value, FloatForm::Fixed, None);
    }
    let text = format_float(value, FloatForm::Exponent, None);
    // `e-09` is written as `e-9`; exponents above 20 always have two digits.
    match text.split_once("e-0") {
        Some((digits, exponent)) => format!("{digits}e-{exponent}"),
        None => text,
    }
}

/// The decimal digits of a number without zeros at the end, and the exponent of the first one.
struct DecimalDigits {
    digits: String,
    exponent: i32,
}

impl DecimalDigits {
    /// Returns the digits with the given number of them after the first, or as few as identify the number.
    fn new(value: f64, fraction: Option<usize>) -> Self {
        if let Some(fraction) = fraction {
            return Self::parse(&format!("{value:.*e}", fraction.min(MAXIMUM_FRACTION)));
        }
        let shortest = Self::parse(&format!("{value:e}"));
        if shortest.digits.len() < TIE {
            return shortest;
        }
        // Of two equally near texts, Go takes that with the even digit.
        let even = format!("{value:.*e}", shortest.digits.len() - 1);
        if even.parse() == Ok(value) { Self::parse(&even) } else { shortest }
    }

    fn parse(text: &str) -> Self {
        let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
        Self { digits: digits.trim_end_matches('0').to_owned(), exponent: exponent.parse().unwrap_or(0) }
    }

    fn exponent(&self, fraction: Option<usize>) -> String {
        let mut digits = self.digits.clone();
        let length = fraction.map_or_else(|| digits.len().max(1), |fraction| fraction.saturating_add(1));
        digits.extend(std::iter::repeat_n('0', length.saturating_sub(digits.len())));
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        let sign = if self.exponent < 0 { '-' } else { '+' };
        format!("{first}{point}{rest}e{sign}{:02}", self.exponent.abs())
    }

    fn general(&self, precision: Option<usize>) -> String {
        let length = self.digits.len() as i32;
        let bound = match precision {
            None => 6,
            // Digits that are not there do not keep a number in the fixed form.
            Some(precision) if precision as i32 > length && length > self.exponent => length,
            Some(precision) => precision as i32,
        };
        if self.exponent < -4 || self.exponent >= bound {
            return self.exponent(Some(self.digits.len().saturating_sub(1)));
        }
        self.plain()
    }

    /// Returns the digits in the fixed form, all of them.
    fn plain(&self) -> String {
        let length = self.digits.len() as i32;
        if length == 0 {
            return "0".to_owned();
        }
        if self.exponent < 0 {
            return format!("0.{}{}", "0".repeat((-self.exponent - 1) as usize), self.digits);
        }
        let whole = self.exponent + 1;
        if whole >= length {
            return format!("{}{}", self.digits, "0".repeat((whole - length) as usize));
        }
        let (before, after) = self.digits.split_at(whole as usize);
        format!("{before}.{after}")
    }
}

fn fixed(value: f64, precision: Option<usize>) -> String {
    let Some(precision) = precision else { return DecimalDigits::new(value, None).plain() };
    let mut text = format!("{value:.*}", precision.min(MAXIMUM_FRACTION));
    text.extend(std::iter::repeat_n('0', precision.saturating_sub(MAXIMUM_FRACTION)));
    text
}

fn general(value: f64, precision: Option<usize>) -> String {
    let precision = precision.map(|precision| precision.clamp(1, MAXIMUM_FRACTION));
    DecimalDigits::new(value, precision.map(|precision| precision - 1)).general(precision)
}

/// Returns the mantissa as an integer and the exponent of its lowest bit.
fn parts(value: f64) -> (u64, i32) {
    let bits = value.to_bits();
    let (mantissa, exponent) = (bits & ((1 << 52) - 1), (bits >> 52) as i32 & 0x7ff);
    if exponent == 0 { (mantissa, -1074) } else { (mantissa | 1 << 52, exponent - 1075) }
}

fn binary(value: f64) -> String {
    let (mantissa, exponent) = parts(value);
    format!("{mantissa}p{exponent:+}")
}

fn hexadecimal(value: f64, precision: Option<usize>) -> String {
    /// The number of bits behind the point: one more hexadecimal digit than a mantissa has, for rounding.
    const FRACTION: u32 = 60;
    let (mantissa, exponent) = parts(value);
    if mantissa == 0 {
        let zeros = "0".repeat(precision.unwrap_or(0));
        return format!("0x0{}{zeros}p+00", if zeros.is_empty() { "" } else { "." });
    }
    let shift = mantissa.leading_zeros() - (63 - FRACTION);
    let mut mantissa = mantissa << shift;
    let mut exponent = exponent - shift as i32 + FRACTION as i32;
    if let Some(precision) = precision.filter(|precision| *precision < 15) {
        let dropped = FRACTION - 4 * precision as u32;
        let (rest, half) = (mantissa & ((1 << dropped) - 1), 1 << (dropped - 1));
        mantissa >>= dropped;
        if rest > half || (rest == half && mantissa & 1 == 1) {
            mantissa += 1;
        }
        mantissa <<= dropped;
        if mantissa >> (FRACTION + 1) != 0 {
            mantissa >>= 1;
            exponent += 1;
        }
    }
    let mut fraction = format!("{:015x}", mantissa & ((1 << FRACTION) - 1));
    match precision {
        None => fraction.truncate(fraction.trim_end_matches('0').len()),
        Some(precision) => {
            fraction.truncate(precision);
            fraction.extend(std::iter::repeat_n('0', precision.saturating_sub(fraction.len())));
        }
    }
    let point = if fraction.is_empty() { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("0x1{point}{fraction}p{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_text_has_an_exponent_below_a_ten_thousandth_and_from_a_large_number_of_digits_on() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (3.0, "3"),
            (1.5, "1.5"),
            (100_000.0, "100000"),
            (123_456.0, "123456"),
            (1e6, "1e+06"),
            (-1e6, "-1e+06"),
            (1_234_567.0, "1.234567e+06"),
            (100_000_000.5, "1.000000005e+08"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (5e-324, "5e-324"),
            (1e100, "1e+100"),
            (2_645_976_868_745_450.0 / 16.0, "1.6537355429659062e+14"),
            (f64::INFINITY, "+Inf"),
            (f64::NEG_INFINITY, "-Inf"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(shortest_float(value), text);
        }
    }

    #[test]
    fn digits_are_rounded_to_the_precision() {
        use FloatForm::{Binary, Exponent, Fixed, General, Hexadecimal};
        for (value, form, precision, text) in [
            (12345.678, Exponent, Some(6), "1.234568e+04"),
            (0.0, Exponent, Some(2), "0.00e+00"),
            (1e-7, Exponent, None, "1e-07"),
            (2.5, Fixed, Some(0), "2"),
            (0.125, Fixed, Some(2), "0.12"),
            (1e21, Fixed, None, "1000000000000000000000"),
            (12345.678, General, Some(3), "1.23e+04"),
            (100_000.0, General, Some(20), "100000"),
            (100.0, General, Some(3), "100"),
            (100.0, General, Some(2), "1e+02"),
            (0.1, General, Some(20), "0.10000000000000000555"),
            (0.0, General, Some(0), "0"),
            (1.0, Binary, None, "4503599627370496p-52"),
            (1.0, Hexadecimal, None, "0x1p+00"),
            (-1.5, Hexadecimal, None, "-0x1.8p+00"),
            (1.999, Hexadecimal, Some(0), "0x1p+01"),
            (0.0, Hexadecimal, Some(2), "0x0.00p+00"),
            (5e-324, Hexadecimal, None, "0x1p-1074"),
        ] {
            assert_eq!(format_float(value, form, precision), text, "{value} {form:?} {precision:?}");
        }
        assert_eq!(format_float(1.5, Fixed, Some(70_000)).len(), 70_002);
    }

    #[test]
    fn json_has_exponents_below_a_millionth_and_from_1e21_on() {
        for (value, text) in [
            (1e6, "1000000"),
            (1e-6, "0.000001"),
            (1e-7, "1e-7"),
            (1.5e-10, "1.5e-10"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (-0.0, "-0"),
        ] {
            assert_eq!(json_float(value), text);
        }
    }
}
