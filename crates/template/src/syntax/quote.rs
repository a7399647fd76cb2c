//! Strings in double quotes with Go's escapes, as errors and printed nodes show them.

use crate::format;

/// Returns a text in double quotes. Quotes, backslashes and characters that are not printable are escaped.
pub(super) fn quote(text: &str) -> String {
    format::quote(text.as_bytes())
}

/// Returns a piece of a template in double quotes for an error; after ten characters it is cut.
pub(super) fn quote_cut(text: &str) -> String {
    if text.len() <= 10 {
        return quote(text);
    }
    let end = text.char_indices().nth(10).map_or(text.len(), |(index, _)| index);
    quote(&text[..end]) + "..."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_are_not_printable_are_escaped() {
        for (text, expected) in [
            ("a\"b\\", r#""a\"b\\""#),
            ("\u{7}\u{8}\u{c}\n\r\t\u{b}", r#""\a\b\f\n\r\t\v""#),
            ("\0\u{7f}\u{a0}\u{feff}\u{e0001}", r#""\x00\x7f\u00a0\ufeff\U000e0001""#),
            ("é世😀", "\"é世😀\""),
        ] {
            assert_eq!(quote(text), expected);
        }
    }

    #[test]
    fn long_pieces_are_cut_after_ten_characters() {
        for (text, expected) in
            [("0123456789", "\"0123456789\""), ("0123456789a", "\"0123456789\"..."), ("éééééééé", "\"éééééééé\"...")]
        {
            assert_eq!(quote_cut(text), expected);
        }
    }
}
