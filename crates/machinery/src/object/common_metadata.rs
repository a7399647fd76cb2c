//! Labels and annotations that several objects share.

use std::collections::BTreeMap;

use serde_json::Value;

use super::ObjectExt;

/// Labels and annotations that all children of a controller get.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // users write it as a literal of two maps
pub struct CommonMetadata {
    /// The labels.
    pub labels: BTreeMap<String, String>,
    /// The annotations.
    pub annotations: BTreeMap<String, String>,
}

impl CommonMetadata {
    /// Adds the labels and annotations that an object does not have; its own values take precedence. Absent maps stay absent if there is nothing to
    /// add to them (MD-3).
    pub fn merge_under(&self, object: &mut Value) {
        for (key, value) in &self.labels {
            if object.label(key).is_none() {
                object.set_label(key, value);
            }
        }
        for (key, value) in &self.annotations {
            if object.annotation(key).is_none() {
                object.set_annotation(key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn common(labels: &[(&str, &str)], annotations: &[(&str, &str)]) -> CommonMetadata {
        let map =
            |entries: &[(&str, &str)]| entries.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        CommonMetadata { labels: map(labels), annotations: map(annotations) }
    }

    // FMETA-01, MD-3
    #[test]
    fn own_values_win_and_others_are_added() {
        let mut object = json!({ "metadata": { "labels": { "a": "own" } } });
        common(&[("a", "common"), ("b", "common")], &[("c", "common")]).merge_under(&mut object);
        let expected = json!({ "metadata": { "labels": { "a": "own", "b": "common" }, "annotations": { "c": "common" } } });
        assert_eq!(object, expected);
    }

    // FMETA-02, MD-3
    #[test]
    fn metadata_maps_are_created_only_when_there_is_an_entry_to_add() {
        let mut object = json!({});
        common(&[], &[]).merge_under(&mut object);
        assert_eq!(object, json!({}));
        common(&[("a", "b")], &[]).merge_under(&mut object);
        assert_eq!(object, json!({ "metadata": { "labels": { "a": "b" } } }));
    }
}
