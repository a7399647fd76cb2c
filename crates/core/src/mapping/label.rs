//! Mappers that read labels.

use kubewright_machinery::object::{HasMetadata, Key, MetadataView};

/// The error of an absent or empty label that should name an object. Not every object of a watched kind carries such labels, so the error is worth a
/// debug line at most.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("map by label: the label {label:?} is absent or empty; no key is queued")]
pub struct UnsetLabel {
    /// The key of the label.
    pub label: String,
}

/// Returns the key whose name is the value of one label, and whose namespace is that of another one, by default the namespace of the object (MAP-3).
pub fn by_label(
    object: &(impl HasMetadata + ?Sized),
    name_label: &str,
    namespace_label: Option<&str>,
) -> Result<Key, UnsetLabel> {
    let map = object.metadata_map();
    let metadata = MetadataView::of(&map);
    let name = set(metadata, name_label)?;
    let namespace = match namespace_label {
        Some(label) => set(metadata, label)?,
        None => metadata.text("namespace"),
    };
    Ok(Key::new(namespace, name))
}

/// Returns the key of a cluster-scoped object whose name is the value of a label (MAP-4).
pub fn by_label_cluster(object: &(impl HasMetadata + ?Sized), name_label: &str) -> Result<Key, UnsetLabel> {
    let map = object.metadata_map();
    set(MetadataView::of(&map), name_label).map(|name| Key::new("", name))
}

/// Returns the key in an annotation, written as `namespace/name` or as a name in the namespace of the object (MAP-9). None without the annotation.
pub fn by_annotation(object: &(impl HasMetadata + ?Sized), annotation: &str) -> Option<Key> {
    let map = object.metadata_map();
    let metadata = MetadataView::of(&map);
    let value = metadata.annotation(annotation)?;
    let (namespace, name) = value.split_once('/').unwrap_or_else(|| (metadata.text("namespace"), value));
    (!name.is_empty()).then(|| Key::new(namespace, name))
}

fn set<'a>(metadata: MetadataView<'a>, label: &str) -> Result<&'a str, UnsetLabel> {
    let value = metadata.label(label).filter(|value| !value.is_empty());
    value.ok_or_else(|| UnsetLabel { label: label.to_owned() })
}
