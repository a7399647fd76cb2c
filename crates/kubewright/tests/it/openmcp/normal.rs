//! The compared content of objects: fields by their path, without identities, times and field managers.

use std::collections::{BTreeMap, BTreeSet};

use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;

/// The fields of an object that must be equal, by path.
pub(super) type Normal = BTreeMap<String, Value>;

/// The metadata that is compared.
const METADATA: [&str; 4] = ["name", "labels", "annotations", "generation"];

/// Returns the compared fields of an object.
pub(super) fn normal(object: &Value) -> Normal {
    let mut fields = Normal::new();
    for field in METADATA {
        flatten(&mut fields, &format!("/metadata/{field}"), &object["metadata"][field]);
    }
    let finalizers: BTreeSet<&str> = object.finalizers().collect();
    for finalizer in finalizers {
        fields.insert(format!("/metadata/finalizers/{finalizer}"), true.into());
    }
    if object.deletion_timestamp().is_some() {
        fields.insert("/metadata/deletionTimestamp".to_owned(), true.into());
    }
    for owner in object["metadata"]["ownerReferences"].as_array().into_iter().flatten() {
        let told = ["apiVersion", "kind", "name", "controller", "blockOwnerDeletion"].map(|field| owner[field].clone());
        fields.insert("/metadata/ownerReferences".to_owned(), told.into_iter().collect());
    }
    flatten(&mut fields, "/spec", &object["spec"]);
    let mut status = object["status"].clone();
    let conditions = status.as_object_mut().and_then(|status| status.remove("conditions")).unwrap_or_default();
    flatten(&mut fields, "/status", &status);
    for condition in conditions.as_array().into_iter().flatten() {
        let text = |field: &str| condition[field].as_str().unwrap_or_default();
        let by = if text("managedBy").is_empty() { String::new() } else { format!("{}.", text("managedBy")) };
        for field in ["status", "reason", "message"].into_iter().filter(|field| !text(field).is_empty()) {
            fields.insert(format!("/status/conditions/{by}{}/{field}", text("type")), text(field).into());
        }
    }
    fields
}

fn flatten(fields: &mut Normal, path: &str, value: &Value) {
    match value {
        Value::Null => {}
        Value::Object(map) if !map.is_empty() => {
            map.iter().for_each(|(field, value)| flatten(fields, &format!("{path}/{field}"), value));
        }
        value => drop(fields.insert(path.to_owned(), value.clone())),
    }
}

/// A field that differs.
#[derive(Debug)]
pub(super) struct Spot<'a> {
    pub(super) step: &'a str,
    pub(super) kind: &'a str,
    pub(super) path: &'a str,
    pub(super) recorded: Option<&'a Value>,
    pub(super) ours: Option<&'a Value>,
}

impl Spot<'_> {
    pub(super) fn ours_is(&self, text: &str) -> bool {
        self.ours.is_some_and(|ours| ours == text)
    }

    pub(super) fn recorded_is(&self, text: &str) -> bool {
        self.recorded.is_some_and(|recorded| recorded == text)
    }

    /// Returns the type of the condition that the field belongs to, without the component on an owner.
    pub(super) fn condition(&self) -> Option<&str> {
        let (type_, _) = self.path.strip_prefix("/status/conditions/")?.split_once('/')?;
        Some(type_.split_once('.').map_or(type_, |(_, type_)| type_))
    }
}

/// Returns the fields in which the state under Kubewright differs from the recorded one.
pub(super) fn differences<'a>(
    step: &'a str,
    kind: &'a str,
    recorded: &'a Normal,
    ours: &'a Normal,
) -> impl Iterator<Item = Spot<'a>> {
    let paths: BTreeSet<&String> = recorded.keys().chain(ours.keys()).collect();
    let spots = paths.into_iter().map(move |path| Spot { step, kind, path, recorded: recorded.get(path), ours: ours.get(path) });
    spots.filter(|spot| spot.recorded != spot.ours)
}
