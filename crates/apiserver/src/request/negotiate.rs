//! What the client wants to read: encoding and shape (NEG-1 to NEG-5).

use http::{HeaderMap, header};

use super::query::Query;
use crate::status::Status;

/// The encoding of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON.
    #[default]
    Json,
    /// YAML.
    Yaml,
}

/// What is shown of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Shape {
    /// The whole object.
    #[default]
    Whole,
    /// Its metadata.
    Metadata,
    /// The metadata of a list.
    MetadataList,
    /// A row of a table, with this much of the object beside it.
    Table(Include),
}

/// What a table row carries of its object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Include {
    /// Its metadata.
    #[default]
    Metadata,
    /// All of it.
    Object,
    /// Nothing.
    Nothing,
}

/// Encoding and shape of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Representation {
    /// The encoding.
    pub(crate) format: Format,
    /// The shape.
    pub(crate) shape: Shape,
}

impl Format {
    /// The media type.
    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Yaml => "application/yaml",
        }
    }
}

impl Representation {
    /// The `Content-Type` of an answer.
    pub(crate) fn content_type(self) -> &'static str {
        self.format.media_type()
    }
}

/// Finds the first acceptable representation (NEG-5).
pub(crate) fn negotiate(headers: &HeaderMap, query: &Query) -> Result<Representation, Status> {
    let accept = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect::<Vec<_>>().join(",");
    if accept.trim().is_empty() {
        return Ok(Representation::default());
    }
    let mut converts = false;
    for entry in accept.split(',') {
        let mut parts = entry.split(';').map(str::trim);
        let Some(format) = parts.next().and_then(format_of) else { continue };
        let parameters: Vec<_> = parts.filter_map(|part| part.split_once('=')).collect();
        let parameter = |name: &str| parameters.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
        let Some(target) = parameter("as") else { return Ok(Representation { format, shape: Shape::Whole }) };
        converts = true;
        if parameter("g") != Some("meta.k8s.io") || parameter("v") != Some("v1") {
            continue;
        }
        let shape = match target {
            "PartialObjectMetadata" => Shape::Metadata,
            "PartialObjectMetadataList" => Shape::MetadataList,
            "Table" => Shape::Table(include(query)?),
            _ => continue,
        };
        return Ok(Representation { format, shape });
    }
    let accepted = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
    Err(if converts {
        Status::not_acceptable(format!("only the following media types are accepted: {accepted}"))
    } else {
        Status::not_acceptable(format!("406: Not Acceptable\n\nAvailable representations: {accepted}")).with_details(crate::status::Details::default())
    })
}

fn format_of(media_type: &str) -> Option<Format> {
    match media_type {
        "application/json" | "*/*" | "application/*" => Some(Format::Json),
        "application/yaml" => Some(Format::Yaml),
        _ => None,
    }
}

fn include(query: &Query) -> Result<Include, Status> {
    match query.get("includeObject") {
        None | Some("Metadata") => Ok(Include::Metadata),
        Some("Object") => Ok(Include::Object),
        Some("None") => Ok(Include::Nothing),
        Some(other) => Err(Status::bad_request(format!(
            "Unable to convert to Table as requested: includeObject: Invalid value: {other:?}: must be 'Metadata', 'Object', 'None', or empty"
        ))),
    }
}
