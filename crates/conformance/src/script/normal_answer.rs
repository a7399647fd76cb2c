//! The normalised answer to a step.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The compared parts of an answer. Values that differ from run to run are replaced by placeholders.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NormalAnswer {
    /// The status code.
    #[serde(default)]
    pub code: u16,
    /// The protocol that was spoken, such as `HTTP/2.0`, for a step that offers protocols.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub protocol: String,
    /// The header `Content-Type`.
    #[serde(rename = "type", default, skip_serializing_if = "String::is_empty")]
    pub content_type: String,
    /// The texts of `Warning` headers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The header `Retry-After`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub retry_after: String,
    /// The header `Location`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub location: String,
    /// The header `Cache-Control`, if it is not the usual `no-cache, private`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cache_control: String,
    /// True if there is an `ETag`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub etag: bool,
    /// The number of line ends in the body, for a step that compares its layout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<usize>,
    /// The body: JSON, or a text.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub body: Value,
    /// The texts of a failure and of its causes, in the order of the causes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<String>,
    /// The events of a watch: by object, or in order.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub events: Value,
    /// True if the server ended the watch.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ended: bool,
}
