//! The compiled form of a schema.

use std::collections::BTreeMap;

use regex::Regex;
use serde_json::{Number, Value};

use crate::rules::ValidationRule;

/// A JSON type of OpenAPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonType {
    Object,
    Array,
    String,
    Integer,
    Number,
    Boolean,
}

impl JsonType {
    pub(crate) const NAMES: [&'static str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

    pub(crate) fn parse(name: &str) -> Option<Self> {
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

    pub(crate) fn as_str(self) -> &'static str {
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
pub(crate) struct SchemaNode {
    pub(crate) type_: Option<JsonType>,
    pub(crate) nullable: bool,
    pub(crate) int_or_string: bool,
    pub(crate) preserve_unknown: bool,
    pub(crate) embedded_resource: bool,
    pub(crate) default: Option<Value>,
    pub(crate) properties: BTreeMap<String, Self>,
    pub(crate) additional: Option<Additional>,
    pub(crate) items: Option<Box<Self>>,
    pub(crate) list: ListType,
    pub(crate) checks: ValueChecks,
    pub(crate) rules: Vec<ValidationRule>,
    /// True if there are rules at this node or below.
    pub(crate) has_rules: bool,
}

/// The permitted values of the members of a map.
#[derive(Debug)]
pub(crate) enum Additional {
    /// Any value, as with `additionalProperties: true`.
    Any,
    Schema(Box<SchemaNode>),
}

/// The identity of the items of a list.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) enum ListType {
    #[default]
    Atomic,
    Set,
    /// The items are identified by the values of these keys.
    Map(Vec<String>),
}

/// The checks of a single value.
#[derive(Debug, Default)]
pub(crate) struct ValueChecks {
    pub(crate) required: Vec<String>,
    pub(crate) enumeration: Vec<Value>,
    pub(crate) format: Option<String>,
    pub(crate) pattern: Option<Pattern>,
    pub(crate) min_length: Option<u64>,
    pub(crate) max_length: Option<u64>,
    pub(crate) minimum: Option<Number>,
    pub(crate) exclusive_minimum: bool,
    pub(crate) maximum: Option<Number>,
    pub(crate) exclusive_maximum: bool,
    pub(crate) multiple_of: Option<Number>,
    pub(crate) min_items: Option<u64>,
    pub(crate) max_items: Option<u64>,
    pub(crate) unique_items: bool,
    pub(crate) min_properties: Option<u64>,
    pub(crate) max_properties: Option<u64>,
    pub(crate) all_of: Vec<SchemaNode>,
    pub(crate) any_of: Vec<SchemaNode>,
    pub(crate) one_of: Vec<SchemaNode>,
    pub(crate) not: Option<Box<SchemaNode>>,
}

/// A regular expression with its source, which error texts quote.
#[derive(Debug)]
pub(crate) struct Pattern {
    pub(crate) source: String,
    pub(crate) regex: Regex,
}

impl SchemaNode {
    /// Returns the schema of a member, if the node declares one.
    pub(crate) fn member(&self, name: &str) -> Option<&Self> {
        match (self.properties.get(name), &self.additional) {
            (Some(property), _) => Some(property),
            (None, Some(Additional::Schema(schema))) => Some(schema),
            (None, _) => None,
        }
    }

    /// Returns true if there are rules at the node or below.
    pub(crate) fn find_rules(&self) -> bool {
        let additional = match &self.additional {
            Some(Additional::Schema(schema)) => Some(schema.as_ref()),
            _ => None,
        };
        !self.rules.is_empty()
            || self.properties.values().chain(additional).chain(self.items.as_deref()).any(|node| node.has_rules)
    }
}
