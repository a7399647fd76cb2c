//! Lists that are sets or maps: no item may occur twice.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::field_error::FieldError;
use crate::limit::can_be_told;
use crate::node::{Additional, ListType, SchemaNode};
use crate::path::ValuePath;

/// Returns the duplicates in all lists of an object, each at the index of the second occurrence.
pub(crate) fn check(root: &SchemaNode, object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    walk(root, object, &ValuePath::Root, &mut errors);
    errors
}

fn walk(node: &SchemaNode, value: &Value, path: &ValuePath<'_>, errors: &mut Vec<FieldError>) {
    match value {
        Value::Array(items) => {
            match &node.list {
                ListType::Atomic => {}
                ListType::Set => duplicates(items, path, errors, Some),
                ListType::Map(keys) => {
                    if let Some((index, item)) = items.iter().enumerate().find(|(_, item)| !item.is_object() && !item.is_null()) {
                        let detail = "must be an object for an array of list-type map";
                        errors.push(FieldError::invalid(path.index(index).to_string(), item, detail));
                    } else {
                        duplicates(items, path, errors, |item| keys_of(item, keys));
                    }
                }
            }
            if let Some(node) = &node.items {
                for (index, item) in items.iter().enumerate() {
                    walk(node, item, &path.index(index), errors);
                }
            }
        }
        Value::Object(members) => {
            for (name, value) in members {
                match (node.properties.get(name), &node.additional) {
                    (Some(property), _) => walk(property, value, &path.field(name), errors),
                    (None, Some(Additional::Schema(member))) => walk(member, value, &path.key(name), errors),
                    (None, _) => {}
                }
            }
        }
        _ => {}
    }
}

fn duplicates<'a, T: Into<ItemIdentity<'a>>>(
    items: &'a [Value],
    path: &ValuePath<'_>,
    errors: &mut Vec<FieldError>,
    identity: impl Fn(&'a Value) -> Option<T>,
) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (index, item) in items.iter().enumerate() {
        let Some(identity) = identity(item).map(Into::into) else {
            continue;
        };
        // The members of a map are sorted, so equal values have equal texts. Only the second of several equal items is reported.
        let count = seen.entry(identity.value().to_string()).or_default();
        *count += 1;
        if *count == 2 && can_be_told(errors.len(), path.length()) {
            errors.push(FieldError::duplicate(path.index(index).to_string(), identity.value()));
        }
    }
}

/// The items of a stored list by their keys. Only in lists that are maps can an item be matched with its stored counterpart.
#[derive(Debug, Default)]
pub(crate) struct Continued<'a> {
    keys: &'a [String],
    items: HashMap<String, &'a Value>,
}

impl<'a> Continued<'a> {
    pub(crate) fn of(list: &'a ListType, old: Option<&'a Value>) -> Self {
        let (ListType::Map(keys), Some(Value::Array(old))) = (list, old) else { return Self::default() };
        let mut items = HashMap::with_capacity(old.len());
        for item in old {
            items.entry(identity(item, keys)).or_insert(item);
        }
        Self { keys, items }
    }

    /// Returns the stored counterpart of an item.
    pub(crate) fn item(&self, item: &Value) -> Option<&'a Value> {
        if self.items.is_empty() { None } else { self.items.get(&identity(item, self.keys)).copied() }
    }
}

/// Returns the values of the keys of an item as text.
fn identity(item: &Value, keys: &[String]) -> String {
    keys_of(item, keys).map(|keys| Value::Object(keys).to_string()).unwrap_or_default()
}

/// The identity of an item: the item itself, or its keys.
enum ItemIdentity<'a> {
    Item(&'a Value),
    Keys(Value),
}

impl ItemIdentity<'_> {
    fn value(&self) -> &Value {
        match self {
            Self::Item(item) => item,
            Self::Keys(keys) => keys,
        }
    }
}

impl<'a> From<&'a Value> for ItemIdentity<'a> {
    fn from(item: &'a Value) -> Self {
        Self::Item(item)
    }
}

impl From<Map<String, Value>> for ItemIdentity<'_> {
    fn from(keys: Map<String, Value>) -> Self {
        Self::Keys(Value::Object(keys))
    }
}

fn keys_of(item: &Value, keys: &[String]) -> Option<Map<String, Value>> {
    let item = item.as_object()?;
    Some(keys.iter().filter_map(|key| Some((key.clone(), item.get(key)?.clone()))).collect())
}
