//! What a store is to the rest of the server (STO-6).

use std::sync::Arc;

use super::{Change, CommitError, Compacted, Event, ObjectName, Progress, Resource, Snapshot, Stored};

/// Keeps objects at every revision that is still remembered. The contract tests of this module hold for every implementation.
pub trait Storage: Send + Sync + 'static {
    /// Somebody who follows a resource.
    type Subscription: Follow;

    /// The present content.
    fn snapshot(&self) -> Snapshot;

    /// The content of one resource as it was at an older revision.
    fn snapshot_at(&self, resource: &Resource, revision: u64) -> Result<Snapshot, Compacted>;

    /// Makes all changes or none, each with a revision of its own, and returns the events in order.
    fn commit(&self, changes: Vec<Change>) -> Result<Vec<Arc<Event>>, CommitError>;

    /// Follows a resource from a revision on.
    fn subscribe(self: &Arc<Self>, resource: &Resource, after: u64) -> Result<Self::Subscription, Compacted>;

    /// Forgets everything older than a revision.
    fn compact(&self, revision: u64);

    /// The revision of the last commit.
    fn revision(&self) -> u64 {
        self.snapshot().revision()
    }

    /// One object as it is now.
    fn get(&self, resource: &Resource, name: &ObjectName) -> Option<Arc<Stored>> {
        self.snapshot().get(resource, name).cloned()
    }

    /// The objects of a resource, or of one namespace of it, in order, and the revision that was read.
    fn list(&self, resource: &Resource, namespace: Option<&str>) -> (Vec<Arc<Stored>>, u64) {
        let snapshot = self.snapshot();
        let objects = snapshot.list(resource, namespace).map(|(_, stored)| stored.clone()).collect();
        (objects, snapshot.revision())
    }
}

/// Reads the changes of one resource in order, each once.
pub trait Follow: Send {
    /// Looks for events without waiting.
    fn poll(&mut self) -> Progress;

    /// Waits until [`Follow::poll`] may find something else than idleness.
    fn wait(&mut self) -> impl Future<Output = ()> + Send;
}
