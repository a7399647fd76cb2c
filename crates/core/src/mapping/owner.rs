//! Mappers by the owner or the namespace of an object, and to a constant key.

use kubewright_machinery::object::{GroupKind, HasMetadata, Key, MetadataView};

/// Returns the key of the controller owner, if it is of this kind in any version (MAP-2).
///
/// A namespaced owner is in the namespace of the object. A cluster-scoped object cannot have a namespaced owner, so such a reference gives no key.
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

/// Returns the namespace of the object, as the key of a cluster-scoped object (MAP-5); none for a cluster-scoped object.
pub fn namespace_of(object: &(impl HasMetadata + ?Sized)) -> Option<Key> {
    let map = object.metadata_map();
    let namespace = MetadataView::of(&map).text("namespace");
    (!namespace.is_empty()).then(|| Key::new("", namespace))
}

/// Returns a mapper that gives this key for every object (MAP-6).
pub fn sentinel<P: ?Sized>(key: Key) -> impl Fn(&P) -> Key + Send + Sync + 'static {
    move |_| key.clone()
}
