//! Classes of characters, as Go's `unicode` package defines them, and characters in errors.

use std::sync::LazyLock;

use regex::Regex;

use crate::format::is_printable;

/// The white space that separates operands and that trim markers remove.
pub(super) const SPACES: [char; 4] = [' ', '\t', '\r', '\n'];

static LETTER_OR_DIGIT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^[\p{L}\p{Nd}]").expect("the pattern is constant"));

/// Returns true for a byte of [`SPACES`].
pub(super) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Returns true for a character that may stand in a name: a letter, a decimal digit, or `_`. The classes of the standard library are wider: they have
/// combining marks and letter-like numbers too.
pub(super) fn is_alphanumeric(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_alphanumeric() || character == '_';
    }
    character.is_alphanumeric() && matches(&LETTER_OR_DIGIT, character)
}

/// Returns a character for an error, as Go's `%#U` does: `U+0040 '@'`.
pub(super) fn code_point(character: char) -> String {
    let number = u32::from(character);
    if is_printable(character) { format!("U+{number:04X} '{character}'") } else { format!("U+{number:04X}") }
}

fn matches(class: &Regex, character: char) -> bool {
    class.is_match(character.encode_utf8(&mut [0; 4]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_consist_of_letters_and_decimal_digits() {
        for (character, expected) in [
            ('a', true),
            ('_', true),
            ('7', true),
            ('é', true),
            ('世', true),
            ('٣', true),
            ('-', false),
            ('½', false),
            ('Ⅷ', false),
            ('ि', false),
        ] {
            assert_eq!(is_alphanumeric(character), expected, "{character:?}");
        }
    }

    #[test]
    fn code_points_show_printable_characters() {
        for (character, expected) in
            [('@', "U+0040 '@'"), ('\u{7}', "U+0007"), ('€', "U+20AC '€'"), ('\u{a0}', "U+00A0"), ('😀', "U+1F600 '😀'")]
        {
            assert_eq!(code_point(character), expected);
        }
    }
}
