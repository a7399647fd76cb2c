//! Observing: the shared watches on components, on their dependents, and on single objects that a component waits for.

mod awaited;
mod components;
mod dependents;
mod own_writes;
mod polls;
mod scope;

use std::sync::Arc;

pub(crate) use awaited::{AwaitedWatches, Obstacle};
pub(crate) use components::{Compact, ComponentCache};
pub(crate) use dependents::DependentWatches;
use kubewright_core::why::{ChangedPaths, ObjectChange, ObjectChangeKind, QueuedBy};
use kubewright_machinery::object::{GroupKind, Key};
use kubewright_runtime::watch::{Cause, Change};
pub(crate) use own_writes::Underway;
pub(crate) use polls::Polled;
pub(crate) use scope::{NotObservable, Refusals, Residences, title};

/// A function that queues a pass of a component, with the reason.
pub(crate) type Notify = Arc<dyn Fn(&Key, QueuedBy) + Send + Sync>;

/// Returns the cause of a pass for a change of an object whose changed fields are not known.
pub(crate) fn caused_by<P>(kind: &Arc<GroupKind>, change: &Change<P>) -> QueuedBy {
    let what = match (&change.old, &change.new) {
        (Some(_), Some(_)) => ObjectChangeKind::Changed(ChangedPaths::default()),
        (None, _) => ObjectChangeKind::Came,
        (_, None) => ObjectChangeKind::Went,
    };
    let own = change.cause == Cause::OwnWrite;
    QueuedBy::Changed(Arc::new(ObjectChange { kind: Arc::clone(kind), key: change.key.clone(), what, by: None, own }))
}

#[cfg(test)]
mod tests;
