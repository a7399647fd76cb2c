//! The tree that is written: scalars as texts, with the order of keys.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::YamlDialect;
use super::order::sort_by_key;
use crate::format::shortest_float;
use crate::library::data::budget::EncodingBudget;
use crate::library::data::json_write;
use crate::value::{GoObject, GoString, GoValue};

/// A node of a YAML document.
#[derive(Debug)]
pub(super) enum YamlNode {
    /// A null, boolean, number or time, as it is written.
    Plain(String),
    /// A text.
    Text(String),
    /// Bytes in base64.
    Binary(String),
    Sequence(Vec<Self>),
    /// The entries in the order of keys, which are texts or bytes.
    Mapping(Vec<(Self, Self)>),
}

impl YamlNode {
    /// Returns the node of a value.
    pub(super) fn new(value: &GoValue, dialect: YamlDialect) -> Result<Self, String> {
        NodeMaker { dialect, budget: EncodingBudget::new() }.node(value, 0)
    }
}

struct NodeMaker {
    dialect: YamlDialect,
    budget: EncodingBudget,
}

impl NodeMaker {
    fn node(&mut self, value: &GoValue, depth: usize) -> Result<YamlNode, String> {
        self.budget.take(depth, if let GoValue::String(text) = value { text.len() } else { 0 })?;
        Ok(match value {
            GoValue::Nil => YamlNode::Plain("null".to_owned()),
            GoValue::Bool(value) => YamlNode::Plain(value.to_string()),
            GoValue::Integer(value, _) => YamlNode::Plain(value.to_string()),
            GoValue::Float(value) => YamlNode::Plain(self.float(*value)?),
            GoValue::String(text) => self.text(text)?,
            GoValue::List(list) if list.is_nil() && self.dialect == YamlDialect::Kubernetes => YamlNode::Plain("null".to_owned()),
            GoValue::List(list) => match list.bytes().filter(|_| self.dialect == YamlDialect::Kubernetes) {
                Some(bytes) => YamlNode::Text(STANDARD.encode(bytes)),
                None => YamlNode::Sequence(list.iter().map(|item| self.node(item, depth + 1)).collect::<Result<_, _>>()?),
            },
            GoValue::Map(map) => {
                // Bytes that are no UTF-8 can make keys equal; the last one counts.
                let mut entries = BTreeMap::new();
                for (key, value) in map.entries() {
                    let node = (self.key(&key)?, self.node(&value, depth + 1)?);
                    let name = if self.dialect == YamlDialect::Third { key } else { key.to_text().into() };
                    entries.insert(name, node);
                }
                let entries = entries.into_iter().map(|(key, node)| (key.to_text().into_owned(), node)).collect();
                YamlNode::Mapping(sort_by_key(entries, self.dialect))
            }
            GoValue::Object(object) => self.object(object.as_ref(), depth)?,
        })
    }

    fn object(&mut self, object: &dyn GoObject, depth: usize) -> Result<YamlNode, String> {
        let is_third = self.dialect == YamlDialect::Third;
        if let Some(text) = object.text().filter(|_| is_third && object.type_name() == "time.Duration") {
            return self.text(&text.into());
        }
        if let Some(data) = object.encoded() {
            return Ok(match data {
                GoValue::String(text) if is_third && object.type_name() == "time.Time" => {
                    YamlNode::Plain(text.to_text().into_owned())
                }
                data => self.node(&data, depth + 1)?,
            });
        }
        if let Some(elements) = object.elements() {
            return self.node(&elements, depth + 1);
        }
        let mut entries = Vec::new();
        for name in object.field_names() {
            let node = self.node(&object.field(name).unwrap_or_default(), depth + 1)?;
            let name = if is_third { name.to_lowercase() } else { (*name).to_owned() };
            entries.push((name.clone(), (YamlNode::Text(name), node)));
        }
        // Structs lose the order of their fields in JSON.
        Ok(YamlNode::Mapping(if is_third {
            entries.into_iter().map(|(_, entry)| entry).collect()
        } else {
            sort_by_key(entries, self.dialect)
        }))
    }

    fn float(&self, value: f64) -> Result<String, String> {
        if self.dialect == YamlDialect::Third {
            return Ok(match value {
                value if value.is_nan() => ".nan".to_owned(),
                f64::INFINITY => ".inf".to_owned(),
                f64::NEG_INFINITY => "-.inf".to_owned(),
                value => shortest_float(value),
            });
        }
        // A number without point and exponent in JSON is read back as an integer, if there is one that large.
        let text = json_write::number(value)?;
        Ok(match text.parse::<i128>() {
            Ok(integer) if i64::try_from(integer).is_ok() || u64::try_from(integer).is_ok() => integer.to_string(),
            _ => shortest_float(value),
        })
    }

    fn key(&self, key: &GoString) -> Result<YamlNode, String> {
        if self.dialect == YamlDialect::Kubernetes && key.to_text().contains('\u{85}') {
            // A key of JSON must not have a line break, and a reader of YAML takes this character for one.
            return Err("yaml: did not find expected ',' or '}'".to_owned());
        }
        self.text(key)
    }

    fn text(&self, text: &GoString) -> Result<YamlNode, String> {
        if self.dialect == YamlDialect::Third {
            return Ok(match std::str::from_utf8(text.as_bytes()) {
                Ok(text) => YamlNode::Text(text.to_owned()),
                Err(_) => YamlNode::Binary(lines(&STANDARD.encode(text.as_bytes()))),
            });
        }
        let text = text.to_text();
        // The reader of the JSON text, which is one of YAML, refuses these characters.
        if text.chars().any(|character| matches!(character, '\x7f'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}')) {
            return Err("yaml: control characters are not allowed".to_owned());
        }
        Ok(YamlNode::Text(if text.contains('\u{85}') { folded(&text) } else { text.into_owned() }))
    }
}

/// Returns a text with its "next lines" folded: these alone are line breaks of YAML that JSON does not escape.
fn folded(text: &str) -> String {
    let mut parts = text.split('\u{85}');
    let mut folded = parts.next().unwrap_or_default().trim_end_matches([' ']).to_owned();
    let mut breaks = 0;
    let parts: Vec<_> = parts.collect();
    for (index, part) in parts.iter().enumerate() {
        breaks += 1;
        let part = part.trim_start_matches([' ']);
        let part = if index + 1 < parts.len() { part.trim_end_matches([' ']) } else { part };
        if part.is_empty() && index + 1 < parts.len() {
            continue;
        }
        folded.push_str(&if breaks == 1 { " ".to_owned() } else { "\n".repeat(breaks - 1) });
        folded.push_str(part);
        breaks = 0;
    }
    folded
}

/// Returns base64 in lines of 70 characters, if it is longer than one.
fn lines(text: &str) -> String {
    const LENGTH: usize = 70;
    if text.len() < LENGTH {
        return text.to_owned();
    }
    let mut lines = String::with_capacity(text.len() + text.len() / LENGTH + 1);
    for (index, character) in text.chars().enumerate() {
        if index > 0 && index % LENGTH == 0 {
            lines.push('\n');
        }
        lines.push(character);
    }
    lines.push('\n');
    lines
}
