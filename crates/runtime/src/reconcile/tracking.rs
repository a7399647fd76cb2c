use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use kube::core::DynamicObject;
use kubewright_core::flow::Flow;
use kubewright_core::tracker::{Settlement, TrackedReference, TrackerIndex, Tracking};
use kubewright_machinery::object::{GroupKind, GroupVersionKind, HasMetadata, Key};
use kubewright_machinery::selector::Labels;
use parking_lot::Mutex;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::cluster::Cluster;
use crate::controller::{Lane, PassContext, QueueHandle};
use crate::metrics::{ControllerLabels, Metrics};
use crate::store::{DynamicStores, StoredObjects};
use crate::task::Tasks;
use crate::trigger::{News, cause_of, follow};
use crate::watch::Cause;

/// The tracker of a controller: which keys run when which other objects change (TRK).
#[derive(Clone)]
pub(super) struct Tracker {
    inner: Arc<Inner>,
}

struct Inner {
    controller: Arc<str>,
    state: Mutex<State>,
    references: Gauge,
    tasks: Tasks,
    dynamic: DynamicStores,
}

#[derive(Default)]
struct State {
    index: TrackerIndex<Key>,
    /// The stores whose changes are followed, by what they watch.
    followed: HashMap<String, CancellationToken>,
    /// The stores of kinds known at run time, as long as something is tracked in them.
    dynamic: HashMap<GroupVersionKind, Dynamic>,
}

struct Dynamic {
    store: StoredObjects<DynamicObject>,
    /// The keys that wait for the kind.
    waiting: BTreeSet<Key>,
}

/// The gauge of references.
#[derive(Clone, Debug, Default)]
struct References(Family<ControllerLabels, Gauge>);

/// The references of one pass.
pub(super) struct PassTracking(Mutex<Option<Tracking<Key>>>);

impl PassTracking {
    pub(super) fn new() -> Self {
        Self(Mutex::default())
    }
}

/// The state of a store of a kind known at run time.
pub(super) enum DynamicState {
    Ready(StoredObjects<DynamicObject>),
    Starting,
    NotServed,
}

impl Tracker {
    pub(super) fn new(controller: &str, tasks: Tasks, cluster: Cluster, metrics: &Metrics) -> Self {
        let family = metrics.shared(|registry| {
            let references = References::default();
            registry.register("tracker_references", "References to objects whose changes start passes", references.0.clone());
            references
        });
        let references = family.0.get_or_create(&ControllerLabels { controller: controller.to_owned() }).clone();
        let dynamic = DynamicStores::new(cluster);
        Self { inner: Arc::new(Inner { controller: controller.into(), state: Mutex::default(), references, tasks, dynamic }) }
    }

    /// Registers the reference, from which moment no change is missed.
    pub(super) fn track<T: DeserializeOwned + Send + Sync + 'static>(
        &self,
        pass: &PassTracking,
        context: &PassContext,
        store: &StoredObjects<T>,
        reference: TrackedReference,
    ) {
        {
            let mut state = self.inner.state.lock();
            let mut tracking = pass.0.lock();
            let tracking = tracking.get_or_insert_with(|| state.index.begin(context.key().clone()));
            state.index.track(tracking, reference);
            self.count(&state);
        }
        self.follow(store, context.enqueue());
    }

    /// Ends the references of a pass: after success they replace those of earlier passes (TRK-4).
    pub(super) fn settle(&self, pass: &PassTracking, key: &Key, outcome: &Flow) {
        let mut state = self.inner.state.lock();
        let settlement = Settlement::of(outcome);
        let tracking = pass.0.lock().take();
        let gone = match (tracking, settlement) {
            (Some(tracking), settlement) => state.index.settle(tracking, settlement),
            (None, Settlement::Replace) if state.index.references_of(key).next().is_some() => {
                let tracking = state.index.begin(key.clone());
                state.index.settle(tracking, Settlement::Replace)
            }
            (None, _) => Vec::new(),
        };
        state.forget(&gone);
        self.count(&state);
    }

    /// The object of the key is gone.
    pub(super) fn drop_observer(&self, key: &Key) {
        let mut state = self.inner.state.lock();
        let gone = state.index.drop_observer(key);
        state.forget(&gone);
        self.count(&state);
    }

    fn count(&self, state: &State) {
        self.inner.references.set(i64::try_from(state.index.len()).unwrap_or(i64::MAX));
    }

    /// The store of a kind known at run time; the key runs again when it can be read (TRK-9).
    pub(super) fn dynamic(&self, context: &PassContext, gvk: &GroupVersionKind) -> DynamicState {
        let (store, is_new) = {
            let mut state = self.inner.state.lock();
            let is_new = !state.dynamic.contains_key(gvk);
            let open = || Dynamic { store: self.inner.dynamic.open(gvk, None), waiting: BTreeSet::new() };
            (state.dynamic.entry(gvk.clone()).or_insert_with(open).store.clone(), is_new)
        };
        if is_new {
            self.follow(&store, context.enqueue());
        }
        let mut state = self.inner.state.lock();
        // Looked at under the lock: who is told that it waits is in the list when the news come.
        if store.is_synced() {
            return DynamicState::Ready(store);
        }
        if let Some(dynamic) = state.dynamic.get_mut(gvk) {
            dynamic.waiting.insert(context.key().clone());
        }
        let is_served = store.kept().status().state != crate::watch::WatchState::NotServed;
        if is_served { DynamicState::Starting } else { DynamicState::NotServed }
    }

    /// Follows the changes of a store, once for each.
    fn follow<T: DeserializeOwned + Send + Sync + 'static>(&self, store: &StoredObjects<T>, queue: QueueHandle) {
        let what = store.kept().to_string();
        let stop = {
            let mut state = self.inner.state.lock();
            if state.followed.contains_key(&what) {
                return;
            }
            let stop = self.inner.tasks.stopping().child_token();
            state.followed.insert(what.clone(), stop.clone());
            stop
        };
        let (tracker, kind) = (self.clone(), Arc::new(store.kind().clone()));
        let name = format!("{what} tracked by {}", self.inner.controller);
        follow(store.kept().clone(), name, &self.inner.tasks, stop, move |news| match news {
            News::Changed(change) if change.cause != Cause::Initial => {
                let labels = |state: Option<&Arc<crate::store::Kept<T>>>| state.map(|kept| labels_of(&**kept));
                let (before, after) = (labels(change.old.as_ref()), labels(change.new.as_ref()));
                let observers = tracker.observers(&kind, &change.key, before.as_ref(), after.as_ref());
                if observers.is_empty() {
                    return;
                }
                let cause = cause_of(&kind, &change);
                for observer in observers {
                    queue.because(observer, Lane::Fast, cause.clone());
                }
            }
            News::Changed(_) => {}
            News::Synced | News::Turned(_) => {
                for key in tracker.waiting(&kind) {
                    queue.now(key);
                }
            }
        });
    }

    fn observers(
        &self,
        kind: &GroupKind,
        key: &Key,
        before: Option<&Map<String, Value>>,
        after: Option<&Map<String, Value>>,
    ) -> BTreeSet<Key> {
        let (before, after) = (before.map(|labels| labels as &dyn Labels), after.map(|labels| labels as &dyn Labels));
        self.inner.state.lock().index.observers_of_change(kind, key.namespace(), key.name(), before, after)
    }

    /// The keys that wait for a kind, of whose watch there are news.
    fn waiting(&self, kind: &GroupKind) -> Vec<Key> {
        let mut state = self.inner.state.lock();
        state
            .dynamic
            .iter_mut()
            .filter(|(gvk, _)| gvk.group_kind() == *kind)
            .flat_map(|(_, dynamic)| std::mem::take(&mut dynamic.waiting))
            .collect()
    }
}

impl State {
    /// Nothing of these kinds is tracked any more.
    fn forget(&mut self, kinds: &[GroupKind]) {
        for kind in kinds {
            let unused: Vec<GroupVersionKind> = self
                .dynamic
                .iter()
                .filter(|(gvk, dynamic)| gvk.group_kind() == *kind && dynamic.waiting.is_empty())
                .map(|(gvk, _)| gvk.clone())
                .collect();
            for gvk in unused {
                if let Some(dynamic) = self.dynamic.remove(&gvk)
                    && let Some(stop) = self.followed.remove(&dynamic.store.kept().to_string())
                {
                    stop.cancel();
                }
            }
        }
    }
}

fn labels_of(object: &impl HasMetadata) -> Map<String, Value> {
    let metadata = object.metadata_map();
    metadata.get("labels").and_then(Value::as_object).cloned().unwrap_or_default()
}

impl fmt::Debug for Tracker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tracker").field("controller", &self.inner.controller).finish_non_exhaustive()
    }
}
