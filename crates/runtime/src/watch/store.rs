use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures::future::join_all;
use kubewright_machinery::object::{GroupKind, Key};
use serde_json::Value;
use tokio::sync::mpsc;

use super::key_ref::KeyRef;
use super::registry::Watch;
use super::sink::{Projected, Sink};
use super::{Cause, Changes, StatusChanges, WatchSpec, WatchState, WatchStatus, Watches};

/// The objects of one type in one scope of a cluster, projected. Cheap to clone. The underlying watches, one for each namespace of a scope of several, live
/// as long as a clone does, and 60 seconds longer.
pub struct ProjectedStore<P: Send + Sync + 'static> {
    /// The subscriptions, of which there is at least one.
    subscriptions: Arc<[WatchSubscription<P>]>,
    watches: Watches,
}

/// The subscription to one watch.
pub(super) struct WatchSubscription<P: Send + Sync + 'static> {
    sink: Arc<Projected<P>>,
    watch: Arc<Watch>,
}

impl<P: Send + Sync + 'static> WatchSubscription<P> {
    /// Creates the subscription of a `sink` from [`Watch::sink`], which has counted this user.
    pub(super) fn new(sink: Arc<Projected<P>>, watch: Arc<Watch>) -> Self {
        watch.users.send_modify(|users| *users += 1);
        Self { sink, watch }
    }

    fn status(&self) -> WatchStatus {
        self.watch.status.borrow().clone()
    }

    /// Waits until the sink is synced. The sender lives in the store itself, so that the wait cannot fail.
    async fn synced(&self) {
        let _awaited = Awaited::new(&self.watch);
        drop(self.sink.synced.subscribe().wait_for(|synced| *synced).await);
    }

    async fn settled(&self) {
        let mut status = self.watch.status.subscribe();
        let refused = status.wait_for(|status| matches!(status.state, WatchState::Forbidden | WatchState::NotServed));
        tokio::select! {
            biased;
            () = self.synced() => {}
            _ = refused => {}
        }
    }

    fn is_in_scope(&self, object: &Value) -> Option<bool> {
        self.watch.spec.could_hold(object).then(|| self.watch.selection.matches(object))
    }
}

/// A guard that counts a part of the operator which waits for the first list of a watch.
struct Awaited<'a>(&'a Watch);

impl<'a> Awaited<'a> {
    fn new(watch: &'a Watch) -> Self {
        watch.awaited.fetch_add(1, Ordering::Relaxed);
        Self(watch)
    }
}

impl Drop for Awaited<'_> {
    fn drop(&mut self) {
        self.0.awaited.fetch_sub(1, Ordering::Relaxed);
    }
}

impl<P: Send + Sync + 'static> ProjectedStore<P> {
    pub(super) fn new(subscriptions: Vec<WatchSubscription<P>>, watches: Watches) -> Self {
        Self { subscriptions: subscriptions.into(), watches }
    }

    /// Returns an object's projection. `None` means absent only if the store is synced.
    pub fn get(&self, key: &Key) -> Option<Arc<P>> {
        self.find(key.namespace(), key.name())
    }

    /// Returns an object's projection like [`get`](Self::get), by namespace (empty for a cluster-scoped object) and name.
    pub fn find(&self, namespace: &str, name: &str) -> Option<Arc<P>> {
        let key = KeyRef { namespace, name };
        self.subscriptions.iter().find_map(|one| one.sink.state.read().objects.projection(key).cloned())
    }

    /// Returns true if the store is ahead of the underlying watch for an object, because it has an own write or deletion that the watch has not shown yet. A
    /// cache that only follows its watch would still have an older state.
    pub fn is_ahead(&self, key: &Key) -> bool {
        self.subscriptions.iter().any(|one| one.sink.state.read().is_ahead(KeyRef::from(key)))
    }

    /// Returns all objects.
    pub fn list(&self) -> Vec<(Key, Arc<P>)> {
        self.subscriptions.iter().flat_map(|one| owned(one.sink.state.read().objects.iter())).collect()
    }

    /// Returns the keys of all objects.
    pub fn keys(&self) -> Vec<Key> {
        let keys = |one: &WatchSubscription<P>| -> Vec<Key> {
            one.sink.state.read().objects.iter().map(|(key, _)| key.clone()).collect()
        };
        self.subscriptions.iter().flat_map(keys).collect()
    }

    /// Visits each object, in portions, so that the watch is not delayed until all have been visited. An object that is added meanwhile may be left out, and
    /// one may be visited twice.
    pub(crate) fn visit(&self, mut show: impl FnMut(&Key, &P)) {
        for one in self.subscriptions.iter() {
            let mut end = usize::MAX;
            while end > 0 {
                let (start, portion) = one.sink.state.read().objects.portion_before(end);
                for (key, projection) in &portion {
                    show(key, projection);
                }
                end = start;
            }
        }
    }

    /// Returns the objects under this text in an index of their projector.
    pub fn indexed(&self, index: &str, text: &str) -> Vec<(Key, Arc<P>)> {
        self.subscriptions.iter().flat_map(|one| owned(one.sink.state.read().objects.indexed(index, text))).collect()
    }

    /// Returns the number of objects under this text in an index.
    pub fn count_indexed(&self, index: &str, text: &str) -> usize {
        self.subscriptions.iter().map(|one| one.sink.state.read().objects.count_indexed(index, text)).sum()
    }

    /// Returns the number of objects.
    pub fn len(&self) -> usize {
        self.subscriptions.iter().map(|one| one.sink.state.read().objects.len()).sum()
    }

    /// Returns true if there is no object.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns true if the first list is complete, of each namespace if there are several.
    pub fn is_synced(&self) -> bool {
        self.subscriptions.iter().all(|one| *one.sink.synced.borrow())
    }

    /// Waits until the first list is complete. If a watch is refused or the type is missing, the wait lasts until that changes.
    pub async fn synced(&self) {
        // All wait at the same time, so that each of them is known as awaited.
        join_all(self.subscriptions.iter().map(WatchSubscription::synced)).await;
    }

    /// Waits until the store is synced, or cannot be synced for now because the watch is forbidden or the type is not served. Returns the state.
    pub async fn settled(&self) -> WatchState {
        join_all(self.subscriptions.iter().map(WatchSubscription::settled)).await;
        self.status().state
    }

    /// Returns the status of the underlying watch; of several, that of the one in the worst state.
    pub fn status(&self) -> WatchStatus {
        WatchStatus::worst(self.subscriptions.iter().map(WatchSubscription::status))
    }

    /// Returns the changes of the watch's status.
    pub fn status_changes(&self) -> StatusChanges {
        StatusChanges::new(self.subscriptions.iter().map(|one| one.watch.status.subscribe()))
    }

    /// Returns the changes from now on, after one change for each present object.
    pub fn changes(&self) -> Changes<P> {
        let (sender, receiver) = mpsc::unbounded_channel();
        for one in self.subscriptions.iter() {
            one.sink.state.write().objects.subscribe(sender.clone());
        }
        Changes { receiver, _store: self.clone() }
    }

    /// Makes the answer to an own create, update or patch visible at once. Older events of the object are ignored from then on.
    ///
    /// In this store, and in stores that share its projections, it counts as an own write; all other stores of the cluster that could hold the object take it
    /// like an event. Objects of other kinds and namespaces are ignored; one that the watch's selectors no longer match leaves the store.
    pub fn record_write(&self, object: &Value) {
        for one in self.subscriptions.iter() {
            if let Some(in_scope) = one.is_in_scope(object) {
                one.sink.record(&one.watch.spec.delivered(object), in_scope, Cause::OwnWrite);
            }
        }
        self.watches.tell_written(object, &self.sinks());
    }

    /// Applies the answer to a read. An object that the store has in the same version is projected again: for projectors that keep only the needed parts,
    /// after more parts are needed.
    pub fn record_read(&self, object: &Value) {
        for one in self.subscriptions.iter() {
            if let Some(in_scope) = one.is_in_scope(object) {
                one.sink.record_read(&one.watch.spec.delivered(object), in_scope);
            }
        }
    }

    /// Removes an object that the server reports as gone, not merely as marked for deletion: here as an own write, in all other stores of the cluster like an
    /// event.
    pub fn record_delete(&self, key: &Key, uid: &str) {
        for one in self.subscriptions.iter() {
            one.sink.record_delete(KeyRef::from(key), uid, Cause::OwnWrite);
        }
        self.watches.tell_deleted(self.kind(), key, uid, &self.sinks());
    }

    /// Returns the watches of its cluster.
    pub(crate) fn watches(&self) -> &Watches {
        &self.watches
    }

    fn sinks(&self) -> Vec<Arc<dyn Sink>> {
        self.subscriptions.iter().map(|one| Arc::clone(&one.sink) as Arc<dyn Sink>).collect()
    }

    /// Returns group and kind of its objects.
    pub fn kind(&self) -> &GroupKind {
        &self.subscriptions[0].watch.spec.kind
    }

    /// Returns the specifications of its watches: one for each namespace of a scope of several.
    pub fn specs(&self) -> impl Iterator<Item = &WatchSpec> {
        self.subscriptions.iter().map(|one| &one.watch.spec)
    }
}

fn owned<'a, P: 'a>(objects: impl Iterator<Item = (&'a Key, &'a Arc<P>)>) -> Vec<(Key, Arc<P>)> {
    objects.map(|(key, projection)| (key.clone(), projection.clone())).collect()
}

impl<P: Send + Sync + 'static> Clone for ProjectedStore<P> {
    fn clone(&self) -> Self {
        Self { subscriptions: Arc::clone(&self.subscriptions), watches: self.watches.clone() }
    }
}

impl<P: Send + Sync + 'static> Drop for WatchSubscription<P> {
    fn drop(&mut self) {
        self.sink.users.fetch_sub(1, Ordering::AcqRel);
        self.watch.users.send_modify(|users| *users -= 1);
    }
}

impl<P: Send + Sync + 'static> fmt::Display for ProjectedStore<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let specs: Vec<String> = self.specs().map(ToString::to_string).collect();
        f.write_str(&specs.join(", "))
    }
}

impl<P: Send + Sync + 'static> fmt::Debug for ProjectedStore<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProjectedStore({self})")
    }
}
