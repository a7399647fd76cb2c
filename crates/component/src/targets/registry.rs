use std::fmt;
use std::sync::{Arc, Weak};

use kubewright_machinery::object::Key;
use kubewright_render::{KubeconfigDigest, LookupKubeconfig};
use kubewright_runtime::cluster::ImpersonatedIdentity;
use kubewright_runtime::targets::{ClusterStatistics, RefusedKubeconfig, TargetError, TargetKey, TargetsInUse};
use kubewright_runtime::watch::WatchState;

use super::target::{DependentsTarget, TargetFactory, TargetUse};

/// The targets of all components of a type.
#[derive(Clone)]
pub(crate) struct TargetRegistry {
    inner: Arc<SharedTargetRegistry>,
}

struct SharedTargetRegistry {
    factory: TargetFactory,
    local: Arc<DependentsTarget>,
    others: TargetsInUse<TargetUse, DependentsTarget>,
}

impl TargetRegistry {
    pub(crate) fn new(factory: TargetFactory) -> Self {
        let local = Arc::new(factory.local());
        let others = TargetsInUse::new(factory.cluster.clock().clone(), factory.tasks.clone());
        Self { inner: Arc::new(SharedTargetRegistry { factory, local, others }) }
    }

    /// Returns the components' own cluster with the operator's own identity.
    pub(crate) fn local(&self) -> &Arc<DependentsTarget> {
        &self.inner.local
    }

    /// Returns the target of a component, which uses it from now on.
    pub(crate) async fn select(
        &self,
        component: &Key,
        kubeconfig: Option<&[u8]>,
        who: Option<&ImpersonatedIdentity>,
    ) -> Result<Arc<DependentsTarget>, TargetError> {
        let SharedTargetRegistry { local, others, .. } = &*self.inner;
        let Some(key) = TargetKey::of(kubeconfig, who) else {
            self.leave(component);
            return Ok(Arc::clone(local));
        };
        let was_local = self.known(component).is_none();
        let user = TargetUse::Dependents(component.clone());
        let target = others.select(&user, &key, self.make(&key, kubeconfig, who)).await?;
        if was_local {
            local.forget(component);
        }
        Ok(target)
    }

    /// Returns the target that the component used last in this process, unless it is the components' own cluster with the operator's own
    /// identity.
    pub(crate) fn known(&self, component: &Key) -> Option<Arc<DependentsTarget>> {
        self.inner.others.known(&TargetUse::Dependents(component.clone()))
    }

    /// Notes that the component has no dependents in another target for now.
    pub(crate) fn leave(&self, component: &Key) {
        self.inner.others.leave(&TargetUse::Dependents(component.clone()));
    }

    /// Forgets a component that is gone.
    pub(crate) fn forget(&self, component: &Key) {
        self.leave(component);
        self.inner.local.forget(component);
    }

    /// Returns the target of a kubeconfig that the rendering of a component gives to lookups. The component uses it until
    /// [`leave_lookups`](Self::leave_lookups).
    pub(crate) async fn select_for_lookups(
        &self,
        component: &Key,
        kubeconfig: &LookupKubeconfig,
    ) -> Result<Arc<DependentsTarget>, TargetError> {
        let text = Some(kubeconfig.text().as_bytes());
        let empty = || RefusedKubeconfig::Unreadable("it is empty".to_owned());
        let key = TargetKey::of(text, None).ok_or_else(empty)?;
        let user = TargetUse::Lookups(component.clone(), kubeconfig.digest());
        self.inner.others.select(&user, &key, self.make(&key, text, None)).await
    }

    /// Returns the target of a kubeconfig that a component uses for lookups.
    pub(crate) fn known_for_lookups(&self, component: &Key, kubeconfig: KubeconfigDigest) -> Option<Arc<DependentsTarget>> {
        self.inner.others.known(&TargetUse::Lookups(component.clone(), kubeconfig))
    }

    /// Notes that the component no longer looks up objects with the kubeconfig.
    pub(crate) fn leave_lookups(&self, component: &Key, kubeconfig: KubeconfigDigest) {
        self.inner.others.leave(&TargetUse::Lookups(component.clone(), kubeconfig));
    }

    /// Returns the errors of the other clusters that do not answer.
    pub(crate) fn problems(&self) -> Vec<String> {
        let mut problems: Vec<String> = self.inner.others.targets().iter().filter_map(|target| target.problem()).collect();
        problems.sort_unstable();
        problems
    }

    async fn make(
        &self,
        key: &TargetKey,
        kubeconfig: Option<&[u8]>,
        who: Option<&ImpersonatedIdentity>,
    ) -> Result<DependentsTarget, TargetError> {
        let factory = &self.inner.factory;
        match (kubeconfig.filter(|text| !text.is_empty()), who) {
            (Some(text), _) => factory.remote(key, text).await,
            (None, Some(who)) => factory.impersonating(&self.inner.local, who),
            (None, None) => Ok(factory.local()),
        }
    }

    /// Returns the statistics of the targets for metrics.
    pub(crate) fn statistics(&self) -> Weak<dyn ClusterStatistics> {
        let inner: Arc<dyn ClusterStatistics> = Arc::clone(&self.inner) as Arc<dyn ClusterStatistics>;
        Arc::downgrade(&inner)
    }
}

impl ClusterStatistics for SharedTargetRegistry {
    fn watches(&self) -> Vec<(String, WatchState)> {
        self.others.targets().iter().chain([&self.local]).flat_map(|target| target.watches()).collect()
    }

    fn clients(&self) -> (u64, usize) {
        (self.others.made(), self.others.targets().len())
    }
}

impl fmt::Debug for TargetRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TargetRegistry").field("others", &self.inner.others).finish_non_exhaustive()
    }
}
