use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kubewright_core::time::Moment;
use kubewright_core::why::QueuedBy;
use kubewright_machinery::object::Key;
use kubewright_render::{KubeconfigDigest, LookupKubeconfig, RenderError};
use kubewright_runtime::cluster::{Cluster, ImpersonatedIdentity};
use kubewright_runtime::targets::TargetError;
use kubewright_runtime::task::Tasks;
use kubewright_runtime::trigger::{News, follow};
use kubewright_runtime::watch::{Project, project_with};
use parking_lot::Mutex;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::environment::PassEnvironment;
use super::object::{Lookup, WatchedLookup, answer};
use super::types::refused;
use crate::defaults::SERVER_VERSION_AGE;
use crate::observe::{Notify, caused_by};
use crate::targets::{DependentsTarget, TargetRegistry};

/// The delay between the last change of a definition and one more read of the types: a server's discovery may list a type a little later than
/// its definition.
const SETTLING: Duration = Duration::from_secs(5);

/// The lookups of all components of one type. A component is queued when an answer to its rendering changes.
#[derive(Clone)]
pub(crate) struct Lookups {
    inner: Arc<SharedLookups>,
}

struct SharedLookups {
    local: Cluster,
    /// The clusters of the kubeconfigs that renderings give to lookups, shared with those of dependents.
    targets: TargetRegistry,
    tasks: Tasks,
    notify: Notify,
    /// One projector for all watches, so that equal watches share their objects.
    projector: Arc<dyn Project<Output = Value>>,
    state: Mutex<LookupState>,
}

#[derive(Default)]
struct LookupState {
    components: HashMap<Key, ComponentLookups>,
    /// The version documents of servers, by the name of the cluster.
    versions: HashMap<String, (Moment, Arc<Value>)>,
}

/// The lookups of one component.
#[derive(Default)]
struct ComponentLookups {
    listening: BTreeMap<LookupSubject, Listening>,
    /// The kubeconfigs whose clusters the component uses.
    kubeconfigs: BTreeSet<KubeconfigDigest>,
}

/// A cluster, accessed with one identity.
#[derive(Clone)]
pub(super) struct Scene {
    pub(super) cluster: Cluster,
    /// The name that distinguishes clusters and identities.
    pub(super) name: String,
}

impl Scene {
    /// Returns a cluster whose identity follows from its name.
    pub(super) fn of(cluster: &Cluster) -> Self {
        Self { cluster: cluster.clone(), name: cluster.name().to_owned() }
    }
}

/// The subject of a lookup that a component listens to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LookupSubject {
    /// The types that a cluster serves.
    Types { scene: String },
    /// Objects of a cluster.
    Objects { scene: String, lookup: Lookup },
}

/// A task that listens to a subject. The task ends when this is dropped.
struct Listening {
    watched: Option<WatchedLookup>,
    stop: CancellationToken,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Lookups {
    pub(crate) fn new(local: Cluster, targets: TargetRegistry, tasks: Tasks, notify: Notify) -> Self {
        let inner = SharedLookups { local, targets, tasks, notify, projector: project_with(answer), state: Mutex::default() };
        Self { inner: Arc::new(inner) }
    }

    /// Returns the environment of a pass for a component whose dependents are in the cluster `target` and written with the identity `who`.
    pub(crate) fn for_pass(&self, component: &Key, target: &Cluster, who: Option<&ImpersonatedIdentity>) -> PassEnvironment {
        let name = match who {
            Some(who) => format!("{} as {who:?}", target.name()),
            None => target.name().to_owned(),
        };
        PassEnvironment {
            lookups: self.clone(),
            component: component.clone(),
            local: Scene::of(&self.inner.local),
            target: Scene { cluster: target.clone(), name },
            checked_elsewhere: Mutex::default(),
        }
    }

    /// Connects to the cluster of a kubeconfig, which the component uses until [`keep`](Self::keep) is called without it.
    pub(super) async fn connect(&self, component: &Key, kubeconfig: &LookupKubeconfig) -> Result<(), TargetError> {
        self.inner.targets.select_for_lookups(component, kubeconfig).await?;
        self.inner.state.lock().components.entry(component.clone()).or_default().kubeconfigs.insert(kubeconfig.digest());
        Ok(())
    }

    /// Returns the target of a kubeconfig that the component is connected to.
    pub(super) fn connected(&self, component: &Key, kubeconfig: KubeconfigDigest) -> Option<Arc<DependentsTarget>> {
        self.inner.targets.known_for_lookups(component, kubeconfig)
    }

    /// Ends the component's watches on all other subjects, and its use of the clusters of all other kubeconfigs.
    pub(super) fn keep(&self, component: &Key, subjects: &BTreeSet<LookupSubject>, kubeconfigs: &BTreeSet<KubeconfigDigest>) {
        let unused = {
            let mut state = self.inner.state.lock();
            let Some(lookups) = state.components.get_mut(component) else { return };
            lookups.listening.retain(|subject, _| subjects.contains(subject));
            let unused: Vec<_> = lookups.kubeconfigs.extract_if(.., |digest| !kubeconfigs.contains(digest)).collect();
            if lookups.listening.is_empty() && lookups.kubeconfigs.is_empty() {
                state.components.remove(component);
            }
            unused
        };
        self.leave(component, unused);
    }

    /// Forgets a component that is gone.
    pub(crate) fn forget(&self, component: &Key) {
        let lookups = self.inner.state.lock().components.remove(component);
        self.leave(component, lookups.into_iter().flat_map(|lookups| lookups.kubeconfigs));
    }

    fn leave(&self, component: &Key, kubeconfigs: impl IntoIterator<Item = KubeconfigDigest>) {
        for digest in kubeconfigs {
            self.inner.targets.leave_lookups(component, digest);
        }
    }

    /// Returns the version document of a server.
    pub(super) async fn version(&self, cluster: &Cluster) -> Result<Arc<Value>, RenderError> {
        let now = cluster.clock().moment();
        let known = self.inner.state.lock().versions.get(cluster.name()).cloned();
        if let Some((_, document)) = known.filter(|(read, _)| now.since(*read) < SERVER_VERSION_AGE) {
            return Ok(document);
        }
        let document = Arc::new(cluster.version().await.map_err(refused)?);
        self.inner.state.lock().versions.insert(cluster.name().to_owned(), (now, Arc::clone(&document)));
        Ok(document)
    }

    /// Queues the component whenever types of that cluster are added or removed.
    pub(super) fn follow_types(&self, component: &Key, scene: &Scene) {
        let subject = LookupSubject::Types { scene: scene.name.clone() };
        let mut state = self.inner.state.lock();
        let listening = &mut state.components.entry(component.clone()).or_default().listening;
        if listening.contains_key(&subject) {
            return;
        }
        let stop = CancellationToken::new();
        let (stopped, stopping) = (stop.clone(), self.inner.tasks.stopping());
        let (notify, component) = (Arc::clone(&self.inner.notify), component.clone());
        let (discovery, clock) = (scene.cluster.discovery().clone(), scene.cluster.clock().clone());
        let mut changes = discovery.changes();
        let listen = async move {
            let mut settled: Option<Moment> = None;
            loop {
                let (at, timer) = (settled, &clock);
                let quiet = async move {
                    match at {
                        Some(at) => timer.sleep_until(at).await,
                        None => std::future::pending().await,
                    }
                };
                tokio::select! {
                    () = stopped.cancelled() => return,
                    () = stopping.cancelled() => return,
                    changed = changes.changed() => {
                        if changed.is_err() {
                            return;
                        }
                        settled = Some(clock.moment() + SETTLING);
                    }
                    () = quiet => {
                        settled = None;
                        discovery.outdate();
                    }
                }
                notify(&component, QueuedBy::TypesChanged);
            }
        };
        self.inner.tasks.spawn(format!("types for renderings in {}", scene.name), listen).detach();
        listening.insert(subject, Listening { watched: None, stop });
    }

    /// Watches objects, and queues the component whenever they differ from the last answer.
    pub(super) fn watch(&self, component: &Key, scene: &Scene, lookup: Lookup) -> WatchedLookup {
        let spec = lookup.watch();
        let subject = LookupSubject::Objects { scene: scene.name.clone(), lookup: lookup.clone() };
        let mut state = self.inner.state.lock();
        let listening = &mut state.components.entry(component.clone()).or_default().listening;
        if let Some(watched) = listening.get(&subject).and_then(|listening| listening.watched.clone()) {
            return watched;
        }
        let task = format!("lookup {spec}");
        let watched = WatchedLookup::new(lookup, scene.cluster.watches().subscribe(spec, Arc::clone(&self.inner.projector)));
        let (notify, component) = (Arc::clone(&self.inner.notify), component.clone());
        let (stop, here) = (CancellationToken::new(), watched.clone());
        let kind = Arc::new(watched.store.kind().clone());
        let tell = move |news: News<Value>| {
            let cause = match news {
                News::Synced => (here.was_missed() || here.is_news()).then(|| QueuedBy::WatchTurned(Arc::clone(&kind))),
                News::Changed(change) => here.is_news().then(|| caused_by(&kind, &change)),
                _ => None,
            };
            if let Some(cause) = cause {
                notify(&component, cause);
            }
        };
        follow(watched.store.clone(), task, &self.inner.tasks, stop.clone(), tell);
        listening.insert(subject, Listening { watched: Some(watched.clone()), stop });
        watched
    }
}

impl fmt::Debug for Lookups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lookups").field("components", &self.inner.state.lock().components.len()).finish_non_exhaustive()
    }
}
