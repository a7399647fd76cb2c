//! A normalised answer.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is compared of an answer. Values that differ from run to run are replaced by what they stand for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Outcome {
    /// The status code.
    #[serde(default)]
    pub code: u16,
    /// The protocol that was spoken, such as `HTTP/2.0`, of a step that offers protocols.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub protocol: String,
    /// `Content-Type`.
    #[serde(rename = "type", default, skip_serializing_if = "String::is_empty")]
    pub content_type: String,
    /// The texts of `Warning` headers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// `Retry-After`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub retry_after: String,
    /// `Location`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub location: String,
    /// `Cache-Control`, if it is not the usual `no-cache, private`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cache_control: String,
    /// Whether there is an `ETag`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub etag: bool,
    /// How many ends of lines the body has, of a step that is about its layout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<usize>,
    /// The body: JSON, or a text.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub body: Value,
    /// The texts of a failure and of its causes, in order of the causes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<String>,
    /// Events of a watch: by object, or in order.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub events: Value,
    /// Whether the server ended the watch.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ended: bool,
}
