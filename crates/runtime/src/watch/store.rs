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

/// What a cluster has of one type in one scope, projected. Cheap to clone; the watches below, one for each namespace of a scope of several,
/// live as long as a clone does, and 60 seconds longer.
pub struct ProjectedStore<P: Send + Sync + 'static> {
    /// Never empty.
    subscriptions: Arc<[Subscription<P>]>,
    watches: Watches,
}

/// The subscription to one watch.
pub(super) struct Subscription<P: Send + Sync + 'static> {
    sink: Arc<Projected<P>>,
    watch: Arc<Watch>,
}

impl<P: Send + Sync + 'static> Subscription<P> {
    /// `sink` comes from [`Watch::sink`], which has counted this user.
    pub(super) fn new(sink: Arc<Projected<P>>, watch: Arc<Watch>) -> Self {
        watch.users.send_modify(|users| *users += 1);
        Self { sink, watch }
    }

    fn status(&self) -> WatchStatus {
        self.watch.status.borrow().clone()
    }

    /// The sender lives in the store itself.
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

/// A part of the operator that waits for the first list of a watch.
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
    pub(super) fn new(subscriptions: Vec<Subscription<P>>, watches: Watches) -> Self {
        Self { subscriptions: subscriptions.into(), watches }
    }

    /// An object's projection. `None` means absent only when the store is synced.
    pub fn get(&self, key: &Key) -> Option<Arc<P>> {
        self.find(key.namespace(), key.name())
    }

    /// Like [`get`](Self::get), by namespace (empty for a cluster-scoped object) and name.
    pub fn find(&self, namespace: &str, name: &str) -> Option<Arc<P>> {
        let place = KeyRef { namespace, name };
        self.subscriptions.iter().find_map(|one| one.sink.state.read().objects.projection(place).cloned())
    }

    /// Whether the store is ahead of the watch below for an object: it has an own write or an own deletion that the watch has not told yet. A
    /// cache that only follows its watch would still have an older state.
    pub fn is_ahead(&self, key: &Key) -> bool {
        self.subscriptions.iter().any(|one| one.sink.state.read().is_ahead(KeyRef::from(key)))
    }

    /// All objects.
    pub fn list(&self) -> Vec<(Key, Arc<P>)> {
        self.subscriptions.iter().flat_map(|one| owned(one.sink.state.read().objects.iter())).collect()
    }

    /// The keys of all objects.
    pub fn keys(&self) -> Vec<Key> {
        let keys =
            |one: &Subscription<P>| -> Vec<Key> { one.sink.state.read().objects.iter().map(|(key, _)| key.clone()).collect() };
        self.subscriptions.iter().flat_map(keys).collect()
    }

    /// Shows each object, in portions: the watch is not held up until all have been shown. An object that comes meanwhile may be left out; one may be
    /// shown twice.
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

    /// The objects that stand under this text in an index of their projector.
    pub fn indexed(&self, index: &str, text: &str) -> Vec<(Key, Arc<P>)> {
        self.subscriptions.iter().flat_map(|one| owned(one.sink.state.read().objects.indexed(index, text))).collect()
    }

    /// How many objects stand under this text in an index.
    pub fn count_indexed(&self, index: &str, text: &str) -> usize {
        self.subscriptions.iter().map(|one| one.sink.state.read().objects.count_indexed(index, text)).sum()
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.subscriptions.iter().map(|one| one.sink.state.read().objects.len()).sum()
    }

    /// Is there no object?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Has the first list been completed, of each namespace if there are several?
    pub fn is_synced(&self) -> bool {
        self.subscriptions.iter().all(|one| *one.sink.synced.borrow())
    }

    /// Ends when the first list is complete. While a watch is refused or the type missing, that is never.
    pub async fn synced(&self) {
        // All at once, so that each of them is known to be waited for.
        join_all(self.subscriptions.iter().map(Subscription::synced)).await;
    }

    /// Ends when the store is synced, or cannot be for now: forbidden, or a type that is not served. Tells which.
    pub async fn settled(&self) -> WatchState {
        join_all(self.subscriptions.iter().map(Subscription::settled)).await;
        self.status().state
    }

    /// How the watch below is doing; of several, the one that is worst off.
    pub fn status(&self) -> WatchStatus {
        WatchStatus::worst(self.subscriptions.iter().map(Subscription::status))
    }

    /// Tells when the watch gets better or worse.
    pub fn status_changes(&self) -> StatusChanges {
        StatusChanges::new(self.subscriptions.iter().map(|one| one.watch.status.subscribe()))
    }

    /// The changes from now on, after one for each present object.
    pub fn changes(&self) -> Changes<P> {
        let (sender, receiver) = mpsc::unbounded_channel();
        for one in self.subscriptions.iter() {
            one.sink.state.write().objects.subscribe(sender.clone());
        }
        Changes { receiver, _store: self.clone() }
    }

    /// Makes the answer to an own create, update or patch visible at once. Older events of the object are ignored from then on.
    ///
    /// Here, and in stores that share what they keep with this one, it is an own write; all other stores of the cluster that could hold the
    /// object take it like an event. Objects of other kinds
    /// and namespaces are ignored; one that the watch's selectors no longer match leaves the store.
    pub fn record_write(&self, object: &Value) {
        for one in self.subscriptions.iter() {
            if let Some(in_scope) = one.is_in_scope(object) {
                one.sink.record(&one.watch.spec.delivered(object), in_scope, Cause::OwnWrite);
            }
        }
        self.watches.tell_written(object, &self.sinks());
    }

    /// Takes over the answer to a read. What is here in the same version is projected anew: for projectors that keep only what
    /// is needed, when something more is needed.
    pub fn record_read(&self, object: &Value) {
        for one in self.subscriptions.iter() {
            if let Some(in_scope) = one.is_in_scope(object) {
                one.sink.record_read(&one.watch.spec.delivered(object), in_scope);
            }
        }
    }

    /// Takes an object away that the server said is gone, not merely marked for deletion: here as an own write, in all other stores of the
    /// cluster like an event.
    pub fn record_delete(&self, key: &Key, uid: &str) {
        for one in self.subscriptions.iter() {
            one.sink.record_delete(KeyRef::from(key), uid, Cause::OwnWrite);
        }
        self.watches.tell_deleted(self.kind(), key, uid, &self.sinks());
    }

    /// The watches of its cluster.
    pub(crate) fn watches(&self) -> &Watches {
        &self.watches
    }

    fn sinks(&self) -> Vec<Arc<dyn Sink>> {
        self.subscriptions.iter().map(|one| Arc::clone(&one.sink) as Arc<dyn Sink>).collect()
    }

    /// Group and kind of its objects.
    pub fn kind(&self) -> &GroupKind {
        &self.subscriptions[0].watch.spec.kind
    }

    /// What it watches: one line for each namespace of a scope of several.
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

impl<P: Send + Sync + 'static> Drop for Subscription<P> {
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
