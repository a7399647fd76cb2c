//! TOML texts of values, as BurntSushi's encoder writes them: keys sorted, those without tables first, tables indented by two blanks per level.

use std::fmt::Write as _;

use super::budget::EncodingBudget;
use crate::format::shortest_float;
use crate::value::{GoString, GoValue};

/// Returns the TOML text of a value. One that is no table is written by itself.
pub(super) fn write(value: &GoValue) -> Result<GoString, String> {
    let mut writer = TomlWriter { output: Vec::new(), budget: EncodingBudget::new() };
    // A nil list is absent as the value of a key only.
    let document = match value {
        GoValue::List(list) => TomlValue::Array(list.to_vec()),
        value => TomlValue::new(value),
    };
    writer.entry(&mut Vec::new(), &document)?;
    Ok(writer.output.into())
}

/// A value by its form in TOML.
enum TomlValue {
    Nil,
    /// A boolean, number or time, as it is written.
    Plain(String),
    Text(GoString),
    Array(Vec<GoValue>),
    /// The entries in their order.
    Table(Vec<(GoString, GoValue)>),
}

impl TomlValue {
    fn new(value: &GoValue) -> Self {
        match value {
            GoValue::Nil => Self::Nil,
            GoValue::Bool(value) => Self::Plain(value.to_string()),
            GoValue::Integer(value, _) => Self::Plain(value.to_string()),
            GoValue::Float(value) => Self::Plain(float(*value)),
            GoValue::String(text) => Self::Text(text.clone()),
            GoValue::List(list) if list.is_nil() => Self::Nil,
            GoValue::List(list) => Self::Array(list.to_vec()),
            GoValue::Map(map) => Self::Table(map.entries()),
            GoValue::Object(object) => match (object.encoded(), object.type_name()) {
                (Some(GoValue::String(text)), "time.Time") => Self::Plain(text.to_text().into_owned()),
                (_, "time.Duration") => Self::Text(object.text().unwrap_or_default().into()),
                (Some(data), _) => Self::new(&data),
                (None, _) => object.elements().map_or_else(
                    || {
                        let field = |name: &&str| (GoString::from(*name), object.field(name).unwrap_or_default());
                        Self::Table(object.field_names().iter().map(field).collect())
                    },
                    |elements| Self::new(&elements),
                ),
            },
        }
    }
}

struct TomlWriter {
    output: Vec<u8>,
    budget: EncodingBudget,
}

impl TomlWriter {
    /// Writes the value of a key, or a whole document.
    fn entry(&mut self, path: &mut Vec<GoString>, value: &TomlValue) -> Result<(), String> {
        EncodingBudget::check_text(self.output.len())?;
        self.budget.take(path.len(), 0)?;
        match value {
            TomlValue::Nil if path.is_empty() => Err("toml: cannot encode nil".to_owned()),
            TomlValue::Nil => Ok(()),
            TomlValue::Table(entries) => {
                if path.len() == 1 {
                    self.separate();
                }
                if !path.is_empty() {
                    self.header(path, "[", "]");
                }
                self.table(path, entries)
            }
            TomlValue::Array(items) if self.is_array_of_tables(items, path.len())? => {
                if path.is_empty() {
                    return Err("toml: top-level values must be Go maps or structs".to_owned());
                }
                for item in items {
                    if let TomlValue::Table(entries) = TomlValue::new(item) {
                        self.separate();
                        self.header(path, "[[", "]]");
                        self.table(path, &entries)?;
                    }
                }
                Ok(())
            }
            value => {
                let Some(key) = path.last() else { return self.inline(value, 0) };
                let key = key.clone();
                self.indent(path.len());
                self.key(&key);
                self.push(" = ");
                self.inline(value, path.len())?;
                self.push("\n");
                Ok(())
            }
        }
    }

    fn table(&mut self, path: &mut Vec<GoString>, entries: &[(GoString, GoValue)]) -> Result<(), String> {
        for (key, value) in self.ordered(entries, path.len())?.0 {
            path.push(key);
            self.entry(path, &value)?;
            path.pop();
        }
        Ok(())
    }

    /// Returns the entries that are no tables, then the tables; and the number of the former.
    fn ordered(&mut self, entries: &[(GoString, GoValue)], depth: usize) -> Result<(Vec<(GoString, TomlValue)>, usize), String> {
        let (mut direct, mut tables) = (Vec::new(), Vec::new());
        for (key, value) in entries {
            let value = TomlValue::new(value);
            let is_table = match &value {
                TomlValue::Table(_) => true,
                TomlValue::Array(items) => self.is_array_of_tables(items, depth)?,
                _ => false,
            };
            if is_table { &mut tables } else { &mut direct }.push((key.clone(), value));
        }
        let count = direct.len();
        direct.append(&mut tables);
        Ok((direct, count))
    }

    /// Returns true if all items of a list, of which there is at least one, are tables. An item that is nil is an error.
    fn is_array_of_tables(&mut self, items: &[GoValue], depth: usize) -> Result<bool, String> {
        self.budget.take(depth, 0)?;
        let mut are_tables = !items.is_empty();
        for item in items {
            match TomlValue::new(item) {
                TomlValue::Nil => return Err("toml: cannot encode array with nil element".to_owned()),
                TomlValue::Table(_) => {}
                TomlValue::Array(items) => {
                    self.is_array_of_tables(&items, depth + 1)?;
                    are_tables = false;
                }
                _ => are_tables = false,
            }
        }
        Ok(are_tables)
    }

    /// Writes a value in one line.
    fn inline(&mut self, value: &TomlValue, depth: usize) -> Result<(), String> {
        let size = if let TomlValue::Text(text) = value { text.len() } else { 0 };
        EncodingBudget::check_text(self.output.len())?;
        self.budget.take(depth, size)?;
        match value {
            TomlValue::Nil => return Err("toml: cannot encode nil".to_owned()),
            TomlValue::Plain(text) => self.push(text),
            TomlValue::Text(text) => self.quoted(text),
            TomlValue::Array(items) => {
                self.push("[");
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.push(", ");
                    }
                    self.inline(&TomlValue::new(item), depth + 1)?;
                }
                self.push("]");
            }
            TomlValue::Table(entries) => {
                self.push("{");
                let (entries, direct) = self.ordered(entries, depth)?;
                let count = entries.len();
                for (index, (key, value)) in entries.iter().enumerate() {
                    if matches!(value, TomlValue::Nil) {
                        continue;
                    }
                    self.key(key);
                    self.push(" = ");
                    self.inline(value, depth + 1)?;
                    if index + 1 < direct || (index + 1 == direct && count > direct) || (index >= direct && index + 1 < count) {
                        self.push(", ");
                    }
                }
                self.push("}");
            }
        }
        Ok(())
    }

    /// Ends a line before a table, if anything has been written.
    fn separate(&mut self) {
        if !self.output.is_empty() {
            self.push("\n");
        }
    }

    fn header(&mut self, path: &[GoString], open: &str, close: &str) {
        self.indent(path.len());
        self.push(open);
        for (index, key) in path.iter().enumerate() {
            if index > 0 {
                self.push(".");
            }
            self.key(key);
        }
        self.push(close);
        self.push("\n");
    }

    fn indent(&mut self, depth: usize) {
        self.output.extend(std::iter::repeat_n(b' ', 2 * depth.saturating_sub(1)));
    }

    fn key(&mut self, key: &GoString) {
        let is_bare = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if !key.is_empty() && key.as_bytes().iter().all(is_bare) {
            self.output.extend_from_slice(key.as_bytes());
        } else {
            self.quoted(key);
        }
    }

    fn quoted(&mut self, text: &GoString) {
        self.push("\"");
        for byte in text.as_bytes() {
            match byte {
                b'"' => self.push("\\\""),
                b'\\' => self.push("\\\\"),
                0x08 => self.push("\\b"),
                b'\t' => self.push("\\t"),
                b'\n' => self.push("\\n"),
                0x0c => self.push("\\f"),
                b'\r' => self.push("\\r"),
                0..=0x1f | 0x7f => {
                    let mut escape = String::new();
                    let _ = write!(escape, "\\u{byte:04x}");
                    self.push(&escape);
                }
                byte => self.output.push(*byte),
            }
        }
        self.push("\"");
    }

    fn push(&mut self, text: &str) {
        self.output.extend_from_slice(text.as_bytes());
    }
}

/// Returns the text of a float, always with a point or an exponent.
fn float(value: f64) -> String {
    if !value.is_finite() {
        let sign = if value.is_sign_negative() { "-" } else { "" };
        return format!("{sign}{}", if value.is_nan() { "nan" } else { "inf" });
    }
    let text = shortest_float(value);
    if text.contains(['e', '.']) { text } else { text + ".0" }
}
