//! Reading of some fields of a document.

use granit_parser::{Event, ScalarStyle};
use serde_json::{Map, Value};

use super::compose::{Composer, GoYaml, first_document};
use super::depth::with_room;
use super::key::key_text;
use super::read::{DEPTH, NODES, YamlError};
use super::scalar::PlainScalar;

/// Reads these fields of the first document of a text, in less time and memory than the whole document. The fields have the values that
/// [`first_document`] gives them, and a text that it refuses is refused with the same error. A document that is no mapping is returned whole.
pub fn fields_of_first_document(text: &str, names: &[&str]) -> Result<Value, YamlError> {
    if let Some(fields) = with_room(text, || FieldReader::new(text).fields(names)) {
        return Ok(fields);
    }
    let mut document = first_document(text)?;
    if let Value::Object(fields) = &mut document {
        fields.retain(|name, _| names.contains(&name.as_str()));
    }
    Ok(document)
}

/// A reader that passes over the values of most fields. It gives up where a value may change others, or may be an error that depends on the value:
/// at anchors, aliases, tags, merges, tabs, keys that are no texts, and numbers that JSON does not have.
struct FieldReader<'a> {
    composer: Composer<'a>,
    /// The number of nodes that the composer did not read: the document, and those that were passed over.
    passed: usize,
}

impl<'a> FieldReader<'a> {
    fn new(text: &'a str) -> Self {
        Self { composer: Composer::new(text, GoYaml::V2), passed: 1 }
    }

    /// Returns the fields of the first document; null if there is none. Returns `None` if the document must be read whole.
    fn fields(mut self, names: &[&str]) -> Option<Value> {
        if self.composer.has_tabs() {
            return None;
        }
        loop {
            match self.next()? {
                Event::StreamEnd => return Some(Value::Null),
                Event::DocumentStart(..) => break,
                _ => {}
            }
        }
        let Event::MappingStart(_, 0, None) = self.next()? else { return None };
        let mut fields = Map::new();
        loop {
            let (event, span) = self.composer.next().ok()?;
            if matches!(event, Event::MappingEnd) {
                break;
            }
            let key = self.composer.node(event, span, 1).ok()?;
            if key.is_merge {
                return None;
            }
            let key = key_text(key.value).ok()?;
            let (event, span) = self.composer.next().ok()?;
            if names.contains(&key.as_str()) {
                let node = self.composer.node(event, span, 1).ok()?;
                fields.insert(key, node.value.ok()?);
            } else {
                self.pass(&event, 1)?;
            }
        }
        self.next()?;
        Some(Value::Object(fields))
    }

    fn next(&mut self) -> Option<Event<'a>> {
        self.composer.next().ok().map(|(event, _)| event)
    }

    /// Passes over a value.
    fn pass(&mut self, event: &Event<'a>, depth: usize) -> Option<()> {
        self.passed += 1;
        if depth > DEPTH || self.passed > NODES - self.composer.nodes().min(NODES) {
            return None;
        }
        match event {
            Event::Scalar(text, ScalarStyle::Plain, 0, None) => match PlainScalar::resolve(text) {
                PlainScalar::Float(number) if !number.is_finite() => None,
                _ => Some(()),
            },
            Event::Scalar(_, _, 0, None) => Some(()),
            Event::SequenceStart(_, 0, None) => loop {
                let item = self.next()?;
                if matches!(item, Event::SequenceEnd) {
                    return Some(());
                }
                self.pass(&item, depth + 1)?;
            },
            Event::MappingStart(_, 0, None) => loop {
                match self.next()? {
                    Event::MappingEnd => return Some(()),
                    Event::Scalar(text, style, 0, None) if is_plain_text(&text, style) => self.passed += 1,
                    _ => return None,
                }
                let value = self.next()?;
                self.pass(&value, depth + 1)?;
            },
            _ => None,
        }
    }
}

/// Returns true for a key that is a text, and no merge key.
fn is_plain_text(text: &str, style: ScalarStyle) -> bool {
    style != ScalarStyle::Plain || text != "<<" && matches!(PlainScalar::resolve(text), PlainScalar::Text)
}
