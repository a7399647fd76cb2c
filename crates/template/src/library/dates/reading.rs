//! The smallest parts of texts of times: digits, names, fractions.

use std::fmt::Write as _;

use self::ElementError::{Malformed, OutOfRange};
use super::layout::Padding;

/// The reason for which an element cannot be read.
#[derive(Debug)]
pub(super) enum ElementError {
    /// The text has another form.
    Malformed,
    /// The number is too large; the text names it.
    OutOfRange(&'static str),
}

/// Takes bytes from the beginning of a text.
pub(super) fn take<'a>(rest: &mut &'a [u8], length: usize) -> Result<&'a [u8], ElementError> {
    let (taken, following) = rest.split_at_checked(length).ok_or(Malformed)?;
    *rest = following;
    Ok(taken)
}

/// Returns the text without blanks at its beginning.
pub(super) fn without_blanks(text: &[u8]) -> &[u8] {
    &text[text.iter().take_while(|byte| **byte == b' ').count()..]
}

/// Skips blanks that fill a number up.
pub(super) fn skip_blanks(rest: &mut &[u8], padding: Padding, most: usize) {
    if padding == Padding::Blank {
        let blanks = rest.iter().take(most).take_while(|byte| **byte == b' ').count();
        *rest = &rest[blanks..];
    }
}

/// Returns true if the byte of an index is a digit.
pub(super) fn is_digit(text: &[u8], index: usize) -> bool {
    text.get(index).is_some_and(u8::is_ascii_digit)
}

/// Takes a number of one or two digits; of two if it is filled up with zeros.
pub(super) fn number(rest: &mut &[u8], padding: Padding) -> Result<i64, ElementError> {
    let digits = match (is_digit(rest, 0), is_digit(rest, 1)) {
        (true, true) => 2,
        (true, false) if padding != Padding::Zero => 1,
        _ => return Err(Malformed),
    };
    integer(take(rest, digits)?)
}

/// Returns the value of digits with an optional sign.
pub(super) fn integer(text: &[u8]) -> Result<i64, ElementError> {
    let digits = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    let add =
        |value: i64, byte: &u8| byte.is_ascii_digit().then(|| value.saturating_mul(10).saturating_add(i64::from(byte - b'0')));
    let size = digits.iter().try_fold(0, add).ok_or(Malformed)?;
    Ok(if text.starts_with(b"-") { -size } else { size })
}

/// Refuses a number out of a range.
pub(super) fn in_range(value: i64, first: i64, last: i64, name: &'static str) -> Result<(), ElementError> {
    if (first..=last).contains(&value) { Ok(()) } else { Err(OutOfRange(name)) }
}

/// Takes a name, in letters of any case, and returns its index.
pub(super) fn name_index<'n>(rest: &mut &[u8], names: impl Iterator<Item = &'n str>) -> Result<i64, ElementError> {
    for (index, name) in names.enumerate() {
        if rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes())) {
            *rest = &rest[name.len()..];
            return Ok(index as i64);
        }
    }
    Err(Malformed)
}

/// Returns the length of a fraction with its separator, if the text begins with one.
pub(super) fn fraction_length(text: &[u8]) -> Option<usize> {
    let digits = text.iter().skip(1).take_while(|byte| byte.is_ascii_digit()).count();
    (matches!(text.first(), Some(b'.' | b',')) && digits > 0).then_some(digits + 1)
}

/// Returns the nanoseconds of a fraction with its separator. Digits behind the ninth do not count.
pub(super) fn nanoseconds(text: &[u8]) -> Result<i64, ElementError> {
    let [b'.' | b',', digits @ ..] = text else { return Err(Malformed) };
    let digits = &digits[..digits.len().min(9)];
    let value = integer(digits)?;
    in_range(value, 0, i64::MAX, "fractional second")?;
    Ok(value * 10i64.pow(9 - digits.len() as u32))
}

/// Returns the text between double quotes; bytes that are no printing characters of ASCII are escaped.
pub(super) fn quoted(text: &[u8]) -> String {
    let mut quoted = String::from("\"");
    for byte in text {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(*byte)]),
            b' '..=0x7f => quoted.push(char::from(*byte)),
            _ => drop(write!(quoted, "\\x{byte:02x}")),
        }
    }
    quoted.push('"');
    quoted
}
