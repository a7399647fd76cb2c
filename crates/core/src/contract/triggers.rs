//! The changes that wake the controllers of a contract (flow-and-contract.md, 13.9).

use kubewright_machinery::object::{HasMetadata, MetadataView};

use super::format::Format;
use super::operation::{IGNORE, RECONCILE};
use super::provenance::Provenance;
use crate::filter::{Change, Filter, FilterExt as _, changed, deleting, gained, generation, has, labels, lost, status};
use crate::finalizer::{self, FORCED};

/// Passes changes of the generations in the provenance labels; invalid labels count as (−1, −1).
pub fn provenance<P: HasMetadata>(format: &Format) -> impl Filter<P> + Send + Sync + 'static {
    let format = format.clone();
    let told = move |object: &P| Provenance::read(object, &format).unwrap_or(Provenance::UNKNOWN);
    move |change: &Change<P>| change.update().is_none_or(|(old, new)| told(old) != told(new))
}

/// Passes changes of the depending components that have a finalizer on the object.
pub fn depending<P: HasMetadata>(format: &Format) -> impl Filter<P> + Send + Sync + 'static {
    let domain = format.domain().to_owned();
    move |change: &Change<P>| {
        change.update().is_none_or(|(old, new)| {
            let (old, new) = (old.metadata_map(), new.metadata_map());
            let (old, new) = (MetadataView::of(&old), MetadataView::of(&new));
            finalizer::depending(old.finalizers(), &domain) != finalizer::depending(new.finalizers(), &domain)
        })
    }
}

/// Passes changes that add a token of a requested pass which the status does not acknowledge (OPA-6).
fn requested<P: HasMetadata>(format: &Format) -> impl Filter<P> + Send + Sync + 'static {
    let annotation = format.requested_at().to_owned();
    let token = move |object: &P| MetadataView::of(&object.metadata_map()).annotation(&annotation).map(str::to_owned);
    move |change: &Change<P>| {
        change.update().is_none_or(|(old, new)| {
            let asked = token(new);
            let handled = || new.status_value().and_then(|status| Some(status.get("handledRequest")?.as_str()?.to_owned()));
            asked.is_some() && asked != token(old) && asked != handled()
        })
    }
}

/// Passes the changes of a component that wake its own controller. Changes of foreign labels, status and own finalizers do not (WAKE-1), and no
/// change of an ignored component does (WAKE-3).
pub fn own_changes<P: HasMetadata>(format: &Format) -> impl Filter<P> + Send + Sync + 'static {
    generation()
        .or(gained(format.operation(), Some(RECONCILE)))
        .or(lost(format.operation(), Some(IGNORE)))
        .or(gained(format.force(), Some(FORCED)))
        .or(provenance(format))
        .or(requested(format))
        .or(depending(format))
        .or(deleting())
        .and(has(format.operation(), Some(IGNORE)).not())
}

/// Passes the changes of a dependency that wake the components that depend on it: it is created or deleted, its status, provenance or deletion
/// changes, or `ignore` is set on it or removed (WAKE-2).
pub fn dependency_changes<P: HasMetadata>(format: &Format) -> impl Filter<P> + Send + Sync + 'static {
    status().or(provenance(format)).or(deleting()).or(ignoring(format))
}

/// Passes the changes of the owner that wake its controller (WAKE-4).
pub fn owner_changes<P: HasMetadata>(format: &Format) -> impl Filter<P> + Send + Sync + 'static {
    generation()
        .or(labels())
        .or(gained(format.operation(), Some(RECONCILE)))
        .or(lost(format.operation(), Some(IGNORE)))
        .or(gained(format.force(), Some(FORCED)))
        .or(changed(format.requested_at()))
        .or(deleting())
        .and(has(format.operation(), Some(IGNORE)).not())
}

/// Passes the changes of a component that wake the controller of its owner: its status or deletion changes, it is removed, or `ignore` is set on it
/// or removed (WAKE-4).
pub fn component_changes<P: HasMetadata>(format: &Format) -> impl Filter<P> + Send + Sync + 'static {
    status().or(deleting()).or(ignoring(format))
}

/// Passes changes that set or remove `ignore`.
fn ignoring<P: HasMetadata>(format: &Format) -> impl Filter<P> + Send + Sync + 'static {
    gained(format.operation(), Some(IGNORE)).or(lost(format.operation(), Some(IGNORE)))
}
