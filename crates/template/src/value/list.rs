//! Slices of Go.

use std::cell::{Cell, OnceCell};
use std::ops::{Deref, Range};
use std::rc::Rc;
use std::sync::Arc;

use super::release::{is_nested, release};
use super::{GoValue, IntegerType};

/// The type of a slice's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementType {
    /// `interface {}`.
    Any,
    /// `string`.
    String,
    /// `uint8`; the slice is a `[]byte`.
    Byte,
    /// `int`.
    Int,
    /// `map[string]interface {}`.
    Map,
    /// `[]interface {}`, as `chunk` makes them.
    List,
}

/// A slice. It never changes, so copies and parts share the elements.
#[derive(Clone, Debug)]
pub struct GoList {
    items: Rc<ListItems>,
    /// The first and the last index, the latter exclusive. Small numbers keep all values small; more elements would take 128 GiB.
    range: (u32, u32),
    element: ElementType,
    is_nil: bool,
}

/// The elements of slices that share them.
#[derive(Debug, Default)]
struct ListItems {
    /// The bytes of a `[]byte` that was made of them. Most, such as the contents of files, are never looked at one by one.
    bytes: Option<Arc<[u8]>>,
    /// The elements; those of [`Self::bytes`] are made by their first use.
    values: OnceCell<Vec<GoValue>>,
    /// True if all maps in the elements are observed.
    is_observed: Cell<bool>,
}

impl ListItems {
    fn values(&self) -> &Vec<GoValue> {
        let byte = |byte: &u8| GoValue::Integer(i128::from(*byte), IntegerType::Uint8);
        self.values.get_or_init(|| self.bytes.iter().flat_map(|bytes| bytes.iter().map(byte)).collect())
    }

    /// Returns the elements as far as they are made. Only bytes are not.
    fn made(&self) -> &[GoValue] {
        self.values.get().map_or(&[], Vec::as_slice)
    }
}

/// Returns an index as it is kept.
fn index(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

impl GoList {
    /// Creates a slice. The elements must be of the type.
    pub fn new(items: Vec<GoValue>, element: ElementType) -> Self {
        let range = (0, index(items.len()));
        Self { items: Rc::new(ListItems { values: items.into(), ..ListItems::default() }), range, element, is_nil: false }
    }

    /// Creates a `[]byte`.
    pub fn of_bytes(bytes: impl Into<Arc<[u8]>>) -> Self {
        let bytes = bytes.into();
        let range = (0, index(bytes.len()));
        let items = ListItems { bytes: Some(bytes), ..ListItems::default() };
        Self { items: Rc::new(items), range, element: ElementType::Byte, is_nil: false }
    }

    /// Creates a nil slice. It is like an empty one, but for `deepEqual`, and JSON and YAML, which print it as null.
    pub fn nil(element: ElementType) -> Self {
        Self { items: Rc::default(), range: (0, 0), element, is_nil: true }
    }

    /// Returns true for a nil slice.
    pub const fn is_nil(&self) -> bool {
        self.is_nil
    }

    /// Returns true if both are the same part of the same elements.
    pub fn is_same(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.items, &other.items) && self.range == other.range
    }

    /// Returns the part between two indexes, or None if they are out of range.
    pub fn part(&self, range: Range<usize>) -> Option<Self> {
        if range.start > range.end || range.end > self.len() {
            return None;
        }
        let range = (self.range.0 + index(range.start), self.range.0 + index(range.end));
        Some(Self { items: self.items.clone(), range, element: self.element, is_nil: self.is_nil })
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.indexes().len()
    }

    /// Returns true for a slice without elements.
    pub fn is_empty(&self) -> bool {
        self.range.0 == self.range.1
    }

    /// Returns the indexes of the elements among those that slices share.
    const fn indexes(&self) -> Range<usize> {
        self.range.0 as usize..self.range.1 as usize
    }

    /// Returns the type of the elements.
    pub const fn element(&self) -> ElementType {
        self.element
    }

    /// Returns the name of the slice's type.
    pub const fn type_name(&self) -> &'static str {
        match self.element {
            ElementType::Any => "[]interface {}",
            ElementType::String => "[]string",
            ElementType::Byte => "[]uint8",
            ElementType::Int => "[]int",
            ElementType::Map => "[]map[string]interface {}",
            ElementType::List => "[][]interface {}",
        }
    }

    /// Returns the bytes of a `[]byte`, or None for another slice.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        if let Some(bytes) = &self.items.bytes {
            return Some(bytes[self.indexes()].to_vec());
        }
        let byte = |item: &GoValue| if let GoValue::Integer(value, _) = item { *value as u8 } else { 0 };
        (self.element == ElementType::Byte).then(|| self.iter().map(byte).collect())
    }
}

impl GoList {
    /// Returns all elements that the slice keeps alive, those outside of its range too; of a `[]byte` only those that were looked at.
    pub(super) fn all_items(&self) -> &[GoValue] {
        self.items.made()
    }

    /// Observes the elements. Returns false if they are observed already.
    pub(super) fn begin_observation(&self) -> bool {
        !self.items.is_observed.replace(true)
    }

    /// Returns the number of elements that are made only when they are looked at.
    pub(super) fn unmade(&self) -> usize {
        let made = self.items.values.get().is_some();
        self.items.bytes.as_ref().filter(|_| !made).map_or(0, |bytes| bytes.len())
    }

    /// Returns a number that only slices of these elements have while they live.
    pub(super) fn identity(&self) -> usize {
        Rc::as_ptr(&self.items) as usize
    }

    /// Returns the number of slices of the elements.
    pub(super) fn holders(&self) -> usize {
        Rc::strong_count(&self.items)
    }

    /// Takes the elements if nothing else holds them; the slice must not be used any more.
    pub(super) fn take_items(&mut self) -> Vec<GoValue> {
        Rc::get_mut(&mut self.items).and_then(|items| items.values.take()).unwrap_or_default()
    }
}

impl Drop for GoList {
    fn drop(&mut self) {
        if Rc::strong_count(&self.items) == 1 && self.items.made().iter().any(is_nested) {
            release(self.take_items());
        }
    }
}

impl Deref for GoList {
    type Target = [GoValue];

    fn deref(&self) -> &[GoValue] {
        &self.items.values()[self.indexes()]
    }
}
