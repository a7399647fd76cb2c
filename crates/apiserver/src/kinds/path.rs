//! Paths to a field of an object, such as `spec.replicas`.

use std::fmt;

use serde_json::{Map, Value};

/// A path of member names from the root of an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldPath(Vec<String>);

impl FieldPath {
    /// Reads a path with dots between its members; a leading dot is allowed.
    pub fn new(dotted: &str) -> Self {
        Self(dotted.trim_start_matches('.').split('.').map(str::to_owned).collect())
    }

    /// Returns the members.
    pub fn members(&self) -> &[String] {
        &self.0
    }

    /// Returns the value at the path.
    pub fn get<'a>(&self, object: &'a Value) -> Option<&'a Value> {
        self.0.iter().try_fold(object, |value, member| value.get(member))
    }

    /// Sets the value at the path; missing objects on the way are created, and values on the way that are not objects are replaced.
    pub fn set(&self, object: &mut Value, value: Value) {
        let mut at = object;
        for member in &self.0 {
            if !at.is_object() {
                *at = Value::Object(Map::new());
            }
            let Value::Object(map) = at else { return };
            at = map.entry(member.as_str()).or_insert(Value::Null);
        }
        *at = value;
    }

    /// Removes the value at the path from the object and returns it.
    pub fn remove(&self, object: &mut Value) -> Option<Value> {
        let (last, parents) = self.0.split_last()?;
        let parent = parents.iter().try_fold(object, |value, member| value.get_mut(member))?;
        parent.as_object_mut()?.remove(last)
    }

    /// Makes the field in `object` equal to that in `source`: copied if present there, removed if absent.
    pub fn keep(&self, object: &mut Value, source: &Value) {
        match self.get(source) {
            Some(value) => self.set(object, value.clone()),
            None => {
                self.remove(object);
            }
        }
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("."))
    }
}
