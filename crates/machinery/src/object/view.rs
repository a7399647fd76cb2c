//! Read access to the metadata of an object, in any form in which the object is kept.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::{GroupKind, GroupVersionKind};

static NO_ENTRIES: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

/// An object whose metadata can be read: JSON, text that is parsed on demand, or an object of which only the metadata is kept.
#[diagnostic::on_unimplemented(
    message = "the metadata of `{Self}` cannot be read",
    note = "filters and mappers read objects that implement `HasMetadata`"
)]
pub trait HasMetadata {
    /// Returns the fields of `metadata`; empty if the object has none.
    fn metadata_map(&self) -> Cow<'_, Map<String, Value>>;

    /// Returns the field `status`. `None` for an object without one, and if only the metadata is kept.
    fn status_value(&self) -> Option<Cow<'_, Value>> {
        None
    }
}

impl HasMetadata for Value {
    fn metadata_map(&self) -> Cow<'_, Map<String, Value>> {
        Cow::Borrowed(map_of(self.get("metadata")))
    }

    fn status_value(&self) -> Option<Cow<'_, Value>> {
        self.get("status").map(Cow::Borrowed)
    }
}

/// A typed view of a map of metadata. An absent string reads as `""`, an absent map or list as an empty one.
#[derive(Clone, Copy, Debug)]
pub struct MetadataView<'a>(&'a Map<String, Value>);

impl<'a> MetadataView<'a> {
    /// Creates a view of these fields of `metadata`.
    pub const fn of(metadata: &'a Map<String, Value>) -> Self {
        Self(metadata)
    }

    /// Returns all fields.
    pub const fn fields(self) -> &'a Map<String, Value> {
        self.0
    }

    /// Returns the text of a string field.
    pub fn text(self, field: &str) -> &'a str {
        str_of(self.0.get(field))
    }

    /// Returns the field `generation`.
    pub fn generation(self) -> Option<i64> {
        self.0.get("generation").and_then(Value::as_i64)
    }

    /// Returns the field `labels`.
    pub fn labels(self) -> &'a Map<String, Value> {
        map_of(self.0.get("labels"))
    }

    /// Returns the field `annotations`.
    pub fn annotations(self) -> &'a Map<String, Value> {
        map_of(self.0.get("annotations"))
    }

    /// Returns the value of a label.
    pub fn label(self, key: &str) -> Option<&'a str> {
        self.labels().get(key).and_then(Value::as_str)
    }

    /// Returns the value of an annotation.
    pub fn annotation(self, key: &str) -> Option<&'a str> {
        self.annotations().get(key).and_then(Value::as_str)
    }

    /// Returns the entries of `finalizers`.
    pub fn finalizers(self) -> impl Iterator<Item = &'a str> {
        items_of(self.0.get("finalizers")).iter().filter_map(Value::as_str)
    }

    /// Returns the field `deletionTimestamp`.
    pub fn deletion_timestamp(self) -> Option<&'a str> {
        Some(self.text("deletionTimestamp")).filter(|time| !time.is_empty())
    }

    /// Returns the entries of `ownerReferences`.
    pub fn owner_references(self) -> impl Iterator<Item = OwnerReference<'a>> {
        items_of(self.0.get("ownerReferences")).iter().map(|owner| OwnerReference {
            api_version: str_of(owner.get("apiVersion")),
            kind: str_of(owner.get("kind")),
            name: str_of(owner.get("name")),
            uid: str_of(owner.get("uid")),
            controller: owner.get("controller").and_then(Value::as_bool).unwrap_or(false),
            block_owner_deletion: owner.get("blockOwnerDeletion").and_then(Value::as_bool).unwrap_or(false),
        })
    }

    /// Returns the owner reference that is marked as the controller.
    pub fn controller(self) -> Option<OwnerReference<'a>> {
        self.owner_references().find(|owner| owner.controller)
    }
}

/// One entry of `metadata.ownerReferences`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnerReference<'a> {
    /// The field `apiVersion` of the owner.
    pub api_version: &'a str,
    /// The field `kind` of the owner.
    pub kind: &'a str,
    /// The name of the owner.
    pub name: &'a str,
    /// The UID of the owner.
    pub uid: &'a str,
    /// True if the owner is the controller of the object.
    pub controller: bool,
    /// True if a foreground deletion of the owner waits for the object.
    pub block_owner_deletion: bool,
}

impl OwnerReference<'_> {
    /// Returns the kind of the owner at the version in the reference.
    pub fn gvk(&self) -> Option<GroupVersionKind> {
        GroupVersionKind::from_api_version(self.api_version, self.kind)
    }

    /// Returns true if the owner is of this kind, in any version.
    pub fn is_of(&self, kind: &GroupKind) -> bool {
        // The kind is compared first, so that references to other kinds cause no allocation.
        self.kind == kind.kind && self.gvk().is_some_and(|gvk| gvk.group == kind.group)
    }
}

pub(super) fn str_of(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or("")
}

pub(super) fn map_of(value: Option<&Value>) -> &Map<String, Value> {
    value.and_then(Value::as_object).unwrap_or_else(|| &NO_ENTRIES)
}

fn items_of(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// An object that is kept as text.
    struct Kept(&'static str);

    impl HasMetadata for Kept {
        fn metadata_map(&self) -> Cow<'_, Map<String, Value>> {
            let object: Value = serde_json::from_str(self.0).unwrap_or_default();
            Cow::Owned(object.metadata_map().into_owned())
        }
    }

    #[test]
    fn metadata_is_read_from_json_and_from_text_that_is_parsed_on_demand() {
        let text = r#"{"metadata": {"labels": {"a": "b"}, "finalizers": ["f/1"], "generation": 3}, "status": {}}"#;
        let value: Value = serde_json::from_str(text).unwrap();
        let objects: [&dyn HasMetadata; 2] = [&Kept(text), &value];
        for object in objects {
            let map = object.metadata_map();
            let metadata = MetadataView::of(&map);
            assert_eq!((metadata.label("a"), metadata.generation()), (Some("b"), Some(3)));
            assert_eq!(metadata.finalizers().collect::<Vec<_>>(), ["f/1"]);
        }
        assert_eq!(objects.map(|object| object.status_value().is_some()), [false, true]);
    }

    #[test]
    fn an_owner_reference_matches_by_group_and_kind_at_any_version() {
        let owner = |api_version: &str| {
            let value = json!({"metadata": {"ownerReferences": [{"apiVersion": api_version, "kind": "Widget", "name": "w"}]}});
            let map = value.metadata_map();
            MetadataView::of(&map).owner_references().all(|owner| owner.is_of(&GroupKind::new("example.com", "Widget")))
        };
        assert!(owner("example.com/v1") && owner("example.com/v2beta1"));
        assert!(!owner("v1") && !owner("other.com/v1") && !owner("example.com/v1/x") && !owner("example.com/"));
    }
}
