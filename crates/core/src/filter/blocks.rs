//! The filters that everybody needs, on any object whose metadata can be read.
//!
//! Blocks that compare pass objects that come or go. Blocks that ask what an object is look at its new state, and at the last known one of an
//! object that went.

use kubewright_machinery::object::{GroupKind, HasMetadata, MetadataView};
use kubewright_machinery::selector::LabelSelector;
use serde_json::{Map, Value};

use super::change::{Change, Filter};

/// The generation differs.
pub fn generation<P: HasMetadata>() -> impl Filter<P> + Send + Sync + 'static {
    compared(|old, new| old.generation() != new.generation())
}

/// The labels differ.
pub fn labels<P: HasMetadata>() -> impl Filter<P> + Send + Sync + 'static {
    compared(|old, new| old.labels() != new.labels())
}

/// The annotations differ.
pub fn annotations<P: HasMetadata>() -> impl Filter<P> + Send + Sync + 'static {
    compared(|old, new| old.annotations() != new.annotations())
}

/// The finalizers differ.
pub fn finalizers<P: HasMetadata>() -> impl Filter<P> + Send + Sync + 'static {
    compared(|old, new| !old.finalizers().eq(new.finalizers()))
}

/// The owner references differ.
pub fn owners<P: HasMetadata>() -> impl Filter<P> + Send + Sync + 'static {
    compared(|old, new| !old.owner_references().eq(new.owner_references()))
}

/// The resource version differs. It is the same when a watch starts anew and meets an object again.
pub fn resource_version<P: HasMetadata>() -> impl Filter<P> + Send + Sync + 'static {
    compared(|old, new| old.text("resourceVersion") != new.text("resourceVersion"))
}

/// The metadata differs in anything but `resourceVersion` and `managedFields`, which every write changes.
pub fn metadata_changed<P: HasMetadata>() -> impl Filter<P> + Send + Sync + 'static {
    compared(|old, new| !stable_fields(old).eq(stable_fields(new)))
}

/// The status differs. Every update of an object without one passes: its kind may have none, or only its metadata is kept.
pub fn status<P: HasMetadata>() -> impl Filter<P> + Send + Sync + 'static {
    |change: &Change<P>| {
        change.update().is_none_or(|(old, new)| {
            let status = new.status_value();
            status.is_none() || status != old.status_value()
        })
    }
}

/// The deletion timestamp appeared.
pub fn deleting<P: HasMetadata>() -> impl Filter<P> + Send + Sync + 'static {
    compared(|old, new| old.deletion_timestamp().is_none() && new.deletion_timestamp().is_some())
}

/// The annotation was not there before and is there now; with a value, it did not have this value before and has it now.
pub fn gained<P: HasMetadata>(key: &str, value: Option<&str>) -> impl Filter<P> + Send + Sync + 'static {
    let entry = Entry::new(key, value);
    compared(move |old, new| !entry.is_in(old.annotations()) && entry.is_in(new.annotations()))
}

/// The label was not there before and is there now; with a value, it did not have this value before and has it now.
pub fn gained_label<P: HasMetadata>(key: &str, value: Option<&str>) -> impl Filter<P> + Send + Sync + 'static {
    let entry = Entry::new(key, value);
    compared(move |old, new| !entry.is_in(old.labels()) && entry.is_in(new.labels()))
}

/// The annotation was there before and is gone; with a value, it had this value before and has it no longer.
pub fn lost<P: HasMetadata>(key: &str, value: Option<&str>) -> impl Filter<P> + Send + Sync + 'static {
    let entry = Entry::new(key, value);
    compared(move |old, new| entry.is_in(old.annotations()) && !entry.is_in(new.annotations()))
}

/// The label was there before and is gone; with a value, it had this value before and has it no longer.
pub fn lost_label<P: HasMetadata>(key: &str, value: Option<&str>) -> impl Filter<P> + Send + Sync + 'static {
    let entry = Entry::new(key, value);
    compared(move |old, new| entry.is_in(old.labels()) && !entry.is_in(new.labels()))
}

/// The value of the annotation differs; an absent annotation differs from an empty one.
pub fn changed<P: HasMetadata>(key: &str) -> impl Filter<P> + Send + Sync + 'static {
    let key = key.to_owned();
    compared(move |old, new| old.annotation(&key) != new.annotation(&key))
}

/// The object has the annotation, with this value if one is asked for.
pub fn has<P: HasMetadata>(key: &str, value: Option<&str>) -> impl Filter<P> + Send + Sync + 'static {
    let entry = Entry::new(key, value);
    latest(move |object| entry.is_in(object.annotations()))
}

/// The object has the label, with this value if one is asked for.
pub fn has_label<P: HasMetadata>(key: &str, value: Option<&str>) -> impl Filter<P> + Send + Sync + 'static {
    let entry = Entry::new(key, value);
    latest(move |object| entry.is_in(object.labels()))
}

/// The object has the annotation with this value; with `allow_unset`, or it does not have the annotation.
pub fn annotation<P: HasMetadata>(key: &str, value: &str, allow_unset: bool) -> impl Filter<P> + Send + Sync + 'static {
    let (key, value) = (key.to_owned(), value.to_owned());
    latest(move |object| object.annotation(&key).map_or(allow_unset, |found| found == value))
}

/// The object has the label with this value; with `allow_unset`, or it does not have the label.
pub fn label<P: HasMetadata>(key: &str, value: &str, allow_unset: bool) -> impl Filter<P> + Send + Sync + 'static {
    let (key, value) = (key.to_owned(), value.to_owned());
    latest(move |object| object.label(&key).map_or(allow_unset, |found| found == value))
}

/// The labels of the object match.
pub fn selected<P: HasMetadata>(selector: LabelSelector) -> impl Filter<P> + Send + Sync + 'static {
    latest(move |object| selector.matches(object.labels()))
}

/// The owner that is marked as the controller is of this kind, at any version.
pub fn controlled_by<P: HasMetadata>(owner: GroupKind) -> impl Filter<P> + Send + Sync + 'static {
    latest(move |object| object.controller().is_some_and(|controller| controller.is_of(&owner)))
}

/// The object is in this namespace; the empty one stands for cluster-scoped objects.
pub fn namespace<P>(namespace: &str) -> impl Filter<P> + Send + Sync + 'static {
    let namespace = namespace.to_owned();
    move |change: &Change<P>| change.key.namespace() == namespace
}

/// The object has this name, in whatever namespace.
pub fn name<P>(name: &str) -> impl Filter<P> + Send + Sync + 'static {
    named(None, name)
}

/// The object has this name, in this namespace if one is given.
pub fn named<P>(namespace: Option<&str>, name: &str) -> impl Filter<P> + Send + Sync + 'static {
    let (namespace, name) = (namespace.map(str::to_owned), name.to_owned());
    move |change: &Change<P>| {
        change.key.name() == name && namespace.as_deref().is_none_or(|namespace| change.key.namespace() == namespace)
    }
}

/// Passes objects that come or go, and updates for which the comparison of the old and the new metadata says so.
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

/// Passes changes of objects whose latest metadata is as `predicate` says.
fn latest<P: HasMetadata>(
    predicate: impl Fn(MetadataView<'_>) -> bool + Send + Sync + 'static,
) -> impl Filter<P> + Send + Sync + 'static {
    move |change: &Change<P>| change.latest().is_some_and(|object| predicate(MetadataView::of(&object.metadata_map())))
}

/// The fields that are not part of every write.
fn stable_fields(metadata: MetadataView<'_>) -> impl Iterator<Item = (&String, &Value)> {
    metadata.fields().iter().filter(|(field, _)| !matches!(field.as_str(), "resourceVersion" | "managedFields"))
}

/// A label or annotation, with a value if one is asked for.
struct Entry {
    key: String,
    value: Option<String>,
}

impl Entry {
    fn new(key: &str, value: Option<&str>) -> Self {
        Self { key: key.to_owned(), value: value.map(str::to_owned) }
    }

    fn is_in(&self, entries: &Map<String, Value>) -> bool {
        let found = entries.get(&self.key).and_then(Value::as_str);
        found.is_some() && (self.value.is_none() || found == self.value.as_deref())
    }
}
