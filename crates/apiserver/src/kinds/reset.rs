//! The fields that an endpoint keeps from the stored object, whatever the client sent.

use serde_json::{Map, Value};

use super::path::FieldPath;
use crate::model::Endpoint;

/// The fields that each endpoint of a kind keeps from the stored object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reset {
    /// Fields that the main endpoint keeps, and that a create drops; includes `status` if it is a subresource.
    pub main: Vec<FieldPath>,
    /// Fields that the status endpoint keeps besides all fields outside of `metadata` and `status`. `metadata` means all of it except the managed
    /// fields and the resource version that the client read.
    pub status: Vec<FieldPath>,
}

impl Reset {
    /// Drops from a new object the fields that only another endpoint may write.
    pub fn on_create(&self, object: &mut Value, status_apart: bool) {
        if status_apart && let Some(object) = object.as_object_mut() {
            object.remove("status");
        }
    }

    /// Restores in `object`, which a client sent as an update to `endpoint`, the fields that this endpoint does not write.
    pub fn on_update(&self, endpoint: Endpoint<'_>, object: &mut Value, stored: &Value) {
        match endpoint {
            Endpoint::Main => self.main.iter().for_each(|field| field.keep(object, stored)),
            Endpoint::Status => {
                keep_all_but(object, stored, &["status", "metadata"]);
                for field in &self.status {
                    if field.members() == ["metadata"] {
                        keep_metadata(object, stored);
                    } else {
                        field.keep(object, stored);
                    }
                }
            }
            // An approval writes the conditions and leaves the certificate to the signer.
            Endpoint::Other("approval") => {
                keep_all_but(object, stored, &["status", "metadata"]);
                FieldPath::new("status.certificate").keep(object, stored);
            }
            // The server itself computes the result of a binding and changes nothing else.
            Endpoint::Other("binding") => {}
            Endpoint::Other("ephemeralcontainers") => {
                let added = object.pointer("/spec/ephemeralContainers").cloned();
                keep_all_but(object, stored, &["metadata"]);
                if let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) {
                    match added {
                        Some(added) => spec.insert("ephemeralContainers".into(), added),
                        None => spec.remove("ephemeralContainers"),
                    };
                }
            }
            Endpoint::Other(_) => keep_all_but(object, stored, &["spec", "metadata"]),
        }
    }
}

/// Sets every top-level field of `object` except the written ones to its value in `stored`.
fn keep_all_but(object: &mut Value, stored: &Value, written: &[&str]) {
    let empty = Map::new();
    let stored = stored.as_object().unwrap_or(&empty);
    let Some(object) = object.as_object_mut() else {
        return;
    };
    let kept = |field: &str| !written.contains(&field) && !matches!(field, "apiVersion" | "kind");
    object.retain(|field, _| !kept(field));
    object.extend(stored.iter().filter(|(field, _)| kept(field)).map(|(field, value)| (field.clone(), value.clone())));
}

fn keep_metadata(object: &mut Value, stored: &Value) {
    let sent = object.get("metadata").cloned();
    FieldPath::new("metadata").keep(object, stored);
    let Some(sent) = sent else { return };
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else {
        return;
    };
    for field in ["managedFields", "resourceVersion"] {
        match sent.get(field) {
            Some(value) => metadata.insert(field.to_owned(), value.clone()),
            None => metadata.remove(field),
        };
    }
}
