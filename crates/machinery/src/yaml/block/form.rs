//! The forms of nodes that are read: values, and nothing for nodes that are passed over.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::yaml::scalar::PlainScalar;

/// A form of a node.
pub(super) trait NodeForm: Sized {
    /// The items of a sequence.
    type Items: Default;
    /// The fields of a mapping.
    type Fields: Default;

    /// Returns the node of a plain scalar, or `None` for a number that JSON does not have.
    fn plain(scalar: &PlainScalar, text: &str) -> Option<Self>;

    fn text(text: Cow<'_, str>) -> Self;

    fn push(items: &mut Self::Items, item: Self);

    fn sequence(items: Self::Items) -> Self;

    /// Adds a field, or replaces it. Returns true if the fields had it.
    fn insert(fields: &mut Self::Fields, key: Cow<'_, str>, value: Self) -> bool;

    fn mapping(fields: Self::Fields) -> Self;
}

impl NodeForm for Value {
    type Fields = Map<String, Self>;
    type Items = Vec<Self>;

    fn plain(scalar: &PlainScalar, text: &str) -> Option<Self> {
        scalar.value(text).ok()
    }

    fn text(text: Cow<'_, str>) -> Self {
        Self::String(text.into_owned())
    }

    fn push(items: &mut Self::Items, item: Self) {
        items.push(item);
    }

    fn sequence(items: Self::Items) -> Self {
        Self::Array(items)
    }

    fn insert(fields: &mut Self::Fields, key: Cow<'_, str>, value: Self) -> bool {
        fields.insert(key.into_owned(), value).is_some()
    }

    fn mapping(fields: Self::Fields) -> Self {
        Self::Object(fields)
    }
}

/// A node that was passed over.
pub(super) struct PassedNode;

impl NodeForm for PassedNode {
    type Fields = ();
    type Items = ();

    fn plain(scalar: &PlainScalar, _text: &str) -> Option<Self> {
        match scalar {
            PlainScalar::Float(number) if !number.is_finite() => None,
            _ => Some(Self),
        }
    }

    fn text(_text: Cow<'_, str>) -> Self {
        Self
    }

    fn push((): &mut (), _item: Self) {}

    fn sequence((): ()) -> Self {
        Self
    }

    fn insert((): &mut (), _key: Cow<'_, str>, _value: Self) -> bool {
        false
    }

    fn mapping((): ()) -> Self {
        Self
    }
}
