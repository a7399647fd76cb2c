//! Reading of YAML as sigs.k8s.io/yaml does it: only the first document, through JSON.

use kubewright_machinery::yaml::{self, YamlError};
use serde_json::Value;

/// Reads the first document of a text; null if there is none.
pub(super) fn read(text: &[u8]) -> Result<Value, String> {
    read_with(text, yaml::first_document)
}

/// Reads some fields of the first document of a text.
pub(super) fn read_fields(text: &[u8], names: &[&str]) -> Result<Value, String> {
    read_with(text, |text| yaml::fields_of_first_document(text, names))
}

fn read_with(text: &[u8], read: impl FnOnce(&str) -> Result<Value, YamlError>) -> Result<Value, String> {
    let Ok(text) = std::str::from_utf8(text) else {
        return Err("error converting YAML to JSON: yaml: invalid leading UTF-8 octet".to_owned());
    };
    if has_unusual_bytes(text) && text.chars().any(is_control) {
        return Err("error converting YAML to JSON: yaml: control characters are not allowed".to_owned());
    }
    read(text).map_err(|error| format!("error converting YAML to JSON: {}", message(text, &error)))
}

/// Returns true for a text with bytes that are neither printable ASCII nor usual white space. Most texts have none, which is seen many bytes at a time.
fn has_unusual_bytes(text: &str) -> bool {
    let is_unusual = |byte: u8| !matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~');
    text.as_bytes().chunks(64).any(|chunk| chunk.iter().fold(false, |found, byte| found | is_unusual(*byte)))
}

/// Returns true for the characters that go-yaml refuses in any text.
fn is_control(character: char) -> bool {
    matches!(character, '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\x7f'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}')
}

/// Returns the error of a text, worded as go-yaml's where the reason is the same.
fn message(text: &str, error: &YamlError) -> String {
    let YamlError::Invalid { line, column, reason } = error else { return format!("yaml: {error}") };
    if ["json: ", "unsupported map key"].iter().any(|start| reason.starts_with(start)) {
        return reason.clone();
    }
    let reason = reason
        .rsplit_once(", ")
        .filter(|(context, _)| context.starts_with("while "))
        .map_or(reason.as_str(), |(_, reason)| reason);
    let last = text.trim_end().chars().next_back();
    let (reason, line) = match reason {
        "found unknown anchor" => {
            let name = text.lines().nth(*line as usize - 1).and_then(|line| line.get(*column as usize..)).unwrap_or_default();
            let name: String = name
                .chars()
                .take_while(|character| character.is_ascii_alphanumeric() || matches!(character, '_' | '-'))
                .collect();
            return format!("yaml: unknown anchor '{name}' referenced");
        }
        "unclosed bracket '['" | "unclosed bracket '{'" => {
            // The line is that of the end of the text.
            let end = text.lines().count() as u64 + 1;
            let reason = match (last, reason.ends_with("['")) {
                (Some('[' | '{' | ',' | ':'), _) => "did not find expected node content",
                (_, true) => "did not find expected ',' or ']'",
                (_, false) => "did not find expected ',' or '}'",
            };
            (reason, end)
        }
        "expected ',' or ']'" => ("did not find expected ',' or ']'", *line),
        "unexpected EOF while parsing an implicit flow mapping" => ("did not find expected node content", *line),
        "simple key expected ':'" => ("could not find expected ':'", line + 1),
        "unclosed quote" => ("found unexpected end of stream", text.lines().count() as u64),
        reason if reason.starts_with("unexpected character") => ("found character that cannot start any token", *line),
        reason => (reason, *line),
    };
    // go-yaml counts lines from 0 where the parser found the error, from 1 where the scanner did, and does not tell the first one.
    let is_of_parser = reason.starts_with("did not find expected") && !reason.contains("hexadecimal");
    let line = if is_of_parser { line - 1 } else { line };
    let is_told = if is_of_parser { line > 0 } else { line > 1 };
    let place = if is_told { format!("line {line}: ") } else { String::new() };
    format!("yaml: {place}{reason}")
}
