//! The fingerprints of the fields that we own in a live object (DIG-3).

use kubewright_machinery::fieldset::{FieldSet, PathElement, extract};
use kubewright_machinery::object::{ObjectExt, canonical_json, sha256_hex};
use serde_json::{Value, json};

use super::Projection;
use super::projection::{MapLeaf, MapLeaves};

/// The fingerprint of an object without fields of ours.
pub const FINGERPRINT_NONE: &str = "none";

/// The fingerprint of an object, and the data for fingerprints with empty paths.
pub(super) struct ObjectFingerprint {
    pub(super) exact: String,
    pub(super) maps: Option<MapLeaves>,
}

/// Returns the fingerprint of leaves: paths of fieldsV1 keys with the live values, in any order. `None` stands for a leaf that is listed but has no
/// value.
pub fn fingerprint_of(leaves: &[(Vec<String>, Option<&Value>)]) -> String {
    let mut sorted: Vec<_> = leaves.iter().collect();
    sorted.sort_by(|(a, _), (b, _)| a.cmp(b));
    let document: Vec<Value> = sorted.into_iter().map(|(path, value)| json!([path, value])).collect();
    short(&canonical_json(&Value::Array(document)))
}

pub(super) fn project(live: &Value, field_manager: &str) -> ObjectFingerprint {
    let Some(ours) = own_fields(live, field_manager) else {
        return ObjectFingerprint { exact: FINGERPRINT_NONE.to_owned(), maps: None };
    };
    let empty = json!({});
    let paths = ours.leaves();
    let leaves: Vec<_> = paths.iter().map(|path| (path.keys(), extract(live, path))).collect();
    let exact = fingerprint_of(&leaves);
    let maps: Box<[MapLeaf]> = leaves
        .iter()
        .filter(|(_, value)| value.is_some_and(Value::is_object))
        .map(|(path, value)| MapLeaf {
            path: canonical_json(&json!(path)).into(),
            digest: short(&canonical_json(value.unwrap_or(&Value::Null))).into(),
        })
        .collect();
    if maps.is_empty() {
        return ObjectFingerprint { exact, maps: None };
    }
    let present: Vec<_> = leaves
        .into_iter()
        .map(|(path, value)| (path, if value.is_some_and(Value::is_object) { Some(&empty) } else { value }))
        .collect();
    let loose = fingerprint_of(&present).into();
    ObjectFingerprint { exact, maps: Some(MapLeaves { loose, leaves: maps }) }
}

/// Returns the fingerprint for an item that sent these paths as empty maps: of them only the presence counts.
pub(super) fn combined(live: &Projection, empty_paths: &[Vec<String>]) -> String {
    let Some(maps) = live.maps().filter(|_| !empty_paths.is_empty()) else {
        return live.fingerprint().to_owned();
    };
    let empty: Vec<String> = empty_paths.iter().map(|path| canonical_json(&json!(path))).collect();
    let counted: Vec<_> = maps.leaves.iter().filter(|leaf| !empty.iter().any(|path| *path == *leaf.path)).collect();
    if counted.len() == maps.leaves.len() {
        return live.fingerprint().to_owned();
    }
    let counted: Vec<Value> = counted.into_iter().map(|leaf| json!([leaf.path, leaf.digest])).collect();
    short(&canonical_json(&json!([maps.loose, counted])))
}

/// Returns the paths at which `sent` has empty maps and which are leaves of ours in the live object (DIG-3).
pub(in crate::dependents) fn empty_paths(sent: &Value, live: &Projection) -> Vec<Vec<String>> {
    map_leaves(live)
        .iter()
        .filter_map(|leaf| serde_json::from_str(&leaf.path).ok())
        .filter(|path: &Vec<String>| is_empty_map(sent, path))
        .collect()
}

/// Adds to a body, as empty maps, the leaves of ours that are maps in the live object and that the body lacks. Without them, an apply would remove
/// the fields that the server and other managers keep below these paths (WRITE-13).
pub(in crate::dependents) fn fill_empty_paths(body: &mut Value, empty_paths: &[Vec<String>], live: &Projection) {
    for path in empty_paths {
        let leaf = canonical_json(&json!(path));
        if map_leaves(live).iter().any(|present| *present.path == *leaf) {
            fill(body, path);
        }
    }
}

fn map_leaves(live: &Projection) -> &[MapLeaf] {
    live.maps().map_or(&[], |maps| &maps.leaves)
}

fn fill(body: &mut Value, path: &[String]) {
    let Some((first, rest)) = path.split_first() else {
        if body.is_null() {
            *body = json!({});
        }
        return;
    };
    match PathElement::parse(first) {
        Ok(Some(PathElement::Field(name))) => {
            if body.is_null() {
                *body = json!({});
            }
            if let Some(map) = body.as_object_mut() {
                fill(map.entry(&*name).or_insert(Value::Null), rest);
            }
        }
        // An entry that the manifest lacks is not wanted, so it is not added for the sake of a path below it.
        Ok(Some(PathElement::Key(keys))) => {
            let has = |entry: &&mut Value| keys.iter().all(|(name, wanted)| entry.get(name).is_none_or(|found| found == wanted));
            if let Some(entry) = body.as_array_mut().and_then(|list| list.iter_mut().find(has)) {
                fill(entry, rest);
            }
        }
        _ => {}
    }
}

fn is_empty_map(sent: &Value, path: &[String]) -> bool {
    let elements: Option<Vec<PathElement>> = path.iter().map(|key| PathElement::parse(key).ok().flatten()).collect();
    let value = elements.and_then(|elements| extract(sent, &elements).and_then(Value::as_object));
    value.is_some_and(serde_json::Map::is_empty)
}

/// Returns the fields that a manager owns outside of subresources, over all its operations.
pub(in crate::dependents) fn own_fields(live: &Value, field_manager: &str) -> Option<FieldSet> {
    let entries = live.metadata().get("managedFields")?.as_array()?;
    let is_ours = |entry: &&Value| {
        entry.get("manager").and_then(Value::as_str) == Some(field_manager)
            && entry.get("subresource").and_then(Value::as_str).unwrap_or("").is_empty()
    };
    let mut union: Option<FieldSet> = None;
    for entry in entries.iter().filter(is_ours) {
        let fields = FieldSet::parse(entry.get("fieldsV1")?).ok()?;
        union = Some(match union {
            Some(union) => union.union(&fields),
            None => fields,
        });
    }
    union
}

fn short(text: &str) -> String {
    let mut digest = sha256_hex(text);
    digest.truncate(16);
    digest
}
