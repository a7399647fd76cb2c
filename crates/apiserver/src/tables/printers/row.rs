//! Accessors for the object of a row.

use jiff::Timestamp;
use kubewright_machinery::selector::LabelSelector;
use serde_json::Value;

use crate::tables::age;

/// The text shown for a missing value.
pub(super) const NONE: &str = "<none>";

/// The pointer to the containers of the pod template of a workload.
pub(super) const TEMPLATE: &str = "/spec/template/spec/containers";

/// An object and the time at which it is shown.
pub(super) struct PrintedObject<'a> {
    pub(super) object: &'a Value,
    pub(super) now: Timestamp,
}

impl<'a> PrintedObject<'a> {
    pub(super) fn name(&self) -> Value {
        self.str("/metadata/name").into()
    }

    pub(super) fn age(&self) -> Value {
        self.since("/metadata/creationTimestamp").into()
    }

    pub(super) fn at(&self, pointer: &str) -> Option<&'a Value> {
        self.object.pointer(pointer)
    }

    pub(super) fn str(&self, pointer: &str) -> &'a str {
        self.at(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    pub(super) fn str_or(&self, pointer: &str, absent: &'static str) -> Value {
        or(self.str(pointer), absent).into()
    }

    pub(super) fn int(&self, pointer: &str) -> i64 {
        self.at(pointer).and_then(Value::as_i64).unwrap_or_default()
    }

    pub(super) fn list(&self, pointer: &str) -> &'a [Value] {
        list(self.object, pointer)
    }

    /// Returns the number of members of the map at a pointer.
    pub(super) fn count(&self, pointer: &str) -> usize {
        self.at(pointer).and_then(Value::as_object).map_or(0, serde_json::Map::len)
    }

    pub(super) fn since(&self, pointer: &str) -> String {
        age::since(self.at(pointer), self.now)
    }

    /// Returns the label selector at a pointer as text.
    pub(super) fn selector(&self, pointer: &str) -> Value {
        let selector = self.at(pointer).unwrap_or(&Value::Null);
        let text = LabelSelector::from_json(selector).map(|selector| selector.to_string()).unwrap_or_default();
        or(&text, NONE).into()
    }

    /// Returns the map of labels at a pointer as text.
    pub(super) fn labels(&self, pointer: &str) -> Value {
        let labels = self.at(pointer).and_then(Value::as_object);
        let pairs = labels.into_iter().flatten().map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()));
        or_none(pairs.collect::<Vec<_>>().join(",")).into()
    }

    /// Returns the names and the images of the containers of a pod template.
    pub(super) fn containers(&self, pointer: &str) -> [Value; 2] {
        let containers = self.list(pointer);
        ["name", "image"].map(|field| {
            let texts: Vec<_> = containers.iter().map(|container| container[field].as_str().unwrap_or_default()).collect();
            texts.join(",").into()
        })
    }
}

pub(super) fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

pub(super) fn or<'t>(text: &'t str, absent: &'t str) -> &'t str {
    if text.is_empty() { absent } else { text }
}

pub(super) fn or_none(text: String) -> String {
    if text.is_empty() { NONE.to_owned() } else { text }
}

/// Returns a number or a string as text.
pub(super) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns the first texts, followed by the number of the others.
pub(super) fn first(texts: Vec<String>, shown: usize) -> String {
    let count = texts.len();
    first_of(texts.into_iter().take(shown).collect(), count)
}

/// Returns the given texts, followed by the number of others if `count` is larger.
pub(super) fn first_of(texts: Vec<String>, count: usize) -> String {
    let more = count.saturating_sub(texts.len());
    let text = texts.join(",");
    if more > 0 { format!("{text} + {more} more...") } else { text }
}
