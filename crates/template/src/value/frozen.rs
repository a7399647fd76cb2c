//! Maps that never change.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::json::float;
use super::{ElementType, GoMap, GoString, GoValue, MapType};

/// A map of JSON that never changes, and that threads share. A [`GoMap`] is made of it without a copy of the entries, which are copied when a template
/// looks at them, each map of its own.
#[derive(Clone)]
pub struct FrozenMap(Arc<FrozenEntries>);

struct FrozenEntries {
    entries: Box<[(GoString, FrozenValue)]>,
    /// True if the map, or a map in it, has a null.
    has_nulls: bool,
    /// The size in bytes of a copy, with all values in it.
    size_of_copy: usize,
}

enum FrozenValue {
    Nil,
    Bool(bool),
    Float(f64),
    String(GoString),
    List(Box<[Self]>),
    Map(FrozenMap),
}

impl FrozenMap {
    /// Creates a map. As in Go's `encoding/json`, every number is a `float64`.
    pub fn new(map: &Map<String, Value>) -> Self {
        let mut entries: Vec<(GoString, FrozenValue)> =
            map.iter().map(|(key, value)| (key.as_str().into(), FrozenValue::new(value))).collect();
        entries.sort_by(|(left, _), (right, _)| left.cmp(right));
        Self::of_sorted(entries)
    }

    /// Returns a map as it is now. None if it, or a map in it, has values of types that JSON does not have, or the same map twice: a change of one would be
    /// a change of the other.
    pub fn of(map: &GoMap) -> Option<Self> {
        Self::of_new(map, &mut HashSet::new())
    }

    fn of_new(map: &GoMap, seen: &mut HashSet<usize>) -> Option<Self> {
        if map.map_type() != MapType::Any || !seen.insert(map.identity()) {
            return None;
        }
        if let Some(source) = map.source() {
            return Some(source);
        }
        let entries = map.borrow();
        let entries = entries.iter().map(|(key, value)| Some((key.clone(), FrozenValue::of(value, seen)?)));
        entries.collect::<Option<_>>().map(Self::of_sorted)
    }

    fn of_sorted(entries: Vec<(GoString, FrozenValue)>) -> Self {
        let has_nulls = entries.iter().any(|(_, value)| match value {
            FrozenValue::Nil => true,
            FrozenValue::Map(map) => map.has_nulls(),
            _ => false,
        });
        let size_of_copy = entries.iter().map(|(_, value)| size_of::<GoString>() + value.size_of_copy()).sum();
        Self(Arc::new(FrozenEntries { entries: entries.into(), has_nulls, size_of_copy }))
    }

    /// Returns copies of the entries in the order of keys. The maps in them are copied when a template looks at them.
    pub fn entries(&self) -> impl Iterator<Item = (&GoString, GoValue)> {
        self.0.entries.iter().map(|(key, value)| (key, value.copy()))
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.0.entries.len()
    }

    /// Returns true for a map without entries.
    pub fn is_empty(&self) -> bool {
        self.0.entries.is_empty()
    }

    /// Returns true if the map, or a map in it that is not in a list, has a null.
    pub fn has_nulls(&self) -> bool {
        self.0.has_nulls
    }

    /// Returns the size in bytes of a copy and of all values in it.
    pub(super) fn size_of_copy(&self) -> usize {
        self.0.size_of_copy
    }
}

impl FrozenValue {
    fn new(value: &Value) -> Self {
        match value {
            Value::Null => Self::Nil,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => Self::Float(float(number)),
            Value::String(text) => Self::String(text.as_str().into()),
            Value::Array(items) => Self::List(items.iter().map(Self::new).collect()),
            Value::Object(map) => Self::Map(FrozenMap::new(map)),
        }
    }

    fn of(value: &GoValue, seen: &mut HashSet<usize>) -> Option<Self> {
        Some(match value {
            GoValue::Nil => Self::Nil,
            GoValue::Bool(value) => Self::Bool(*value),
            GoValue::Float(value) => Self::Float(*value),
            GoValue::String(text) => Self::String(text.clone()),
            GoValue::List(list) if list.element() == ElementType::Any && !list.is_nil() => {
                Self::List(list.iter().map(|item| Self::of(item, seen)).collect::<Option<_>>()?)
            }
            GoValue::Map(map) => Self::Map(FrozenMap::of_new(map, seen)?),
            _ => return None,
        })
    }

    fn copy(&self) -> GoValue {
        match self {
            Self::Nil => GoValue::Nil,
            Self::Bool(value) => GoValue::Bool(*value),
            Self::Float(value) => GoValue::Float(*value),
            Self::String(text) => GoValue::String(text.clone()),
            Self::List(items) => GoValue::list(items.iter().map(Self::copy)),
            Self::Map(map) => GoMap::from(map.clone()).into(),
        }
    }

    /// Returns the size in bytes of a copy and of all values in it. Copies of strings share the bytes.
    fn size_of_copy(&self) -> usize {
        let inner = match self {
            Self::List(items) => items.iter().map(Self::size_of_copy).sum(),
            Self::Map(map) => map.size_of_copy(),
            _ => 0,
        };
        size_of::<GoValue>() + inner
    }
}

impl fmt::Debug for FrozenMap {
    /// Prints the number of entries, as those of a [`GoMap`] are printed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "frozen map of {} entries", self.len())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::value::own_size;

    fn frozen(value: &Value) -> FrozenMap {
        FrozenMap::new(value.as_object().unwrap())
    }

    fn inner(map: &GoMap, key: &str) -> GoMap {
        let GoValue::Map(inner) = map.field(key) else { panic!("{key} is no map") };
        inner
    }

    #[test]
    fn copies_change_apart_from_each_other() {
        let source = frozen(&json!({"a": {"b": 1}, "l": [{"c": 1}]}));
        let (left, right) = (GoMap::from(source.clone()), GoMap::from(source));
        inner(&left, "a").set("b".into(), GoValue::Nil);
        assert!(matches!(inner(&left, "a").field("b"), GoValue::Nil));
        assert!(matches!(inner(&right, "a").field("b"), GoValue::Float(1.0)));
        let GoValue::List(items) = left.field("l") else { panic!("no list") };
        let GoValue::Map(item) = &items[0] else { panic!("no map") };
        item.set("c".into(), GoValue::Nil);
        let GoValue::List(items) = right.field("l") else { panic!("no list") };
        assert!(matches!(&items[0], GoValue::Map(item) if matches!(item.field("c"), GoValue::Float(1.0))));
    }

    #[test]
    fn entries_are_made_by_the_first_look_and_are_the_same_at_each() {
        let map = GoMap::from(frozen(&json!({"a": {"b": {}}, "c": "d"})));
        assert_eq!((map.len(), map.is_empty(), map.source().is_some()), (2, false, true));
        let first = inner(&map, "a");
        assert!(map.source().is_none());
        assert!(first.source().is_some());
        assert!(first.is_same(&inner(&map, "a")));
        assert_eq!(map.len(), 2);
    }

    #[test]
    fn changes_without_a_look_keep_the_other_entries() {
        let map = GoMap::from(frozen(&json!({"a": 1, "b": 2})));
        map.set("c".into(), GoValue::Nil);
        map.remove(&"a".into());
        let keys: Vec<String> = map.borrow().keys().map(|key| key.to_text().into_owned()).collect();
        assert_eq!(keys, ["b", "c"]);
    }

    #[test]
    fn nulls_of_maps_are_known_at_any_depth_but_not_those_of_lists() {
        assert!(frozen(&json!({"a": {"b": {"c": null}}})).has_nulls());
        assert!(!frozen(&json!({"a": {"b": [null, {"c": null}]}})).has_nulls());
    }

    #[test]
    fn a_map_is_frozen_as_it_is_unless_a_change_would_be_another_one_then() {
        let map = GoMap::from(frozen(&json!({"a": {"b": [null, {"c": 1}]}, "d": {"e": true}})));
        inner(&map, "a").set("x".into(), "y".into());
        let copy = GoMap::from(FrozenMap::of(&map).unwrap());
        map.remove(&"a".into());
        assert_eq!(copy.len(), 2);
        assert!(matches!(inner(&copy, "a").field("x"), GoValue::String(_)));
        assert!(matches!(inner(&copy, "d").field("e"), GoValue::Bool(true)));
        let shared = GoValue::from(GoMap::default());
        for value in [
            GoValue::int(1),
            GoValue::strings(["a"]),
            GoValue::list([GoValue::int(1)]),
            GoMap::default().retyped(MapType::String).into(),
            GoValue::list([shared.clone(), shared]),
            map.clone().into(),
        ] {
            map.set("f".into(), value);
            assert!(FrozenMap::of(&map).is_none());
        }
        map.remove(&"f".into());
        assert!(FrozenMap::of(&map).is_some());
    }

    #[test]
    fn a_copy_counts_with_all_that_a_look_would_make() {
        let source = frozen(&json!({"a": {"b": ["text", 1]}, "c": null}));
        let value = GoValue::from(GoMap::from(source.clone()));
        let size = own_size(&value);
        assert!(size > 5 * size_of::<GoValue>());
        let GoValue::Map(map) = &value else { panic!("no map") };
        inner(map, "a").field("b");
        assert_eq!(own_size(&value), size);
        drop(source);
    }
}
