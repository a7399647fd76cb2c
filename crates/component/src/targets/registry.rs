use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use kubewright_core::time::Moment;
use kubewright_machinery::object::{Key, sha256_hex};
use kubewright_runtime::cluster::{ConnectError, Impersonation};
use kubewright_runtime::watch::WatchState;
use parking_lot::Mutex;
use serde_json::json;

use super::kubeconfig::RefusedKubeconfig;
use super::reach::NotReached;
use super::target::{Target, TargetFactory};
use crate::metrics::ClusterStatistics;

/// How long a target outlives its last component (TGT-4).
const UNUSED: Duration = Duration::from_mins(15);

/// What tells targets from each other: the kubeconfig, or in whose name the components' own cluster is used.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TargetKey(String);

impl TargetKey {
    /// `None` for the components' own cluster in the operator's own name.
    pub(crate) fn of(kubeconfig: Option<&[u8]>, who: Option<&Impersonation>) -> Option<Self> {
        let kubeconfig = kubeconfig.filter(|text| !text.is_empty());
        // A kubeconfig alone decides.
        let who = who.filter(|_| kubeconfig.is_none());
        if kubeconfig.is_none() && who.is_none() {
            return None;
        }
        let parts = json!([kubeconfig.map(sha256_hex), who.map(|who| json!([who.user, who.groups]))]);
        Some(Self(sha256_hex(parts.to_string().as_bytes())))
    }

    /// For logs and metrics: enough to tell targets from each other.
    fn name(&self) -> String {
        format!("target-{}", self.0.get(..8).unwrap_or(&self.0))
    }
}

/// There is no way to a target.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TargetError {
    #[error(transparent)]
    Kubeconfig(#[from] RefusedKubeconfig),
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error(transparent)]
    NotReached(#[from] NotReached),
}

/// The targets of all components of a type.
#[derive(Clone)]
pub(crate) struct Targets {
    inner: Arc<Inner>,
}

struct Inner {
    factory: TargetFactory,
    local: Arc<Target>,
    made: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    targets: HashMap<TargetKey, Entry>,
    used: HashMap<Key, TargetKey>,
}

struct Entry {
    target: Arc<Target>,
    users: HashSet<Key>,
    /// Since when there is no user.
    unused: Option<Moment>,
}

impl Targets {
    pub(crate) fn new(factory: TargetFactory) -> Self {
        let local = Arc::new(factory.local());
        Self { inner: Arc::new(Inner { factory, local, made: AtomicU64::new(0), state: Mutex::default() }) }
    }

    /// The components' own cluster, in the operator's own name.
    pub(crate) fn local(&self) -> &Arc<Target> {
        &self.inner.local
    }

    /// The target that a component uses from now on.
    pub(crate) async fn select(
        &self,
        component: &Key,
        kubeconfig: Option<&[u8]>,
        who: Option<&Impersonation>,
    ) -> Result<Arc<Target>, TargetError> {
        let Some(key) = TargetKey::of(kubeconfig, who) else {
            self.leave(component, None);
            return Ok(Arc::clone(&self.inner.local));
        };
        let known = self.inner.state.lock().targets.get(&key).map(|entry| Arc::clone(&entry.target));
        let target = match known {
            Some(target) => target,
            None => self.make(&key, kubeconfig, who).await?,
        };
        self.leave(component, Some(&key));
        let mut state = self.inner.state.lock();
        let new = || Entry { target, users: HashSet::new(), unused: None };
        // Two passes may have made one; the first counts.
        let entry = state.targets.entry(key.clone()).or_insert_with(new);
        entry.users.insert(component.clone());
        entry.unused = None;
        let target = Arc::clone(&entry.target);
        state.used.insert(component.clone(), key);
        Ok(target)
    }

    /// The target that the component used last in this process, if that is not its own cluster in the operator's own name.
    pub(crate) fn known(&self, component: &Key) -> Option<Arc<Target>> {
        let state = self.inner.state.lock();
        let key = state.used.get(component)?;
        state.targets.get(key).map(|entry| Arc::clone(&entry.target))
    }

    /// The component is gone.
    pub(crate) fn forget(&self, component: &Key) {
        self.leave(component, None);
        self.inner.local.forget(component);
    }

    /// The other clusters that do not answer, with what they say.
    pub(crate) fn problems(&self) -> Vec<String> {
        let state = self.inner.state.lock();
        let mut problems: Vec<String> = state.targets.values().filter_map(|entry| entry.target.problem()).collect();
        problems.sort_unstable();
        problems
    }

    async fn make(
        &self,
        key: &TargetKey,
        kubeconfig: Option<&[u8]>,
        who: Option<&Impersonation>,
    ) -> Result<Arc<Target>, TargetError> {
        let factory = &self.inner.factory;
        let target = match (kubeconfig.filter(|text| !text.is_empty()), who) {
            (Some(text), _) => factory.remote(key.name(), text).await?,
            (None, Some(who)) => factory.impersonating(&self.inner.local, who)?,
            (None, None) => return Ok(Arc::clone(&self.inner.local)),
        };
        self.inner.made.fetch_add(1, Ordering::Relaxed);
        Ok(Arc::new(target))
    }

    /// The component uses another target from now on, or none.
    fn leave(&self, component: &Key, next: Option<&TargetKey>) {
        let now = self.now();
        let mut state = self.inner.state.lock();
        if state.used.get(component) == next {
            return;
        }
        let before = match state.used.remove(component) {
            None => Arc::clone(&self.inner.local),
            Some(key) => match state.targets.get_mut(&key) {
                None => return,
                Some(entry) => {
                    entry.users.remove(component);
                    if entry.users.is_empty() {
                        entry.unused = Some(now);
                        self.sweep_later();
                    }
                    Arc::clone(&entry.target)
                }
            },
        };
        drop(state);
        before.forget(component);
    }

    fn sweep_later(&self) {
        let inner = Arc::downgrade(&self.inner);
        let factory = &self.inner.factory;
        let (clock, stopping) = (factory.cluster.clock().clone(), factory.tasks.stopping());
        let sweep = async move {
            tokio::select! {
                () = stopping.cancelled() => return,
                () = clock.sleep(UNUSED) => {}
            }
            if let Some(inner) = inner.upgrade() {
                Self { inner }.sweep();
            }
        };
        factory.tasks.spawn("unused targets", sweep).detach();
    }

    /// Ends what has been unused for long.
    fn sweep(&self) {
        let now = self.now();
        self.inner.state.lock().targets.retain(|_, entry| {
            let over = entry.users.is_empty() && entry.unused.is_some_and(|since| now.since(since) >= UNUSED);
            if over {
                entry.target.stop();
            }
            !over
        });
    }

    fn now(&self) -> Moment {
        self.inner.factory.cluster.clock().moment()
    }
}

impl Targets {
    /// What metrics tell of them.
    pub(crate) fn statistics(&self) -> Weak<dyn ClusterStatistics> {
        let inner: Arc<dyn ClusterStatistics> = Arc::clone(&self.inner) as Arc<dyn ClusterStatistics>;
        Arc::downgrade(&inner)
    }
}

impl ClusterStatistics for Inner {
    fn watches(&self) -> Vec<(String, WatchState)> {
        let others: Vec<Arc<Target>> = self.state.lock().targets.values().map(|entry| Arc::clone(&entry.target)).collect();
        others.iter().chain([&self.local]).flat_map(|target| target.watches()).collect()
    }

    fn clients(&self) -> (u64, usize) {
        (self.made.load(Ordering::Relaxed), self.state.lock().targets.len())
    }
}

impl fmt::Debug for Targets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Targets").field("targets", &self.inner.state.lock().targets.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // TGT-2, TGT-4
    #[test]
    fn equal_kubeconfigs_and_identities_are_one_target_and_nothing_set_is_the_own_cluster() {
        let (alice, bob) = (Impersonation::user("alice"), Impersonation::user("bob"));
        let of = |text: &str, who: Option<&Impersonation>| TargetKey::of(Some(text.as_bytes()), who);
        assert_eq!(TargetKey::of(None, None), None);
        assert_eq!(of("", None), None);
        assert_eq!(of("a", None), of("a", None));
        assert_eq!(of("a", Some(&alice)), of("a", Some(&bob)), "a kubeconfig alone decides");
        let keys = [of("a", None), of("b", None), TargetKey::of(None, Some(&alice)), of("", Some(&bob))];
        assert_eq!(keys.iter().flatten().collect::<HashSet<_>>().len(), 4);
    }
}
