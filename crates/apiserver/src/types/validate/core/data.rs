//! Checks that ConfigMaps and Secrets have in common: keys, size, and data that never change.

use kubewright_machinery::object::names;
use kubewright_schema::FieldError;
use serde_json::{Value, json};

use crate::types::validate::checks::FieldChecks;

/// The maximal number of bytes of the data of an object.
pub(super) const MAX_BYTES: usize = 1024 * 1024;
const IMMUTABLE: &str = "field is immutable when `immutable` is set";

/// Checks the syntax of a key of the data.
pub(super) fn key_syntax(checks: &mut FieldChecks, path: &str, key: &str) {
    for problem in names::config_key(key) {
        checks.add(FieldError::invalid(path, &json!(key), problem));
    }
}

/// Checks that an immutable object stays immutable and keeps its data (BVA-4).
pub(super) fn frozen(checks: &mut FieldChecks, object: &Value, stored: Option<&Value>, fields: &[&str]) {
    let Some(stored) = stored.filter(|stored| stored["immutable"] == Value::Bool(true)) else {
        return;
    };
    for field in ["immutable"].into_iter().chain(fields.iter().copied()).filter(|field| object[*field] != stored[*field]) {
        checks.add(FieldError::forbidden(field, IMMUTABLE));
    }
}

/// Returns the maximal number of bytes that base64 text of this length encodes.
pub(super) fn decoded(length: usize) -> usize {
    length / 4 * 3
}
