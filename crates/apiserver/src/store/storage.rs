//! The interface of a store to the rest of the server (STO-6).

use std::sync::Arc;

use super::{Change, CommitError, Compacted, Event, ObjectName, Progress, Resource, Snapshot, Stored};

/// A store of objects at every revision that is still remembered. The contract tests of this module hold for every implementation.
pub trait Storage: Send + Sync + 'static {
    /// The subscription to a resource.
    type Subscription: Follow;

    /// Returns the current content.
    fn snapshot(&self) -> Snapshot;

    /// Returns the content of one resource at an older revision.
    fn snapshot_at(&self, resource: &Resource, revision: u64) -> Result<Snapshot, Compacted>;

    /// Commits all changes or none, each with a revision of its own, and returns the events in order.
    fn commit(&self, changes: Vec<Change>) -> Result<Vec<Arc<Event>>, CommitError>;

    /// Subscribes to a resource from a revision on.
    fn subscribe(self: &Arc<Self>, resource: &Resource, after: u64) -> Result<Self::Subscription, Compacted>;

    /// Drops the history before a revision.
    fn compact(&self, revision: u64);

    /// Returns the revision of the last commit.
    fn revision(&self) -> u64 {
        self.snapshot().revision()
    }

    /// Returns an object in its current state.
    fn get(&self, resource: &Resource, name: &ObjectName) -> Option<Arc<Stored>> {
        self.snapshot().get(resource, name).cloned()
    }

    /// Returns the objects of a resource, or of one namespace of it, in order, and the revision of the read.
    fn list(&self, resource: &Resource, namespace: Option<&str>) -> (Vec<Arc<Stored>>, u64) {
        let snapshot = self.snapshot();
        let objects = snapshot.list(resource, namespace).map(|(_, stored)| stored.clone()).collect();
        (objects, snapshot.revision())
    }
}

/// A reader of the changes of one resource, in order and each once.
pub trait Follow: Send {
    /// Returns the next events without waiting.
    fn poll(&mut self) -> Progress;

    /// Waits until [`Follow::poll`] may return something other than [`Progress::Idle`].
    fn wait(&mut self) -> impl Future<Output = ()> + Send;
}
