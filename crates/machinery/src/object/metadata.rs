//! Access to the metadata of an object that is a JSON value.

use serde_json::{Map, Value, json};

use super::view::{MetadataView, OwnerReference, map_of, str_of};
use super::{GroupVersionKind, ObjectKey};

/// Reads and writes the metadata of an object. An absent string reads as `""`, an absent map or list as an empty one.
pub trait ObjectExt {
    /// Returns the kind at its version, if `apiVersion` and `kind` are valid.
    fn gvk(&self) -> Option<GroupVersionKind>;
    /// Returns the field `apiVersion`.
    fn api_version(&self) -> &str;
    /// Returns the field `kind`.
    fn kind(&self) -> &str;
    /// Returns the identity without the version, if `apiVersion` and `kind` are present.
    fn key(&self) -> Option<ObjectKey>;
    /// Returns the title of the object in messages: `Deployment.apps demo/web`.
    fn title(&self) -> String;
    /// Returns the field `metadata`.
    fn metadata(&self) -> &Map<String, Value>;
    /// Returns the field `metadata`, created if absent. A value that is not an object is replaced by one.
    fn metadata_mut(&mut self) -> &mut Map<String, Value>;
    /// Returns a string field of `metadata`.
    fn meta_str(&self, field: &str) -> &str;
    /// Returns the field `metadata.name`.
    fn name(&self) -> &str {
        self.meta_str("name")
    }
    /// Returns the field `metadata.namespace`; empty for a cluster-scoped object.
    fn namespace(&self) -> &str {
        self.meta_str("namespace")
    }
    /// Returns the field `metadata.uid`.
    fn uid(&self) -> &str {
        self.meta_str("uid")
    }
    /// Returns the field `metadata.resourceVersion`.
    fn resource_version(&self) -> &str {
        self.meta_str("resourceVersion")
    }
    /// Returns the field `metadata.creationTimestamp`.
    fn creation_timestamp(&self) -> Option<&str> {
        Some(self.meta_str("creationTimestamp")).filter(|time| !time.is_empty())
    }
    /// Returns the field `metadata.deletionTimestamp`.
    fn deletion_timestamp(&self) -> Option<&str> {
        Some(self.meta_str("deletionTimestamp")).filter(|time| !time.is_empty())
    }
    /// Returns the field `metadata.generation`.
    fn generation(&self) -> Option<i64>;
    /// Returns the field `metadata.labels`.
    fn labels(&self) -> &Map<String, Value>;
    /// Returns the field `metadata.annotations`.
    fn annotations(&self) -> &Map<String, Value>;
    /// Returns the value of a label.
    fn label(&self, key: &str) -> Option<&str> {
        self.labels().get(key).and_then(Value::as_str)
    }
    /// Returns the value of an annotation.
    fn annotation(&self, key: &str) -> Option<&str> {
        self.annotations().get(key).and_then(Value::as_str)
    }
    /// Sets a label, replacing its value.
    fn set_label(&mut self, key: impl Into<String>, value: impl Into<String>);
    /// Sets an annotation, replacing its value.
    fn set_annotation(&mut self, key: impl Into<String>, value: impl Into<String>);
    /// Removes a label, and the map with the last one. Returns true if the label was present.
    fn remove_label(&mut self, key: &str) -> bool;
    /// Removes an annotation, and the map with the last one. Returns true if the annotation was present.
    fn remove_annotation(&mut self, key: &str) -> bool;
    /// Returns the entries of `metadata.finalizers`.
    fn finalizers(&self) -> impl Iterator<Item = &str>;
    /// Returns true if a finalizer is present.
    fn has_finalizer(&self, finalizer: &str) -> bool {
        self.finalizers().any(|present| present == finalizer)
    }
    /// Appends a finalizer unless it is present.
    fn add_finalizer(&mut self, finalizer: &str);
    /// Removes a finalizer, and the list with the last one. Returns true if the finalizer was present.
    fn remove_finalizer(&mut self, finalizer: &str) -> bool;
    /// Returns the entries of `metadata.ownerReferences`.
    fn owner_references(&self) -> impl Iterator<Item = OwnerReference<'_>>;
    /// Returns the owner reference that is marked as the controller.
    fn controller(&self) -> Option<OwnerReference<'_>> {
        self.owner_references().find(|owner| owner.controller)
    }
    /// Returns the field `status`.
    fn status(&self) -> Option<&Value>;
    /// Returns the fields of the object with which a body of server-side apply begins. With the UID an object that is gone is not created again, and
    /// another one of the same name is not changed.
    fn apply_head(&self) -> Value;
}

impl ObjectExt for Value {
    fn gvk(&self) -> Option<GroupVersionKind> {
        GroupVersionKind::from_api_version(self.api_version(), self.kind())
    }

    fn api_version(&self) -> &str {
        str_of(self.get("apiVersion"))
    }

    fn kind(&self) -> &str {
        str_of(self.get("kind"))
    }

    fn key(&self) -> Option<ObjectKey> {
        let gvk = self.gvk()?;
        Some(ObjectKey { group: gvk.group, kind: gvk.kind, namespace: self.namespace().to_owned(), name: self.name().to_owned() })
    }

    fn title(&self) -> String {
        let (group, version) = self.api_version().split_once('/').unwrap_or_else(|| ("", self.api_version()));
        let name = if self.name().is_empty() { self.meta_str("generateName") } else { self.name() };
        GroupVersionKind::new(group, version, self.kind()).title(self.namespace(), name).to_string()
    }

    fn metadata(&self) -> &Map<String, Value> {
        map_of(self.get("metadata"))
    }

    fn metadata_mut(&mut self) -> &mut Map<String, Value> {
        entry_map(as_map(self), "metadata")
    }

    fn meta_str(&self, field: &str) -> &str {
        view(self).text(field)
    }

    fn generation(&self) -> Option<i64> {
        view(self).generation()
    }

    fn labels(&self) -> &Map<String, Value> {
        view(self).labels()
    }

    fn annotations(&self) -> &Map<String, Value> {
        view(self).annotations()
    }

    fn set_label(&mut self, key: impl Into<String>, value: impl Into<String>) {
        entry_map(self.metadata_mut(), "labels").insert(key.into(), Value::String(value.into()));
    }

    fn set_annotation(&mut self, key: impl Into<String>, value: impl Into<String>) {
        entry_map(self.metadata_mut(), "annotations").insert(key.into(), Value::String(value.into()));
    }

    fn remove_label(&mut self, key: &str) -> bool {
        remove_entry(self, "labels", key)
    }

    fn remove_annotation(&mut self, key: &str) -> bool {
        remove_entry(self, "annotations", key)
    }

    fn finalizers(&self) -> impl Iterator<Item = &str> {
        view(self).finalizers()
    }

    fn add_finalizer(&mut self, finalizer: &str) {
        if self.has_finalizer(finalizer) {
            return;
        }
        match self.metadata_mut().get_mut("finalizers").and_then(Value::as_array_mut) {
            Some(finalizers) => finalizers.push(finalizer.into()),
            None => {
                self.metadata_mut().insert("finalizers".to_owned(), json!([finalizer]));
            }
        }
    }

    fn remove_finalizer(&mut self, finalizer: &str) -> bool {
        if !self.has_finalizer(finalizer) {
            return false;
        }
        let rest: Vec<Value> = self.finalizers().filter(|present| *present != finalizer).map(Value::from).collect();
        if rest.is_empty() {
            self.metadata_mut().remove("finalizers");
        } else {
            self.metadata_mut().insert("finalizers".to_owned(), rest.into());
        }
        true
    }

    fn owner_references(&self) -> impl Iterator<Item = OwnerReference<'_>> {
        view(self).owner_references()
    }

    fn status(&self) -> Option<&Value> {
        self.get("status")
    }

    fn apply_head(&self) -> Value {
        let mut metadata = json!({ "name": self.name(), "uid": self.uid() });
        if !self.namespace().is_empty() {
            metadata["namespace"] = self.namespace().into();
        }
        json!({ "apiVersion": self.api_version(), "kind": self.kind(), "metadata": metadata })
    }
}

fn view(object: &Value) -> MetadataView<'_> {
    MetadataView::of(object.metadata())
}

fn as_map(value: &mut Value) -> &mut Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => {
            *other = Value::Object(Map::new());
            as_map(other)
        }
    }
}

fn entry_map<'a>(map: &'a mut Map<String, Value>, key: &str) -> &'a mut Map<String, Value> {
    as_map(map.entry(key).or_insert(Value::Null))
}

fn remove_entry(object: &mut Value, field: &str, key: &str) -> bool {
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else {
        return false;
    };
    let Some(entries) = metadata.get_mut(field).and_then(Value::as_object_mut) else {
        return false;
    };
    let removed = entries.remove(key).is_some();
    if removed && entries.is_empty() {
        metadata.remove(field);
    }
    removed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finalizer_is_added_once_and_removing_the_last_finalizer_removes_the_list() {
        let mut object = json!({"metadata": {"name": "a", "finalizers": null}});
        object.add_finalizer("f/1");
        object.add_finalizer("f/2");
        object.add_finalizer("f/1");
        assert_eq!(object["metadata"]["finalizers"], json!(["f/1", "f/2"]));
        assert!(object.remove_finalizer("f/1") && !object.remove_finalizer("f/1") && object.remove_finalizer("f/2"));
        assert_eq!(object, json!({"metadata": {"name": "a"}}));
    }

    #[test]
    fn metadata_is_read_where_it_is() {
        let object = json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {
                "name": "web", "namespace": "demo", "uid": "u", "resourceVersion": "7", "generation": 3,
                "labels": {"a": "b"}, "annotations": {"x": "y"}, "finalizers": ["f/1"], "deletionTimestamp": "2026-01-01T00:00:00Z",
                "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "o", "controller": true}],
            },
            "status": {"replicas": 1},
        });
        assert_eq!(object.key(), Some(ObjectKey::new("apps", "Deployment", "demo", "web")));
        assert_eq!(object.title(), "Deployment.apps demo/web");
        assert_eq!((object.uid(), object.resource_version(), object.generation()), ("u", "7", Some(3)));
        assert_eq!((object.label("a"), object.annotation("x"), object.label("c")), (Some("b"), Some("y"), None));
        assert!(object.has_finalizer("f/1") && !object.has_finalizer("f/2"));
        assert_eq!(object.deletion_timestamp(), Some("2026-01-01T00:00:00Z"));
        assert_eq!(object.controller().map(|owner| (owner.uid, owner.block_owner_deletion)), Some(("o", false)));
        assert_eq!(object.status(), Some(&json!({"replicas": 1})));
    }

    // MD-1
    #[test]
    fn absent_metadata_reads_as_empty() {
        for object in [json!(null), json!({}), json!({"metadata": null}), json!({"metadata": {"labels": 5}})] {
            assert_eq!((object.name(), object.uid(), object.labels().len()), ("", "", 0));
            assert_eq!((object.key(), object.deletion_timestamp(), object.generation()), (None, None, None));
            assert_eq!(object.finalizers().count() + object.owner_references().count(), 0);
        }
    }

    // MD-1, MD-3
    #[test]
    fn setting_creates_the_map_and_removing_the_last_entry_drops_it() {
        let mut object = json!({"kind": "X"});
        object.set_label("a", "1");
        object.set_label("a", "2");
        object.set_annotation("b", "3");
        assert_eq!(object, json!({"kind": "X", "metadata": {"labels": {"a": "2"}, "annotations": {"b": "3"}}}));
        assert!(object.remove_label("a") && !object.remove_label("a") && object.remove_annotation("b"));
        assert_eq!(object, json!({"kind": "X", "metadata": {}}));
    }
}
