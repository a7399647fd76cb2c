use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use kubewright_core::dependents::{BlockingObjectState, Owner};
use kubewright_core::manifest::OperatorName;
use kubewright_core::why::QueuedBy;
use kubewright_machinery::object::{Key, ObjectExt as _};
use kubewright_runtime::cluster::Cluster;
use kubewright_runtime::task::Tasks;
use kubewright_runtime::trigger::{News, follow};
use kubewright_runtime::watch::{Cause, Change, Project, ProjectedStore, WatchSpec, WatchState, presence, project_with};
use parking_lot::Mutex;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{Notify, caused_by, title};

/// An obstacle that a component waits for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Obstacle {
    /// A single object, with its state as the pass observed it. Relevant are its creation and deletion, the start of its deletion, and its
    /// owner.
    Object(WatchSpec, BlockingObjectState),
    /// Foreign instances of a type. Relevant is that none is left.
    Instances(WatchSpec),
    /// A type that is not served. Relevant is that a definition is created or changed.
    Type(WatchSpec),
}

/// The part of a single object that is relevant to a component that waits for it.
#[derive(PartialEq)]
struct ObstacleMarks {
    labels: Option<Value>,
    owner: Option<Owner>,
    is_terminating: bool,
}

impl ObstacleMarks {
    fn of(object: &Value, name: &OperatorName) -> Self {
        Self {
            labels: object.pointer("/metadata/labels").cloned(),
            owner: Owner::of(object, name),
            is_terminating: object.deletion_timestamp().is_some(),
        }
    }
}

/// Returns the state of the object of a watch. `None` if it has an owner under the operator's own name.
fn observed_state(store: &ProjectedStore<ObstacleMarks>) -> Option<BlockingObjectState> {
    let found = store.list();
    let Some((_, marks)) = found.first() else {
        return Some(BlockingObjectState::Absent);
    };
    match &marks.owner {
        _ if marks.is_terminating => Some(BlockingObjectState::Terminating),
        None => Some(BlockingObjectState::Unowned),
        Some(owner) => (!owner.is_under_our_name()).then_some(BlockingObjectState::Foreign),
    }
}

type AtFirst<P> = Box<dyn Fn(&ProjectedStore<P>) -> bool + Send + Sync>;

/// The changes of one obstacle that queue a component.
struct Interest<P: Send + Sync + 'static> {
    /// A test that is true if the first list shows a change since the observation of the pass, which no event reports.
    at_first: AtFirst<P>,
    /// A test that is true if a change is relevant.
    later: fn(&ProjectedStore<P>, &Change<P>) -> bool,
}

/// Watches on the obstacles of single components: foreign instances of their types, and objects that are not theirs. They carry metadata only,
/// and exist only while a component waits.
#[derive(Clone)]
pub(crate) struct AwaitedWatches {
    inner: Arc<SharedAwaitedWatches>,
}

struct SharedAwaitedWatches {
    cluster: Cluster,
    tasks: Tasks,
    /// The prefix of the operator's own owner marks.
    name: OperatorName,
    notify: Notify,
    awaited: Mutex<HashMap<Key, AwaitedObstacles>>,
}

struct AwaitedObstacles {
    obstacles: HashSet<Obstacle>,
    /// The types of obstacles whose watch is forbidden.
    refused: Arc<Mutex<BTreeSet<String>>>,
    stop: CancellationToken,
}

/// The component that listens to one obstacle, and the token that ends it.
struct Listener {
    component: Key,
    refused: Arc<Mutex<BTreeSet<String>>>,
    stop: CancellationToken,
}

impl AwaitedWatches {
    /// Creates the watches. `name` is the prefix of the operator's own owner marks.
    pub(crate) fn new(cluster: Cluster, tasks: Tasks, name: OperatorName, notify: Notify) -> Self {
        Self { inner: Arc::new(SharedAwaitedWatches { cluster, tasks, name, notify, awaited: Mutex::default() }) }
    }

    /// Replaces the obstacles that the component waits for.
    pub(crate) fn set(&self, component: &Key, obstacles: HashSet<Obstacle>) {
        let mut awaited = self.inner.awaited.lock();
        if awaited.get(component).is_some_and(|before| before.obstacles == obstacles) {
            return;
        }
        if let Some(before) = awaited.remove(component) {
            before.stop.cancel();
        }
        if obstacles.is_empty() {
            return;
        }
        let (stop, refused) = (CancellationToken::new(), Arc::default());
        for obstacle in &obstacles {
            let listener = Listener { component: component.clone(), refused: Arc::clone(&refused), stop: stop.clone() };
            match obstacle.clone() {
                Obstacle::Object(spec, seen) => {
                    let name = self.inner.name.clone();
                    let at_first = Box::new(move |store: &ProjectedStore<ObstacleMarks>| observed_state(store) != Some(seen));
                    let interest = Interest { at_first, later: |_, change| change.old != change.new };
                    self.listen(listener, spec, project_with(move |object| ObstacleMarks::of(object, &name)), interest);
                }
                Obstacle::Instances(spec) => {
                    let interest = Interest { at_first: Box::new(ProjectedStore::is_empty), later: |store, _| store.is_empty() };
                    self.listen(listener, spec, presence(), interest);
                }
                Obstacle::Type(spec) => {
                    // The change does not show which definition it is, so the pass checks it.
                    let interest = Interest { at_first: Box::new(|_| true), later: |_, _| true };
                    self.listen(listener, spec, presence(), interest);
                }
            }
        }
        awaited.insert(component.clone(), AwaitedObstacles { obstacles, refused, stop });
    }

    /// Returns the types of the component's obstacles whose watch is forbidden. No event reports that these obstacles are gone.
    pub(crate) fn refused(&self, component: &Key) -> BTreeSet<String> {
        self.inner.awaited.lock().get(component).map(|awaited| awaited.refused.lock().clone()).unwrap_or_default()
    }

    fn listen<P: Send + Sync + 'static>(
        &self,
        listener: Listener,
        spec: WatchSpec,
        projector: Arc<dyn Project<Output = P>>,
        interest: Interest<P>,
    ) {
        let Listener { component, refused, stop } = listener;
        let inner = &self.inner;
        let name = format!("awaited {spec}");
        let kind = title(spec.kind());
        let store = inner.cluster.watches().subscribe(spec, projector);
        let (notify, shown) = (Arc::clone(&inner.notify), store.clone());
        let of = Arc::new(store.kind().clone());
        let tell = move |news: News<P>| {
            let cause = match news {
                News::Synced => (interest.at_first)(&shown).then(|| QueuedBy::WatchTurned(Arc::clone(&of))),
                News::Changed(change) => {
                    let is_news = change.cause != Cause::Initial && (interest.later)(&shown, &change);
                    is_news.then(|| caused_by(&of, &change))
                }
                News::Turned(status) => {
                    let is_news = match status.state {
                        WatchState::Forbidden => refused.lock().insert(kind.clone()),
                        WatchState::Watching => refused.lock().remove(&kind),
                        _ => false,
                    };
                    is_news.then(|| QueuedBy::WatchTurned(Arc::clone(&of)))
                }
                _ => None,
            };
            if let Some(cause) = cause {
                notify(&component, cause);
            }
        };
        follow(store, name, &inner.tasks, stop, tell);
    }
}

impl fmt::Debug for AwaitedWatches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AwaitedWatches").field("components", &self.inner.awaited.lock().len()).finish_non_exhaustive()
    }
}
