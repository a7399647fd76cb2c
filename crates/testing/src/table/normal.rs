//! The form in which objects are compared (TTBL-4).

use jiff::Timestamp;
use kubewright_machinery::quantity::Quantity;
use serde_json::{Map, Value};

/// Metadata that servers set, ignored unless an expectation states it.
const SERVER_SET: [&str; 4] = ["resourceVersion", "uid", "creationTimestamp", "managedFields"];

/// The fields that are maps of quantities.
const QUANTITIES: [&str; 6] = ["requests", "limits", "capacity", "allocatable", "hard", "used"];

/// The additional fields that a comparison ignores.
#[derive(Clone, Debug, Default)]
pub(super) struct Ignored(Vec<Vec<String>>);

impl Ignored {
    /// Adds a field by its JSON pointer; `*` stands for any name or index.
    pub(super) fn add(&mut self, pointer: &str) {
        let unescaped = |part: &str| part.replace("~1", "/").replace("~0", "~");
        self.0.push(pointer.trim_start_matches('/').split('/').map(unescaped).collect());
    }
}

/// Returns an expected and a found object in the form in which they are compared. The results are equal if nothing differs.
pub(super) fn pair(expected: &Value, found: &Value, ignored: &Ignored) -> (Value, Value) {
    let (mut expected, mut found) = (expected.clone(), found.clone());
    let is_stated = |field: &str| expected.pointer(&format!("/metadata/{field}")).is_some_and(|value| !value.is_null());
    if let Some(metadata) = found.get_mut("metadata").and_then(Value::as_object_mut) {
        for field in SERVER_SET.into_iter().filter(|field| !is_stated(field)) {
            metadata.remove(field);
        }
    }
    for path in &ignored.0 {
        remove(&mut expected, path);
        remove(&mut found, path);
    }
    (normal(expected), normal(found))
}

/// Removes empty values, and brings quantities, numbers and times into one notation.
pub(super) fn normal(value: Value) -> Value {
    settle(value, ValueContext::Anywhere).unwrap_or_else(|| Value::Object(Map::new()))
}

#[derive(Clone, Copy, PartialEq)]
enum ValueContext {
    Anywhere,
    Conditions,
    Quantities,
}

impl ValueContext {
    fn below(self, field: &str) -> Self {
        match field {
            _ if self == Self::Quantities => self,
            "conditions" => Self::Conditions,
            _ if QUANTITIES.contains(&field) => Self::Quantities,
            _ => Self::Anywhere,
        }
    }
}

/// Normalises a value; returns `None` for an empty one.
fn settle(value: Value, context: ValueContext) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::Object(fields) => {
            let is_ignored = |field: &str| context == ValueContext::Conditions && field == "lastTransitionTime";
            let fields: Map<String, Value> = fields
                .into_iter()
                .filter(|(field, _)| !is_ignored(field))
                .filter_map(|(field, value)| {
                    let below = context.below(&field);
                    Some((field, settle(value, below)?))
                })
                .collect();
            (!fields.is_empty()).then_some(Value::Object(fields))
        }
        Value::Array(items) => {
            // An empty item stays in the list as null, so that the other items keep their index.
            let items: Vec<Value> = items.into_iter().map(|item| settle(item, context).unwrap_or(Value::Null)).collect();
            (!items.is_empty()).then_some(Value::Array(items))
        }
        scalar @ (Value::String(_) | Value::Number(_)) if context == ValueContext::Quantities => {
            Some(Quantity::from_value(&scalar).map_or(scalar, |quantity| quantity.canonical().into()))
        }
        Value::String(text) => Some(Value::String(instant(&text).unwrap_or(text))),
        Value::Number(number) => Some(whole(&number).map_or(Value::Number(number), Value::from)),
        Value::Bool(truth) => Some(Value::Bool(truth)),
    }
}

/// Returns the whole number that is written as a fraction.
fn whole(number: &serde_json::Number) -> Option<i64> {
    let value = number.as_f64().filter(|value| number.is_f64() && value.fract() == 0.0 && value.abs() < 9e15)?;
    #[allow(clippy::cast_possible_truncation)] // the number is whole, and small enough
    Some(value as i64)
}

/// Returns a time in one notation.
fn instant(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let is_time = bytes.len() >= 20 && bytes[4] == b'-' && bytes[10] == b'T';
    if is_time { text.parse::<Timestamp>().ok().map(|time| time.to_string()) } else { None }
}

fn remove(value: &mut Value, path: &[String]) {
    let Some((first, rest)) = path.split_first() else { return };
    match value {
        Value::Object(fields) if rest.is_empty() => {
            if first == "*" {
                fields.clear();
            } else {
                fields.remove(first);
            }
        }
        Value::Object(fields) => {
            fields.iter_mut().filter(|(name, _)| first == "*" || *name == first).for_each(|(_, value)| remove(value, rest));
        }
        Value::Array(items) => {
            let index = first.parse::<usize>().ok();
            for (position, item) in items.iter_mut().enumerate() {
                if first != "*" && index != Some(position) {
                    continue;
                }
                if rest.is_empty() {
                    *item = Value::Null;
                } else {
                    remove(item, rest);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn same(expected: Value, found: Value) -> bool {
        let (expected, found) = pair(&expected, &found, &Ignored::default());
        expected == found
    }

    // TTBL-4
    #[test]
    fn equivalent_values_count_as_equal() {
        let rows = [
            (json!({"a": null, "b": [], "c": {"d": {}}}), json!({}), true),
            (json!({"a": ""}), json!({}), false),
            (json!({"resources": {"requests": {"cpu": "1"}}}), json!({"resources": {"requests": {"cpu": "1000m"}}}), true),
            (json!({"resources": {"requests": {"cpu": 2}}}), json!({"resources": {"requests": {"cpu": "2"}}}), true),
            (json!({"other": {"cpu": "1"}}), json!({"other": {"cpu": "1000m"}}), false),
            (json!({"n": 1}), json!({"n": 1.0}), true),
            (json!({"t": "2026-01-01T00:00:00Z"}), json!({"t": "2026-01-01T01:00:00.000+01:00"}), true),
            (json!({"conditions": [{"type": "A", "lastTransitionTime": "x"}]}), json!({"conditions": [{"type": "A"}]}), true),
            (json!({"conditions": [{"type": "A"}]}), json!({"conditions": [{"type": "B"}]}), false),
            (json!({"metadata": {"name": "a"}}), json!({"metadata": {"name": "a", "uid": "1", "resourceVersion": "2"}}), true),
            (json!({"metadata": {"uid": "1"}}), json!({"metadata": {"uid": "2"}}), false),
            (json!({"metadata": {"uid": "1"}}), json!({"metadata": {"uid": "1"}}), true),
            (json!({"metadata": {"generation": 1}}), json!({"metadata": {"generation": 2}}), false),
        ];
        for (expected, found, is_same) in rows {
            assert_eq!(same(expected.clone(), found.clone()), is_same, "{expected} and {found}");
        }
    }

    // TTBL-4
    #[test]
    fn ignored_paths_are_left_out_on_both_sides() {
        let mut ignored = Ignored::default();
        ignored.add("/metadata/annotations/example.com~1at");
        ignored.add("/spec/ports/*/nodePort");
        let expected = json!({"spec": {"ports": [{"port": 1}, {"port": 2}]}});
        let found = json!({
            "metadata": {"annotations": {"example.com/at": "now"}},
            "spec": {"ports": [{"port": 1, "nodePort": 3}, {"port": 2, "nodePort": 4}]},
        });
        let (expected, found) = pair(&expected, &found, &ignored);
        assert_eq!(expected, found);
    }
}
