//! Patches of finalizers. A JSON patch tests the entries that it builds on, and a merge patch names the version of the object, so that two writers
//! never undo each other; a failed test is answered with 422, another version with 409, and the caller reads the object again.

use kubewright_machinery::object::ObjectExt as _;
use serde_json::{Value, json};

use super::FinalizerName;

/// The JSON patch that adds a finalizer. None when it is there already, and on an object that is being deleted, where the
/// server refuses it.
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

/// The JSON patch that removes finalizers: our own and former names of it, every entry of each. None when there is none.
pub fn remove_patch(object: &Value, names: &[&FinalizerName]) -> Option<Value> {
    let mut patch = uid_test(object);
    let before = patch.len();
    // From the back, so that the indices of the rest stay what they are.
    for (index, entry) in
        entries(object).into_iter().enumerate().rev().filter(|(_, entry)| names.iter().any(|name| name.as_str() == *entry))
    {
        let path = format!("/metadata/finalizers/{index}");
        patch.push(json!({"op": "test", "path": path, "value": entry}));
        patch.push(json!({"op": "remove", "path": path}));
    }
    (patch.len() > before).then_some(Value::Array(patch))
}

/// The merge patch that adds a finalizer: the whole list in its order, with ours last, on the condition that the object still has its version. None
/// where [`add_patch`] has none.
pub fn add_merge_patch(object: &Value, name: &FinalizerName) -> Option<Value> {
    add_patch(object, name)?;
    let mut list = entries(object);
    list.push(name.as_str());
    Some(merge_patch(object, &list))
}

/// The merge patch that removes finalizers, every entry of each: the list of the others in its order, on the condition that the object still has its
/// version. None when there is none to remove.
pub fn remove_merge_patch(object: &Value, names: &[&FinalizerName]) -> Option<Value> {
    let all = entries(object);
    let others: Vec<&str> = all.iter().copied().filter(|entry| names.iter().all(|name| name.as_str() != *entry)).collect();
    (others.len() < all.len()).then(|| merge_patch(object, &others))
}

fn merge_patch(object: &Value, finalizers: &[&str]) -> Value {
    json!({ "metadata": { "finalizers": finalizers, "resourceVersion": object.resource_version() } })
}

/// The object as server-side apply takes it, with these finalizers: one to own it, none to give up the one that the manager owns (FNL-9).
pub fn applied_finalizers(object: &Value, names: &[&FinalizerName]) -> Value {
    let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
    let mut applied = object.apply_head();
    applied["metadata"]["finalizers"] = names.into();
    applied
}

fn entries(object: &Value) -> Vec<&str> {
    let list = object.pointer("/metadata/finalizers").and_then(Value::as_array);
    // A finalizer that is no text cannot come from a server; it keeps its index.
    list.map(|list| list.iter().map(|entry| entry.as_str().unwrap_or_default()).collect()).unwrap_or_default()
}

fn uid_test(object: &Value) -> Vec<Value> {
    let uid = object.pointer("/metadata/uid").and_then(Value::as_str);
    uid.map(|uid| json!({"op": "test", "path": "/metadata/uid", "value": uid})).into_iter().collect()
}
