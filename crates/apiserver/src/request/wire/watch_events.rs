//! Encoding of watch events. An event is encoded once per version and representation and shared by all watches of the same form.

use std::sync::Arc;

use bytes::Bytes;
use kubewright_middleware::{Clock, Status};
use serde_json::{Value, json};

use super::encode;
use super::negotiate::{AnswerShape, BodyFormat, Representation};
use crate::api::{WatchEventType, WatchOutput};
use crate::kinds::KindSpec;
use crate::proto;
use crate::request::RequestState;
use crate::store::Stored;
use crate::tables::{Table, partial_metadata};

/// The key under which an encoded event is shared.
#[derive(Clone, Debug, PartialEq, Eq)]
struct EncodedEventKey {
    api_version: Arc<str>,
    representation: Representation,
    event_type: WatchEventType,
    with_columns: bool,
}

/// The encoder of the outputs of one watch.
pub(in crate::request) struct WatchEncoder {
    /// The state is held until the end of the watch, so that the server goes on for a client that only watches.
    state: Arc<RequestState>,
    kind: Arc<KindSpec>,
    representation: Representation,
    /// The key of the last change. It is kept, because making one for each event costs as much as finding the encoded event.
    key: EncodedEventKey,
    /// True until a table has shown its columns.
    columns_due: bool,
}

impl WatchEncoder {
    pub(in crate::request) fn new(state: &Arc<RequestState>, kind: &Arc<KindSpec>, representation: Representation) -> Self {
        Self {
            state: state.clone(),
            kind: kind.clone(),
            representation,
            key: EncodedEventKey {
                api_version: kind.api_version().into(),
                representation,
                event_type: WatchEventType::Added,
                with_columns: false,
            },
            columns_due: matches!(representation.shape, AnswerShape::Table(_)),
        }
    }

    /// Encodes an output; `None` for a change that is not of the type that the output names.
    pub(in crate::request) fn encode(&mut self, output: WatchOutput) -> Option<Bytes> {
        let encoded = match output {
            WatchOutput::Initial { object } => {
                let with_columns = std::mem::take(&mut self.columns_due);
                event(&self.kind, WatchEventType::Added, &object, self.representation, with_columns, &self.state.api.clock)
            }
            WatchOutput::Changed { event: changed, event_type } => {
                let with_columns = std::mem::take(&mut self.columns_due);
                let representation = self.representation;
                (self.key.event_type, self.key.with_columns) = (event_type, with_columns);
                changed.encoded(&self.key, || {
                    let view = self.state.api.view_changed(&self.kind, &changed, event_type)?;
                    Some(event(&self.kind, event_type, &view, representation, with_columns, &self.state.api.clock))
                })?
            }
            WatchOutput::Bookmark { revision, is_initial_end } => {
                bookmark(&self.kind, revision, is_initial_end, self.representation)
            }
            WatchOutput::Error(status) => error(&status, self.representation.format),
        };
        Some(encoded)
    }
}

/// Encodes an event about an object. A table shows the age of the object at the time of the clock.
fn event(
    kind: &KindSpec,
    event_type: WatchEventType,
    stored: &Stored,
    representation: Representation,
    with_columns: bool,
    clock: &Clock,
) -> Bytes {
    let object = match representation.shape {
        AnswerShape::Whole if representation.format == BodyFormat::Json => return line(event_type.as_str(), &stored.bytes()),
        AnswerShape::Whole => return framed(event_type.as_str(), stored.value(), representation.format),
        AnswerShape::Metadata | AnswerShape::MetadataList => partial_metadata(stored.value(), representation.meta.as_str()),
        AnswerShape::Table(include) => {
            let metadata = json!({"resourceVersion": stored.revision().to_string()});
            Table::new(kind, include, representation.meta.as_str()).render([stored.value()], metadata, with_columns, clock.now())
        }
    };
    framed(event_type.as_str(), &object, representation.format)
}

/// Encodes a bookmark; `initial_end` marks the end of the initial events (SWATCH-7, SWATCH-8).
fn bookmark(kind: &KindSpec, revision: u64, initial_end: bool, representation: Representation) -> Bytes {
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
fn error(status: &Status, format: BodyFormat) -> Bytes {
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
