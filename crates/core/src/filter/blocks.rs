//! Common filters, for any object whose metadata can be read.
//!
//! Filters that compare two states also pass created and removed objects. Filters that test one state use the new one, or the last known one of a
//! removed object.

use kubewright_machinery::object::{GroupKind, HasMetadata, MetadataView};
use kubewright_machinery::selector::LabelSelector;
use serde_json::{Map, Value};

use super::change::{Change, Filter};

/// Passes changes of the generation.
pub fn generation<P: HasMetadata>() -> impl Filter<P> + Send + Sync + 'static {
    compared(|old, new| old.generation() != new.generation())
}

/// Passes changes of the labels.
pub fn labels<P: HasMetadata>() -> impl Filter<P> + Send + Sync + 'static {
    compared(|old, new| old.labels() != new.labels())
}

/// Passes changes of the annotations.
pub fn annotations<P: HasMetadata>() -> impl Filter<P> + Send + Sync + 'static {
    compared(|old, new| old.annotations() != new.annotations())
}

/// Passes changes of the finalizers.
pub fn finalizers<P: HasMetadata>() -> impl Filter<P> + Send + Sync + 'static {
    compared(|old, new| !old.finalizers().eq(new.finalizers()))
}

/// Passes changes of the owner references.
pub fn owners<P: HasMetadata>() -> impl Filter<P> + Send + Sync + 'static {
    compared(|old, new| !old.owner_references().eq(new.owner_references()))
}

/// Passes changes of the resource version. It does not change when a restarted watch returns an object again.
pub fn resource_version<P: HasMetadata>() -> impl Filter<P> + Send + Sync + 'static {
    compared(|old, new| old.text("resourceVersion") != new.text("resourceVersion"))
}

/// Passes changes of the metadata, other than `resourceVersion` and `managedFields`, which every write changes.
pub fn metadata_changed<P: HasMetadata>() -> impl Filter<P> + Send + Sync + 'static {
    compared(|old, new| !stable_fields(old).eq(stable_fields(new)))
}

/// Passes changes of the status, and every update of an object without one: its kind may have none, or only its metadata is kept.
pub fn status<P: HasMetadata>() -> impl Filter<P> + Send + Sync + 'static {
    |change: &Change<P>| {
        change.update().is_none_or(|(old, new)| {
            let status = new.status_value();
            status.is_none() || status != old.status_value()
        })
    }
}

/// Passes changes in which the deletion timestamp appears.
pub fn deleting<P: HasMetadata>() -> impl Filter<P> + Send + Sync + 'static {
    compared(|old, new| old.deletion_timestamp().is_none() && new.deletion_timestamp().is_some())
}

/// Passes changes in which the annotation appears; with a value, changes in which the annotation gets this value.
pub fn gained<P: HasMetadata>(key: &str, value: Option<&str>) -> impl Filter<P> + Send + Sync + 'static {
    let entry = MetadataRequirement::new(key, value);
    compared(move |old, new| !entry.is_in(old.annotations()) && entry.is_in(new.annotations()))
}

/// Passes changes in which the label appears; with a value, changes in which the label gets this value.
pub fn gained_label<P: HasMetadata>(key: &str, value: Option<&str>) -> impl Filter<P> + Send + Sync + 'static {
    let entry = MetadataRequirement::new(key, value);
    compared(move |old, new| !entry.is_in(old.labels()) && entry.is_in(new.labels()))
}

/// Passes changes in which the annotation disappears; with a value, changes in which the annotation loses this value.
pub fn lost<P: HasMetadata>(key: &str, value: Option<&str>) -> impl Filter<P> + Send + Sync + 'static {
    let entry = MetadataRequirement::new(key, value);
    compared(move |old, new| entry.is_in(old.annotations()) && !entry.is_in(new.annotations()))
}

/// Passes changes in which the label disappears; with a value, changes in which the label loses this value.
pub fn lost_label<P: HasMetadata>(key: &str, value: Option<&str>) -> impl Filter<P> + Send + Sync + 'static {
    let entry = MetadataRequirement::new(key, value);
    compared(move |old, new| entry.is_in(old.labels()) && !entry.is_in(new.labels()))
}

/// Passes changes of the value of the annotation; an absent annotation differs from an empty one.
pub fn changed<P: HasMetadata>(key: &str) -> impl Filter<P> + Send + Sync + 'static {
    let key = key.to_owned();
    compared(move |old, new| old.annotation(&key) != new.annotation(&key))
}

/// Passes changes of objects that have the annotation, with this value if one is given.
pub fn has<P: HasMetadata>(key: &str, value: Option<&str>) -> impl Filter<P> + Send + Sync + 'static {
    let entry = MetadataRequirement::new(key, value);
    latest(move |object| entry.is_in(object.annotations()))
}

/// Passes changes of objects that have the label, with this value if one is given.
pub fn has_label<P: HasMetadata>(key: &str, value: Option<&str>) -> impl Filter<P> + Send + Sync + 'static {
    let entry = MetadataRequirement::new(key, value);
    latest(move |object| entry.is_in(object.labels()))
}

/// Passes changes of objects that have the annotation with this value; with `allow_unset`, also of objects without the annotation.
pub fn annotation<P: HasMetadata>(key: &str, value: &str, allow_unset: bool) -> impl Filter<P> + Send + Sync + 'static {
    let (key, value) = (key.to_owned(), value.to_owned());
    latest(move |object| object.annotation(&key).map_or(allow_unset, |found| found == value))
}

/// Passes changes of objects that have the label with this value; with `allow_unset`, also of objects without the label.
pub fn label<P: HasMetadata>(key: &str, value: &str, allow_unset: bool) -> impl Filter<P> + Send + Sync + 'static {
    let (key, value) = (key.to_owned(), value.to_owned());
    latest(move |object| object.label(&key).map_or(allow_unset, |found| found == value))
}

/// Passes changes of objects whose labels match the selector.
pub fn selected<P: HasMetadata>(selector: LabelSelector) -> impl Filter<P> + Send + Sync + 'static {
    latest(move |object| selector.matches(object.labels()))
}

/// Passes changes of objects whose controller reference names an owner of this kind, in any version.
pub fn controlled_by<P: HasMetadata>(owner: GroupKind) -> impl Filter<P> + Send + Sync + 'static {
    latest(move |object| object.controller().is_some_and(|controller| controller.is_of(&owner)))
}

/// Passes changes of objects in this namespace; the empty one stands for cluster-scoped objects.
pub fn namespace<P>(namespace: &str) -> impl Filter<P> + Send + Sync + 'static {
    let namespace = namespace.to_owned();
    move |change: &Change<P>| change.key.namespace() == namespace
}

/// Passes changes of objects of this name, in any namespace.
pub fn name<P>(name: &str) -> impl Filter<P> + Send + Sync + 'static {
    named(None, name)
}

/// Passes changes of objects of this name, in this namespace if one is given.
pub fn named<P>(namespace: Option<&str>, name: &str) -> impl Filter<P> + Send + Sync + 'static {
    let (namespace, name) = (namespace.map(str::to_owned), name.to_owned());
    move |change: &Change<P>| {
        change.key.name() == name && namespace.as_deref().is_none_or(|namespace| change.key.namespace() == namespace)
    }
}

/// Passes created and removed objects, and updates for which the comparison of the old and the new metadata returns true.
pub(super) fn compared<P: HasMetadata>(
    comparison: impl Fn(MetadataView<'_>, MetadataView<'_>) -> bool + Send + Sync + 'static,
) -> impl Filter<P> + Send + Sync + 'static {
    move |change: &Change<P>| {
        change.update().is_none_or(|(old, new)| {
            let (old, new) = (old.metadata_map(), new.metadata_map());
            comparison(MetadataView::of(&old), MetadataView::of(&new))
        })
    }
}

/// Passes changes of objects for whose latest metadata `predicate` returns true.
fn latest<P: HasMetadata>(
    predicate: impl Fn(MetadataView<'_>) -> bool + Send + Sync + 'static,
) -> impl Filter<P> + Send + Sync + 'static {
    move |change: &Change<P>| change.latest().is_some_and(|object| predicate(MetadataView::of(&object.metadata_map())))
}

/// Returns the fields that do not change with every write.
fn stable_fields(metadata: MetadataView<'_>) -> impl Iterator<Item = (&String, &Value)> {
    metadata.fields().iter().filter(|(field, _)| !matches!(field.as_str(), "resourceVersion" | "managedFields"))
}

/// A label or annotation, with a value if one is required.
struct MetadataRequirement {
    key: String,
    value: Option<String>,
}

impl MetadataRequirement {
    fn new(key: &str, value: Option<&str>) -> Self {
        Self { key: key.to_owned(), value: value.map(str::to_owned) }
    }

    fn is_in(&self, entries: &Map<String, Value>) -> bool {
        let found = entries.get(&self.key).and_then(Value::as_str);
        found.is_some() && (self.value.is_none() || found == self.value.as_deref())
    }
}
