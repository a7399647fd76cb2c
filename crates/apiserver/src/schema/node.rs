//! The compiled form of a schema.

use std::collections::BTreeMap;

use regex::Regex;
use serde_json::{Number, Value};

use super::rules::ValidationRule;

/// A JSON type of OpenAPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonType {
    Object,
    Array,
    String,
    Integer,
    Number,
    Boolean,
}

impl JsonType {
    pub(super) const NAMES: [&'static str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

    pub(super) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "object" => Self::Object,
            "array" => Self::Array,
            "string" => Self::String,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "boolean" => Self::Boolean,
            _ => return None,
        })
    }

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
        }
    }
}

/// The compiled schema of the values at one path.
#[derive(Debug, Default)]
pub(super) struct SchemaNode {
    pub(super) type_: Option<JsonType>,
    pub(super) nullable: bool,
    pub(super) int_or_string: bool,
    pub(super) preserve_unknown: bool,
    pub(super) embedded_resource: bool,
    pub(super) default: Option<Value>,
    pub(super) properties: BTreeMap<String, Self>,
    pub(super) additional: Option<Additional>,
    pub(super) items: Option<Box<Self>>,
    pub(super) list: ListType,
    pub(super) checks: ValueChecks,
    pub(super) rules: Vec<ValidationRule>,
    /// True if there are rules at this node or below.
    pub(super) has_rules: bool,
}

/// The permitted values of the members of a map.
#[derive(Debug)]
pub(super) enum Additional {
    /// Any value, as with `additionalProperties: true`.
    Any,
    Schema(Box<SchemaNode>),
}

/// The identity of the items of a list.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum ListType {
    #[default]
    Atomic,
    Set,
    /// The items are identified by the values of these keys.
    Map(Vec<String>),
}

/// The checks of a single value.
#[derive(Debug, Default)]
pub(super) struct ValueChecks {
    pub(super) required: Vec<String>,
    pub(super) enumeration: Vec<Value>,
    pub(super) format: Option<String>,
    pub(super) pattern: Option<Pattern>,
    pub(super) min_length: Option<u64>,
    pub(super) max_length: Option<u64>,
    pub(super) minimum: Option<Number>,
    pub(super) exclusive_minimum: bool,
    pub(super) maximum: Option<Number>,
    pub(super) exclusive_maximum: bool,
    pub(super) multiple_of: Option<Number>,
    pub(super) min_items: Option<u64>,
    pub(super) max_items: Option<u64>,
    pub(super) unique_items: bool,
    pub(super) min_properties: Option<u64>,
    pub(super) max_properties: Option<u64>,
    pub(super) all_of: Vec<SchemaNode>,
    pub(super) any_of: Vec<SchemaNode>,
    pub(super) one_of: Vec<SchemaNode>,
    pub(super) not: Option<Box<SchemaNode>>,
}

/// A regular expression with its source, which error texts quote.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) source: String,
    pub(super) regex: Regex,
}

impl SchemaNode {
    /// Returns the schema of a member, if the node declares one.
    pub(super) fn member(&self, name: &str) -> Option<&Self> {
        match (self.properties.get(name), &self.additional) {
            (Some(property), _) => Some(property),
            (None, Some(Additional::Schema(schema))) => Some(schema),
            (None, _) => None,
        }
    }

    /// Returns true if there are rules at the node or below.
    pub(super) fn find_rules(&self) -> bool {
        let additional = match &self.additional {
            Some(Additional::Schema(schema)) => Some(schema.as_ref()),
            _ => None,
        };
        !self.rules.is_empty()
            || self.properties.values().chain(additional).chain(self.items.as_deref()).any(|node| node.has_rules)
    }
}
