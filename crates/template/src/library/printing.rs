//! Values as text, as sprig's functions print their arguments.

use super::limits;
use crate::error::FunctionError;
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
pub(super) fn texts_of(value: &GoValue) -> Result<Vec<GoString>, FunctionError> {
    match (elements_of(value), value) {
        (Some(list), _) => texts(list.iter(), text_of),
        (None, GoValue::Nil) => Ok(Vec::new()),
        (None, other) => Ok(vec![text_of(other)]),
    }
}

/// Returns the texts of values without nil, which are not larger together than a text may be: a list can have a large value many times.
pub(super) fn texts<'v>(
    values: impl IntoIterator<Item = &'v GoValue>,
    text_of: impl Fn(&GoValue) -> GoString,
) -> Result<Vec<GoString>, FunctionError> {
    let (mut texts, mut size) = (Vec::new(), 0);
    for value in values.into_iter().filter(|value| !matches!(value, GoValue::Nil)) {
        let text = text_of(value);
        size = limits::text_size(1, size + text.len())?;
        texts.push(text);
    }
    Ok(texts)
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
