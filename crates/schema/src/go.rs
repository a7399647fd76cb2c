//! Values as errors of a server written in Go print them.

use std::fmt::Write as _;

use serde_json::Value;

/// Returns the Go type of a value, as `%T` prints it.
pub fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

/// Returns a value as `%v` prints it.
pub fn go_value(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(go_value).collect::<Vec<_>>().join(" ")),
        Value::Object(members) => {
            let members: Vec<_> = members.iter().map(|(name, value)| format!("{name}:{}", go_value(value))).collect();
            format!("map[{}]", members.join(" "))
        }
        other => other.to_string(),
    }
}

/// Returns a value as `%#v` prints it.
pub fn go_syntax(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::Array(items) => format!("[]interface {{}}{{{}}}", items.iter().map(go_syntax).collect::<Vec<_>>().join(", ")),
        Value::Object(members) => {
            let members: Vec<_> = members.iter().map(|(name, value)| format!("{name:?}:{}", go_syntax(value))).collect();
            format!("map[string]interface {{}}{{{}}}", members.join(", "))
        }
        other => other.to_string(),
    }
}

/// Returns a string as `%q` prints it.
pub fn go_quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for letter in text.chars() {
        go_letter(letter, '"', &mut quoted);
    }
    quoted.push('"');
    quoted
}

/// Returns a character in single quotes, as Go's JSON decoder prints it.
pub fn go_quoted_letter(letter: char) -> String {
    let mut quoted = String::from('\'');
    go_letter(letter, '\'', &mut quoted);
    quoted.push('\'');
    quoted
}

fn go_letter(letter: char, quote: char, out: &mut String) {
    let short = match letter {
        '\u{7}' => 'a',
        '\u{8}' => 'b',
        '\u{b}' => 'v',
        '\u{c}' => 'f',
        '\n' => 'n',
        '\r' => 'r',
        '\t' => 't',
        '\\' => '\\',
        letter if letter == quote => letter,
        letter => {
            // Writing to a string cannot fail.
            let _ = match u32::from(letter) {
                code @ (..=0x1f | 0x7f) => write!(out, "\\x{code:02x}"),
                code @ 0x80..=0x9f => write!(out, "\\u{code:04x}"),
                _ => write!(out, "{letter}"),
            };
            return;
        }
    };
    out.push('\\');
    out.push(short);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_as_in_go() {
        for (text, quoted) in [
            ("a'b", r#""a'b""#),
            ("\"\\\n\t", r#""\"\\\n\t""#),
            ("\0\u{1}\u{7}\u{7f}\u{81}é😀", "\"\\x00\\x01\\a\\x7f\\u0081é😀\""),
        ] {
            assert_eq!(go_quoted(text), quoted);
        }
        assert_eq!(['\'', '"', '}', '\0'].map(go_quoted_letter), ["'\\''", "'\"'", "'}'", "'\\x00'"]);
    }
}
