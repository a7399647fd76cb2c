use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kubewright_core::dependents::{Projection, ProjectionContext};
use kubewright_machinery::object::{GroupKind, ObjectExt as _, ObjectKey};
use kubewright_runtime::cluster::Cluster;
use kubewright_runtime::controller::Key;
use kubewright_runtime::task::Tasks;
use kubewright_runtime::watch::{Cause, Change, Project, Store, WatchSpec, WatchState};
use parking_lot::Mutex;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::Notify;

/// How long a pass waits for the first list of a type that nobody watched before.
const FIRST_LIST: Duration = Duration::from_secs(30);

/// The watches on the dependents of all components of one type: one per kind, started with the first component that
/// has a dependent of that kind, given up after the last.
#[derive(Clone)]
pub(crate) struct DependentWatches {
    inner: Arc<Inner>,
}

struct Inner {
    cluster: Cluster,
    tasks: Tasks,
    projector: Arc<dyn Project<Output = Projection>>,
    selector: String,
    notify: Notify,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    watched: HashMap<GroupKind, Watched>,
    used: HashMap<Key, BTreeSet<GroupKind>>,
    /// Components by owner hash.
    owners: HashMap<Box<str>, Key>,
    /// Objects of other owners that components wait for (OWN-3).
    wanted: HashMap<Key, HashSet<ObjectKey>>,
}

struct Watched {
    store: Store<Projection>,
    users: HashSet<Key>,
    stop: CancellationToken,
}

/// A kind whose objects cannot be seen at the moment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotObservable {
    /// The server forbids the watch.
    #[error("watching {kind} is forbidden: {error} (grant get, list and watch on it to the operator)")]
    Forbidden { kind: String, error: String },
    /// The first list did not come in time, or the watch has been broken for long.
    #[error("{kind} cannot be observed{}", error.as_deref().map(|error| format!(": {error}")).unwrap_or_default())]
    Silent { kind: String, error: Option<String> },
}

struct DependentProjector(Arc<ProjectionContext>);

impl Project for DependentProjector {
    type Output = Projection;

    fn project(&self, object: &Value) -> Projection {
        Projection::of(object, &self.0)
    }

    fn index<'a>(&self, projection: &'a Projection) -> Option<&'a str> {
        projection.owner.as_ref().map(|owner| &*owner.hash)
    }
}

impl DependentWatches {
    pub(crate) fn new(cluster: Cluster, tasks: Tasks, context: Arc<ProjectionContext>, notify: Notify) -> Self {
        let selector = context.operator.owner_key();
        Self {
            inner: Arc::new(Inner {
                cluster,
                tasks,
                projector: Arc::new(DependentProjector(context)),
                selector,
                notify,
                state: Mutex::default(),
            }),
        }
    }

    /// Whether these are the same watches.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// From now on changes of objects with this owner hash queue the component.
    pub(crate) fn register(&self, component: &Key, owner_hash: &str) {
        let mut state = self.inner.state.lock();
        if !state.owners.contains_key(owner_hash) {
            state.owners.insert(owner_hash.into(), component.clone());
        }
    }

    /// The component is gone.
    pub(crate) fn forget(&self, component: &Key) {
        self.use_kinds(component, BTreeSet::new());
        self.want(component, HashSet::new());
        let mut state = self.inner.state.lock();
        state.used.remove(component);
        state.owners.retain(|_, owner| owner != component);
    }

    /// The component waits until their owners let go of exactly these objects.
    pub(crate) fn want(&self, component: &Key, objects: HashSet<ObjectKey>) {
        let mut state = self.inner.state.lock();
        if objects.is_empty() {
            state.wanted.remove(component);
        } else {
            state.wanted.insert(component.clone(), objects);
        }
    }

    /// The kinds of which the component has dependents: exactly these are watched for it.
    pub(crate) fn use_kinds(&self, component: &Key, kinds: BTreeSet<GroupKind>) {
        let mut state = self.inner.state.lock();
        if state.used.get(component) == Some(&kinds) {
            return;
        }
        let before = state.used.insert(component.clone(), kinds.clone()).unwrap_or_default();
        for kind in before.difference(&kinds) {
            let unused = state.watched.get_mut(kind).is_some_and(|watched| {
                watched.users.remove(component);
                watched.users.is_empty()
            });
            if unused && let Some(watched) = state.watched.remove(kind) {
                watched.stop.cancel();
            }
        }
        for kind in kinds.difference(&before) {
            let watched = state.watched.entry(kind.clone()).or_insert_with(|| self.start(kind));
            watched.users.insert(component.clone());
        }
    }

    fn start(&self, kind: &GroupKind) -> Watched {
        let inner = &self.inner;
        let spec = WatchSpec::new(kind.clone()).labels(inner.selector.clone());
        let store = inner.cluster.watches().subscribe(spec, Arc::clone(&inner.projector));
        let stop = CancellationToken::new();
        let mut changes = store.changes();
        let watches = Arc::downgrade(inner);
        let (stopped, stopping) = (stop.clone(), inner.tasks.stopping());
        let listen = async move {
            loop {
                let change = tokio::select! {
                    () = stopped.cancelled() => return,
                    () = stopping.cancelled() => return,
                    change = changes.next() => change,
                };
                let (Some(change), Some(inner)) = (change, watches.upgrade()) else {
                    return;
                };
                inner.told(&change);
            }
        };
        inner.tasks.spawn(format!("dependents {}", title(kind)), listen).detach();
        Watched { store, users: HashSet::new(), stop }
    }

    /// Ends when all these kinds can be read from memory. A type that the server does not have has no objects.
    pub(crate) async fn settled(&self, kinds: &BTreeSet<GroupKind>) -> Result<(), NotObservable> {
        for kind in kinds {
            let Some(store) = self.store(kind) else {
                continue;
            };
            if store.is_synced() {
                continue;
            }
            let settled = self.inner.cluster.clock().limit(FIRST_LIST, store.settled()).await;
            let error = store.status().error;
            match settled {
                Ok(WatchState::Forbidden) => {
                    let error = error.unwrap_or_default();
                    return Err(NotObservable::Forbidden { kind: title(kind), error });
                }
                Ok(_) => {}
                Err(_) => {
                    return Err(NotObservable::Silent { kind: title(kind), error });
                }
            }
        }
        Ok(())
    }

    /// A kind whose watch has been broken for longer than this.
    pub(crate) fn broken_for(&self, kinds: &BTreeSet<GroupKind>, longest: Duration) -> Option<NotObservable> {
        let now = self.inner.cluster.clock().moment();
        kinds.iter().find_map(|kind| {
            let status = self.store(kind)?.status();
            let broken = status.state == WatchState::Retrying
                && status.broken_since.is_some_and(|since| now.0.saturating_sub(since.0) > longest);
            broken.then(|| NotObservable::Silent { kind: title(kind), error: status.error })
        })
    }

    /// What the watch shows of an object.
    pub(crate) fn get(&self, key: &ObjectKey) -> Option<Arc<Projection>> {
        self.store(&key.group_kind())?.get(key)
    }

    /// An own write is visible at once.
    pub(crate) fn record_write(&self, object: &Value) {
        if let Some(gvk) = object.gvk()
            && let Some(store) = self.store(&gvk.group_kind())
        {
            store.record_write(object);
        }
    }

    /// What the server said is gone is gone at once.
    pub(crate) fn record_delete(&self, key: &ObjectKey, uid: &str) {
        if let Some(store) = self.store(&key.group_kind()) {
            store.record_delete(key, uid);
        }
    }

    fn store(&self, kind: &GroupKind) -> Option<Store<Projection>> {
        self.inner.state.lock().watched.get(kind).map(|watched| watched.store.clone())
    }
}

impl Inner {
    /// Queues the components that a change concerns.
    fn told(&self, change: &Change<Projection>) {
        let (old, new) = (change.old.as_deref(), change.new.as_deref());
        let owner = |projection: Option<&Projection>| {
            let hash = &projection?.owner.as_ref()?.hash;
            self.state.lock().owners.get(&**hash).cloned()
        };
        let (before, after) = (owner(old), owner(new));
        if change.cause != Cause::Initial && !only_version_differs(old, new) {
            self.waiting_for(change).iter().for_each(|component| (self.notify)(component));
        }
        match change.cause {
            Cause::Event if !only_version_differs(old, new) => {
                let both = before.iter().chain(after.iter().filter(|after| Some(*after) != before.as_ref()));
                both.for_each(|component| (self.notify)(component));
            }
            // Whoever loses an object to another component must know; the writer itself does.
            Cause::OwnWrite if after.is_some() && before != after => {
                if let Some(component) = &before {
                    (self.notify)(component);
                }
            }
            _ => {}
        }
    }

    fn waiting_for(&self, change: &Change<Projection>) -> Vec<Key> {
        let state = self.state.lock();
        if state.wanted.is_empty() {
            return Vec::new();
        }
        let object = change.key.to_object_key();
        let waiting = state.wanted.iter().filter(|(_, objects)| objects.contains(&object));
        waiting.map(|(component, _)| component.clone()).collect()
    }
}

fn only_version_differs(old: Option<&Projection>, new: Option<&Projection>) -> bool {
    let (Some(old), Some(new)) = (old, new) else {
        return false;
    };
    let versioned = Projection { resource_version: old.resource_version.clone(), ..new.clone() };
    *old == versioned
}

fn title(kind: &GroupKind) -> String {
    if kind.group.is_empty() { kind.kind.clone() } else { format!("{}.{}", kind.kind, kind.group) }
}

impl fmt::Debug for DependentWatches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds: Vec<_> = self.inner.state.lock().watched.keys().map(title).collect();
        f.debug_struct("DependentWatches").field("kinds", &kinds).finish_non_exhaustive()
    }
}
