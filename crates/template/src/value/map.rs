//! Maps of Go.

use std::cell::{Cell, OnceCell, Ref, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::rc::{Rc, Weak};

use super::frozen::FrozenMap;
use super::observation::{next_observation, note_change, note_look, observe};
use super::release::{is_nested, release};
use super::{GoString, GoValue, cycles};

/// The type of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapType {
    /// `map[string]interface {}`.
    Any,
    /// `map[string]interface {}`, read from the JSON of a struct: its fields have the names of the struct, too (`.Status` for the key `status`).
    Struct,
    /// `map[string]string`. A missing key has the empty string.
    String,
    /// A named type over `map[string]interface {}`, such as Helm's `chartutil.Values`.
    Named(&'static NamedType),
}

/// A type with a name. Types that are compared are the same if their names are.
#[derive(Debug, PartialEq, Eq)]
pub struct NamedType {
    /// The name, as `%T` prints it.
    pub name: &'static str,
}

/// A map with strings as keys. Copies are the same map: a change through one is seen through all. Iteration is in the order of keys.
///
/// A map that a template puts into itself is released at the end of the execution, or of the last of those that share an
/// [`ExecutionUsage`](crate::ExecutionUsage); one that is part of the caller's data, at the end of the next execution on the same thread after the caller has
/// released it. A map that is put into itself outside of an execution is never released.
#[derive(Clone)]
pub struct GoMap {
    entries: Rc<MapEntries>,
    type_: MapType,
}

/// The entries of a map.
#[derive(Default)]
struct MapEntries {
    /// The map of which the entries are a copy that is not made yet. A template looks at few of the maps in its values.
    source: Cell<Option<FrozenMap>>,
    /// The entries; empty while there is a source.
    made: RefCell<BTreeMap<GoString, GoValue>>,
    /// The number of the observation of the map; 0 if it is not observed.
    observation: Cell<u64>,
    /// The key of which the value is another one for each template.
    apart: OnceCell<Box<str>>,
}

impl MapEntries {
    /// Returns the entries, which are made by their first use.
    fn made(&self) -> &RefCell<BTreeMap<GoString, GoValue>> {
        if let Some(source) = self.source.take() {
            let made: BTreeMap<_, _> = source.entries().map(|(key, value)| (key.clone(), value)).collect();
            if self.observation.get() > 0 {
                for value in made.values() {
                    observe(value, self.observation.get());
                }
            }
            *self.made.borrow_mut() = made;
        }
        &self.made
    }

    /// Returns the map of which the entries are a copy that is not made yet.
    fn source(&self) -> Option<FrozenMap> {
        let source = self.source.take();
        self.source.set(source.clone());
        source
    }
}

impl GoMap {
    /// Creates a map with these entries.
    pub fn new(entries: BTreeMap<GoString, GoValue>, type_: MapType) -> Self {
        Self { entries: Rc::new(MapEntries { made: entries.into(), ..MapEntries::default() }), type_ }
    }

    /// Creates a `map[string]interface {}` from pairs.
    pub fn from_pairs(pairs: impl IntoIterator<Item = (impl Into<GoString>, GoValue)>) -> Self {
        Self::new(pairs.into_iter().map(|(key, value)| (key.into(), value)).collect(), MapType::Any)
    }

    /// Returns the value of a key, or None if it is missing.
    pub fn get(&self, key: &GoString) -> Option<GoValue> {
        self.note_look(|apart| key.as_bytes() == apart.as_bytes());
        self.entries.made().borrow().get(key).cloned()
    }

    /// Returns the value of a key, or that of a missing key: nil, or the empty string in a `map[string]string`.
    pub fn get_or_zero(&self, key: &GoString) -> GoValue {
        self.get(key).unwrap_or_else(|| if self.type_ == MapType::String { GoValue::string("") } else { GoValue::Nil })
    }

    /// Returns the value of a field, that is, of the key of this name, or that of a missing key. It allocates nothing. In the JSON of a struct, a name that
    /// begins with a capital letter is that of a Go field, and is compared with the keys without regard to case.
    pub fn field(&self, name: &str) -> GoValue {
        self.note_look(|apart| name == apart);
        let entries = self.entries.made().borrow();
        match (entries.get(name.as_bytes()), self.type_) {
            (Some(value), _) => value.clone(),
            (None, MapType::String) => GoValue::string(""),
            (None, MapType::Struct) if name.starts_with(|first: char| first.is_ascii_uppercase()) => {
                let is_it = |key: &GoString| key.as_bytes().eq_ignore_ascii_case(name.as_bytes());
                entries.iter().find(|(key, _)| is_it(key)).map(|(_, value)| value.clone()).unwrap_or_default()
            }
            _ => GoValue::Nil,
        }
    }

    /// Sets the value of a key.
    pub fn set(&self, key: GoString, value: GoValue) {
        if is_nested(&value) {
            cycles::note(|| self.downgrade());
        }
        if self.note_change() {
            observe(&value, next_observation());
        }
        self.entries.made().borrow_mut().insert(key, value);
    }

    /// Sets the value of a key that is another one for each template, such as Helm's `Template`. Kept outputs of templates stay valid if they have not looked
    /// at it. The map must have no other key like this.
    pub fn set_apart(&self, key: &'static str, value: GoValue) {
        if self.entries.apart.get_or_init(|| key.into()).as_ref() == key {
            self.entries.made().borrow_mut().insert(key.into(), value);
        } else {
            self.set(key.into(), value);
        }
    }

    /// Returns the entries for a copy that keeps apart what this map keeps apart, so that they are not looked at.
    pub(crate) fn entries_to_copy(&self) -> Vec<(GoString, GoValue)> {
        self.entries.made().borrow().iter().map(|(key, value)| (key.clone(), value.clone())).collect()
    }

    /// Returns the value of a key that another value is merged with in this map.
    pub(crate) fn value_to_merge(&self, key: &GoString) -> Option<GoValue> {
        self.entries.made().borrow().get(key).cloned()
    }

    /// Returns true if a key has another value for each template.
    pub(crate) fn is_apart(&self, key: &GoString) -> bool {
        self.entries.apart.get().is_some_and(|apart| apart.as_bytes() == key.as_bytes())
    }

    /// Keeps apart what another map keeps apart, whose entries this map takes up.
    pub(crate) fn keep_apart(&self, other: &Self) {
        if let Some(apart) = other.entries.apart.get()
            && self.entries.apart.get_or_init(|| apart.clone()) != apart
        {
            note_look();
        }
    }

    /// Removes a key.
    pub fn remove(&self, key: &GoString) -> Option<GoValue> {
        self.note_change();
        self.entries.made().borrow_mut().remove(key)
    }

    /// Returns the entries in the order of keys, as they are now.
    pub fn entries(&self) -> Vec<(GoString, GoValue)> {
        self.borrow().iter().map(|(key, value)| (key.clone(), value.clone())).collect()
    }

    /// Returns the entries for reading. The map must not be changed meanwhile, so no function may be called.
    pub fn borrow(&self) -> Ref<'_, BTreeMap<GoString, GoValue>> {
        self.note_look(|_| true);
        self.entries.made().borrow()
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.source().map_or_else(|| self.made().len(), |source| source.len())
    }

    /// Returns true for a map without entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the map of which this one is a copy, if nothing has looked at the entries of this one yet.
    pub fn source(&self) -> Option<FrozenMap> {
        self.entries.source()
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
            MapType::Any | MapType::Struct => "map[string]interface {}",
            MapType::String => "map[string]string",
            MapType::Named(named) => named.name,
        }
    }
}

impl Default for GoMap {
    /// Returns an empty `map[string]interface {}`.
    fn default() -> Self {
        Self::new(BTreeMap::new(), MapType::Any)
    }
}

impl From<FrozenMap> for GoMap {
    /// Returns a copy as a `map[string]interface {}`. Its entries are made by their first use.
    fn from(source: FrozenMap) -> Self {
        let entries = MapEntries { source: Cell::new(Some(source)), ..MapEntries::default() };
        Self { entries: Rc::new(entries), type_: MapType::Any }
    }
}

/// A map that lives only while something else holds it.
pub(super) struct WeakMap(Weak<MapEntries>);

impl WeakMap {
    /// Returns the map if it still lives, without the name of its type.
    pub(super) fn upgrade(&self) -> Option<GoMap> {
        self.0.upgrade().map(|entries| GoMap { entries, type_: MapType::Any })
    }

    /// Returns the number that [`GoMap::identity`] gives.
    pub(super) fn identity(&self) -> usize {
        self.0.as_ptr() as usize
    }
}

impl GoMap {
    /// Observes the map alone. Returns false if it is observed already.
    pub(super) fn begin_observation(&self, number: u64) -> bool {
        let is_new = self.entries.observation.get() == 0;
        if is_new {
            self.entries.observation.set(number);
        }
        is_new
    }

    /// Notes a change if the map is observed. Returns true if it is.
    fn note_change(&self) -> bool {
        let observation = self.entries.observation.get();
        if observation > 0 {
            note_change(observation);
        }
        observation > 0
    }

    /// Notes a look at the value that is another one for each template, if the map has one and its key is looked at.
    fn note_look(&self, is_looked_at: impl FnOnce(&str) -> bool) {
        if self.entries.apart.get().is_some_and(|apart| is_looked_at(apart)) {
            note_look();
        }
    }

    /// Returns the entries, or None if one of them is another one for each template.
    pub(super) fn entries_for_all(&self) -> Option<Ref<'_, BTreeMap<GoString, GoValue>>> {
        self.entries.apart.get().is_none().then(|| self.entries.made().borrow())
    }

    /// Takes the entries if nothing else holds the map.
    pub(super) fn take_entries(&self) -> BTreeMap<GoString, GoValue> {
        if self.holders() == 1 { self.empty() } else { BTreeMap::new() }
    }

    /// Takes the entries even if something else holds the map. Those that are not made yet are lost.
    pub(super) fn empty(&self) -> BTreeMap<GoString, GoValue> {
        self.entries.source.set(None);
        self.entries.made.try_borrow_mut().map(|mut entries| std::mem::take(&mut *entries)).unwrap_or_default()
    }

    /// Returns the entries as far as they are made.
    pub(super) fn made(&self) -> Ref<'_, BTreeMap<GoString, GoValue>> {
        self.entries.made.borrow()
    }

    /// Returns the number of copies of the map.
    pub(super) fn holders(&self) -> usize {
        Rc::strong_count(&self.entries)
    }

    /// Returns a reference that does not hold the map.
    pub(super) fn downgrade(&self) -> WeakMap {
        WeakMap(Rc::downgrade(&self.entries))
    }
}

impl Drop for GoMap {
    fn drop(&mut self) {
        if self.holders() == 1 && self.entries.made.try_borrow().is_ok_and(|entries| entries.values().any(is_nested)) {
            release(self.empty().into_values());
        }
    }
}

impl fmt::Debug for GoMap {
    /// Prints the number of entries alone: a map may contain itself.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} entries", self.type_name(), self.len())
    }
}
