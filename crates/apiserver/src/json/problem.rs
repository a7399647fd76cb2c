//! Syntax errors of documents, in the words of the real server's decoder.

use kubewright_schema::go::go_quoted_letter;

use super::UnreadableJson;
use super::walk::{Nest, Tokens};

/// Returns the error text for a body that cannot be read.
pub(crate) fn problem(body: &[u8], error: &UnreadableJson) -> String {
    let letter_at = |at: usize| body.get(at).map_or_else(String::new, |byte| go_quoted_letter(char::from(*byte)));
    let error = match error {
        UnreadableJson::Syntax(error) => error,
        UnreadableJson::TooDeep(at) => return format!("invalid character {} exceeded max depth", letter_at(*at)),
    };
    if error.is_eof() {
        return "unexpected end of JSON input".to_owned();
    }
    let at = offset_of(body, error);
    format!("invalid character {} {}", letter_at(at), what(body, at, &error.to_string()))
}

/// Returns the decoder's description of the position of an error. It is derived from the error text of the library, which has no other form.
fn what(body: &[u8], at: usize, text: &str) -> String {
    let starts = |texts: &[&str]| texts.iter().any(|start| text.starts_with(start));
    let after_value = || match innermost(body, at) {
        Some(Nest::List) => "after array element",
        Some(Nest::Object) => "after object key:value pair",
        None => "after top-level value",
    };
    let is_key = || innermost(body, at) == Some(Nest::Object);
    match () {
        () if starts(&["trailing characters"]) => "after top-level value",
        () if starts(&["expected `:`"]) => "after object key",
        () if starts(&["key must be a string"]) => "looking for beginning of object key string",
        () if starts(&["trailing comma"]) && is_key() => "looking for beginning of object key string",
        () if starts(&["expected `,` or"]) => after_value(),
        // The number ended at an invalid position, after a leading zero.
        () if starts(&["invalid number"]) && body.get(at).is_some_and(u8::is_ascii_digit) => after_value(),
        () if starts(&["control character"]) => "in string literal",
        () if starts(&["invalid escape"]) => "in string escape code",
        () if at == 0 || starts(&["expected value", "trailing comma"]) => "looking for beginning of value",
        () => return text.to_owned(),
    }
    .to_owned()
}

/// Returns the byte offset of a problem.
pub(super) fn offset_of(text: &[u8], error: &serde_json::Error) -> usize {
    let lines = text.split_inclusive(|byte| *byte == b'\n').take(error.line().saturating_sub(1));
    lines.map(<[u8]>::len).sum::<usize>() + error.column().saturating_sub(1)
}

/// Returns the innermost list or object that encloses a position.
fn innermost(text: &[u8], at: usize) -> Option<Nest> {
    let mut tokens = Tokens::of(text.get(..at).unwrap_or(text));
    while tokens.next().is_some() {}
    tokens.innermost()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    // REQ-5
    #[test]
    fn json_syntax_errors_have_the_messages_of_the_real_server() {
        for (text, told) in [
            (r#"{"a"}"#, "invalid character '}' after object key"),
            (r#"{"a":1,}"#, "invalid character '}' looking for beginning of object key string"),
            ("[1,]", "invalid character ']' looking for beginning of value"),
            ("{'a':1}", r"invalid character '\'' looking for beginning of object key string"),
            (r#"{"a":{"b":01}}"#, "invalid character '1' after object key:value pair"),
            ("[[1}]", "invalid character '}' after array element"),
            (r#"{"a":1]"#, "invalid character ']' after object key:value pair"),
            ("[\"a\u{1}b\"]", r"invalid character '\x01' in string literal"),
            (r#"["\x"]"#, "invalid character 'x' in string escape code"),
            ("\0", r"invalid character '\x00' looking for beginning of value"),
            ("{} x", "invalid character 'x' after top-level value"),
            ("[?]", "invalid character '?' looking for beginning of value"),
            ("{", "unexpected end of JSON input"),
        ] {
            assert_eq!(problem(text.as_bytes(), &parse(text.as_bytes()).unwrap_err()), told);
        }
    }
}
