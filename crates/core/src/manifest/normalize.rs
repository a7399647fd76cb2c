//! The normal form of manifests, in which they are compared and sent (PREP-1 to PREP-6).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kubewright_machinery::object::ObjectExt;
use serde_json::{Map, Value};

use super::error::type_of;
use super::{InvalidManifest, OperatorName};

/// Fields of `metadata` that only the server sets.
const SERVER_FIELDS: [&str; 7] =
    ["creationTimestamp", "uid", "selfLink", "generation", "managedFields", "deletionTimestamp", "deletionGracePeriodSeconds"];

/// Normalises manifests and flattens lists. Mistakes are added to `errors`, and their manifests are left out. Each manifest is returned with its
/// position in the flat list, counted from 1.
pub(crate) fn normalize(
    operator: &OperatorName,
    manifests: Vec<Value>,
    errors: &mut Vec<InvalidManifest>,
) -> Vec<(usize, Value)> {
    let flat = flatten(manifests);
    let mut normal = Vec::with_capacity(flat.len());
    for (index, mut manifest) in flat.into_iter().enumerate() {
        let before = errors.len();
        check_identity(index, &manifest, errors);
        check_namespace(&manifest, errors);
        check_maps(&manifest, errors);
        if errors.len() > before {
            continue;
        }
        strip(operator, &mut manifest);
        if manifest.api_version() == "v1" && manifest.kind() == "Secret" {
            encode_string_data(&mut manifest, errors);
        }
        if errors.len() == before {
            normal.push((index + 1, manifest));
        }
    }
    normal
}

/// Returns manifests with the objects of `v1 List` in the place of the lists (PREP-1).
pub fn flatten(manifests: Vec<Value>) -> Vec<Value> {
    let mut flat = Vec::with_capacity(manifests.len());
    for mut manifest in manifests {
        let is_list = manifest.api_version() == "v1" && manifest.kind() == "List";
        match manifest.get_mut("items").filter(|_| is_list).map(Value::take) {
            Some(Value::Array(items)) => flat.extend(flatten(items)),
            Some(Value::Null) => {}
            None if is_list => {}
            _ => flat.push(manifest),
        }
    }
    flat
}

fn check_identity(index: usize, manifest: &Value, errors: &mut Vec<InvalidManifest>) {
    let named = manifest.metadata().get("generateName").is_some_and(|name| !name.is_null());
    let fields = [("apiVersion", manifest.api_version()), ("kind", manifest.kind()), ("metadata.name", manifest.name())];
    for (field, value) in fields {
        if value.is_empty() && !(named && field == "metadata.name") {
            let mut position = (index + 1).to_string();
            let known = [manifest.kind(), manifest.name()].join(" ");
            if !known.trim().is_empty() {
                position = format!("{position} ({})", known.trim());
            }
            errors.push(InvalidManifest::Missing { position, field });
        }
    }
    if named {
        errors.push(InvalidManifest::GenerateName { object: manifest.title() });
    }
}

/// Rejects a namespace that is not a text. It would be read as no namespace, and the object would be created in another namespace.
fn check_namespace(manifest: &Value, errors: &mut Vec<InvalidManifest>) {
    match manifest.metadata().get("namespace") {
        None | Some(Value::Null | Value::String(_)) => {}
        Some(value) => errors.push(InvalidManifest::WrongType {
            object: manifest.title(),
            field: "metadata.namespace".to_owned(),
            expected: "a string",
            found: type_of(value),
        }),
    }
}

fn check_maps(manifest: &Value, errors: &mut Vec<InvalidManifest>) {
    for field in ["labels", "annotations"] {
        let mut wrong = |path: String, expected: &'static str, value: &Value| {
            errors.push(InvalidManifest::WrongType { object: manifest.title(), field: path, expected, found: type_of(value) });
        };
        match manifest.metadata().get(field) {
            None | Some(Value::Null) => {}
            Some(Value::Object(map)) => {
                for (key, value) in map {
                    if !value.is_string() && !value.is_null() {
                        wrong(format!("metadata.{field}[{key:?}]"), "a string", value);
                    }
                }
            }
            Some(value) => wrong(format!("metadata.{field}"), "a map of strings", value),
        }
    }
}

fn strip(operator: &OperatorName, manifest: &mut Value) {
    let (owner, digest) = (operator.owner_key(), operator.digest_key());
    let metadata = manifest.metadata_mut();
    for field in SERVER_FIELDS {
        metadata.remove(field);
    }
    for (field, marks) in [("labels", [&owner, &owner]), ("annotations", [&owner, &digest])] {
        let Some(entry) = metadata.get_mut(field) else {
            continue;
        };
        let empty = match entry.as_object_mut() {
            None => true,
            Some(map) => {
                let before = map.len();
                map.retain(|key, value| !value.is_null() && !marks.contains(&key));
                map.is_empty() && before > 0
            }
        };
        if empty {
            metadata.remove(field);
        }
    }
    let Some(object) = manifest.as_object_mut() else {
        return;
    };
    let idle = match object.get("status") {
        Some(Value::Null) => true,
        Some(Value::Object(status)) => status.is_empty(),
        _ => false,
    };
    if idle {
        object.remove("status");
    }
}

fn encode_string_data(secret: &mut Value, errors: &mut Vec<InvalidManifest>) {
    let title = secret.title();
    let Some(object) = secret.as_object_mut() else {
        return;
    };
    let clear = match object.remove("stringData") {
        None | Some(Value::Null) => return,
        Some(Value::Object(clear)) => clear,
        Some(other) => {
            let found = type_of(&other);
            errors.push(InvalidManifest::WrongType {
                object: title,
                field: "stringData".to_owned(),
                expected: "a map of strings",
                found,
            });
            return;
        }
    };
    let data = object.entry("data").or_insert(Value::Null);
    if data.is_null() {
        *data = Value::Object(Map::new());
    }
    let Some(data) = data.as_object_mut() else {
        return;
    };
    for (key, value) in clear {
        match value.as_str() {
            Some(text) => {
                data.insert(key, Value::String(STANDARD.encode(text)));
            }
            None => errors.push(InvalidManifest::WrongType {
                object: title.clone(),
                field: format!("stringData[{key:?}]"),
                expected: "a string",
                found: type_of(&value),
            }),
        }
    }
}
