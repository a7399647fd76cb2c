use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use kubewright_machinery::object::{GroupKind, Key, ObjectKey};
use serde_json::Value;
use tokio::sync::watch;

use super::place::Place;
use super::registry::Watch;
use super::sink::{Projected, Sink};
use super::{Cause, Changes, WatchSpec, WatchState, WatchStatus, Watches};

/// What a cluster has of one type in one scope, projected. Cheap to clone; the watch below lives as long as a clone does,
/// and 60 seconds longer.
pub struct Store<P: Send + Sync + 'static> {
    user: Arc<User<P>>,
}

/// One subscription.
struct User<P: Send + Sync + 'static> {
    sink: Arc<Projected<P>>,
    watch: Arc<Watch>,
    watches: Watches,
}

impl<P: Send + Sync + 'static> Store<P> {
    /// `sink` comes from [`Watch::sink`], which has counted this user.
    pub(super) fn new(sink: Arc<Projected<P>>, watch: Arc<Watch>, watches: Watches) -> Self {
        watch.users.send_modify(|users| *users += 1);
        Self { user: Arc::new(User { sink, watch, watches }) }
    }

    /// An object's projection. `None` means absent only when the store is synced.
    pub fn get(&self, key: &ObjectKey) -> Option<Arc<P>> {
        let kind = &self.spec().kind;
        if key.kind != kind.kind || key.group != kind.group {
            return None;
        }
        self.find(&key.namespace, &key.name)
    }

    /// Like [`get`](Self::get), by namespace (empty for a cluster-scoped object) and name.
    pub fn find(&self, namespace: &str, name: &str) -> Option<Arc<P>> {
        let place = Place { namespace, name };
        let state = self.user.sink.state.read();
        state.objects.projection(place).cloned()
    }

    /// All objects.
    pub fn list(&self) -> Vec<(Key, Arc<P>)> {
        owned(self.user.sink.state.read().objects.iter())
    }

    /// The objects whose projection has this index text.
    pub fn indexed(&self, text: &str) -> Vec<(Key, Arc<P>)> {
        owned(self.user.sink.state.read().objects.indexed(text))
    }

    /// How many objects have a projection with this index text.
    pub fn count_indexed(&self, text: &str) -> usize {
        self.user.sink.state.read().objects.count_indexed(text)
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.user.sink.state.read().objects.len()
    }

    /// Is there no object?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Has the first list been completed?
    pub fn is_synced(&self) -> bool {
        *self.user.sink.synced.borrow()
    }

    /// Ends when the first list is complete. While the watch is refused or the type missing, that is never.
    pub async fn synced(&self) {
        // The sender lives in the store itself.
        drop(self.user.sink.synced.subscribe().wait_for(|synced| *synced).await);
    }

    /// Ends when the store is synced, or cannot be for now: forbidden, or a type that is not served. Tells which.
    pub async fn settled(&self) -> WatchState {
        let mut status = self.status_changes();
        let refused = status.wait_for(|status| matches!(status.state, WatchState::Forbidden | WatchState::NotServed));
        tokio::select! {
            biased;
            () = self.synced() => {}
            _ = refused => {}
        }
        self.status().state
    }

    /// How the watch below is doing.
    pub fn status(&self) -> WatchStatus {
        self.user.watch.status.borrow().clone()
    }

    /// Tells when the watch gets better or worse.
    pub fn status_changes(&self) -> watch::Receiver<WatchStatus> {
        self.user.watch.status.subscribe()
    }

    /// The changes from now on, after one for each present object.
    pub fn changes(&self) -> Changes<P> {
        self.user.sink.state.write().objects.subscribe(self.clone())
    }

    /// Makes the answer to an own create, update or patch visible at once. Older events of the object are ignored from then on.
    ///
    /// Here it is an own write; all other stores of the cluster that could hold the object take it like an event. Objects of other kinds
    /// and namespaces are ignored; one that the watch's selectors no longer match leaves the store.
    pub fn record_write(&self, object: &Value) {
        if self.spec().could_hold(object) {
            self.user.sink.record(object, self.user.watch.scope.matches(object), Cause::OwnWrite);
        }
        self.user.watches.tell_written(object, Some(&self.as_sink()));
    }

    /// Takes over the answer to a read. What is here in the same version is projected anew: for projectors that keep only what
    /// is needed, when something more is needed.
    pub fn record_read(&self, object: &Value) {
        if self.spec().could_hold(object) {
            self.user.sink.record_read(object, self.user.watch.scope.matches(object));
        }
    }

    /// Takes an object away that the server said is gone, not merely marked for deletion: here as an own write, in all other stores of the
    /// cluster like an event.
    pub fn record_delete(&self, key: &ObjectKey, uid: &str) {
        let place = Place { namespace: &key.namespace, name: &key.name };
        if key.kind == self.kind().kind && key.group == self.kind().group {
            self.user.sink.record_delete(place, uid, Cause::OwnWrite);
        }
        self.user.watches.tell_deleted(key, uid, Some(&self.as_sink()));
    }

    fn as_sink(&self) -> Arc<dyn Sink> {
        Arc::clone(&self.user.sink) as Arc<dyn Sink>
    }

    /// Group and kind of its objects.
    pub fn kind(&self) -> &GroupKind {
        &self.spec().kind
    }

    /// What it watches.
    pub fn spec(&self) -> &WatchSpec {
        &self.user.watch.spec
    }
}

fn owned<'a, P: 'a>(objects: impl Iterator<Item = (&'a Key, &'a Arc<P>)>) -> Vec<(Key, Arc<P>)> {
    objects.map(|(key, projection)| (key.clone(), projection.clone())).collect()
}

impl<P: Send + Sync + 'static> Clone for Store<P> {
    fn clone(&self) -> Self {
        Self { user: self.user.clone() }
    }
}

impl<P: Send + Sync + 'static> Drop for User<P> {
    fn drop(&mut self) {
        self.sink.users.fetch_sub(1, Ordering::AcqRel);
        self.watch.users.send_modify(|users| *users -= 1);
    }
}

impl<P: Send + Sync + 'static> fmt::Debug for Store<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Store({})", self.spec())
    }
}
