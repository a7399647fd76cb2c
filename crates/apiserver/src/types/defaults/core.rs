//! Defaults of the core group: secrets, limit ranges and nodes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::types::edit::{Edit as _, Members, each, part};

/// Fills in the default type Opaque of a Secret (BDF-12) and merges its `stringData` into its `data` (BI-3).
pub(super) fn secret(object: &mut Members) {
    object.fill("type", "Opaque");
    let Some(Value::Object(texts)) = object.remove("stringData") else {
        return;
    };
    let data = object.ensure("data");
    for (key, text) in texts {
        data.insert(key, STANDARD.encode(text.as_str().unwrap_or_default()).into());
    }
}

/// Fills in the defaults of a LimitRange (BDF-19): the limits of a container default to its maxima, its requests to its limits or its minima.
pub(super) fn limit_range(object: &mut Members) {
    let Some(spec) = part(object, "spec") else {
        return;
    };
    for limit in each(spec, "limits").filter(|limit| limit.text("type") == "Container") {
        inherit(limit, "max", "default");
        inherit(limit, "default", "defaultRequest");
        inherit(limit, "min", "defaultRequest");
    }
}

fn inherit(limit: &mut Members, from: &str, to: &str) {
    let Some(amounts) = limit.get(from).and_then(Value::as_object).cloned() else {
        return;
    };
    let target = limit.ensure(to);
    for (resource, amount) in amounts {
        target.entry(resource).or_insert(amount);
    }
}

/// Fills in the allocatable resources of a Node, which default to its capacity (BDF-19).
pub(super) fn node(object: &mut Members) {
    let Some(status) = part(object, "status") else {
        return;
    };
    if let Some(capacity) = status.get("capacity").cloned() {
        status.fill("allocatable", capacity);
    }
}
