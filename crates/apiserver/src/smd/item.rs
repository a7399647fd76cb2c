//! The identity of the items of a list (SMD-4).

use kubewright_machinery::fieldset::PathElement;
use serde_json::Value;
use thiserror::Error;

use super::types::List;

/// An item whose identity cannot be determined; the texts are those of the real server.
#[derive(Debug, Error)]
pub(super) enum ItemError {
    #[error("associative list with keys may not have a null element")]
    NullWithKeys,
    #[error("associative list with keys may not have non-map elements")]
    NotAMap,
    #[error(
        "associative list with keys has an element that omits all key fields {0} (and doesn't have default values for any key fields)"
    )]
    NoKeys(String),
    #[error("associative list without keys has an element that's an explicit null")]
    Null,
    #[error("associative list without keys has an element that's a map type")]
    Map,
    #[error("not supported: associative list with lists as elements")]
    List,
}

impl List {
    /// Returns the path element that leads from an associative list to one of its items.
    pub(super) fn element(&self, item: &Value) -> Result<PathElement, ItemError> {
        if self.keys.is_empty() {
            return match item {
                Value::Null => Err(ItemError::Null),
                Value::Object(_) => Err(ItemError::Map),
                Value::Array(_) => Err(ItemError::List),
                scalar => Ok(PathElement::Value(scalar.clone())),
            };
        }
        let members = match item {
            Value::Object(members) => members,
            Value::Null => return Err(ItemError::NullWithKeys),
            _ => return Err(ItemError::NotAMap),
        };
        // The key fields of a path element are sorted by name.
        let found = self.keys.iter().filter_map(|key| {
            let value = members.get(&key.name).or(key.default.as_ref())?;
            Some((key.name.clone(), value.clone()))
        });
        let found: Vec<_> = found.collect();
        if found.is_empty() {
            let names: Vec<_> = self.keys.iter().map(|key| format!("{:?}", key.name)).collect();
            return Err(ItemError::NoKeys(format!("[{}]", names.join(" "))));
        }
        Ok(PathElement::Key(found))
    }

    /// Returns items with their path elements, in the order of the list. Items without an identity are left out.
    pub(super) fn elements<'a>(&self, items: &'a [Value]) -> Vec<(PathElement, &'a Value)> {
        items.iter().filter_map(|item| Some((self.element(item).ok()?, item))).collect()
    }

    /// Returns items grouped by path element, sorted. A group of several items holds duplicates.
    pub(super) fn grouped<'a>(&self, items: &'a [Value]) -> Vec<(PathElement, Vec<&'a Value>)> {
        let mut elements = self.elements(items);
        elements.sort_by(|(a, _), (b, _)| a.cmp(b));
        let mut groups: Vec<(PathElement, Vec<&Value>)> = Vec::with_capacity(elements.len());
        for (element, item) in elements {
            match groups.last_mut() {
                Some((last, group)) if *last == element => group.push(item),
                _ => groups.push((element, vec![item])),
            }
        }
        groups
    }
}
