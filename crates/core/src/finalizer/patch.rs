//! The patches. Each tests what it builds on, so that two writers never undo each other; a failed test is answered with 422,
//! and the caller reads the object again.

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

fn entries(object: &Value) -> Vec<&str> {
    let list = object.pointer("/metadata/finalizers").and_then(Value::as_array);
    // A finalizer that is no text cannot come from a server; it keeps its index.
    list.map(|list| list.iter().map(|entry| entry.as_str().unwrap_or_default()).collect()).unwrap_or_default()
}

fn uid_test(object: &Value) -> Vec<Value> {
    let uid = object.pointer("/metadata/uid").and_then(Value::as_str);
    uid.map(|uid| json!({"op": "test", "path": "/metadata/uid", "value": uid})).into_iter().collect()
}
