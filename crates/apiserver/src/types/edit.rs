//! Concise access to the parts of an object.

use serde_json::{Map, Value};

/// The members of a JSON object.
pub(super) type Members = Map<String, Value>;

/// Defaulting of members. A member is unset if it is absent, `null` or an empty string.
pub(super) trait Edit {
    /// Sets a field if it is unset.
    fn fill(&mut self, field: &str, value: impl Into<Value>);
    /// Returns the object in a field, and creates it if it is missing.
    fn ensure(&mut self, field: &str) -> &mut Members;
    /// Returns a string; empty if the field is unset.
    fn text(&self, field: &str) -> &str;
    /// Returns true if a boolean is set and true.
    fn is_true(&self, field: &str) -> bool;
    /// Returns true if a field is set.
    fn is_set(&self, field: &str) -> bool;
}

impl Edit for Members {
    fn fill(&mut self, field: &str, value: impl Into<Value>) {
        if !self.is_set(field) {
            self.insert(field.to_owned(), value.into());
        }
    }

    fn ensure(&mut self, field: &str) -> &mut Members {
        members_of(self.entry(field).or_insert(Value::Null))
    }

    fn text(&self, field: &str) -> &str {
        self.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    fn is_true(&self, field: &str) -> bool {
        self.get(field).and_then(Value::as_bool).unwrap_or_default()
    }

    fn is_set(&self, field: &str) -> bool {
        match self.get(field) {
            None | Some(Value::Null) => false,
            Some(Value::String(text)) => !text.is_empty(),
            Some(_) => true,
        }
    }
}

/// Returns the object in a field, if there is one.
pub(super) fn part<'a>(members: &'a mut Members, field: &str) -> Option<&'a mut Members> {
    members.get_mut(field)?.as_object_mut()
}

/// Returns the object at the end of a chain of fields, if there is one.
pub(super) fn at<'a>(members: &'a mut Members, path: &[&str]) -> Option<&'a mut Members> {
    path.iter().try_fold(members, |members, field| part(members, field))
}

/// Iterates over the objects in a list.
pub(super) fn each<'a>(members: &'a mut Members, field: &str) -> impl Iterator<Item = &'a mut Members> {
    members.get_mut(field).and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut)
}

/// Returns a part of a value for reading, or `null` if it is missing.
pub(super) fn read<'a>(value: &'a Value, path: &[&str]) -> &'a Value {
    path.iter().fold(value, |value, field| value.get(field).unwrap_or(&Value::Null))
}

/// Returns the items of a list for reading.
pub(super) fn list<'a>(value: &'a Value, path: &[&str]) -> &'a [Value] {
    read(value, path).as_array().map(Vec::as_slice).unwrap_or_default()
}

fn members_of(value: &mut Value) -> &mut Members {
    match value {
        Value::Object(members) => members,
        other => {
            *other = Value::Object(Map::new());
            members_of(other)
        }
    }
}
