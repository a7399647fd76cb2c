//! Conversion between the versions of a resource and its stored form (KND-6, CRD-9).

use kubewright_machinery::object::ObjectExt as _;
use serde_json::Value;

use super::{model_of, scaler};
use crate::kinds::KindSpec;

/// Returns true if an object stored at this version has to be converted to the version of the kind.
pub(crate) fn changes(kind: &KindSpec, api_version: &str) -> bool {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    group != kind.group || version != kind.version
}

/// Converts an object of the kind's version to the stored form.
pub(crate) fn to_storage(kind: &KindSpec, object: &mut Value) {
    let target = kind.storage.api_version();
    if kind.api_version() == target {
        return;
    }
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("events.k8s.io", "Event") => rename(object, EVENT_FIELDS),
        ("autoscaling", "HorizontalPodAutoscaler") => scaler::to_v2(object),
        _ => {}
    }
    set_api_version(object, target);
}

/// Prunes the fields that the storage version of a custom resource does not know, and adds its defaults.
pub(crate) fn settle(kind: &KindSpec, object: &mut Value) {
    if let Some(model) = kind.custom.as_ref().and_then(|custom| custom.storage_model.as_ref()) {
        model.refresh(object);
    }
}

/// Updates a stored custom resource to the current schema of its definition. The version is converted afterwards.
pub(crate) fn refresh(kind: &KindSpec, object: &mut Value) {
    match kind.custom.as_ref().and_then(|custom| custom.storage_model.as_ref()) {
        Some(model) => model.refresh(object),
        None => model_of(kind).refresh(object),
    };
}

/// Converts a stored object to the kind's version.
pub(crate) fn from_storage(kind: &KindSpec, object: &mut Value) {
    let target = kind.api_version();
    if object.api_version() == target {
        return;
    }
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("events.k8s.io", "Event") => {
            let backwards: Vec<_> = EVENT_FIELDS.iter().map(|(events, core)| (*core, *events)).collect();
            rename(object, &backwards);
            // Fields that the core group always prints are left out here if they are empty.
            if let Some(members) = object.as_object_mut() {
                members.retain(|field, value| {
                    !matches!(field.as_str(), "reportingController" | "reportingInstance") || value.as_str() != Some("")
                });
            }
        }
        ("autoscaling", "HorizontalPodAutoscaler") => scaler::to_v1(object),
        _ => {}
    }
    set_api_version(object, target);
    if kind.is_custom() {
        // Fields that this version does not know are pruned without a warning; no defaults are added.
        let _ = model_of(kind).normalise(object, &mut Vec::new());
    }
}

fn set_api_version(object: &mut Value, version: String) {
    if let Some(members) = object.as_object_mut() {
        members.insert("apiVersion".into(), version.into());
    }
}

/// Field names in events.k8s.io/v1, and in the core group.
const EVENT_FIELDS: &[(&str, &str)] = &[
    ("regarding", "involvedObject"),
    ("note", "message"),
    ("reportingController", "reportingComponent"),
    ("deprecatedSource", "source"),
    ("deprecatedFirstTimestamp", "firstTimestamp"),
    ("deprecatedLastTimestamp", "lastTimestamp"),
    ("deprecatedCount", "count"),
];

fn rename(object: &mut Value, fields: &[(&str, &str)]) {
    let Some(members) = object.as_object_mut() else { return };
    for (from, to) in fields {
        if let Some(value) = members.remove(*from) {
            members.insert((*to).to_owned(), value);
        }
    }
    // The reporting instance is called `reportingInstance` in both.
}
