//! Validation of ConfigMaps.

use kubewright_schema::FieldError;
use serde_json::{Value, json};

use super::data::{MAX_BYTES, decoded, frozen, key_syntax};
use crate::types::validate::checks::FieldChecks;

/// Checks the keys of a ConfigMap and its size of at most 1 MiB (BVA-3).
pub(in crate::types::validate) fn config_map(checks: &mut FieldChecks, object: &Value, stored: Option<&Value>) {
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
