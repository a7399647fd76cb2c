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
use crate::watch::{Cause, Watches};

/// The tracker of a controller, which knows the keys that run when other objects change (TRK).
#[derive(Clone)]
pub(super) struct Tracker {
    inner: Arc<SharedTracker>,
}

struct SharedTracker {
    controller: Arc<str>,
    state: Mutex<TrackerState>,
    references: Gauge,
    tasks: Tasks,
    dynamic: DynamicStores,
    /// The watches of the operator's own cluster.
    own: Watches,
}

#[derive(Default)]
struct TrackerState {
    clusters: HashMap<usize, OfCluster>,
}

/// The tracked references in one cluster.
struct OfCluster {
    /// The watches of the cluster; while they are held, no other cluster can have the same identity.
    _watches: Watches,
    index: TrackerIndex<Key>,
    /// The stores whose changes are followed, by the description of their watch.
    followed: HashMap<String, CancellationToken>,
    /// The stores of kinds that are only known at run time, while references to their objects are tracked.
    dynamic: HashMap<GroupVersionKind, Dynamic>,
}

struct Dynamic {
    store: StoredObjects<DynamicObject>,
    /// The keys that wait for the kind.
    waiting: BTreeSet<Key>,
}

/// The gauge of references.
#[derive(Clone, Debug, Default)]
struct ReferenceGauges(Family<ControllerLabels, Gauge>);

/// The references of one pass, by cluster.
pub(super) struct PassTracking(Mutex<HashMap<usize, Tracking<Key>>>);

impl PassTracking {
    pub(super) fn new() -> Self {
        Self(Mutex::default())
    }
}

/// The state of a store of a kind that is only known at run time.
pub(super) enum DynamicState {
    Ready(StoredObjects<DynamicObject>),
    Starting,
    NotServed,
}

impl Tracker {
    pub(super) fn new(controller: &str, tasks: Tasks, cluster: Cluster, metrics: &Metrics) -> Self {
        let family = metrics.shared(|registry| {
            let references = ReferenceGauges::default();
            registry.register("tracker_references", "References to objects whose changes start passes", references.0.clone());
            references
        });
        let references = family.0.get_or_create(&ControllerLabels { controller: controller.to_owned() }).clone();
        let own = cluster.watches().clone();
        let dynamic = DynamicStores::new(cluster);
        let inner = SharedTracker { controller: controller.into(), state: Mutex::default(), references, tasks, dynamic, own };
        Self { inner: Arc::new(inner) }
    }

    /// Registers the reference; from then on no change is missed.
    pub(super) fn track<T: DeserializeOwned + Send + Sync + 'static>(
        &self,
        pass: &PassTracking,
        context: &PassContext,
        store: &StoredObjects<T>,
        reference: TrackedReference,
    ) {
        let watches = store.kept().watches();
        {
            let mut state = self.inner.state.lock();
            let cluster = state.cluster(watches);
            let mut tracking = pass.0.lock();
            let tracking = tracking.entry(watches.id()).or_insert_with(|| cluster.index.begin(context.key().clone()));
            cluster.index.track(tracking, reference);
            self.count(&state);
        }
        self.follow(store, context.enqueue());
    }

    /// Ends the references of a pass. After a success they replace those of earlier passes (TRK-4).
    pub(super) fn settle(&self, pass: &PassTracking, key: &Key, outcome: &Flow) {
        let mut state = self.inner.state.lock();
        let settlement = Settlement::of(outcome);
        let mut tracking = std::mem::take(&mut *pass.0.lock());
        for (id, cluster) in &mut state.clusters {
            let tracking = match (tracking.remove(id), settlement) {
                (Some(tracking), _) => tracking,
                (None, Settlement::Replace) if cluster.index.references_of(key).next().is_some() => {
                    cluster.index.begin(key.clone())
                }
                (None, _) => continue,
            };
            let gone = cluster.index.settle(tracking, settlement);
            cluster.forget(&gone);
        }
        self.tidy(&mut state);
    }

    /// Drops the references of a key whose object is gone.
    pub(super) fn drop_observer(&self, key: &Key) {
        let mut state = self.inner.state.lock();
        for cluster in state.clusters.values_mut() {
            let gone = cluster.index.drop_observer(key);
            cluster.forget(&gone);
        }
        self.tidy(&mut state);
    }

    /// Drops the references of a key in a cluster that it no longer uses (CLU-6).
    pub(super) fn leave(&self, watches: &Watches, key: &Key) {
        let mut state = self.inner.state.lock();
        if let Some(cluster) = state.clusters.get_mut(&watches.id()) {
            let gone = cluster.index.drop_observer(key);
            cluster.forget(&gone);
        }
        self.tidy(&mut state);
    }

    /// Stops following other clusters in which nothing is tracked any more.
    fn tidy(&self, state: &mut TrackerState) {
        let own = self.inner.own.id();
        state.clusters.retain(|id, cluster| {
            let is_used = *id == own || !cluster.index.is_empty();
            if !is_used {
                cluster.followed.values().for_each(CancellationToken::cancel);
            }
            is_used
        });
        self.count(state);
    }

    fn count(&self, state: &TrackerState) {
        let references: usize = state.clusters.values().map(|cluster| cluster.index.len()).sum();
        self.inner.references.set(i64::try_from(references).unwrap_or(i64::MAX));
    }

    /// Returns the store of a kind that is only known at run time; the key runs again when the store can be read (TRK-9).
    pub(super) fn dynamic(&self, context: &PassContext, gvk: &GroupVersionKind) -> DynamicState {
        let (store, is_new) = {
            let mut state = self.inner.state.lock();
            let own = state.cluster(&self.inner.own);
            let is_new = !own.dynamic.contains_key(gvk);
            let open = || Dynamic { store: self.inner.dynamic.open(gvk, None), waiting: BTreeSet::new() };
            (own.dynamic.entry(gvk.clone()).or_insert_with(open).store.clone(), is_new)
        };
        if is_new {
            self.follow(&store, context.enqueue());
        }
        let mut state = self.inner.state.lock();
        // The state is checked under the lock, so that a key that is told to wait is in the list when the watch changes.
        if store.is_synced() {
            return DynamicState::Ready(store);
        }
        if let Some(dynamic) = state.cluster(&self.inner.own).dynamic.get_mut(gvk) {
            dynamic.waiting.insert(context.key().clone());
        }
        let is_served = store.kept().status().state != crate::watch::WatchState::NotServed;
        if is_served { DynamicState::Starting } else { DynamicState::NotServed }
    }

    /// Starts to follow the changes of a store, unless it is followed already.
    fn follow<T: DeserializeOwned + Send + Sync + 'static>(&self, store: &StoredObjects<T>, queue: QueueHandle) {
        let (what, cluster) = (store.kept().to_string(), store.kept().watches().id());
        let stop = {
            let mut state = self.inner.state.lock();
            let followed = &mut state.cluster(store.kept().watches()).followed;
            if followed.contains_key(&what) {
                return;
            }
            let stop = self.inner.tasks.stopping().child_token();
            followed.insert(what.clone(), stop.clone());
            stop
        };
        let (tracker, kind) = (self.clone(), Arc::new(store.kind().clone()));
        let name = format!("{what} tracked by {}", self.inner.controller);
        follow(store.kept().clone(), name, &self.inner.tasks, stop, move |news| match news {
            News::Changed(change) if change.cause != Cause::Initial => {
                let labels = |state: Option<&Arc<crate::store::Kept<T>>>| state.map(|kept| labels_of(&**kept));
                let (before, after) = (labels(change.old.as_ref()), labels(change.new.as_ref()));
                let observers = tracker.observers(cluster, &kind, &change.key, before.as_ref(), after.as_ref());
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
                for key in tracker.waiting(cluster, &kind) {
                    queue.now(key);
                }
            }
        });
    }

    fn observers(
        &self,
        cluster: usize,
        kind: &GroupKind,
        key: &Key,
        before: Option<&Map<String, Value>>,
        after: Option<&Map<String, Value>>,
    ) -> BTreeSet<Key> {
        let (before, after) = (before.map(|labels| labels as &dyn Labels), after.map(|labels| labels as &dyn Labels));
        let state = self.inner.state.lock();
        let Some(cluster) = state.clusters.get(&cluster) else { return BTreeSet::new() };
        cluster.index.observers_of_change(kind, key.namespace(), key.name(), before, after)
    }

    /// Takes the keys that wait for a kind whose watch has changed its state.
    fn waiting(&self, cluster: usize, kind: &GroupKind) -> Vec<Key> {
        let mut state = self.inner.state.lock();
        let Some(cluster) = state.clusters.get_mut(&cluster) else { return Vec::new() };
        cluster
            .dynamic
            .iter_mut()
            .filter(|(gvk, _)| gvk.group_kind() == *kind)
            .flat_map(|(_, dynamic)| std::mem::take(&mut dynamic.waiting))
            .collect()
    }
}

impl TrackerState {
    fn cluster(&mut self, watches: &Watches) -> &mut OfCluster {
        self.clusters.entry(watches.id()).or_insert_with(|| OfCluster {
            _watches: watches.clone(),
            index: TrackerIndex::new(),
            followed: HashMap::new(),
            dynamic: HashMap::new(),
        })
    }
}

impl OfCluster {
    /// Drops the stores of these kinds, of which nothing is tracked any more.
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
