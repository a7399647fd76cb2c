//! Keys of labels and annotations that have had other names.

use kubewright_machinery::object::ObjectExt;
use serde_json::{Map, Value};

/// Several keys of one label or annotation: the present key, then former ones. The first key that exists on an object counts.
///
/// ```
/// use kubewright_core::names::KeyPriority;
///
/// const CLASS: KeyPriority<'_> = KeyPriority::new("example.com/class", &["example.com/kind-class", "old.example.com/class"]);
/// let object = serde_json::json!({"metadata": {"annotations": {"old.example.com/class": "fast"}}});
/// assert_eq!(CLASS.annotation(&object), Some("fast"));
/// assert_eq!(CLASS.key(), "example.com/class");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyPriority<'k> {
    key: &'k str,
    former: &'k [&'k str],
}

impl<'k> KeyPriority<'k> {
    /// Combines the key that is written with the former keys, which are read after it in this order.
    pub const fn new(key: &'k str, former: &'k [&'k str]) -> Self {
        Self { key, former }
    }

    /// Returns the key to write.
    pub const fn key(&self) -> &'k str {
        self.key
    }

    /// Returns all keys, the present one first.
    pub fn keys(&self) -> impl Iterator<Item = &'k str> {
        std::iter::once(self.key).chain(self.former.iter().copied())
    }

    /// Returns the first key that exists among labels or annotations, and its value, which may be empty.
    pub fn find<'m>(&self, entries: &'m Map<String, Value>) -> Option<(&'k str, &'m str)> {
        self.keys().find_map(|key| Some((key, entries.get(key)?.as_str()?)))
    }

    /// Returns the value of the first of the keys that exists as a label of the object.
    pub fn label<'o>(&self, object: &'o Value) -> Option<&'o str> {
        self.find(object.labels()).map(|(_, value)| value)
    }

    /// Returns the value of the first of the keys that exists as an annotation of the object.
    pub fn annotation<'o>(&self, object: &'o Value) -> Option<&'o str> {
        self.find(object.annotations()).map(|(_, value)| value)
    }
}
