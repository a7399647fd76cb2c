//! Values with the ways in which they were reached, which Go's reflection knows beyond their content.

use crate::format;
use crate::value::{ElementType, GoList, GoMap, GoValue, MapType};

/// A value and the way it was reached. Go treats a value that it sees through an `interface {}` (an element of a map or of a list) unlike the same value
/// at the end of a pipeline: its errors name the type `interface {}`, and nil there is no absent value.
#[derive(Clone, Debug, Default)]
pub(super) struct SeenValue {
    pub(super) value: GoValue,
    /// True if the value is an element of type `interface {}`.
    pub(super) is_element: bool,
}

impl SeenValue {
    /// Returns the value of a map's key.
    pub(super) fn of_map(map: &GoMap, value: GoValue) -> Self {
        Self { value, is_element: map.map_type() != MapType::String }
    }

    /// Returns the element of a list.
    pub(super) fn of_list(list: &GoList, value: GoValue) -> Self {
        Self { value, is_element: list.element() == ElementType::Any }
    }

    /// Returns the name of the type that errors show.
    pub(super) fn type_name(&self) -> &str {
        if self.is_element { "interface {}" } else { self.value.type_name() }
    }
}

impl From<GoValue> for SeenValue {
    fn from(value: GoValue) -> Self {
        Self { value, is_element: false }
    }
}

/// Returns the plain value that a value of another type is underneath, or the value itself.
pub(super) fn plain(value: GoValue) -> GoValue {
    if let GoValue::Object(object) = &value
        && let Some(elements) = object.elements()
    {
        return elements;
    }
    value
}

/// Returns the text that `%v` gives.
pub(super) fn shown(value: &GoValue) -> String {
    let mut text = Vec::new();
    format::print_value(&mut text, value);
    String::from_utf8_lossy(&text).into_owned()
}
