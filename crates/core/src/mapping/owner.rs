//! Mappers that follow from the place of an object: its owner, its namespace, or none of it.

use kubewright_machinery::object::{GroupKind, HasMetadata, Key, MetadataView};

/// The key of the owner that is marked as the controller, if it is of this kind at any version (MAP-2).
///
/// A namespaced owner is in the namespace of the object; a cluster-scoped object cannot have one, so such a reference gives nothing.
pub fn controller_owner_key(object: &(impl HasMetadata + ?Sized), owner: &GroupKind, owner_is_namespaced: bool) -> Option<Key> {
    let map = object.metadata_map();
    let metadata = MetadataView::of(&map);
    let controller = metadata.controller().filter(|controller| controller.is_of(owner) && !controller.name.is_empty())?;
    let namespace = metadata.text("namespace");
    match owner_is_namespaced {
        true if namespace.is_empty() => None,
        true => Some(Key::new(namespace, controller.name)),
        false => Some(Key::new("", controller.name)),
    }
}

/// The namespace of the object, as the key of a cluster-scoped object (MAP-5). A cluster-scoped object has none.
pub fn namespace_of(object: &(impl HasMetadata + ?Sized)) -> Option<Key> {
    let map = object.metadata_map();
    let namespace = MetadataView::of(&map).text("namespace");
    (!namespace.is_empty()).then(|| Key::new("", namespace))
}

/// The mapper that gives this key for every object (MAP-6).
pub fn sentinel<P: ?Sized>(key: Key) -> impl Fn(&P) -> Key + Send + Sync + 'static {
    move |_| key.clone()
}
