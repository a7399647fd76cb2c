//! Escapes for other languages: `html`, `js`, `urlquery`.

use super::joined;
use crate::format::is_printable;
use crate::value::GoValue;

/// `html`: the arguments as text of an HTML document.
pub(super) fn html(arguments: &[GoValue]) -> GoValue {
    let text = joined(arguments);
    let mut escaped = Vec::with_capacity(text.len());
    for byte in text.as_bytes() {
        match byte {
            0 => escaped.extend_from_slice("\u{FFFD}".as_bytes()),
            b'"' => escaped.extend_from_slice(b"&#34;"),
            b'\'' => escaped.extend_from_slice(b"&#39;"),
            b'&' => escaped.extend_from_slice(b"&amp;"),
            b'<' => escaped.extend_from_slice(b"&lt;"),
            b'>' => escaped.extend_from_slice(b"&gt;"),
            other => escaped.push(*other),
        }
    }
    GoValue::string(escaped)
}

/// `js`: the arguments as text inside a string of JavaScript.
pub(super) fn js(arguments: &[GoValue]) -> GoValue {
    let text = joined(arguments);
    let mut escaped = Vec::with_capacity(text.len());
    for chunk in text.as_bytes().utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\\' | '\'' | '"' => escaped.extend_from_slice(&[b'\\', character as u8]),
                '<' | '>' | '&' | '=' | '\0'..' ' => escaped.extend_from_slice(unicode_escape(character).as_bytes()),
                ' '..='\u{7F}' => escaped.push(character as u8),
                _ if is_printable(character) => escaped.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
                _ => escaped.extend_from_slice(unicode_escape(character).as_bytes()),
            }
        }
        for byte in chunk.invalid() {
            // Go reads such a byte as U+FFFD, which it prints, and then writes the byte itself.
            escaped.push(*byte);
        }
    }
    GoValue::string(escaped)
}

/// `urlquery`: the arguments as a value in the query of a URL.
pub(super) fn url_query(arguments: &[GoValue]) -> GoValue {
    let text = joined(arguments);
    let mut escaped = Vec::with_capacity(text.len());
    for byte in text.as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => escaped.push(*byte),
            b' ' => escaped.push(b'+'),
            other => escaped.extend_from_slice(format!("%{other:02X}").as_bytes()),
        }
    }
    GoValue::string(escaped)
}

fn unicode_escape(character: char) -> String {
    format!("\\u{:04X}", u32::from(character))
}
