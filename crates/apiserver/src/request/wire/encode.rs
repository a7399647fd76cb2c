//! Encoding of objects to the bytes of an answer.

use bytes::Bytes;
use kubewright_machinery::object::{GroupVersionKind, ObjectExt as _};
use kubewright_machinery::yaml;
use kubewright_middleware::Status;
use serde_json::{Value, json};

use super::negotiate::{AnswerShape, BodyFormat, Representation};
use crate::api::PageMetadata;
use crate::kinds::KindSpec;
use crate::proto;
use crate::status::StatusExt as _;
use crate::store::Stored;
use crate::tables::{Table, partial_metadata, partial_metadata_list};

/// Prints a value.
pub(crate) fn value(value: &Value, format: BodyFormat) -> Bytes {
    match format {
        BodyFormat::Json => serde_json::to_vec(value).unwrap_or_default().into(),
        BodyFormat::Yaml => yaml::to_string(value).into(),
        // A value without a message type is printed as JSON; this does not happen for answers that are negotiated as protobuf.
        BodyFormat::Protobuf => proto::encode(value).map_or_else(|| self::value(value, BodyFormat::Json), Bytes::from),
    }
}

/// Prints one object.
pub(crate) fn object(
    kind: &KindSpec,
    stored: &Stored,
    representation: Representation,
    now: jiff::Timestamp,
) -> Result<Bytes, Status> {
    let version = representation.meta.as_str();
    match (representation.shape, representation.format) {
        (AnswerShape::Whole, BodyFormat::Json) => Ok(stored.bytes()),
        (AnswerShape::Whole, format) => Ok(value(stored.value(), format)),
        (AnswerShape::Metadata, format) => Ok(value(&partial_metadata(stored.value(), version), format)),
        // The error of the real server, which looks for the items of an object that is not a list.
        (AnswerShape::MetadataList, _) if kind.is_custom() => Err(Status::new(500, "", "content is not a list")),
        (AnswerShape::MetadataList, _) => Err(Status::not_acceptable(format!(
            "you requested PartialObjectMetadataList, but the requested object is not a list ({})",
            go_type(kind, "")
        ))),
        (AnswerShape::Table(include), format) => {
            let meta = json!({"resourceVersion": stored.value().resource_version()});
            Ok(value(&Table::new(kind, include, version).render([stored.value()], meta, true, now), format))
        }
    }
}

/// Prints a list.
pub(crate) fn list(
    kind: &KindSpec,
    items: &[std::sync::Arc<Stored>],
    meta: &PageMetadata,
    representation: Representation,
    now: jiff::Timestamp,
) -> Result<Bytes, Status> {
    let mut metadata = if meta.revision == 0 { json!({}) } else { json!({"resourceVersion": meta.revision.to_string()}) };
    if let Some(next) = &meta.next {
        metadata["continue"] = next.clone().into();
    } else if kind.is_custom() && representation.shape == AnswerShape::Whole {
        metadata["continue"] = "".into();
    }
    if let Some(remaining) = meta.remaining.filter(|remaining| *remaining > 0) {
        metadata["remainingItemCount"] = remaining.into();
    }
    let version = representation.meta.as_str();
    match (representation.shape, representation.format) {
        (AnswerShape::Whole, BodyFormat::Json) => Ok(whole_list(kind, items, &metadata)),
        (AnswerShape::Whole, BodyFormat::Protobuf) => {
            let item = GroupVersionKind::new(&kind.group, &kind.version, &kind.kind);
            let items = items.iter().map(|stored| stored.value());
            let printed = proto::list(&kind.api_version(), &kind.list_kind, &item, &metadata, items);
            printed.map(Bytes::from).ok_or_else(|| Status::not_acceptable(format!("{} has no protobuf form", kind.kind)))
        }
        (AnswerShape::Whole, format) => {
            let items: Vec<Value> = items.iter().map(|stored| item(kind, stored)).collect();
            let list = json!({"kind": kind.list_kind, "apiVersion": kind.api_version(), "metadata": metadata, "items": items});
            Ok(value(&list, format))
        }
        (AnswerShape::Metadata, _) => Err(Status::not_acceptable(format!(
            "you requested PartialObjectMetadata, but the requested object is a list ({})",
            go_type(kind, "List")
        ))),
        (AnswerShape::MetadataList, format) => {
            let items = items.iter().map(|stored| stored.value());
            Ok(value(&partial_metadata_list(items, metadata, version), format))
        }
        (AnswerShape::Table(include), format) => {
            let items = items.iter().map(|stored| stored.value());
            Ok(value(&Table::new(kind, include, version).render(items, metadata, true, now), format))
        }
    }
}

fn whole_list(kind: &KindSpec, items: &[std::sync::Arc<Stored>], metadata: &Value) -> Bytes {
    let mut out = Vec::with_capacity(256 + items.iter().map(|stored| stored.bytes().len() + 1).sum::<usize>());
    out.extend_from_slice(
        format!("{{\"kind\":{:?},\"apiVersion\":{:?},\"metadata\":{metadata},\"items\":[", kind.list_kind, kind.api_version())
            .as_bytes(),
    );
    for (index, stored) in items.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        if kind.is_custom() {
            out.extend_from_slice(&stored.bytes());
        } else {
            // A list item of a built-in kind has no apiVersion and kind (META-13).
            out.push(b'{');
            out.extend_from_slice(stored.members_after_head());
        }
    }
    out.extend_from_slice(b"]}");
    out.into()
}

/// Returns an object in its form as a list item.
fn item(kind: &KindSpec, stored: &Stored) -> Value {
    let mut item = stored.value().clone();
    if let Some(members) = item.as_object_mut().filter(|_| !kind.is_custom()) {
        members.retain(|name, _| !matches!(name.as_str(), "apiVersion" | "kind"));
    }
    item
}

/// Returns the Go type that error texts name.
fn go_type(kind: &KindSpec, suffix: &str) -> String {
    if kind.is_custom() { format!("*unstructured.Unstructured{suffix}") } else { format!("*core.{}{suffix}", kind.kind) }
}
