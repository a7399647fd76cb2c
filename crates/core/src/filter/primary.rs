//! The filter of a controller's primary objects.

use kubewright_machinery::object::{HasMetadata, MetadataView};

use super::blocks::compared;
use super::change::Filter;

/// Passes updates that may need a pass of a controller whose objects have a status subresource (TRF-3): changes of generation, labels, annotations,
/// owner references, finalizers or deletion timestamp. Writes of the status do not pass; to let them pass, add [`status`](super::status) with
/// [`or`](super::FilterExt::or).
///
/// A change of only `own_finalizers`, the finalizers that the controller itself adds and removes, does not pass either, whichever client made it.
///
/// Objects without a generation pass whenever their resource version differs, because no other field of their metadata shows a change of their
/// content.
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

/// Returns the finalizers that are not the controller's own.
fn foreign<'a>(metadata: MetadataView<'a>, own: &[String]) -> impl Iterator<Item = &'a str> {
    metadata.finalizers().filter(|finalizer| own.iter().all(|own| own != finalizer))
}
