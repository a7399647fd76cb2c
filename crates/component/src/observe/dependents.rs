use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::Duration;

use kubewright_core::dependents::{Owner, Projection, ProjectionContext};
use kubewright_core::why::{ChangedPaths, ObjectChange, ObjectChangeKind, QueuedBy};
use kubewright_machinery::object::{GroupKind, Key, ObjectExt as _, ObjectKey};
use kubewright_runtime::cluster::Cluster;
use kubewright_runtime::task::Tasks;
use kubewright_runtime::trigger::{News, follow};
use kubewright_runtime::watch::{Cause, Change, Project, ProjectedStore, Unprojectable, WatchSpec, WatchState};
use parking_lot::Mutex;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::polls::{Polled, Polls};
use super::scope::{NotObservable, Refusals, Residences, WatchScope, title};
use super::{Notify, caused_by};
use crate::defaults::FIRST_LIST;

/// The index of dependents by the hash of their owner.
const BY_OWNER: &str = "owner";

/// The number of owners that are remembered for sharing.
const RECENT_OWNERS: usize = 256;

/// The watches on the dependents of all components of one type: one per kind, started with the first component that has a dependent of that kind
/// and ended with the last.
#[derive(Clone)]
pub(crate) struct DependentWatches {
    inner: Arc<SharedDependentWatches>,
}

struct SharedDependentWatches {
    cluster: Cluster,
    tasks: Tasks,
    projector: Arc<dyn Project<Output = Projection>>,
    selector: String,
    polls: Polls,
    notify: Notify,
    state: Mutex<DependentWatchState>,
}

#[derive(Default)]
struct DependentWatchState {
    watched: HashMap<Arc<WatchScope>, WatchedScope>,
    /// The watched scopes of each component, ordered.
    used: HashMap<Key, Box<[Arc<WatchScope>]>>,
    /// Components by owner hash.
    owners: HashMap<Arc<str>, Key>,
    /// The owner hashes of components.
    hashes: HashMap<Key, Arc<str>>,
    /// Objects of other owners that components wait for (OWN-3).
    wanted: HashMap<Key, HashSet<ObjectKey>>,
    /// The objects that lost their owner since the present pass of a component began its observation.
    looking: HashMap<Key, HashSet<ObjectKey>>,
}

struct WatchedScope {
    store: ProjectedStore<Projection>,
    users: HashSet<Key>,
    stop: CancellationToken,
    /// True if a pass has waited for the first list in vain.
    waited: bool,
}

/// The listener ends together with its watch.
impl Drop for WatchedScope {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl WatchedScope {
    fn is_usable(&self) -> bool {
        is_usable(&self.store)
    }
}

/// Returns true if a watch shows the present objects.
fn is_usable(store: &ProjectedStore<Projection>) -> bool {
    store.is_synced() && store.status().state != WatchState::Forbidden
}

pub(super) struct DependentProjector {
    context: Arc<ProjectionContext>,
    /// The recently seen owners, by the hash of their hash.
    owners: Mutex<Box<[Option<Arc<Owner>>]>>,
}

impl DependentProjector {
    pub(super) fn new(context: Arc<ProjectionContext>) -> Self {
        Self { context, owners: Mutex::new(vec![None; RECENT_OWNERS].into()) }
    }

    /// Returns the copy of an owner that its dependents share. The dependents of one component arrive one after the other.
    fn shared(&self, owner: Arc<Owner>) -> Arc<Owner> {
        let mut hasher = DefaultHasher::new();
        owner.hash.hash(&mut hasher);
        let mut owners = self.owners.lock();
        let Some(slot) = owners.get_mut(hasher.finish() as usize % RECENT_OWNERS) else {
            return owner;
        };
        match slot {
            Some(known) if *known == owner => Arc::clone(known),
            _ => Arc::clone(slot.insert(owner)),
        }
    }
}

impl Project for DependentProjector {
    type Output = Projection;

    fn project(&self, object: &Value) -> Result<Projection, Unprojectable> {
        let mut projection = Projection::of(object, &self.context);
        projection.owner = projection.owner.take().map(|owner| self.shared(owner));
        Ok(projection)
    }

    fn index<'a>(&self, projection: &'a Projection, entry: &mut dyn FnMut(&'static str, &'a str)) {
        if let Some(hash) = projection.owner_hash() {
            entry(BY_OWNER, hash);
        }
    }
}

impl DependentWatches {
    pub(crate) fn new(cluster: Cluster, tasks: Tasks, context: Arc<ProjectionContext>, notify: Notify) -> Self {
        let selector = context.operator.owner_key();
        let projector: Arc<dyn Project<Output = Projection>> = Arc::new(DependentProjector::new(context));
        Self {
            inner: Arc::new(SharedDependentWatches {
                polls: Polls::new(cluster.clone(), Arc::clone(&projector), selector.clone()),
                cluster,
                tasks,
                projector,
                selector,
                notify,
                state: Mutex::default(),
            }),
        }
    }

    /// Returns true if both are the same watches.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Queues the component from now on when an object with this owner hash changes.
    pub(crate) fn register(&self, component: &Key, owner_hash: &str) {
        let mut state = self.inner.state.lock();
        if !state.owners.contains_key(owner_hash) {
            let hash: Arc<str> = owner_hash.into();
            state.owners.insert(Arc::clone(&hash), component.clone());
            state.hashes.insert(component.clone(), hash);
        }
    }

    /// Forgets a component that is gone.
    pub(crate) fn forget(&self, component: &Key) {
        self.use_scopes(component, BTreeSet::new());
        self.want(component, HashSet::new());
        let mut state = self.inner.state.lock();
        state.used.remove(component);
        if let Some(hash) = state.hashes.remove(component) {
            state.owners.remove(&hash);
        }
    }

    /// Notes that a pass of the component begins its observation. Objects that lose their owner are collected from now on, until it is known
    /// which of them the component waits for.
    pub(crate) fn look(&self, component: &Key) -> Look {
        self.inner.state.lock().looking.insert(component.clone(), HashSet::new());
        Look { watches: self.clone(), component: component.clone() }
    }

    /// Replaces the objects of other owners that the component waits for. An object that lost its owner since the observation of the pass queues
    /// the component at once.
    pub(crate) fn want(&self, component: &Key, objects: HashSet<ObjectKey>) {
        let mut state = self.inner.state.lock();
        let late = state.looking.remove(component).and_then(|lost| lost.intersection(&objects).next().cloned());
        if objects.is_empty() {
            state.wanted.remove(component);
        } else {
            state.wanted.insert(component.clone(), objects);
        }
        drop(state);
        if let Some(object) = late {
            let (kind, key) = (Arc::new(object.group_kind()), Key::new(&object.namespace, &object.name));
            let what = ObjectChangeKind::Changed(ChangedPaths::default());
            let change = ObjectChange { kind, key, what, by: None, own: false };
            (self.inner.notify)(component, QueuedBy::Changed(Arc::new(change)));
        }
    }

    /// Watches exactly the scopes of these dependents of a component: each kind in the whole cluster, or, if that is known to be forbidden, in
    /// each of the namespaces.
    pub(crate) fn use_kinds(&self, component: &Key, residences: &Residences) -> BTreeSet<WatchScope> {
        let mut scopes = BTreeSet::new();
        for (kind, namespaces) in residences {
            // The cluster-wide watch is kept although it is forbidden, because it tries again from time to time.
            scopes.insert(WatchScope::everywhere(kind));
            if self.refusal(&WatchScope::everywhere(kind)).is_some() {
                let named = namespaces.iter().filter(|namespace| !namespace.is_empty());
                scopes.extend(named.map(|namespace| WatchScope::within(kind, namespace)));
            }
        }
        self.use_scopes(component, scopes.clone());
        scopes
    }

    fn use_scopes(&self, component: &Key, scopes: BTreeSet<WatchScope>) {
        let mut state = self.inner.state.lock();
        let state = &mut *state;
        let before = state.used.get(component).map_or(&[][..], AsRef::as_ref);
        if before.iter().map(AsRef::as_ref).eq(&scopes) {
            return;
        }
        for scope in before.iter().filter(|scope| !scopes.contains(scope.as_ref())) {
            let unused = state.watched.get_mut(scope).is_some_and(|watched| {
                watched.users.remove(component);
                watched.users.is_empty()
            });
            if unused && let Some(watched) = state.watched.remove(scope) {
                watched.stop.cancel();
            }
        }
        // Components mostly have dependents of the same kinds, so they share the scopes.
        let share = |scope: WatchScope| {
            let known = state.watched.get_key_value(&scope).map(|(known, _)| Arc::clone(known));
            let scope = known.unwrap_or_else(|| Arc::new(scope));
            let watched = state.watched.entry(Arc::clone(&scope)).or_insert_with_key(|scope| self.start(scope));
            watched.users.insert(component.clone());
            scope
        };
        let scopes = scopes.into_iter().map(share).collect();
        state.used.insert(component.clone(), scopes);
    }

    fn start(&self, scope: &WatchScope) -> WatchedScope {
        let inner = &self.inner;
        let spec = WatchSpec::new(scope.kind.clone()).labels(inner.selector.clone());
        let spec = match &scope.namespace {
            Some(namespace) => spec.in_namespace(namespace),
            None => spec,
        };
        let store = inner.cluster.watches().subscribe(spec, Arc::clone(&inner.projector));
        let (watches, at) = (Arc::downgrade(inner), scope.clone());
        let kind = Arc::new(scope.kind.clone());
        let mut forbidden = store.status().state == WatchState::Forbidden;
        let tell = move |news: News<Projection>| {
            let Some(inner) = watches.upgrade() else { return };
            match news {
                News::Changed(change) => inner.told(&kind, &change),
                News::Turned(status) => {
                    let settled = matches!(status.state, WatchState::Forbidden | WatchState::Watching);
                    let now = status.state == WatchState::Forbidden;
                    if settled && std::mem::replace(&mut forbidden, now) != now {
                        inner.turned(&at, &kind);
                    }
                }
                _ => {}
            }
        };
        let stop = CancellationToken::new();
        follow(store.clone(), format!("dependents {scope}"), &inner.tasks, stop.clone(), tell);
        WatchedScope { store, users: HashSet::new(), stop, waited: false }
    }

    /// Waits until all these dependents can be read from memory, and returns the kinds whose watch is forbidden. A type that the server does not
    /// serve has no objects.
    pub(crate) async fn settled(&self, component: &Key, residences: &Residences) -> Result<Refusals, NotObservable> {
        let mut scopes = self.use_kinds(component, residences);
        loop {
            for scope in &scopes {
                self.first_list(scope).await?;
            }
            // Kinds whose cluster-wide watch turned out to be forbidden are watched in the namespaces.
            let more = self.use_kinds(component, residences);
            if more == scopes {
                break;
            }
            scopes = more;
        }
        let refused = |(kind, namespaces): (&GroupKind, &BTreeSet<String>)| {
            let error = self.refusal(&WatchScope::everywhere(kind))?;
            if namespaces.contains("") {
                return Some((kind.clone(), error));
            }
            let error = namespaces.iter().find_map(|namespace| self.refusal(&WatchScope::within(kind, namespace)))?;
            Some((kind.clone(), error))
        };
        Ok(residences.iter().filter_map(refused).collect())
    }

    /// Reads these dependents of a component, which are of a kind whose watch is forbidden.
    pub(crate) async fn poll(
        &self,
        kind: &GroupKind,
        owner_hash: &str,
        keys: &BTreeSet<ObjectKey>,
    ) -> Result<Polled, NotObservable> {
        self.inner.polls.read(kind, owner_hash, keys).await.map_err(|error| {
            let (kind, forbidden, error) = (title(kind), error.is_forbidden(), error.to_string());
            if forbidden { NotObservable::Forbidden { kind, error } } else { NotObservable::Silent { kind, error: Some(error) } }
        })
    }

    /// Returns the number of watched objects of a component that carry its owner hash.
    pub(crate) fn count_owned(&self, component: &Key, owner_hash: &str) -> usize {
        let state = self.inner.state.lock();
        let scopes = state.used.get(component).into_iter().flatten();
        let stores = scopes.filter_map(|scope| {
            // A usable cluster-wide watch also shows the objects in this namespace, which are counted once.
            let everywhere = state.watched.get(&WatchScope::everywhere(&scope.kind)).filter(|watched| watched.is_usable());
            if scope.namespace.is_some() && everywhere.is_some() { None } else { state.watched.get(scope) }
        });
        stores.map(|watched| watched.store.count_indexed(BY_OWNER, owner_hash)).sum()
    }

    /// Returns the state of each watch.
    pub(crate) fn states(&self) -> Vec<WatchState> {
        self.inner.state.lock().watched.values().map(|watched| watched.store.status().state).collect()
    }

    async fn first_list(&self, scope: &WatchScope) -> Result<(), NotObservable> {
        let Some(store) = self.store(scope).filter(|store| !store.is_synced()) else {
            return Ok(());
        };
        let silent = || NotObservable::Silent { kind: scope.to_string(), error: store.status().error };
        let known = self.inner.state.lock().watched.get(scope).is_some_and(|watched| watched.waited);
        if known && store.status().state == WatchState::Retrying {
            // A waiting pass takes a worker from other components.
            return Err(silent());
        }
        let settled = self.inner.cluster.clock().limit(FIRST_LIST, store.settled()).await;
        settled.map(drop).map_err(|_| {
            if let Some(watched) = self.inner.state.lock().watched.get_mut(scope) {
                watched.waited = true;
            }
            silent()
        })
    }

    /// Returns the server's reason for refusing a watch.
    fn refusal(&self, scope: &WatchScope) -> Option<String> {
        let status = self.store(scope)?.status();
        (status.state == WatchState::Forbidden).then(|| status.error.unwrap_or_default())
    }

    /// Returns a kind of the component's dependents whose watch has been broken for longer than `longest`.
    pub(crate) fn broken_for(&self, component: &Key, longest: Duration) -> Option<NotObservable> {
        let now = self.inner.cluster.clock().moment();
        let scopes = self.inner.state.lock().used.get(component).cloned().unwrap_or_default();
        scopes.iter().find_map(|scope| {
            let status = self.store(scope)?.status();
            let broken = status.state == WatchState::Retrying
                && status.broken_since.is_some_and(|since| now.0.saturating_sub(since.0) > longest);
            broken.then(|| NotObservable::Silent { kind: scope.to_string(), error: status.error })
        })
    }

    /// Returns an object as the watch shows it.
    pub(crate) fn get(&self, key: &ObjectKey) -> Option<Arc<Projection>> {
        self.store_of(&key.group_kind(), &key.namespace)?.find(&key.namespace, &key.name)
    }

    /// Records the answer to an own write, so that it is visible at once.
    pub(crate) fn record_write(&self, object: &Value) {
        if let Some(gvk) = object.gvk()
            && let Some(store) = self.store_of(&gvk.group_kind(), object.namespace())
        {
            store.record_write(object);
        }
    }

    /// Records a deletion that the server confirmed, so that it is visible at once.
    pub(crate) fn record_delete(&self, key: &ObjectKey, uid: &str) {
        if let Some(store) = self.store_of(&key.group_kind(), &key.namespace) {
            store.record_delete(&Key::new(&key.namespace, &key.name), uid);
        }
    }

    fn store(&self, scope: &WatchScope) -> Option<ProjectedStore<Projection>> {
        self.inner.state.lock().watched.get(scope).map(|watched| watched.store.clone())
    }

    /// Returns the watch that shows objects of a kind in a namespace.
    fn store_of(&self, kind: &GroupKind, namespace: &str) -> Option<ProjectedStore<Projection>> {
        let state = self.inner.state.lock();
        let everywhere = state.watched.get(&WatchScope::everywhere(kind)).map(|watched| &watched.store);
        let usable = everywhere.filter(|store| is_usable(store));
        let narrow = || state.watched.get(&WatchScope::within(kind, namespace)).map(|watched| &watched.store);
        usable.or_else(narrow).or(everywhere).cloned()
    }
}

/// The observation of dependents by a pass.
#[derive(Debug)]
pub(crate) struct Look {
    watches: DependentWatches,
    component: Key,
}

impl Drop for Look {
    fn drop(&mut self) {
        self.watches.inner.state.lock().looking.remove(&self.component);
    }
}

impl SharedDependentWatches {
    /// Queues the users of a watch that became allowed or forbidden. A pass that waits for the first list notices that itself.
    fn turned(&self, scope: &WatchScope, kind: &Arc<GroupKind>) {
        let users: Vec<Key> = match self.state.lock().watched.get(scope) {
            Some(watched) if watched.store.is_synced() => watched.users.iter().cloned().collect(),
            _ => Vec::new(),
        };
        for component in &users {
            (self.notify)(component, QueuedBy::WatchTurned(Arc::clone(kind)));
        }
    }

    /// Queues the components that a change concerns.
    fn told(&self, kind: &Arc<GroupKind>, change: &Change<Projection>) {
        let (old, new) = (change.old.as_deref(), change.new.as_deref());
        let owner = |projection: Option<&Projection>| {
            let hash = projection?.owner_hash()?;
            self.state.lock().owners.get(hash).cloned()
        };
        let (before, after) = (owner(old), owner(new));
        if lost_owner(old, new) {
            let mut state = self.state.lock();
            if !state.looking.is_empty() {
                let object = kind.object(&change.key);
                state.looking.values_mut().for_each(|lost| _ = lost.insert(object.clone()));
            }
        }
        if change.cause != Cause::Initial && !only_version_differs(old, new) {
            self.waiting_for(kind, change).iter().for_each(|component| (self.notify)(component, caused_by(kind, change)));
        }
        match change.cause {
            Cause::Event if !only_version_differs(old, new) => {
                let both = before.iter().chain(after.iter().filter(|after| Some(*after) != before.as_ref()));
                both.for_each(|component| (self.notify)(component, caused_by(kind, change)));
            }
            // A component that loses an object to another component must be told; the writer knows it already.
            Cause::OwnWrite if after.is_some() && before != after => {
                if let Some(component) = &before {
                    (self.notify)(component, caused_by(kind, change));
                }
            }
            _ => {}
        }
    }

    fn waiting_for(&self, kind: &GroupKind, change: &Change<Projection>) -> Vec<Key> {
        let state = self.state.lock();
        if state.wanted.is_empty() {
            return Vec::new();
        }
        let object = kind.object(&change.key);
        let waiting = state.wanted.iter().filter(|(_, objects)| objects.contains(&object));
        waiting.map(|(component, _)| component.clone()).collect()
    }
}

fn lost_owner(old: Option<&Projection>, new: Option<&Projection>) -> bool {
    let owner = |projection: Option<&Projection>| projection.and_then(|projection| projection.owner.clone());
    old.is_some() && owner(old) != owner(new)
}

fn only_version_differs(old: Option<&Projection>, new: Option<&Projection>) -> bool {
    let (Some(old), Some(new)) = (old, new) else {
        return false;
    };
    old.differs_in_version_only(new)
}

impl fmt::Debug for DependentWatches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scopes: Vec<_> = self.inner.state.lock().watched.keys().map(ToString::to_string).collect();
        f.debug_struct("DependentWatches").field("scopes", &scopes).finish_non_exhaustive()
    }
}
