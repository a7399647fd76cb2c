//! Parsing of documents.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;

use kubewright_schema::ValuePath;
use kubewright_schema::limit::MOST_NOTED;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

use super::text::mended;
use super::{MAX_PROBLEMS, deep};

/// A parsed document.
#[derive(Debug)]
pub(crate) struct JsonDocument {
    /// The content; of several members with one key, the last one counts.
    pub(crate) value: Value,
    /// The paths of the first keys that occur more than once in one object.
    pub(crate) repeated: Vec<String>,
    /// True if marks replace parts that are nested too deeply to be kept ([`super::holds_mark`]).
    pub(crate) is_cut: bool,
}

/// The reason for which a document cannot be read.
#[derive(Debug)]
pub(crate) enum UnreadableJson {
    /// The text is not JSON.
    Syntax(serde_json::Error),
    /// The value that begins at this byte is nested too deeply.
    TooDeep(usize),
}

/// Parses a document. An unpaired surrogate becomes the replacement character.
pub(crate) fn parse(text: &[u8]) -> Result<JsonDocument, UnreadableJson> {
    let error = match read(text) {
        Ok(document) => return Ok(document),
        Err(error) => error,
    };
    if is_about_depth(&error) {
        return deep::read(mended(text).as_deref().unwrap_or(text));
    }
    let Some(mended) = mended(text) else { return Err(UnreadableJson::Syntax(error)) };
    match read(&mended) {
        Err(error) if is_about_depth(&error) => deep::read(&mended),
        outcome => outcome.map_err(UnreadableJson::Syntax),
    }
}

/// Returns true for the error of the usual reader for a document that exceeds its recursion limit.
fn is_about_depth(error: &serde_json::Error) -> bool {
    error.is_syntax() && error.to_string().starts_with("recursion limit")
}

fn read(text: &[u8]) -> Result<JsonDocument, serde_json::Error> {
    let repeated = RefCell::default();
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let value = ValueReader { path: &ValuePath::Root, repeated: &repeated }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(JsonDocument { value, repeated: repeated.into_inner().paths, is_cut: false })
}

/// The keys that occurred more than once.
#[derive(Debug, Default)]
pub(super) struct Repeated {
    pub(super) paths: Vec<String>,
    seen: HashSet<String>,
    /// The total length of all noted paths, in bytes.
    bytes: usize,
}

impl Repeated {
    /// Notes a path before those that were found inside it. The number and length of noted paths is bounded by what an answer can report.
    pub(super) fn note(&mut self, at: usize, path: impl FnOnce() -> String) {
        if at < MAX_PROBLEMS && self.bytes < MOST_NOTED {
            let path = path();
            self.bytes += path.len();
            if self.seen.insert(path.clone()) {
                self.paths.insert(at.min(self.paths.len()), path);
                self.paths.truncate(MAX_PROBLEMS);
            }
        }
    }
}

#[derive(Clone, Copy)]
struct ValueReader<'a> {
    path: &'a ValuePath<'a>,
    repeated: &'a RefCell<Repeated>,
}

impl<'de> DeserializeSeed<'de> for ValueReader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueReader<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(ValueReader { path: &self.path.index(items.len()), ..self })? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        // The third and later occurrences of a key are not noted.
        let mut noted: HashSet<String> = HashSet::new();
        while let Some(key) = access.next_key::<String>()? {
            let before = self.repeated.borrow().paths.len();
            let value = access.next_value_seed(ValueReader { path: &self.path.field(&key), ..self })?;
            match members.entry(key) {
                Entry::Vacant(entry) => {
                    entry.insert(value);
                }
                Entry::Occupied(mut entry) => {
                    if noted.insert(entry.key().clone()) {
                        self.repeated.borrow_mut().note(before, || self.path.field(entry.key()).to_string());
                    }
                    entry.insert(value);
                }
            }
        }
        Ok(Value::Object(members))
    }
}
