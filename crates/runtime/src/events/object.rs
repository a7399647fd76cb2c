//! Event objects and their requests.

use kubewright_core::events::EventRecord;
use kubewright_core::time::micros;
use kubewright_machinery::object::{GroupVersionKind, ObjectReference};
use serde_json::{Map, Value, json};

use super::outbox::Series;
use crate::cluster::{ApiRequest, ApiResource, PatchKind};

/// The longest reason and action, in bytes.
const MAX_WORD: usize = 128;

/// Returns the kind of events.
pub(super) fn resource() -> ApiResource {
    ApiResource::known(&GroupVersionKind::new("events.k8s.io", "v1", "Event"), "events", true)
}

/// Returns the request that creates an event object.
pub(super) fn create(resource: &ApiResource, record: &EventRecord, occurred: Option<Series>, instance: &str) -> ApiRequest {
    let mut object = object(record, instance);
    if let Some(occurred) = occurred {
        object["series"] = series(occurred);
    }
    ApiRequest::create(resource, &object)
}

/// Returns the request that writes the number of occurrences of an event.
pub(super) fn count(resource: &ApiResource, namespace: &str, name: &str, occurred: Series) -> ApiRequest {
    ApiRequest::patch(resource, namespace, name, PatchKind::Merge, &json!({"series": series(occurred)}))
}

fn series(occurred: Series) -> Value {
    json!({"count": occurred.count, "lastObservedTime": micros(occurred.last)})
}

fn object(record: &EventRecord, instance: &str) -> Value {
    let occurrence = &record.occurrence;
    let event = &occurrence.event;
    let mut metadata = Map::new();
    metadata.insert("namespace".to_owned(), record.namespace.clone().into());
    metadata.insert("name".to_owned(), record.name.clone().into());
    if !occurrence.annotations.is_empty() {
        metadata.insert("annotations".to_owned(), json!(occurrence.annotations));
    }
    let mut object = json!({
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": metadata,
        "eventTime": micros(record.time),
        "reportingController": occurrence.reporter,
        "reportingInstance": word(instance),
        "action": word(event.action.as_str()),
        "reason": word(event.reason.as_str()),
        "regarding": reference(&occurrence.regarding),
        "note": event.note,
        "type": event.kind.as_str(),
    });
    if let Some(related) = &occurrence.related {
        object["related"] = reference(related);
    }
    object
}

fn reference(reference: &ObjectReference) -> Value {
    json!(reference)
}

fn word(text: &str) -> &str {
    let end = (0..=text.len().min(MAX_WORD)).rev().find(|index| text.is_char_boundary(*index)).unwrap_or(0);
    &text[..end]
}
