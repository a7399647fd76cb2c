//! Encoding of watch events.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Value, json};

use crate::{
    kinds::KindSpec,
    proto,
    request::{
        encode,
        negotiate::{AnswerShape, BodyFormat, Representation},
    },
    status::Status,
    store::Stored,
    tables::{Table, partial_metadata},
};

/// The type of an event for a watcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Saying {
    Added,
    Modified,
    Deleted,
}

impl Saying {
    fn as_str(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }
}

/// The key under which an encoded event is shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EncodedEventKey {
    pub(super) api_version: Arc<str>,
    pub(super) representation: Representation,
    pub(super) saying: Saying,
    pub(super) with_columns: bool,
}

/// Encodes an event about an object.
pub(super) fn event(
    kind: &KindSpec,
    saying: Saying,
    stored: &Stored,
    representation: Representation,
    with_columns: bool,
    now: jiff::Timestamp,
) -> Bytes {
    let object = match representation.shape {
        AnswerShape::Whole if representation.format == BodyFormat::Json => return line(saying.as_str(), &stored.bytes()),
        AnswerShape::Whole => return framed(saying.as_str(), stored.value(), representation.format),
        AnswerShape::Metadata | AnswerShape::MetadataList => partial_metadata(stored.value(), representation.meta.as_str()),
        AnswerShape::Table(include) => {
            let metadata = json!({"resourceVersion": stored.revision().to_string()});
            Table::new(kind, include, representation.meta.as_str()).render([stored.value()], metadata, with_columns, now)
        }
    };
    framed(saying.as_str(), &object, representation.format)
}

/// Encodes a bookmark; `initial_end` marks the end of the initial events (SWATCH-7, SWATCH-8).
pub(super) fn bookmark(kind: &KindSpec, revision: u64, initial_end: bool, representation: Representation) -> Bytes {
    let mut metadata = json!({"resourceVersion": revision.to_string()});
    if initial_end {
        metadata["annotations"] = json!({"k8s.io/initial-events-end": "true"});
    }
    let (api_version, kind_name) = match representation.shape {
        AnswerShape::Whole => (kind.api_version(), kind.kind.as_str()),
        AnswerShape::Metadata | AnswerShape::MetadataList => {
            (format!("meta.k8s.io/{}", representation.meta.as_str()), "PartialObjectMetadata")
        }
        AnswerShape::Table(_) => (format!("meta.k8s.io/{}", representation.meta.as_str()), "Table"),
    };
    let object = if let AnswerShape::Table(_) = representation.shape {
        json!({"kind": kind_name, "apiVersion": api_version, "metadata": metadata, "columnDefinitions": null, "rows": []})
    } else {
        json!({"kind": kind_name, "apiVersion": api_version, "metadata": metadata})
    };
    framed("BOOKMARK", &object, representation.format)
}

/// Encodes the error that ends a watch (SWATCH-4).
pub(super) fn error(status: &Status, format: BodyFormat) -> Bytes {
    framed("ERROR", &status.to_value(), format)
}

fn framed(event_type: &str, object: &Value, format: BodyFormat) -> Bytes {
    match format {
        BodyFormat::Json => line(event_type, &encode::value(object, format)),
        BodyFormat::Protobuf => proto::watch_event(event_type, &encode::value(object, format)),
        BodyFormat::Yaml => {
            format!("---\n{}", String::from_utf8_lossy(&encode::value(&json!({"type": event_type, "object": object}), format)))
                .into()
        }
    }
}

fn line(event_type: &str, object: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(object.len() + 32);
    out.extend_from_slice(b"{\"type\":\"");
    out.extend_from_slice(event_type.as_bytes());
    out.extend_from_slice(b"\",\"object\":");
    out.extend_from_slice(object);
    out.extend_from_slice(b"}\n");
    out.into()
}
