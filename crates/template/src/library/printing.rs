//! Values as text, as sprig's functions print their arguments.

use crate::format;
use crate::value::{ElementType, GoList, GoString, GoValue};

/// Returns the text of a value: a string and a `[]byte` as they are, other values as `%v` prints them.
pub(super) fn text_of(value: &GoValue) -> GoString {
    match value {
        GoValue::String(text) => text.clone(),
        GoValue::List(list) if list.element() == ElementType::Byte => list.bytes().unwrap_or_default().into(),
        other => display(other),
    }
}

/// Returns a value as `%v` prints it.
pub(super) fn display(value: &GoValue) -> GoString {
    match value {
        GoValue::String(text) => text.clone(),
        other => format::print(std::slice::from_ref(other)),
    }
}

/// Returns the texts of the elements of a list without nil, of a value that is no list its own text, and nothing for nil.
pub(super) fn texts_of(value: &GoValue) -> Vec<GoString> {
    match (elements_of(value), value) {
        (Some(list), _) => list.iter().filter(|item| !matches!(item, GoValue::Nil)).map(text_of).collect(),
        (None, GoValue::Nil) => Vec::new(),
        (None, other) => vec![text_of(other)],
    }
}

/// Returns the elements of a value whose kind is a slice, named types over slices too.
pub(super) fn elements_of(value: &GoValue) -> Option<GoList> {
    match value {
        GoValue::List(list) => Some(list.clone()),
        GoValue::Object(object) if object.kind() == "slice" => match object.elements() {
            Some(GoValue::List(list)) => Some(list),
            _ => Some(GoList::nil(ElementType::Any)),
        },
        _ => None,
    }
}

/// Returns true for a value that counts as not given: nil, false, zero, and everything without elements. A struct always counts as given.
pub(super) fn is_empty(value: &GoValue) -> bool {
    !value.is_true()
}
