//! JSON texts of values, as Go's `encoding/json` gives them.

use std::fmt::Write as _;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::budget::EncodingBudget;
use crate::format::{json_float, shortest_float};
use crate::value::{GoObject, GoValue};

/// The look of a JSON text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct JsonStyle {
    /// One line per value, indented by two blanks per level.
    pub(super) is_pretty: bool,
    /// `<`, `>` and `&` are written as they are.
    pub(super) is_raw: bool,
}

/// Returns the JSON text of a value.
pub(super) fn write(value: &GoValue, style: JsonStyle) -> Result<String, String> {
    let mut writer = JsonWriter { output: String::new(), style, budget: EncodingBudget::new() };
    writer.value(value, 0)?;
    Ok(writer.output)
}

/// Returns the JSON text of a number, or the error of one that JSON does not have.
pub(super) fn number(value: f64) -> Result<String, String> {
    if value.is_finite() { Ok(json_float(value)) } else { Err(format!("json: unsupported value: {}", shortest_float(value))) }
}

struct JsonWriter {
    output: String,
    style: JsonStyle,
    budget: EncodingBudget,
}

impl JsonWriter {
    fn value(&mut self, value: &GoValue, depth: usize) -> Result<(), String> {
        let start = self.output.len();
        EncodingBudget::check_text(start)?;
        match value {
            GoValue::Nil => self.output.push_str("null"),
            GoValue::Bool(value) => self.output.push_str(if *value { "true" } else { "false" }),
            GoValue::Integer(value, _) => {
                let _ = write!(self.output, "{value}");
            }
            GoValue::Float(value) => self.output.push_str(&number(*value)?),
            GoValue::String(text) => self.text(text.as_bytes()),
            GoValue::List(list) if list.is_nil() => self.output.push_str("null"),
            GoValue::List(list) => match list.bytes() {
                Some(bytes) => self.text(STANDARD.encode(bytes).as_bytes()),
                None => self.group(['[', ']'], list.iter(), depth, |writer, item| writer.value(item, depth + 1))?,
            },
            GoValue::Map(map) => {
                let entries = map.borrow();
                self.group(['{', '}'], entries.iter(), depth, |writer, (key, value)| writer.entry(key.as_bytes(), value, depth))?;
            }
            GoValue::Object(object) => self.object(object.as_ref(), depth)?,
        }
        self.budget.take(depth, self.output.len() - start)
    }

    fn object(&mut self, object: &dyn GoObject, depth: usize) -> Result<(), String> {
        if let Some(data) = object.encoded().or_else(|| object.elements()) {
            return self.value(&data, depth + 1);
        }
        self.group(['{', '}'], object.field_names().iter(), depth, |writer, name| {
            writer.entry(name.as_bytes(), &object.field(name).unwrap_or_default(), depth)
        })
    }

    fn entry(&mut self, key: &[u8], value: &GoValue, depth: usize) -> Result<(), String> {
        self.text(key);
        self.output.push_str(if self.style.is_pretty { ": " } else { ":" });
        self.value(value, depth + 1)
    }

    fn group<T>(
        &mut self,
        [open, close]: [char; 2],
        items: impl ExactSizeIterator<Item = T>,
        depth: usize,
        mut write: impl FnMut(&mut Self, T) -> Result<(), String>,
    ) -> Result<(), String> {
        // Counted before its parts: a map may contain itself.
        self.budget.take(depth, 0)?;
        self.output.push(open);
        let is_empty = items.len() == 0;
        for (index, item) in items.enumerate() {
            if index > 0 {
                self.output.push(',');
            }
            self.line(depth + 1);
            write(self, item)?;
        }
        if !is_empty {
            self.line(depth);
        }
        self.output.push(close);
        Ok(())
    }

    fn line(&mut self, depth: usize) {
        if self.style.is_pretty {
            self.output.push('\n');
            self.output.extend(std::iter::repeat_n("  ", depth));
        }
    }

    /// Writes a text; bytes that are no UTF-8 become the escape of U+FFFD.
    fn text(&mut self, text: &[u8]) {
        self.output.push('"');
        for chunk in text.utf8_chunks() {
            self.characters(chunk.valid());
            self.output.extend(std::iter::repeat_n("\\ufffd", chunk.invalid().len()));
        }
        self.output.push('"');
    }

    fn characters(&mut self, mut text: &str) {
        // Most texts have nothing to escape. The two separators of lines that are escaped begin with 0xe2.
        let is_special = |byte: &u8| matches!(byte, 0..=0x1f | b'"' | b'\\' | b'<' | b'>' | b'&' | 0xe2);
        while let Some(position) = text.as_bytes().iter().position(is_special) {
            let (plain, rest) = text.split_at(position);
            self.output.push_str(plain);
            let mut characters = rest.chars();
            characters.next().into_iter().for_each(|character| self.character(character));
            text = characters.as_str();
        }
        self.output.push_str(text);
    }

    fn character(&mut self, character: char) {
        match character {
            '"' => self.output.push_str("\\\""),
            '\\' => self.output.push_str("\\\\"),
            '\x08' => self.output.push_str("\\b"),
            '\x0c' => self.output.push_str("\\f"),
            '\n' => self.output.push_str("\\n"),
            '\r' => self.output.push_str("\\r"),
            '\t' => self.output.push_str("\\t"),
            '<' | '>' | '&' if self.style.is_raw => self.output.push(character),
            '\0'..='\x1f' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(self.output, "\\u{:04x}", u32::from(character));
            }
            _ => self.output.push(character),
        }
    }
}
