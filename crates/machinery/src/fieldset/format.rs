//! FieldsV1: the JSON form of a field set.

use serde_json::{Map, Value};
use thiserror::Error;

use super::set::Node;
use super::{FieldSet, PathElement};
use crate::object::canonical_json;

const SELF: &str = ".";

/// The error of a `fieldsV1` value that no server writes.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FieldSetError {
    /// A level of the tree is not a map.
    #[error("read field set: {at:?} is {found}, not a map")]
    NotAMap {
        /// The element, empty at the top.
        at: String,
        /// The JSON type that was found.
        found: &'static str,
    },
    /// The content of an element has the wrong form.
    #[error("read field set: element {element:?} must be {expected}")]
    Element {
        /// The element as it was written.
        element: String,
        /// The expected content.
        expected: &'static str,
    },
}

impl FieldSet {
    /// Reads a `fieldsV1` value. Elements of an unknown type are skipped.
    pub fn parse(fields: &Value) -> Result<Self, FieldSetError> {
        let map = map_at("", fields)?;
        parse_map(map)
    }

    /// Writes a `fieldsV1` value.
    pub fn to_value(&self) -> Value {
        Value::Object(self.nodes().iter().map(|(element, node)| (element.to_key(), write_node(node))).collect())
    }
}

fn parse_map(map: &Map<String, Value>) -> Result<FieldSet, FieldSetError> {
    let mut nodes = Vec::with_capacity(map.len());
    for (key, content) in map {
        if key == SELF {
            continue;
        }
        let Some(element) = PathElement::parse(key)? else {
            continue;
        };
        let content = map_at(key, content)?;
        let children = parse_map(content)?;
        // An element whose children were all of unknown types is a member only if it is marked as one.
        let member = content.is_empty() || content.contains_key(SELF);
        if member || !children.is_empty() {
            nodes.push((element, Node { member, children }));
        }
    }
    Ok(FieldSet::from_nodes(nodes))
}

fn write_node(node: &Node) -> Value {
    let Value::Object(mut map) = node.children.to_value() else {
        return Value::Object(Map::new());
    };
    if node.member && !map.is_empty() {
        map.insert(SELF.to_owned(), Value::Object(Map::new()));
    }
    Value::Object(map)
}

fn map_at<'a>(at: &str, value: &'a Value) -> Result<&'a Map<String, Value>, FieldSetError> {
    let found = match value {
        Value::Object(map) => return Ok(map),
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
    };
    Err(FieldSetError::NotAMap { at: at.to_owned(), found })
}

impl PathElement {
    /// Parses `f:name`, `k:{..}`, `v:..` or `i:n`; returns none for another type of element.
    pub fn parse(key: &str) -> Result<Option<Self>, FieldSetError> {
        let wrong = |expected| FieldSetError::Element { element: key.to_owned(), expected };
        let Some((kind, content)) = key.split_once(':') else {
            return Err(wrong("a letter, a colon and a content"));
        };
        Ok(Some(match kind {
            "f" => Self::field(content),
            "k" => {
                let fields: Map<String, Value> =
                    serde_json::from_str(content).map_err(|_| wrong("a JSON object of key fields"))?;
                Self::key(fields)
            }
            "v" => Self::Value(serde_json::from_str(content).map_err(|_| wrong("a JSON value"))?),
            "i" => Self::Index(content.parse().map_err(|_| wrong("a whole number"))?),
            _ => return Ok(None),
        }))
    }

    /// Writes the element as FieldsV1 does.
    pub fn to_key(&self) -> String {
        match self {
            // Nearly all elements are fields, so this branch avoids formatting.
            Self::Field(name) => ["f:", name].concat(),
            Self::Key(fields) => {
                let fields = fields.iter().cloned().collect::<Map<_, _>>();
                format!("k:{}", canonical_json(&Value::Object(fields)))
            }
            Self::Value(value) => format!("v:{}", canonical_json(value)),
            Self::Index(index) => format!("i:{index}"),
        }
    }
}
