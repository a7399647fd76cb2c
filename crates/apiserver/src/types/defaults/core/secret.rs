//! Defaults of Secrets.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::types::edit::{Edit as _, Members};

/// Fills in the default type Opaque of a Secret (BDF-12) and merges its `stringData` into its `data` (BI-3).
pub(in crate::types::defaults) fn secret(object: &mut Members) {
    object.fill("type", "Opaque");
    let Some(Value::Object(texts)) = object.remove("stringData") else {
        return;
    };
    let data = object.ensure("data");
    for (key, text) in texts {
        data.insert(key, STANDARD.encode(text.as_str().unwrap_or_default()).into());
    }
}
