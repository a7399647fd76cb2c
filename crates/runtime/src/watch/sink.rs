use std::any::Any;
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use kubewright_core::flow::Confidential;
use parking_lot::RwLock;
use serde_json::Value;
use tokio::sync::watch;

use super::key_ref::KeyRef;
use super::objects::Seen;
use super::state::State;
use super::version::Version;
use super::{Cause, Project};
use crate::clock::Clock;

/// What a watch delivers to: a store, whatever it keeps.
pub(super) trait Sink: Send + Sync {
    fn begin_list(&self);
    fn list_item(&self, object: &Value);
    fn end_list(&self, version: &str);
    fn changed(&self, object: &Value);
    fn deleted(&self, object: &Value);
    fn bookmark(&self, version: &str);
    /// An object of which only the identity could be read. What is known of it stays.
    fn unreadable(&self, object: &Value, listed: bool);
    /// The answer to a write of this process; `in_scope` tells whether the watch would deliver the object.
    fn record(&self, object: &Value, in_scope: bool, cause: Cause);
    /// A write of this process has deleted the object.
    fn record_delete(&self, place: KeyRef<'_>, uid: &str, cause: Cause);
    fn clear(&self);
    fn is_synced(&self) -> bool;
    fn is_used(&self) -> bool;
    fn objects(&self) -> usize;
    fn skipped(&self) -> u64;
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

/// The objects of a store with their projector.
pub(super) struct Projected<P> {
    pub(super) projector: Arc<dyn Project<Output = P>>,
    pub(super) state: RwLock<State<P>>,
    pub(super) synced: watch::Sender<bool>,
    pub(super) users: AtomicUsize,
    clock: Clock,
    skipped: AtomicU64,
}

impl<P: Send + Sync + 'static> Projected<P> {
    pub(super) fn new(projector: Arc<dyn Project<Output = P>>, clock: Clock) -> Self {
        Self {
            projector,
            state: RwLock::new(State::new()),
            synced: watch::Sender::new(false),
            users: AtomicUsize::new(0),
            clock,
            skipped: AtomicU64::new(0),
        }
    }

    /// The answer to a read: it may be the state that we have, whose projection lacked something.
    pub(super) fn record_read(&self, object: &Value, in_scope: bool) {
        let Some(seen) = Seen::of(object) else { return };
        if !self.state.read().holds(&seen) {
            self.record(object, in_scope, Cause::OwnWrite);
        } else if let Some(projection) = self.project(object) {
            self.state.write().reproject(self.projector(), seen, projection);
        }
    }

    pub(super) fn projector(&self) -> &dyn Project<Output = P> {
        &*self.projector
    }

    /// One object that its projector cannot take must not stop all others.
    fn project(&self, object: &Value) -> Option<P> {
        let why = match panic::catch_unwind(AssertUnwindSafe(|| self.projector.project(object))) {
            Ok(Ok(projection)) => return Some(projection),
            Ok(Err(refused)) => Confidential::of(object, false).mask(&refused.to_string()).into_owned(),
            Err(_) => "its projection panicked".to_owned(),
        };
        self.skip(object, &why);
        None
    }

    fn seen<'a>(&self, object: &'a Value) -> Option<Seen<'a>> {
        let seen = Seen::of(object);
        if seen.is_none() {
            self.skip(object, "it has no name or no resource version");
        }
        seen
    }

    fn skip(&self, object: &Value, why: &str) {
        self.skipped.fetch_add(1, Ordering::Relaxed);
        let text = |pointer| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        tracing::warn!(
            kind = text("/kind"),
            namespace = text("/metadata/namespace"),
            name = text("/metadata/name"),
            version = text("/metadata/resourceVersion"),
            "object skipped: {why}"
        );
    }
}

impl<P: Send + Sync + 'static> Sink for Projected<P> {
    fn begin_list(&self) {
        self.state.write().begin_list();
    }

    fn list_item(&self, object: &Value) {
        let Some(seen) = self.seen(object) else {
            return;
        };
        let now = self.clock.moment();
        let news = self.state.write().list_is_news(&seen, now);
        if news && let Some(projection) = self.project(object) {
            self.state.write().listed(self.projector(), seen, projection, now);
        }
    }

    fn end_list(&self, version: &str) {
        self.state.write().end_list(self.projector(), &Version::parse(version));
        self.synced.send_if_modified(|synced| !std::mem::replace(synced, true));
    }

    fn changed(&self, object: &Value) {
        let Some(seen) = self.seen(object) else {
            return;
        };
        let now = self.clock.moment();
        let news = self.state.read().is_news(&seen, now);
        if !news {
            self.state.write().old_news(&seen);
        } else if let Some(projection) = self.project(object) {
            self.state.write().changed(self.projector(), seen, projection, now);
        }
    }

    fn deleted(&self, object: &Value) {
        let Some(seen) = self.seen(object) else {
            return;
        };
        self.state.write().deleted(self.projector(), &seen, self.clock.moment());
    }

    fn bookmark(&self, version: &str) {
        self.state.write().bookmark(&Version::parse(version));
    }

    fn unreadable(&self, object: &Value, listed: bool) {
        if listed && let Some(seen) = Seen::of(object) {
            self.state.write().list_is_news(&seen, self.clock.moment());
        }
        self.skip(object, "it cannot be decoded");
    }

    fn record(&self, object: &Value, in_scope: bool, cause: Cause) {
        let Some(seen) = Seen::of(object) else { return };
        if !in_scope {
            self.state.write().record_left(self.projector(), seen, cause);
            return;
        }
        let news = self.state.read().takes_record(&seen);
        if news && let Some(projection) = self.project(object) {
            self.state.write().record(self.projector(), seen, projection, cause, self.clock.moment());
        }
    }

    fn record_delete(&self, place: KeyRef<'_>, uid: &str, cause: Cause) {
        self.state.write().record_delete(self.projector(), place, uid, cause);
    }

    fn clear(&self) {
        self.state.write().clear(self.projector());
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

    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

impl<P> fmt::Debug for Projected<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Projected").finish_non_exhaustive()
    }
}
