use serde_json::{Map, Value};

/// The path of the framework's part in a status: the fields that lead to it. The status of a component is that part itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StatusPath(Vec<String>);

impl StatusPath {
    /// Returns the path of the whole status.
    pub(crate) fn whole() -> &'static Self {
        static WHOLE: StatusPath = StatusPath(Vec::new());
        &WHOLE
    }

    /// Returns the path of the object that has this field with this value, if there is one.
    pub(crate) fn of_marked(status: &Value, field: &str, mark: &Value) -> Option<Self> {
        let fields = status.as_object()?;
        if fields.get(field) == Some(mark) {
            return Some(Self::default());
        }
        fields.iter().find_map(|(name, value)| {
            let mut path = Self::of_marked(value, field, mark)?;
            path.0.insert(0, name.clone());
            Some(path)
        })
    }

    /// Returns true if this is the whole status.
    pub(crate) fn is_whole(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the part of an object's status.
    pub(super) fn find<'v>(&self, object: &'v Value) -> Option<&'v Value> {
        self.0.iter().try_fold(object.get("status")?, |part, field| part.get(field))
    }

    /// Converts a change of the part, the text of a merge patch, to a change of the status.
    pub(crate) fn change(&self, change: &str) -> Value {
        // The text was serialized by this process, so it can be parsed.
        let change = serde_json::from_str(change).unwrap_or_default();
        self.0.iter().rev().fold(change, |change, field| Value::Object(Map::from_iter([(field.clone(), change)])))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // RND-2
    #[test]
    fn a_status_object_is_found_by_its_marker_and_changed_at_its_path() {
        let status = json!({ "url": "a", "own": { "revision": 1, "rendered": { "revision": 7 } } });
        let path = StatusPath::of_marked(&status, "revision", &json!(7)).unwrap();
        assert_eq!(path.find(&json!({ "status": status })), Some(&json!({ "revision": 7 })));
        assert_eq!(path.change(r#"{"revision":8}"#), json!({ "own": { "rendered": { "revision": 8 } } }));
        assert!(StatusPath::of_marked(&json!({ "revision": 7 }), "revision", &json!(7)).unwrap().is_whole());
        assert_eq!(StatusPath::of_marked(&status, "revision", &json!(2)), None);
    }
}
