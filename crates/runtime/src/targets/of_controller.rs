use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use kubewright_core::flow::Flow;
use kubewright_core::tracker::Settlement;
use kubewright_machinery::object::Key;
use parking_lot::Mutex;

use super::used::{Access, StartTriggers, StoreId, TargetUser, UsedCluster};
use super::{ClusterStatistics, RefusedKubeconfig, RemoteOptions, TargetError, TargetKey, TargetMetrics, TargetsInUse};
use crate::admin::{DuplicateCheck, HealthChecks};
use crate::controller::QueueHandle;
use crate::metrics::Metrics;
use crate::watch::{Namespaces, WatchState};

/// The targets that the keys of a controller use. The controllers of an operator share connections and watches. Cheap to clone.
#[derive(Clone)]
pub(crate) struct ControllerTargets {
    inner: Arc<SharedTargets>,
}

struct SharedTargets {
    controller: Arc<str>,
    options: RemoteOptions,
    system_namespace: Arc<str>,
    registry: TargetsInUse<TargetUser, UsedCluster>,
    roles: AtomicUsize,
    made: AtomicU64,
    triggers: OnceLock<Box<[Box<dyn StartTriggers>]>>,
}

/// The targets that one pass has selected, by role, each with the stores that the pass has opened in it.
#[derive(Default)]
pub(crate) struct PassTargets(Mutex<HashMap<usize, InPass>>);

/// A target of a pass.
struct InPass {
    target: Arc<UsedCluster>,
    opened: HashSet<StoreId>,
}

/// A target that a key has selected.
pub(crate) struct Selected {
    pub(crate) target: Arc<UsedCluster>,
    pub(crate) access: Access,
    /// The target that the key has left for this one.
    pub(crate) left: Option<Arc<UsedCluster>>,
}

impl ControllerTargets {
    /// Creates the targets of an operator, without a controller.
    pub(crate) fn new(options: RemoteOptions, system_namespace: Arc<str>) -> Self {
        let registry = TargetsInUse::new(options.cluster.clock().clone(), options.tasks.clone());
        Self::of("".into(), options, system_namespace, registry)
    }

    /// Returns the targets of a controller of the same operator.
    pub(crate) fn for_controller(&self, name: &str) -> Self {
        let SharedTargets { options, system_namespace, registry, .. } = &*self.inner;
        Self::of(name.into(), options.clone(), Arc::clone(system_namespace), registry.clone())
    }

    fn of(
        controller: Arc<str>,
        options: RemoteOptions,
        system_namespace: Arc<str>,
        registry: TargetsInUse<TargetUser, UsedCluster>,
    ) -> Self {
        let (roles, made, triggers) = (AtomicUsize::new(0), AtomicU64::new(0), OnceLock::new());
        Self { inner: Arc::new(SharedTargets { controller, options, system_namespace, registry, roles, made, triggers }) }
    }

    /// Returns the namespaces of a store in a target; empty means all. The namespaces to which the operator is confined apply only to its own cluster.
    pub(crate) fn namespaces(&self, namespaces: &Namespaces) -> Vec<String> {
        match namespaces {
            Namespaces::Watched | Namespaces::All => Vec::new(),
            Namespaces::System => vec![self.inner.system_namespace.to_string()],
            Namespaces::These(namespaces) => namespaces.clone(),
        }
    }

    /// Adds a role in which the controller uses targets. The first role adds the targets to health and metrics.
    pub(crate) fn role(&self, checks: &HealthChecks, metrics: &Metrics) -> Result<usize, DuplicateCheck> {
        let role = self.inner.roles.fetch_add(1, Ordering::Relaxed);
        if role == 0 {
            let this = self.clone();
            checks.note(format!("targets of {}", self.inner.controller), move || {
                let problems = this.problems();
                if problems.is_empty() { Ok(()) } else { Err(problems.join(", ")) }
            })?;
            let statistics = Arc::clone(&self.inner) as Arc<dyn ClusterStatistics>;
            TargetMetrics::of(metrics).add(Arc::clone(&self.inner.controller), Arc::downgrade(&statistics));
        }
        Ok(role)
    }

    /// Sets the triggers that are started in each target. It must be called before the first pass.
    pub(crate) fn set_triggers(&self, triggers: Vec<Box<dyn StartTriggers>>) {
        drop(self.inner.triggers.set(triggers.into()));
    }

    /// Returns the user that stands for a key in a role.
    pub(crate) fn user(&self, role: usize, key: &Key) -> TargetUser {
        TargetUser { controller: Arc::clone(&self.inner.controller), role, key: key.clone() }
    }

    /// Selects the target that a key uses from now on in a role.
    pub(crate) async fn select(
        &self,
        pass: &PassTargets,
        user: &TargetUser,
        kubeconfig: &[u8],
        queue: QueueHandle,
    ) -> Result<Selected, TargetError> {
        let SharedTargets { options, registry, made, .. } = &*self.inner;
        let empty = || RefusedKubeconfig::Unreadable("it is empty".to_owned());
        let key = TargetKey::of(Some(kubeconfig), None).ok_or_else(empty)?;
        let former = registry.known(user);
        let make = async {
            let target = UsedCluster::connect(&key, kubeconfig, options).await?;
            made.fetch_add(1, Ordering::Relaxed);
            Ok::<_, TargetError>(target)
        };
        let target = registry.select(user, &key, make).await?;
        let left = former.filter(|former| !Arc::ptr_eq(former, &target));
        Ok(Selected { access: self.join(pass, user, &target, queue), target, left })
    }

    /// Returns the target that a key last used in a role.
    pub(crate) fn known(&self, pass: &PassTargets, user: &TargetUser, queue: QueueHandle) -> Option<Selected> {
        let target = self.inner.registry.known(user)?;
        Some(Selected { access: self.join(pass, user, &target, queue), target, left: None })
    }

    fn join(&self, pass: &PassTargets, user: &TargetUser, target: &Arc<UsedCluster>, queue: QueueHandle) -> Access {
        let mut selected = pass.0.lock();
        if !selected.get(&user.role).is_some_and(|selected| Arc::ptr_eq(&selected.target, target)) {
            selected.insert(user.role, InPass { target: Arc::clone(target), opened: HashSet::new() });
        }
        drop(selected);
        target.join(user, queue, self.inner.triggers.get().map(|triggers| &**triggers).unwrap_or_default())
    }

    /// Ends a pass: after a success the key keeps only the targets and stores that the pass used (CLU-6). Returns the targets that it has left.
    pub(crate) fn settle(&self, pass: &PassTargets, key: &Key, outcome: &Flow) -> Vec<Arc<UsedCluster>> {
        let selected = std::mem::take(&mut *pass.0.lock());
        if Settlement::of(outcome) != Settlement::Replace {
            return Vec::new();
        }
        let mut left = Vec::new();
        for role in 0..self.inner.roles.load(Ordering::Relaxed) {
            let user = self.user(role, key);
            match selected.get(&role) {
                Some(InPass { target, opened }) => target.keep_only(&user, opened),
                None => left.extend(self.inner.registry.leave(&user)),
            }
        }
        left
    }

    /// Drops the targets of a key whose object is gone or belongs to another controller.
    pub(crate) fn forget(&self, key: &Key) {
        for role in 0..self.inner.roles.load(Ordering::Relaxed) {
            self.inner.registry.leave(&self.user(role, key));
        }
    }

    /// Returns the problems of the controller's targets that do not answer.
    fn problems(&self) -> Vec<String> {
        let mut problems: Vec<String> = self.inner.targets().iter().filter_map(|target| target.problem()).collect();
        problems.sort_unstable();
        problems
    }
}

impl SharedTargets {
    fn targets(&self) -> Vec<Arc<UsedCluster>> {
        let mut targets = self.registry.targets();
        targets.retain(|target| target.is_known_to(&self.controller));
        targets
    }
}

impl PassTargets {
    /// Records that the pass has opened a store.
    pub(crate) fn opened(&self, role: usize, store: StoreId) {
        if let Some(selected) = self.0.lock().get_mut(&role) {
            selected.opened.insert(store);
        }
    }
}

impl ClusterStatistics for SharedTargets {
    fn watches(&self) -> Vec<(String, WatchState)> {
        let health = self.targets().into_iter().flat_map(|target| target.cluster().watches().health());
        health.map(|watch| (watch.cluster, watch.status.state)).collect()
    }

    fn clients(&self) -> (u64, usize) {
        (self.made.load(Ordering::Relaxed), self.targets().len())
    }
}

impl fmt::Debug for ControllerTargets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ControllerTargets").field("controller", &self.inner.controller).finish_non_exhaustive()
    }
}
