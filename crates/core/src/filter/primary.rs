//! The filter of the objects that a controller is for.

use kubewright_machinery::object::{HasMetadata, MetadataView};

use super::blocks::compared;
use super::change::Filter;

/// Passes updates that may need a pass of a controller whose objects have a status subresource (TRF-3): generation, labels, annotations, owner
/// references, finalizers or deletion timestamp differ. Writes of the status do not pass; add [`status`](super::status) with
/// [`or`](super::FilterExt::or) where they should.
///
/// A change of nothing but `own_finalizers`, the finalizers that the controller itself adds and removes, does not pass either, whoever made it.
///
/// Objects without a generation pass whenever their resource version differs: nothing else in their metadata tells a change of their content.
pub fn primary_default<P: HasMetadata>(own_finalizers: &[impl AsRef<str>]) -> impl Filter<P> + Send + Sync + 'static {
    let own: Vec<String> = own_finalizers.iter().map(|name| name.as_ref().to_owned()).collect();
    compared(move |old, new| {
        if old.generation().is_none() && new.generation().is_none() {
            return old.text("resourceVersion") != new.text("resourceVersion");
        }
        old.generation() != new.generation()
            || old.deletion_timestamp() != new.deletion_timestamp()
            || old.labels() != new.labels()
            || old.annotations() != new.annotations()
            || !old.owner_references().eq(new.owner_references())
            || !foreign(old, &own).eq(foreign(new, &own))
    })
}

/// The finalizers that are not our own.
fn foreign<'a>(metadata: MetadataView<'a>, own: &[String]) -> impl Iterator<Item = &'a str> {
    metadata.finalizers().filter(|finalizer| own.iter().all(|own| own != finalizer))
}
