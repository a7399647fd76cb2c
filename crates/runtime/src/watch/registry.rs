use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use indexmap::IndexSet;
use kubewright_core::time::Moment;
use kubewright_machinery::object::{GroupKind, GroupVersionKind, Key, ObjectExt as _};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::{Notify, watch};

use super::driver::WatchDriver;
use super::inspect::{InspectedWatch, WatchCounters};
use super::key_ref::KeyRef;
use super::objects::SeenObject;
use super::sink::{Projected, Sink, StoredObject};
use super::spec::LocalSelection;
use super::store::WatchSubscription;
use super::{Cause, Project, ProjectedStore, WatchHealth, WatchSpec, WatchState, WatchStatus, Watched};
use crate::api::{Connection, Discovery};
use crate::defaults::WATCH_LINGER;
use crate::task::Tasks;

/// The shared watches of a cluster. Cheap to clone.
#[derive(Clone)]
pub struct Watches {
    inner: Arc<SharedWatches>,
}

struct SharedWatches {
    connection: Arc<Connection>,
    discovery: Discovery,
    tasks: Tasks,
    /// The list of the watches of all clusters of the operator, which counts their events.
    watched: Watched,
    watches: Mutex<HashMap<GroupKind, HashMap<WatchSpec, Arc<Watch>>>>,
}

/// One watch, shared by its driver and its stores.
pub(super) struct Watch {
    pub(super) spec: WatchSpec,
    pub(super) selection: LocalSelection,
    pub(super) status: watch::Sender<WatchStatus>,
    pub(super) users: watch::Sender<usize>,
    /// The number of users that wait for the first list of the watch.
    pub(super) awaited: AtomicUsize,
    pub(super) sinks: Mutex<Vec<Arc<dyn Sink>>>,
    /// Notified when a store has joined that has no objects yet.
    pub(super) joined: Notify,
    /// The moment of the server's last answer or event, in nanoseconds.
    activity: AtomicU64,
    pub(super) counted: WatchCounters,
}

impl Watches {
    /// Creates the watches of a connection, and adds them to those that are listed together.
    pub(crate) fn new(connection: Arc<Connection>, discovery: Discovery, watched: &Watched) -> Self {
        let tasks = connection.tasks().clone();
        let shared = SharedWatches { connection, discovery, tasks, watched: watched.clone(), watches: Mutex::default() };
        let watches = Self { inner: Arc::new(shared) };
        watched.add(&watches);
        watches
    }

    /// Returns a weak reference to the watches, which lasts as long as their other holders.
    pub(super) fn weak(&self) -> WeakWatches {
        WeakWatches(Arc::downgrade(&self.inner))
    }

    /// Opens a store of the objects that `spec` selects, projected by `projector`.
    ///
    /// The watch is shared with all users of an equal spec, and the objects with those whose projector makes equal projections: a clone of one `Arc`, or one
    /// with the same [`Project::shared_as`]. The first user starts the watch.
    pub fn subscribe<P: Send + Sync + 'static>(
        &self,
        spec: WatchSpec,
        projector: Arc<dyn Project<Output = P>>,
    ) -> ProjectedStore<P> {
        ProjectedStore::new(vec![self.subscription(spec, projector)], self.clone())
    }

    /// Opens a store of the objects that `spec` selects in these namespaces, with one watch for each namespace. An empty list means all namespaces, and is
    /// required for cluster-scoped types.
    pub fn subscribe_within<P: Send + Sync + 'static>(
        &self,
        namespaces: &[String],
        spec: WatchSpec,
        projector: Arc<dyn Project<Output = P>>,
    ) -> ProjectedStore<P> {
        if namespaces.is_empty() {
            return self.subscribe(spec, projector);
        }
        let namespaces: IndexSet<&String> = namespaces.iter().collect();
        let subscription = |namespace: &String| self.subscription(spec.clone().in_namespace(namespace), Arc::clone(&projector));
        ProjectedStore::new(namespaces.into_iter().map(subscription).collect(), self.clone())
    }

    fn subscription<P: Send + Sync + 'static>(
        &self,
        spec: WatchSpec,
        projector: Arc<dyn Project<Output = P>>,
    ) -> WatchSubscription<P> {
        let mut watches = self.inner.watches.lock();
        let watches = watches.entry(spec.kind.clone()).or_default();
        let running = watches.get(&spec).cloned();
        let watch = running.unwrap_or_else(|| {
            let counted = self.inner.watched.counters(&spec);
            let watch = Arc::new(Watch::new(spec.clone(), self.now(), counted));
            watches.insert(spec, watch.clone());
            self.start(watch.clone());
            watch
        });
        let sink = watch.sink(projector, &self.inner.connection);
        // The registry is locked until the user is counted, so that the watch cannot end in between.
        WatchSubscription::new(sink, watch)
    }

    /// Returns an identity that distinguishes the watches of one cluster from those of another, as long as both are held.
    pub(crate) fn id(&self) -> usize {
        Arc::as_ptr(&self.inner).addr()
    }

    /// Returns the health of each watch, ordered by the watches' descriptions.
    pub fn health(&self) -> Vec<WatchHealth> {
        let mut health: Vec<_> = self.all().iter().map(|watch| watch.health(self.inner.connection.name())).collect();
        health.sort_by_cached_key(|line| line.spec.to_string());
        health
    }

    /// Returns each watch with the checksum of its objects, in no particular order. The objects are read in portions, so that watches and other tasks get
    /// their turn in between.
    pub(super) async fn inspect(&self) -> Vec<InspectedWatch> {
        let mut inspected = Vec::new();
        for watch in self.all() {
            let (health, checksum) = (watch.health(self.inner.connection.name()), watch.checksum().await);
            inspected.push(InspectedWatch { idle: self.now().since(health.last_activity), health, checksum });
        }
        inspected
    }

    /// Returns the health of each watch with the time since its last activity.
    pub(super) fn idle(&self) -> Vec<(WatchHealth, Duration)> {
        let now = self.now();
        self.health()
            .into_iter()
            .map(|watch| (now.since(watch.last_activity), watch))
            .map(|(idle, watch)| (watch, idle))
            .collect()
    }

    fn all(&self) -> Vec<Arc<Watch>> {
        self.inner.watches.lock().values().flat_map(HashMap::values).cloned().collect()
    }

    /// Returns the whole object from the stores of this process, in this version. Returns None if no store of whole objects covers its namespace completely.
    /// No watch is started.
    pub(crate) fn whole(&self, gvk: &GroupVersionKind, key: &Key) -> Option<StoredObject> {
        let tells = |watch: &&Arc<Watch>| {
            watch.spec.is_complete()
                && watch.spec.covers(key.namespace())
                && self.delivers(&watch.spec, gvk)
                && !watch.is_refused()
        };
        self.of_kind(&gvk.group_kind()).iter().filter(tells).find_map(|watch| watch.whole(KeyRef::from(key)))
    }

    /// Returns the whole object from a store of this process, if its state is newer than the given one. No watch is started.
    pub(crate) fn newer(&self, gvk: &GroupVersionKind, seen: &Value) -> Option<Value> {
        let seen = SeenObject::of(seen)?;
        let tells = |watch: &&Arc<Watch>| self.delivers(&watch.spec, gvk) && !watch.is_refused();
        self.of_kind(&gvk.group_kind()).iter().filter(tells).find_map(|watch| watch.newer(&seen))
    }

    /// Makes the answer to a write of this process that has no store of its own visible at once in all stores, like an event.
    pub(crate) fn record_write(&self, object: &Value) {
        self.tell_written(object, &[]);
    }

    /// Removes an object that the server reports as gone from all stores, like an event.
    pub(crate) fn record_delete(&self, kind: &GroupKind, key: &Key, uid: &str) {
        self.tell_deleted(kind, key, uid, &[]);
    }

    /// Makes the answer to a create, update or patch of this process visible at once, like an event, in all sinks that could hold the object except these.
    pub(super) fn tell_written(&self, object: &Value, but: &[Arc<dyn Sink>]) {
        let Some(gvk) = object.gvk() else { return };
        for watch in self.of_kind(&gvk.group_kind()) {
            let is_told = watch.spec.covers(object.namespace())
                && self.delivers(&watch.spec, &gvk)
                && watch.selection.is_complete()
                && !watch.is_refused();
            if !is_told {
                continue;
            }
            let shown = watch.spec.delivered(object);
            let in_scope = watch.selection.matches(object);
            for sink in watch.other_sinks(but) {
                sink.record(&shown, in_scope, Cause::Event);
            }
        }
    }

    /// Removes an object that the server reports as gone from all sinks except these.
    pub(super) fn tell_deleted(&self, kind: &GroupKind, key: &Key, uid: &str, but: &[Arc<dyn Sink>]) {
        for watch in self.of_kind(kind) {
            for sink in watch.other_sinks(but) {
                sink.record_delete(KeyRef::from(key), uid, Cause::Event);
            }
        }
    }

    /// Returns true if the server sends the objects of a watch in this version. A watch without a version gets the preferred one.
    fn delivers(&self, spec: &WatchSpec, gvk: &GroupVersionKind) -> bool {
        match &spec.version {
            Some(version) => *version == gvk.version,
            None => self.inner.discovery.cached(&spec.kind, None).is_some_and(|preferred| preferred.version == gvk.version),
        }
    }

    fn of_kind(&self, kind: &GroupKind) -> Vec<Arc<Watch>> {
        self.inner.watches.lock().get(kind).map(|watches| watches.values().cloned().collect()).unwrap_or_default()
    }

    fn start(&self, watch: Arc<Watch>) {
        let name = format!("watch {watch} in {}", self.inner.connection.name(), watch = watch.spec);
        let stopping = self.inner.tasks.stopping();
        let driver = WatchDriver::new(self.inner.connection.clone(), self.inner.discovery.clone(), watch.clone());
        let registry = Arc::downgrade(&self.inner);
        let clock = self.inner.connection.clock().clone();
        let task = async move {
            let unused = async {
                loop {
                    let mut users = watch.users.subscribe();
                    // The sender lives as long as the watch.
                    drop(users.wait_for(|users| *users == 0).await);
                    let again = clock.limit(WATCH_LINGER, users.wait_for(|users| *users > 0)).await.is_ok();
                    if !again && forget(&registry, &watch) {
                        return;
                    }
                }
            };
            tokio::select! {
                () = stopping.cancelled() => {}
                () = unused => {}
                () = driver.run() => {}
            }
        };
        self.inner.tasks.spawn(name, task).detach();
    }

    fn now(&self) -> Moment {
        self.inner.connection.clock().moment()
    }
}

/// A weak reference to the watches of a cluster.
pub(super) struct WeakWatches(Weak<SharedWatches>);

impl WeakWatches {
    pub(super) fn get(&self) -> Option<Watches> {
        self.0.upgrade().map(|inner| Watches { inner })
    }
}

/// Removes an unused watch from the registry. Returns `false` if it has a user again.
fn forget(registry: &Weak<SharedWatches>, watch: &Watch) -> bool {
    let Some(inner) = registry.upgrade() else {
        return true;
    };
    let mut watches = inner.watches.lock();
    let unused = *watch.users.borrow() == 0;
    if unused && let Some(of_kind) = watches.get_mut(&watch.spec.kind) {
        of_kind.remove(&watch.spec);
        if of_kind.is_empty() {
            watches.remove(&watch.spec.kind);
        }
    }
    unused
}

impl Watch {
    fn new(spec: WatchSpec, now: Moment, counted: WatchCounters) -> Self {
        Self {
            selection: LocalSelection::of(&spec),
            status: watch::Sender::new(WatchStatus::new(WatchState::Starting)),
            users: watch::Sender::new(0),
            awaited: AtomicUsize::new(0),
            sinks: Mutex::default(),
            joined: Notify::new(),
            activity: AtomicU64::new(nanos(now)),
            counted,
            spec,
        }
    }

    /// Returns the sink that this projector shares, or a new one that the driver will fill. The user is counted while the list is locked, so that the driver
    /// cannot remove the sink at the same time.
    fn sink<P: Send + Sync + 'static>(
        &self,
        projector: Arc<dyn Project<Output = P>>,
        connection: &Connection,
    ) -> Arc<Projected<P>> {
        let mut sinks = self.sinks.lock();
        for sink in sinks.iter() {
            if let Ok(same) = sink.clone().into_any().downcast::<Projected<P>>()
                && keep_the_same(&*same.projector, &*projector)
            {
                same.users.fetch_add(1, Ordering::AcqRel);
                return same;
            }
        }
        let sink = Arc::new(Projected::new(projector, connection.clock().clone()));
        sink.users.fetch_add(1, Ordering::AcqRel);
        sinks.push(sink.clone());
        self.joined.notify_one();
        sink
    }

    /// Returns the sinks that have users, and drops the others. Without any users all sinks are kept, so that the next user may reuse them.
    pub(super) fn used_sinks(&self) -> Vec<Arc<dyn Sink>> {
        let mut sinks = self.sinks.lock();
        if *self.users.borrow() > 0 {
            sinks.retain(|sink| sink.is_used() || !sink.is_synced());
        }
        sinks.clone()
    }

    /// Returns true if the server does not send the watch's objects, so that deletions by other writers would never be seen.
    fn is_refused(&self) -> bool {
        matches!(self.status.borrow().state, WatchState::Forbidden | WatchState::NotServed)
    }

    /// Returns the whole object from one of its sinks.
    fn whole(&self, key: KeyRef<'_>) -> Option<StoredObject> {
        self.sinks.lock().iter().find_map(|sink| sink.whole(key))
    }

    /// Returns the whole object from one of its sinks, if its state is newer.
    fn newer(&self, seen: &SeenObject<'_>) -> Option<Value> {
        self.sinks.lock().iter().find_map(|sink| sink.newer(seen))
    }

    /// Returns all sinks except these.
    fn other_sinks(&self, but: &[Arc<dyn Sink>]) -> Vec<Arc<dyn Sink>> {
        let is_other = |sink: &&Arc<dyn Sink>| !but.iter().any(|but| Arc::ptr_eq(sink, but));
        self.sinks.lock().iter().filter(is_other).cloned().collect()
    }

    pub(super) fn active(&self, now: Moment) {
        self.activity.store(nanos(now), Ordering::Relaxed);
    }

    /// Returns the checksum of the objects of the sink with the most objects.
    async fn checksum(&self) -> u64 {
        let fullest = self.sinks.lock().iter().max_by_key(|sink| sink.objects()).cloned();
        let Some(sink) = fullest else { return 0 };
        let (mut end, mut checksum) = (usize::MAX, 0_u64);
        while end > 0 {
            let (start, portion) = sink.checksum_before(end);
            (end, checksum) = (start, checksum.wrapping_add(portion));
            tokio::task::yield_now().await;
        }
        checksum
    }

    fn health(&self, cluster: &str) -> WatchHealth {
        let sinks = self.sinks.lock();
        WatchHealth {
            cluster: cluster.to_owned(),
            spec: self.spec.clone(),
            status: self.status.borrow().clone(),
            last_activity: Moment(Duration::from_nanos(self.activity.load(Ordering::Relaxed))),
            users: *self.users.borrow(),
            is_awaited: self.awaited.load(Ordering::Relaxed) > 0,
            objects: sinks.iter().map(|sink| sink.objects()).max().unwrap_or(0),
            skipped: sinks.iter().map(|sink| sink.skipped()).max().unwrap_or(0),
        }
    }
}

/// Returns true if two projectors make equal projections of all objects.
fn keep_the_same<P: Send + Sync + 'static>(one: &dyn Project<Output = P>, other: &dyn Project<Output = P>) -> bool {
    let is_one = std::ptr::addr_eq(one, other);
    is_one || one.shared_as().is_some() && one.shared_as() == other.shared_as()
}

fn nanos(moment: Moment) -> u64 {
    u64::try_from(moment.0.as_nanos()).unwrap_or(u64::MAX)
}

impl fmt::Debug for Watches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watches").field("cluster", &self.inner.connection.name()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Server;
    use crate::watch::project_with;

    #[tokio::test(start_paused = true)]
    async fn objects_that_are_just_being_taken_again_are_not_forgotten() {
        let cluster = Server::new().cluster();
        let watch = Watch::new(WatchSpec::new(GroupKind::new("", "ConfigMap")), Moment(Duration::ZERO), WatchCounters::default());
        let projector = project_with(|_| ());
        let connection = &cluster.watches().inner.connection;
        let synced = |sink: Arc<Projected<()>>| {
            sink.begin_list();
            sink.end_list("1");
            sink
        };
        // The other user keeps the watch itself alive.
        let _other = synced(watch.sink(project_with(|_| ()), connection));
        watch.users.send_modify(|users| *users += 1);
        let sink = synced(watch.sink(projector.clone(), connection));
        sink.users.fetch_sub(1, Ordering::AcqRel);
        let again = watch.sink(projector, connection);
        assert!(Arc::ptr_eq(&sink, &again));
        assert_eq!(watch.used_sinks().len(), 2);
        again.users.fetch_sub(1, Ordering::AcqRel);
        assert_eq!(watch.used_sinks().len(), 1, "the other one has a user");
    }
}
