use std::sync::Arc;

use kubewright_core::filter::{Cause, Change};
use kubewright_core::flow::redact;
use kubewright_core::why::{ChangedPaths, ObjectChange, ObjectChangeKind, QueuedBy};
use kubewright_machinery::object::GroupKind;

/// A projection that shows in which fields two states of an object differ, and which manager wrote the later one.
pub trait Describe {
    /// Returns the paths of the fields that differ.
    fn differences(old: &Self, new: &Self) -> ChangedPaths;

    /// Returns the field manager of the latest write.
    fn manager(&self) -> Option<Arc<str>> {
        None
    }
}

/// The longest name of a field manager that is reported, in bytes.
const LONGEST_MANAGER: usize = 128;

/// Returns a change as the cause of a pass.
pub(crate) fn cause_of<P: Describe>(kind: &Arc<GroupKind>, change: &Change<P>) -> QueuedBy {
    Description::of_states().cause(kind, change)
}

/// The way in which a trigger describes changes.
#[derive(Clone, Copy)]
pub(super) struct Description<P> {
    differences: fn(&P, &P) -> ChangedPaths,
    manager: fn(&P) -> Option<Arc<str>>,
}

impl<P> Description<P> {
    /// Returns a description without fields and managers.
    pub(super) fn none() -> Self {
        Self { differences: |_, _| ChangedPaths::default(), manager: |_| None }
    }

    /// Returns a description that uses the states of the object.
    pub(super) fn of_states() -> Self
    where
        P: Describe,
    {
        Self { differences: P::differences, manager: P::manager }
    }

    /// Returns a change as a cause.
    pub(super) fn cause(&self, kind: &Arc<GroupKind>, change: &Change<P>) -> QueuedBy {
        if change.cause == Cause::Initial {
            return QueuedBy::FirstList;
        }
        let what = match (change.old.as_deref(), change.new.as_deref()) {
            (Some(old), Some(new)) => ObjectChangeKind::Changed((self.differences)(old, new)),
            (None, _) => ObjectChangeKind::Came,
            (_, None) => ObjectChangeKind::Went,
        };
        // The last state of a deleted object does not show who deleted it.
        let by = change.new.as_deref().and_then(self.manager).filter(|manager| manager.len() <= LONGEST_MANAGER);
        let by = by.map(|manager| if redact(&manager) == *manager { manager } else { redact(&manager).into() });
        QueuedBy::Changed(Arc::new(ObjectChange {
            kind: Arc::clone(kind),
            key: change.key.clone(),
            what,
            by,
            own: change.cause == Cause::OwnWrite,
        }))
    }
}
