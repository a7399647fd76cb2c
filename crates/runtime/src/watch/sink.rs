use std::any::Any;
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use kubewright_core::flow::Confidential;
use kubewright_machinery::object::ObjectExt as _;
use parking_lot::RwLock;
use serde_json::Value;
use tokio::sync::watch;

use super::key_ref::KeyRef;
use super::objects::SeenObject;
use super::state::StoreState;
use super::version::ResourceVersion;
use super::{Arrived, Cause, Project, Unprojectable};
use crate::clock::Clock;

/// The answer of a store of whole objects whose first list is complete.
#[derive(Debug)]
pub(crate) enum StoredObject {
    /// The store has no object of this key.
    Absent,
    /// The object of this key.
    Present(Value),
}

/// The receiver of a watch's objects: a store with any projection.
pub(super) trait Sink: Send + Sync {
    fn begin_list(&self);
    fn list_item(&self, object: &Arrived<'_>);
    fn end_list(&self, version: &str);
    fn changed(&self, object: &Arrived<'_>);
    fn deleted(&self, object: &Arrived<'_>);
    fn bookmark(&self, version: &str);
    /// Records the answer to a write of this process; `in_scope` tells if the watch would deliver the object.
    fn record(&self, object: &Value, in_scope: bool, cause: Cause);
    /// Records that a write of this process has deleted the object.
    fn record_delete(&self, key: KeyRef<'_>, uid: &str, cause: Cause);
    fn clear(&self);
    /// Returns the whole object. Returns None if the sink keeps no whole objects, or has no first list yet.
    fn whole(&self, key: KeyRef<'_>) -> Option<StoredObject>;
    /// Returns the whole object if it is a newer state of the same object. Returns None also if the sink keeps no whole objects.
    fn newer(&self, seen: &SeenObject<'_>) -> Option<Value>;
    fn is_synced(&self) -> bool;
    fn is_used(&self) -> bool;
    fn objects(&self) -> usize;
    fn skipped(&self) -> u64;
    /// Returns the checksum of the portion of the objects that ends before `end`, with the position of the portion's first object.
    fn checksum_before(&self, end: usize) -> (usize, u64);
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

/// The objects of a store with their projector.
pub(super) struct Projected<P> {
    pub(super) projector: Arc<dyn Project<Output = P>>,
    pub(super) state: RwLock<StoreState<P>>,
    pub(super) synced: watch::Sender<bool>,
    pub(super) users: AtomicUsize,
    clock: Clock,
    skipped: AtomicU64,
}

impl<P: Send + Sync + 'static> Projected<P> {
    pub(super) fn new(projector: Arc<dyn Project<Output = P>>, clock: Clock) -> Self {
        Self {
            projector,
            state: RwLock::new(StoreState::new()),
            synced: watch::Sender::new(false),
            users: AtomicUsize::new(0),
            clock,
            skipped: AtomicU64::new(0),
        }
    }

    /// Records the answer to a read. A state that the store already has is projected again, because its projection may have lacked something.
    pub(super) fn record_read(&self, object: &Value, in_scope: bool) {
        let Some(seen) = SeenObject::of(object) else { return };
        if !self.state.read().holds(&seen) {
            self.record(object, in_scope, Cause::OwnWrite);
        } else if let Some(projection) = self.project(object) {
            self.state.write().reproject(self.projector(), seen, projection);
        }
    }

    pub(super) fn projector(&self) -> &dyn Project<Output = P> {
        &*self.projector
    }

    /// Projects the answer to a write or read.
    fn project(&self, object: &Value) -> Option<P> {
        let skip = |why: String| self.skip(object.kind(), object.namespace(), object.name(), object.resource_version(), &why);
        attempt(|| self.projector.project(object)).map_err(|refused| skip(refused.to_text(Some(object)))).ok()
    }

    /// Projects an object that the server sent.
    fn project_arrived(&self, object: &Arrived<'_>) -> Option<P> {
        attempt(|| self.projector.project_arrived(object))
            .map_err(|refused| self.skip_arrived(object, &refused.to_text(object.tree().ok())))
            .ok()
    }

    fn seen<'a>(&self, object: &'a Arrived<'_>) -> Option<SeenObject<'a>> {
        let seen = object.seen();
        if seen.is_none() {
            self.skip_arrived(object, "it has no name or no resource version");
        }
        seen
    }

    fn skip_arrived(&self, object: &Arrived<'_>, why: &str) {
        let identity = object.identity();
        self.skip(object.kind(), &identity.namespace, &identity.name, &identity.version, why);
    }

    fn skip(&self, kind: &str, namespace: &str, name: &str, version: &str, why: &str) {
        self.skipped.fetch_add(1, Ordering::Relaxed);
        tracing::warn!(kind, namespace, name, version, "object skipped: {why}");
    }
}

/// The reason for a missing projection.
enum ProjectionRefusal {
    By(Unprojectable),
    Panicked,
}

/// Projects an object and catches panics, so that one object that its projector rejects does not stop all others.
fn attempt<P>(project: impl FnOnce() -> Result<P, Unprojectable>) -> Result<P, ProjectionRefusal> {
    match panic::catch_unwind(AssertUnwindSafe(project)) {
        Ok(projected) => projected.map_err(ProjectionRefusal::By),
        Err(_) => Err(ProjectionRefusal::Panicked),
    }
}

impl ProjectionRefusal {
    /// Returns the reason, without the values of the object. For an object whose values are unknown the whole reason is replaced.
    fn to_text(&self, object: Option<&Value>) -> String {
        match (self, object) {
            (Self::By(refused), Some(object)) => Confidential::of(object, false).mask(&refused.to_string()).into_owned(),
            (Self::By(_), None) => "it cannot be decoded".to_owned(),
            (Self::Panicked, _) => "its projection panicked".to_owned(),
        }
    }
}

impl<P: Send + Sync + 'static> Sink for Projected<P> {
    fn begin_list(&self) {
        self.state.write().begin_list();
    }

    fn list_item(&self, object: &Arrived<'_>) {
        let Some(seen) = self.seen(object) else {
            return;
        };
        let now = self.clock.moment();
        let news = self.state.write().list_is_news(&seen, now);
        if news && let Some(projection) = self.project_arrived(object) {
            self.state.write().listed(self.projector(), seen, projection, now);
        }
    }

    fn end_list(&self, version: &str) {
        self.state.write().end_list(self.projector(), &ResourceVersion::parse(version));
        self.synced.send_if_modified(|synced| !std::mem::replace(synced, true));
    }

    fn changed(&self, object: &Arrived<'_>) {
        let Some(seen) = self.seen(object) else {
            return;
        };
        let now = self.clock.moment();
        let news = self.state.read().is_news(&seen, now);
        if !news {
            self.state.write().old_news(&seen);
        } else if let Some(projection) = self.project_arrived(object) {
            self.state.write().changed(self.projector(), seen, projection, now);
        }
    }

    fn deleted(&self, object: &Arrived<'_>) {
        let Some(seen) = self.seen(object) else {
            return;
        };
        self.state.write().deleted(self.projector(), &seen, self.clock.moment());
    }

    fn bookmark(&self, version: &str) {
        self.state.write().bookmark(&ResourceVersion::parse(version));
    }

    fn record(&self, object: &Value, in_scope: bool, cause: Cause) {
        let Some(seen) = SeenObject::of(object) else { return };
        if !in_scope {
            self.state.write().record_left(self.projector(), seen, cause);
            return;
        }
        let news = self.state.read().takes_record(&seen);
        if news && let Some(projection) = self.project(object) {
            self.state.write().record(self.projector(), seen, projection, cause, self.clock.moment());
        }
    }

    fn record_delete(&self, key: KeyRef<'_>, uid: &str, cause: Cause) {
        self.state.write().record_delete(self.projector(), key, uid, cause);
    }

    fn clear(&self) {
        self.state.write().clear(self.projector());
    }

    fn whole(&self, key: KeyRef<'_>) -> Option<StoredObject> {
        let whole = self.projector.whole()?;
        let state = self.state.read();
        let projection = state.synced().then(|| state.objects.projection(key).cloned())?;
        drop(state);
        Some(projection.map_or(StoredObject::Absent, |projection| StoredObject::Present(whole(&projection))))
    }

    fn newer(&self, seen: &SeenObject<'_>) -> Option<Value> {
        let whole = self.projector.whole()?;
        let state = self.state.read();
        let entry = state.objects.entry(seen.key).filter(|entry| entry.uid == seen.uid)?;
        let is_newer = entry.version.order(&seen.version).is_some_and(std::cmp::Ordering::is_gt);
        let projection = is_newer.then(|| state.objects.projection(seen.key).cloned()).flatten()?;
        drop(state);
        Some(whole(&projection))
    }

    fn is_synced(&self) -> bool {
        self.state.read().synced()
    }

    fn is_used(&self) -> bool {
        self.users.load(Ordering::Acquire) > 0
    }

    fn objects(&self) -> usize {
        self.state.read().objects.len()
    }

    fn skipped(&self) -> u64 {
        self.skipped.load(Ordering::Relaxed)
    }

    fn checksum_before(&self, end: usize) -> (usize, u64) {
        self.state.read().objects.checksum_before(end)
    }

    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

impl<P> fmt::Debug for Projected<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Projected").finish_non_exhaustive()
    }
}
