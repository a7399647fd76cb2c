//! Quoted texts and characters in Go's syntax, as `strconv.Quote` and its relatives give them.

use std::fmt::Write as _;
use std::sync::LazyLock;

use regex::Regex;

/// The characters that print: letters, marks, numbers, punctuation and symbols, of the version of Unicode that Go has.
static PRINTABLE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^[[\p{L}\p{M}\p{N}\p{P}\p{S}]&&\p{age=15.0}]$").expect("the pattern is constant"));

/// Returns the text between double quotes, with escapes for characters that do not print; bytes that are no UTF-8 become `\xff`.
pub(crate) fn quote(text: &[u8]) -> String {
    quoted(text, false)
}

/// Returns the text between double quotes, with escapes for characters that do not print and for all outside of ASCII.
pub(crate) fn quote_ascii(text: &[u8]) -> String {
    quoted(text, true)
}

/// Returns the character between single quotes.
pub(crate) fn quote_character(character: char, is_ascii: bool) -> String {
    let mut quoted = String::from("'");
    push_escaped(&mut quoted, character, '\'', is_ascii);
    quoted.push('\'');
    quoted
}

/// Returns true if the text can stand between backquotes: one line without control characters other than tabs.
pub(crate) fn can_backquote(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| {
        text.chars().all(|character| match character {
            '\t' => true,
            '`' | '\u{7f}' | '\u{feff}' => false,
            other => other >= ' ',
        })
    })
}

/// Returns true if the character prints, as `strconv.IsPrint` says. The only blank that prints is that of ASCII.
pub(crate) fn is_printable(character: char) -> bool {
    if character.is_ascii() {
        return matches!(character, ' '..='~');
    }
    PRINTABLE.is_match(character.encode_utf8(&mut [0; 4]))
}

fn quoted(text: &[u8], is_ascii: bool) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            push_escaped(&mut quoted, character, '"', is_ascii);
        }
        for byte in chunk.invalid() {
            let _ = write!(quoted, "\\x{byte:02x}");
        }
    }
    quoted.push('"');
    quoted
}

fn push_escaped(output: &mut String, character: char, quote: char, is_ascii: bool) {
    if character == quote || character == '\\' {
        output.push('\\');
        output.push(character);
        return;
    }
    if is_printable(character) && (character.is_ascii() || !is_ascii) {
        output.push(character);
        return;
    }
    let _ = match character {
        '\x07' => output.write_str("\\a"),
        '\x08' => output.write_str("\\b"),
        '\x0c' => output.write_str("\\f"),
        '\n' => output.write_str("\\n"),
        '\r' => output.write_str("\\r"),
        '\t' => output.write_str("\\t"),
        '\x0b' => output.write_str("\\v"),
        '\0'..='\x1f' | '\x7f' => write!(output, "\\x{:02x}", u32::from(character)),
        '\0'..='\u{ffff}' => write!(output, "\\u{:04x}", u32::from(character)),
        _ => write!(output, "\\U{:08x}", u32::from(character)),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_do_not_print_are_escaped() {
        for (text, quoted, ascii) in [
            (&b"a\"b\\c'"[..], r#""a\"b\\c'""#, r#""a\"b\\c'""#),
            (b"\x07\x08\x0c\n\r\t\x0b\0\x1f\x7f", r#""\a\b\f\n\r\t\v\x00\x1f\x7f""#, r#""\a\b\f\n\r\t\v\x00\x1f\x7f""#),
            ("é☃😀".as_bytes(), "\"é☃😀\"", r#""\u00e9\u2603\U0001f600""#),
            (
                "\u{a0}\u{2028}\u{feff}\u{e000}\u{85}".as_bytes(),
                r#""\u00a0\u2028\ufeff\ue000\u0085""#,
                r#""\u00a0\u2028\ufeff\ue000\u0085""#,
            ),
            ("\u{fffd}".as_bytes(), "\"\u{fffd}\"", r#""\ufffd""#),
            (b"a\xffb\xe2\x82", r#""a\xffb\xe2\x82""#, r#""a\xffb\xe2\x82""#),
        ] {
            assert_eq!(quote(text), quoted);
            assert_eq!(quote_ascii(text), ascii);
        }
    }

    #[test]
    fn characters_are_quoted_alone() {
        assert_eq!(quote_character('A', false), "'A'");
        assert_eq!(quote_character('\'', false), r"'\''");
        assert_eq!(quote_character('"', false), "'\"'");
        assert_eq!(quote_character('é', true), r"'\u00e9'");
    }

    #[test]
    fn texts_of_one_line_without_backquotes_can_be_backquoted() {
        assert!(can_backquote(b"a \"b\"\t\\"));
        for text in [&b"a`"[..], b"a\n", b"\x7f", b"\xff", "\u{feff}".as_bytes()] {
            assert!(!can_backquote(text));
        }
    }
}
