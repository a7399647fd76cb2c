//! Patches of finalizers. A JSON patch tests the entries that it is based on, and a merge patch contains the version of the object, so that two
//! writers never undo each other. A failed test is answered with 422 and an outdated version with 409; the caller then reads the object again.

use kubewright_machinery::object::ObjectExt as _;
use serde_json::{Value, json};

use super::FinalizerName;

/// Returns the JSON patch that adds a finalizer. None if it is already present, or if the object is being deleted, because the server rejects the
/// addition then.
pub fn add_patch(object: &Value, name: &FinalizerName) -> Option<Value> {
    let name = name.as_str();
    if entries(object).contains(&name) || object.pointer("/metadata/deletionTimestamp").is_some_and(|time| !time.is_null()) {
        return None;
    }
    let list = object.pointer("/metadata/finalizers").filter(|list| list.as_array().is_some_and(|list| !list.is_empty()));
    let mut patch = uid_test(object);
    patch.push(json!({"op": "test", "path": "/metadata/finalizers", "value": list}));
    patch.push(if list.is_some() {
        json!({"op": "add", "path": "/metadata/finalizers/-", "value": name})
    } else {
        json!({"op": "add", "path": "/metadata/finalizers", "value": [name]})
    });
    Some(Value::Array(patch))
}

/// Returns the JSON patch that removes finalizers: the controller's own and its former names, every entry of each. None if there is none to remove.
pub fn remove_patch(object: &Value, names: &[&FinalizerName]) -> Option<Value> {
    let mut patch = uid_test(object);
    let before = patch.len();
    // Entries are removed from the end, so that the indices of the remaining ones are unchanged.
    for (index, entry) in
        entries(object).into_iter().enumerate().rev().filter(|(_, entry)| names.iter().any(|name| name.as_str() == *entry))
    {
        let path = format!("/metadata/finalizers/{index}");
        patch.push(json!({"op": "test", "path": path, "value": entry}));
        patch.push(json!({"op": "remove", "path": path}));
    }
    (patch.len() > before).then_some(Value::Array(patch))
}

/// Returns the merge patch that adds a finalizer: the whole list in its order with the new one last, on the condition that the object still has its
/// version. None if [`add_patch`] returns none.
pub fn add_merge_patch(object: &Value, name: &FinalizerName) -> Option<Value> {
    add_patch(object, name)?;
    let mut list = entries(object);
    list.push(name.as_str());
    Some(merge_patch(object, &list))
}

/// Returns the merge patch that removes finalizers, every entry of each: the list of the others in its order, on the condition that the object still
/// has its version. None if there is none to remove.
pub fn remove_merge_patch(object: &Value, names: &[&FinalizerName]) -> Option<Value> {
    let all = entries(object);
    let others: Vec<&str> = all.iter().copied().filter(|entry| names.iter().all(|name| name.as_str() != *entry)).collect();
    (others.len() < all.len()).then(|| merge_patch(object, &others))
}

fn merge_patch(object: &Value, finalizers: &[&str]) -> Value {
    json!({ "metadata": { "finalizers": finalizers, "resourceVersion": object.resource_version() } })
}

/// Returns the object for server-side apply, with these finalizers: one to own it, none to give up the one that the manager owns (FNL-9).
pub fn applied_finalizers(object: &Value, names: &[&FinalizerName]) -> Value {
    let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
    let mut applied = object.apply_head();
    applied["metadata"]["finalizers"] = names.into();
    applied
}

fn entries(object: &Value) -> Vec<&str> {
    let list = object.pointer("/metadata/finalizers").and_then(Value::as_array);
    // An entry that is not a text cannot come from a server; it only keeps the indices right.
    list.map(|list| list.iter().map(|entry| entry.as_str().unwrap_or_default()).collect()).unwrap_or_default()
}

fn uid_test(object: &Value) -> Vec<Value> {
    let uid = object.pointer("/metadata/uid").and_then(Value::as_str);
    uid.map(|uid| json!({"op": "test", "path": "/metadata/uid", "value": uid})).into_iter().collect()
}
