//! The selection of parts of a body by JSON pointers, with `*` for every element, `**` for any depth, and `[key=value]` for elements with that value.

use serde_json::{Map, Value};

/// Returns only these parts of a value, at their original positions.
pub(super) fn keep(value: &Value, paths: &[String]) -> Value {
    let mut kept = Value::Null;
    for path in paths {
        merge(&mut kept, pick(value, &parts(path)));
    }
    kept
}

/// Returns the first value at a path.
pub(super) fn find<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    parts(path).iter().try_fold(value, |value, part| match value {
        Value::Object(members) => members.get(part),
        Value::Array(items) => items.iter().enumerate().find(|(index, item)| is_meant(part, *index, item)).map(|(_, item)| item),
        _ => None,
    })
}

/// Removes these parts of a value.
pub(super) fn remove(value: &mut Value, path: &str) {
    remove_parts(value, &parts(path));
}

fn parts(path: &str) -> Vec<String> {
    path.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~")).collect()
}

/// Returns true if a part of a path selects the element with this index.
fn is_meant(part: &str, index: usize, element: &Value) -> bool {
    if part == "*" {
        return true;
    }
    match part.strip_prefix('[').and_then(|part| part.strip_suffix(']')).and_then(|part| part.split_once('=')) {
        Some((key, wanted)) => {
            let pointer = format!("/{}", key.replace('.', "/"));
            element.pointer(&pointer).is_some_and(|found| found.as_str().map_or_else(|| found.to_string(), Into::into) == wanted)
        }
        None => part.parse() == Ok(index),
    }
}

fn pick(value: &Value, parts: &[String]) -> Value {
    let Some((part, rest)) = parts.split_first() else { return value.clone() };
    match value {
        Value::Object(members) => {
            let meant = members.iter().filter(|(key, _)| part == "*" || *key == part);
            meant.map(|(key, value)| (key.clone(), pick(value, rest))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => {
            let meant = items.iter().enumerate().filter(|(index, item)| is_meant(part, *index, item));
            meant.map(|(_, item)| pick(item, rest)).collect()
        }
        _ => Value::Null,
    }
}

fn merge(target: &mut Value, other: Value) {
    match (target, other) {
        (Value::Object(target), Value::Object(other)) => {
            for (key, value) in other {
                merge(target.entry(key).or_insert(Value::Null), value);
            }
        }
        (Value::Array(target), Value::Array(other)) if target.len() == other.len() => {
            for (target, other) in target.iter_mut().zip(other) {
                merge(target, other);
            }
        }
        (Value::Array(target), Value::Array(other)) => target.extend(other),
        (_, Value::Null) => {}
        (target, other) => *target = other,
    }
}

fn remove_parts(value: &mut Value, parts: &[String]) {
    let Some((part, rest)) = parts.split_first() else { return };
    if part == "**" {
        remove_parts(value, rest);
        match value {
            Value::Object(members) => members.values_mut().for_each(|value| remove_parts(value, parts)),
            Value::Array(items) => items.iter_mut().for_each(|item| remove_parts(item, parts)),
            _ => {}
        }
        return;
    }
    match value {
        Value::Object(members) if rest.is_empty() => members.retain(|key, _| part != "*" && key != part),
        Value::Object(members) => {
            for (_, value) in members.iter_mut().filter(|(key, _)| part == "*" || *key == part) {
                remove_parts(value, rest);
            }
        }
        Value::Array(items) if rest.is_empty() => {
            let mut index = 0;
            items.retain(|item| {
                index += 1;
                !is_meant(part, index - 1, item)
            });
        }
        Value::Array(items) => {
            for (_, item) in items.iter_mut().enumerate().filter(|(index, item)| is_meant(part, *index, item)) {
                remove_parts(item, rest);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn body() -> Value {
        json!({"items": [{"name": "a", "x": 1, "y": 2}, {"name": "b", "x": 3}], "kind": "L"})
    }

    #[test]
    fn parts_are_kept_by_pointer_star_and_key() {
        let keep = |paths: &[&str]| keep(&body(), &paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>());
        assert_eq!(keep(&["/kind"]), json!({"kind": "L"}));
        assert_eq!(keep(&["/items/*/x", "/items/*/name"]), json!({"items": [{"name": "a", "x": 1}, {"name": "b", "x": 3}]}));
        assert_eq!(keep(&["/items/[name=b]"]), json!({"items": [{"name": "b", "x": 3}]}));
        assert_eq!(keep(&["/none"]), json!({}));
    }

    #[test]
    fn parts_are_removed_at_any_depth() {
        let mut value = body();
        remove(&mut value, "/**/x");
        assert_eq!(value, json!({"items": [{"name": "a", "y": 2}, {"name": "b"}], "kind": "L"}));
    }

    #[test]
    fn parts_are_removed() {
        let mut value = body();
        remove(&mut value, "/items/*/x");
        remove(&mut value, "/items/[name=b]");
        remove(&mut value, "/kind");
        assert_eq!(value, json!({"items": [{"name": "a", "y": 2}]}));
    }
}
