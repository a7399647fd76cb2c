//! Maps of Go.

use std::cell::{Ref, RefCell, RefMut};
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use super::release::{is_nested, release};
use super::{GoString, GoValue};

/// The type of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapType {
    /// `map[string]interface {}`.
    Any,
    /// `map[string]string`. A missing key has the empty string.
    String,
    /// A named type over `map[string]interface {}`, such as Helm's `chartutil.Values`.
    Named(&'static str),
}

/// A map with strings as keys. Copies are the same map: a change through one is seen through all. Iteration is in the order of keys.
#[derive(Clone)]
pub struct GoMap {
    entries: Rc<RefCell<BTreeMap<GoString, GoValue>>>,
    type_: MapType,
}

impl GoMap {
    /// Creates a map with these entries.
    pub fn new(entries: BTreeMap<GoString, GoValue>, type_: MapType) -> Self {
        Self { entries: Rc::new(RefCell::new(entries)), type_ }
    }

    /// Creates a `map[string]interface {}` from pairs.
    pub fn from_pairs(pairs: impl IntoIterator<Item = (impl Into<GoString>, GoValue)>) -> Self {
        Self::new(pairs.into_iter().map(|(key, value)| (key.into(), value)).collect(), MapType::Any)
    }

    /// Returns the value of a key, or None if it is missing.
    pub fn get(&self, key: &GoString) -> Option<GoValue> {
        self.entries.borrow().get(key).cloned()
    }

    /// Returns the value of a key, or that of a missing key: nil, or the empty string in a `map[string]string`.
    pub fn get_or_zero(&self, key: &GoString) -> GoValue {
        self.get(key).unwrap_or_else(|| if self.type_ == MapType::String { GoValue::string("") } else { GoValue::Nil })
    }

    /// Returns the value of a field, that is, of the key of this name, or that of a missing key. It allocates nothing.
    pub fn field(&self, name: &str) -> GoValue {
        let value = self.entries.borrow().get(name.as_bytes()).cloned();
        value.unwrap_or_else(|| if self.type_ == MapType::String { GoValue::string("") } else { GoValue::Nil })
    }

    /// Returns the same map with another type, as after a conversion: a change through one is seen through all.
    pub fn with_type(&self, type_: MapType) -> Self {
        Self { entries: self.entries.clone(), type_ }
    }

    /// Sets the value of a key.
    pub fn set(&self, key: GoString, value: GoValue) {
        self.entries.borrow_mut().insert(key, value);
    }

    /// Removes a key.
    pub fn remove(&self, key: &GoString) -> Option<GoValue> {
        self.entries.borrow_mut().remove(key)
    }

    /// Returns the entries in the order of keys, as they are now.
    pub fn entries(&self) -> Vec<(GoString, GoValue)> {
        self.borrow().iter().map(|(key, value)| (key.clone(), value.clone())).collect()
    }

    /// Returns the entries for reading. The map must not be changed meanwhile, so no function may be called.
    pub fn borrow(&self) -> Ref<'_, BTreeMap<GoString, GoValue>> {
        self.entries.borrow()
    }

    /// Returns the entries for changes. The map must not be read meanwhile.
    pub fn borrow_mut(&self) -> RefMut<'_, BTreeMap<GoString, GoValue>> {
        self.entries.borrow_mut()
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.entries.borrow().len()
    }

    /// Returns true for a map without entries.
    pub fn is_empty(&self) -> bool {
        self.entries.borrow().is_empty()
    }

    /// Returns the same map as a value of another type, as Go converts a map of a named type to the type of a parameter.
    pub fn retyped(&self, type_: MapType) -> Self {
        Self { entries: self.entries.clone(), type_ }
    }

    /// Returns a number that only this map has while it lives.
    pub fn identity(&self) -> usize {
        Rc::as_ptr(&self.entries) as usize
    }

    /// Returns true if both are the same map.
    pub fn is_same(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.entries, &other.entries)
    }

    /// Returns the type of the map.
    pub const fn map_type(&self) -> MapType {
        self.type_
    }

    /// Returns the name of the map's type.
    pub const fn type_name(&self) -> &'static str {
        match self.type_ {
            MapType::Any => "map[string]interface {}",
            MapType::String => "map[string]string",
            MapType::Named(name) => name,
        }
    }
}

impl GoMap {
    /// Takes the entries if nothing else holds them.
    pub(super) fn take_entries(&mut self) -> BTreeMap<GoString, GoValue> {
        Rc::get_mut(&mut self.entries).map(|entries| std::mem::take(entries.get_mut())).unwrap_or_default()
    }
}

impl Drop for GoMap {
    fn drop(&mut self) {
        if let Some(entries) = Rc::get_mut(&mut self.entries).map(RefCell::get_mut)
            && entries.values().any(is_nested)
        {
            release(std::mem::take(entries).into_values());
        }
    }
}

impl fmt::Debug for GoMap {
    /// Prints the number of entries alone: a map may contain itself.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} entries", self.type_name(), self.len())
    }
}
