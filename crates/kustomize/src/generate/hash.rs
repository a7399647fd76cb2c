//! The suffix of generated names: a hash of the content.

use kubewright_machinery::object::{canonical_json, sha256_hex};
use serde_json::{Value, json};

use crate::resource::BuildResource;

/// The length of the suffix.
const LENGTH: usize = 10;

/// Returns the suffix for the name of a resource. The hashed name is always empty, as it is for kustomize, so that a prefix does not change the suffix.
pub(crate) fn hash_suffix(resource: &BuildResource) -> String {
    let object = &resource.object;
    let member = |name: &str| object.get(name).cloned().unwrap_or_else(|| "".into());
    let content = match resource.kind_name() {
        "ConfigMap" => with(json!({"kind": "ConfigMap", "name": "", "data": member("data")}), "binaryData", object),
        "Secret" => {
            let content = json!({"kind": "Secret", "type": member("type"), "name": "", "data": member("data")});
            with(content, "stringData", object)
        }
        _ => object.clone(),
    };
    encode(&sha256_hex(go_json(&content)))
}

/// Adds a map of the object, if it has one.
fn with(mut content: Value, field: &str, object: &Value) -> Value {
    if let Some(map) = object.get(field).filter(|map| map.is_object()) {
        content[field] = map.clone();
    }
    content
}

/// Returns the JSON that Go prints: with sorted keys, and without characters that HTML or JavaScript give a meaning.
fn go_json(value: &Value) -> String {
    let escapes = [('<', "\\u003c"), ('>', "\\u003e"), ('&', "\\u0026"), ('\u{2028}', "\\u2028"), ('\u{2029}', "\\u2029")];
    escapes.iter().fold(canonical_json(value), |text, (character, escape)| text.replace(*character, escape))
}

/// Returns the first digits, without those that could form words.
fn encode(hex: &str) -> String {
    let digits = hex.chars().take(LENGTH);
    digits
        .map(|digit| match digit {
            '0' => 'g',
            '1' => 'h',
            '3' => 'k',
            'a' => 'm',
            'e' => 't',
            other => other,
        })
        .collect()
}
