//! Numbers in the forms of the verbs of `printf`.

use super::flags::PrintFlags;
use super::{FloatForm, format_float, is_printable, quote_character};
use crate::value::IntegerType;

/// Writes an integer. The result is false if the verb is none of integers.
pub(super) fn write_integer(output: &mut Vec<u8>, value: i128, type_: IntegerType, verb: char, flags: &PrintFlags) -> bool {
    let hexadecimal = PrintFlags { sharp: true, ..*flags };
    let (digits, prefix) = match verb {
        'v' if flags.syntax && type_.is_unsigned() => {
            return write_integer(output, value, type_, 'x', &PrintFlags { syntax: false, ..hexadecimal });
        }
        'v' | 'd' => (format!("{}", value.unsigned_abs()), ""),
        'b' => (format!("{:b}", value.unsigned_abs()), "0b"),
        'o' | 'O' => (format!("{:o}", value.unsigned_abs()), ""),
        'x' => (format!("{:x}", value.unsigned_abs()), "0x"),
        'X' => (format!("{:X}", value.unsigned_abs()), "0X"),
        'c' => {
            let text = character(value).to_string();
            flags.pad(output, text.as_bytes());
            return true;
        }
        'q' => {
            flags.pad(output, quote_character(character(value), flags.plus).as_bytes());
            return true;
        }
        'U' => {
            write_code_point(output, value, flags);
            return true;
        }
        _ => return false,
    };
    let flags = flags.without_precision_of(value);
    let Some((minimum, flags)) = flags else {
        // A zero of no digits is only padding.
        let blanks = PrintFlags { zero: false, precision: None, ..hexadecimal };
        blanks.pad(output, b"");
        return true;
    };
    let mut text = String::new();
    text.push_str(match () {
        () if value < 0 => "-",
        () if flags.plus => "+",
        () if flags.space => " ",
        () => "",
    });
    if verb == 'O' {
        text.push_str("0o");
    }
    let sign = usize::from(value < 0 || flags.plus || flags.space);
    let minimum = match minimum {
        Some(minimum) => minimum,
        None if flags.zero && !flags.minus => flags.width.unwrap_or(0).saturating_sub(sign),
        None => 0,
    };
    let zeros = minimum.saturating_sub(digits.len());
    if flags.sharp {
        text.push_str(prefix);
        if matches!(verb, 'o' | 'O') && zeros == 0 && !digits.starts_with('0') {
            text.push('0');
        }
    }
    text.extend(std::iter::repeat_n('0', zeros));
    text.push_str(&digits);
    flags.without_zero().pad(output, text.as_bytes());
    true
}

impl PrintFlags {
    /// Returns the least number of digits that the precision asks for; None if the value is a zero that shall have no digits.
    fn without_precision_of(self, value: i128) -> Option<(Option<usize>, Self)> {
        (self.precision != Some(0) || value != 0).then_some((self.precision, self))
    }
}

/// Writes a float. The result is false if the verb is none of floats.
pub(super) fn write_float(output: &mut Vec<u8>, value: f64, verb: char, flags: &PrintFlags) -> bool {
    let (form, default) = match verb {
        'v' | 'g' | 'G' => (FloatForm::General, None),
        'e' | 'E' => (FloatForm::Exponent, Some(6)),
        'f' | 'F' => (FloatForm::Fixed, Some(6)),
        'b' => (FloatForm::Binary, None),
        'x' | 'X' => (FloatForm::Hexadecimal, None),
        _ => return false,
    };
    let precision = flags.precision.or(default);
    let text = format_float(value, form, precision);
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(&text)),
    };
    let sign = match () {
        () if is_negative => "-",
        () if flags.plus => "+",
        () if flags.space => " ",
        // Infinity has its sign only if one is asked for, as positive numbers.
        () if value.is_infinite() => "+",
        () => "",
    };
    if !value.is_finite() {
        let text = format!("{sign}{digits}");
        flags.without_zero().pad(output, text.as_bytes());
        return true;
    }
    let mut digits = digits.to_owned();
    if flags.sharp && form != FloatForm::Binary {
        digits = with_point(&digits, verb, precision);
    }
    if matches!(verb, 'E' | 'G' | 'X') {
        digits.make_ascii_uppercase();
    }
    if flags.zero && !flags.minus && !sign.is_empty() {
        // The sign stands before the zeros.
        output.extend_from_slice(sign.as_bytes());
        let rest = flags.width.map(|width| width.saturating_sub(sign.len()));
        PrintFlags { width: rest, ..*flags }.pad(output, digits.as_bytes());
    } else {
        flags.pad(output, format!("{sign}{digits}").as_bytes());
    }
    true
}

/// Returns the digits of a number with a decimal point, and for the general form with the zeros that it leaves out.
fn with_point(text: &str, verb: char, precision: Option<usize>) -> String {
    let is_hexadecimal = matches!(verb, 'x' | 'X');
    let end = text.find(if is_hexadecimal { ['p', 'P'] } else { ['e', 'E'] }).unwrap_or(text.len());
    let (digits, exponent) = text.split_at(end);
    let wanted = if matches!(verb, 'v' | 'g' | 'G' | 'x') { precision.unwrap_or(6) } else { 0 };
    let significant = digits.trim_start_matches(['0', '.']);
    let mut present = significant.bytes().filter(|byte| *byte != b'.').count();
    let mut text = digits.to_owned();
    if !digits.contains('.') {
        present += usize::from(digits == "0");
        text.push('.');
    }
    text.extend(std::iter::repeat_n('0', wanted.saturating_sub(present)));
    text + exponent
}

/// Writes a code point: `U+0041`, with the sharp flag `U+0041 'A'`.
fn write_code_point(output: &mut Vec<u8>, value: i128, flags: &PrintFlags) {
    let value = value as u64;
    let digits = flags.precision.unwrap_or(0).max(4);
    let hexadecimal = format!("{value:X}");
    let mut text = String::from("U+");
    text.extend(std::iter::repeat_n('0', digits.saturating_sub(hexadecimal.len())));
    text.push_str(&hexadecimal);
    if let Some(character) =
        u32::try_from(value).ok().and_then(char::from_u32).filter(|character| flags.sharp && is_printable(*character))
    {
        text.extend([' ', '\'', character, '\'']);
    }
    flags.without_zero().pad(output, text.as_bytes());
}

/// Returns the character of a number, U+FFFD if there is none.
fn character(value: i128) -> char {
    u32::try_from(value).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}
