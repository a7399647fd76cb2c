//! Validation of Secrets.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kubewright_machinery::object::ObjectExt as _;
use kubewright_schema::FieldError;
use serde_json::{Value, json};

use super::data::{MAX_BYTES, decoded, frozen, key_syntax};
use crate::types::validate::checks::FieldChecks;

/// Checks the keys of a Secret, the keys that its type requires, and its size of at most 1 MiB (BVA-3).
pub(in crate::types::validate) fn secret(checks: &mut FieldChecks, object: &Value, stored: Option<&Value>) {
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
