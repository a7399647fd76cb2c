//! Validation of the versions that objects may be stored in.

use std::collections::HashSet;

use kubewright_schema::FieldError;
use kubewright_schema::limit::can_be_told;
use serde_json::Value;

use crate::definition::versions;

const FIELD_PATH: &str = "status.storedVersions";

pub(super) fn versions(definition: &Value, errors: &mut Vec<FieldError>) {
    let stored = definition.pointer(&format!("/{}", FIELD_PATH.replace('.', "/"))).and_then(Value::as_array);
    let stored = stored.map(Vec::as_slice).unwrap_or_default();
    if stored.is_empty() {
        errors.push(FieldError::invalid(FIELD_PATH, &Value::Null, "must have at least one stored version"));
        return;
    }
    let versions = versions::all(definition);
    // Each error repeats all stored versions, so the errors are limited by their total length.
    let length = stored.iter().filter_map(Value::as_str).map(|name| name.len() + 3).sum();
    let known: HashSet<&str> = stored.iter().filter_map(Value::as_str).collect();
    for version in versions.iter().filter(|version| versions::is(version, "storage")) {
        let name = versions::name(version);
        if !known.contains(name) && can_be_told(errors.len(), length) {
            let detail = format!("must have the storage version {name}");
            errors.push(FieldError::invalid(FIELD_PATH, &Value::Array(stored.to_vec()), detail));
        }
    }
    let served: HashSet<&str> = versions.iter().map(versions::name).collect();
    for (index, name) in stored.iter().enumerate() {
        let name = name.as_str().unwrap_or_default();
        if !served.contains(name) {
            let detail = format!(
                "missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions until a storage \
                 migration ensures no data remains persisted in {name} and removes {name} from status.storedVersions"
            );
            errors.push(FieldError::invalid(format!("{FIELD_PATH}[{index}]"), &name.into(), detail));
        }
    }
}
