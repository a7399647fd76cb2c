//! The filters that everybody needs, on objects as JSON.

use serde_json::Value;

use super::change::{Change, Filter, differs, matches};

/// The generation differs.
pub fn generation() -> impl Filter<Value> {
    part("/metadata/generation")
}

/// The labels differ.
pub fn labels() -> impl Filter<Value> {
    part("/metadata/labels")
}

/// The annotations differ.
pub fn annotations() -> impl Filter<Value> {
    part("/metadata/annotations")
}

/// The finalizers differ.
pub fn finalizers() -> impl Filter<Value> {
    part("/metadata/finalizers")
}

/// The owner references differ.
pub fn owners() -> impl Filter<Value> {
    part("/metadata/ownerReferences")
}

/// The status differs; an object without one passes.
pub fn status() -> impl Filter<Value> {
    |change: &Change<Value>| {
        change.update().is_none_or(|(old, new)| new.get("status").is_none() || old.get("status") != new.get("status"))
    }
}

/// The deletion timestamp appeared.
pub fn deleting() -> impl Filter<Value> {
    differs(|object: &Value| object.pointer("/metadata/deletionTimestamp").is_some_and(|time| !time.is_null()))
}

/// The object has the label, with this value if one is asked for.
pub fn has_label(key: &str, value: Option<&str>) -> impl Filter<Value> {
    let (key, value) = (key.to_owned(), value.map(str::to_owned));
    matches(move |object: &Value| {
        let found = object.pointer("/metadata/labels").and_then(|labels| labels.get(&key)).and_then(Value::as_str);
        found.is_some() && (value.is_none() || found == value.as_deref())
    })
}

fn part(pointer: &'static str) -> impl Filter<Value> {
    differs(move |object: &Value| object.pointer(pointer).cloned().unwrap_or(Value::Null))
}
