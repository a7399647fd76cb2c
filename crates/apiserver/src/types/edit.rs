//! Reading and filling parts of an object in few words.

use serde_json::{Map, Value};

/// The members of a JSON object.
pub(super) type Members = Map<String, Value>;

/// Filling in what is not set. Absent, `null` and the empty text are not set.
pub(super) trait Edit {
    /// Sets a field unless it is set.
    fn fill(&mut self, field: &str, value: impl Into<Value>);
    /// The object in a field, created unless it is there.
    fn ensure(&mut self, field: &str) -> &mut Members;
    /// A text; empty unless it is set.
    fn text(&self, field: &str) -> &str;
    /// Whether a boolean is set and true.
    fn is_true(&self, field: &str) -> bool;
    /// Whether a field is set.
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

/// The object in a field, if there is one.
pub(super) fn part<'a>(members: &'a mut Members, field: &str) -> Option<&'a mut Members> {
    members.get_mut(field)?.as_object_mut()
}

/// The object at the end of a chain of fields, if there is one.
pub(super) fn at<'a>(members: &'a mut Members, path: &[&str]) -> Option<&'a mut Members> {
    path.iter().try_fold(members, |members, field| part(members, field))
}

/// The objects in a list.
pub(super) fn each<'a>(members: &'a mut Members, field: &str) -> impl Iterator<Item = &'a mut Members> {
    members.get_mut(field).and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut)
}

/// A part of a value that is only read, and `null` where it is not there.
pub(super) fn read<'a>(value: &'a Value, path: &[&str]) -> &'a Value {
    path.iter().fold(value, |value, field| value.get(field).unwrap_or(&Value::Null))
}

/// The items of a list that is only read.
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
