//! Validation of ConfigMaps, Secrets, and other plain records.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kubewright_machinery::object::{ObjectExt as _, names};
use kubewright_schema::FieldError;
use serde_json::{Value, json};

use super::checks::{FieldChecks, items};
use crate::model::Endpoint;

const MAX_BYTES: usize = 1024 * 1024;
const IMMUTABLE: &str = "field is immutable when `immutable` is set";

/// Checks the keys of a ConfigMap and its size of at most 1 MiB (BVA-3).
pub(super) fn config_map(checks: &mut FieldChecks, object: &Value, stored: Option<&Value>) {
    let mut size = 0;
    for field in ["data", "binaryData"] {
        for (key, value) in object[field].as_object().into_iter().flatten() {
            key_syntax(checks, &format!("{field}[{key}]"), key);
            if field == "data" && object["binaryData"].get(key).is_some() {
                checks.add(FieldError::invalid(format!("data[{key}]"), &json!(key), "duplicate of key present in binaryData"));
            }
            let length = value.as_str().map_or(0, str::len);
            size += if field == "data" { length } else { decoded(length) };
        }
    }
    if size > MAX_BYTES {
        checks.add(FieldError::too_long("[]", MAX_BYTES));
    }
    frozen(checks, object, stored, &["data", "binaryData"]);
}

/// Checks the keys of a Secret, the keys that its type requires, and its size of at most 1 MiB (BVA-3).
pub(super) fn secret(checks: &mut FieldChecks, object: &Value, stored: Option<&Value>) {
    let mut size = 0;
    for (key, value) in object["data"].as_object().into_iter().flatten() {
        key_syntax(checks, &format!("data[{key}]"), key);
        size += decoded(value.as_str().map_or(0, str::len));
    }
    if size > MAX_BYTES {
        checks.add(FieldError::too_long("data", MAX_BYTES));
    }
    let has = |key: &str| object["data"].get(key).is_some();
    let kind = object["type"].as_str().unwrap_or_default();
    let required: &[&str] = match kind {
        "kubernetes.io/tls" => &["tls.crt", "tls.key"],
        "kubernetes.io/dockerconfigjson" => &[".dockerconfigjson"],
        "kubernetes.io/dockercfg" => &[".dockercfg"],
        "kubernetes.io/ssh-auth" => &["ssh-privatekey"],
        // Either of the two keys is enough.
        "kubernetes.io/basic-auth" if !has("username") && !has("password") => &["username", "password"],
        _ => &[],
    };
    for key in [".dockerconfigjson", ".dockercfg"].into_iter().filter(|key| required.contains(key) && has(key)) {
        let decoded = object["data"][key].as_str().and_then(|text| STANDARD.decode(text).ok()).unwrap_or_default();
        if let Err(error) = serde_json::from_slice::<serde::de::IgnoredAny>(&decoded) {
            let hidden = json!("<secret contents redacted>");
            checks.add(FieldError::invalid(format!("data[{key}]"), &hidden, error.to_string()));
        }
    }
    for key in required.iter().filter(|key| !has(key)) {
        checks.add(FieldError::required(format!("data[{key}]"), ""));
    }
    let account = "kubernetes.io/service-account.name";
    if kind == "kubernetes.io/service-account-token" && object.annotation(account).is_none_or(str::is_empty) {
        checks.add(FieldError::required(format!("metadata.annotations[{account}]"), ""));
    }
    if let Some(stored) = stored {
        checks.immutable("type", &object["type"], &stored["type"]);
    }
    frozen(checks, object, stored, &["data"]);
}

/// Checks the finalizers of a namespace (SNS-8) and the phase that its status may have (SNS-1).
pub(super) fn namespace(checks: &mut FieldChecks, object: &Value, _: Option<&Value>, endpoint: Endpoint<'_>) {
    for (path, finalizer) in items("spec.finalizers", &object["spec"]["finalizers"]) {
        let name = finalizer.as_str().unwrap_or_default();
        checks.name(&path, finalizer, names::qualified_name);
        if !name.contains('/') && name != "kubernetes" {
            let detail = "name is neither a standard finalizer name nor is it fully qualified";
            checks.add(FieldError::invalid(path, finalizer, detail));
        }
    }
    let phase = &object["status"]["phase"];
    let (expected, is) = match object.deletion_timestamp() {
        None => ("Active", "empty"),
        Some(_) => ("Terminating", "not empty"),
    };
    if endpoint == Endpoint::Status && phase != expected {
        let detail = format!("may only be '{expected}' if `deletionTimestamp` is {is}");
        checks.add(FieldError::invalid("status.Phase", phase, detail));
    }
}

pub(super) fn revision(checks: &mut FieldChecks, object: &Value, stored: Option<&Value>) {
    checks.not_negative("revision", &object["revision"]);
    if object["data"].is_null() {
        checks.add(FieldError::required("data", "data is mandatory"));
    }
    if let Some(stored) = stored {
        checks.immutable("data", &object["data"], &stored["data"]);
    }
}

/// Checks the duration and the number of transitions of a Lease (BVA-3).
pub(super) fn lease(checks: &mut FieldChecks, object: &Value, _: Option<&Value>) {
    checks.positive("spec.leaseDurationSeconds", &object["spec"]["leaseDurationSeconds"]);
    checks.not_negative("spec.leaseTransitions", &object["spec"]["leaseTransitions"]);
}

pub(super) fn priority_class(checks: &mut FieldChecks, object: &Value, stored: Option<&Value>) {
    let value = &object["value"];
    let is_system = object.name().starts_with("system-");
    if !is_system && value.as_i64().is_some_and(|value| value > 1_000_000_000) {
        let detail = "maximum allowed value of a user defined priority is 1000000000";
        checks.add(FieldError::forbidden("value", detail));
    }
    checks.one_of("preemptionPolicy", &object["preemptionPolicy"], &["Never", "PreemptLowerPriority"]);
    if stored.is_some_and(|stored| stored["value"] != *value) {
        checks.add(FieldError::forbidden("value", "may not be changed in an update."));
    }
}

fn key_syntax(checks: &mut FieldChecks, path: &str, key: &str) {
    for problem in names::config_key(key) {
        checks.add(FieldError::invalid(path, &json!(key), problem));
    }
}

/// Checks that an immutable object stays immutable and keeps its data (BVA-4).
fn frozen(checks: &mut FieldChecks, object: &Value, stored: Option<&Value>, fields: &[&str]) {
    let Some(stored) = stored.filter(|stored| stored["immutable"] == Value::Bool(true)) else {
        return;
    };
    for field in ["immutable"].into_iter().chain(fields.iter().copied()).filter(|field| object[*field] != stored[*field]) {
        checks.add(FieldError::forbidden(field, IMMUTABLE));
    }
}

/// Returns the maximal number of bytes that base64 text of this length encodes.
fn decoded(length: usize) -> usize {
    length / 4 * 3
}
