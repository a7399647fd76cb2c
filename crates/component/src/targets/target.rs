use std::fmt;
use std::sync::Arc;

use kubewright_core::dependents::ProjectionContext;
use kubewright_machinery::object::Key;
use kubewright_render::KubeconfigDigest;
use kubewright_runtime::cluster::{Cluster, ImpersonatedIdentity};
use kubewright_runtime::events::Recorder;
use kubewright_runtime::targets::{NotReached, Remote, RemoteOptions, TargetConnector, TargetError, TargetKey, Used};
use kubewright_runtime::task::Tasks;
use kubewright_runtime::watch::WatchState;

use crate::execute::Sender;
use crate::observe::{AwaitedWatches, DependentWatches, Notify};

/// The cluster of the dependents of some components, and the identity that writes them.
pub(crate) struct DependentsTarget {
    pub(crate) sender: Sender,
    /// The recorder of events on the dependents, in their cluster (EVT-3).
    pub(crate) recorder: Recorder,
    pub(crate) dependents: DependentWatches,
    pub(crate) awaited: AwaitedWatches,
    /// The watches with the identity that writes dependents, for kinds that the operator itself may not watch (WATCH-4).
    pub(crate) fallback: Option<DependentWatches>,
    /// The connection to another cluster. Only such a cluster can be out of reach while the operator works.
    remote: Option<Remote>,
}

/// The use of a target by a component.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum TargetUse {
    /// The component has its dependents there.
    Dependents(Key),
    /// The rendering of the component looks up objects there, with the kubeconfig of this digest.
    Lookups(Key, KubeconfigDigest),
}

/// The factory of targets.
pub(crate) struct TargetFactory {
    /// The operator's name, under which clients present themselves to other clusters.
    pub(crate) operator: String,
    pub(crate) cluster: Cluster,
    pub(crate) tasks: Tasks,
    pub(crate) projection: Arc<ProjectionContext>,
    pub(crate) notify: Notify,
    /// The recorder of events in the components' own cluster.
    pub(crate) recorder: Recorder,
    pub(crate) field_manager: Arc<str>,
    pub(crate) parallel: usize,
    pub(crate) allow_exec: bool,
    /// The connector that replaces connections to other clusters, if there is one.
    pub(crate) connector: Option<TargetConnector>,
}

impl TargetFactory {
    /// Creates the target for the components' own cluster with the operator's own identity.
    pub(super) fn local(&self) -> DependentsTarget {
        self.target(&self.cluster, self.recorder.clone(), None)
    }

    /// Creates the target for the components' own cluster with another identity. It is watched with the operator's own identity.
    pub(super) fn impersonating(
        &self,
        local: &DependentsTarget,
        who: &ImpersonatedIdentity,
    ) -> Result<DependentsTarget, TargetError> {
        let cluster = self.cluster.acting_as(who)?;
        Ok(DependentsTarget {
            sender: self.sender(&cluster),
            recorder: self.recorder.clone(),
            dependents: local.dependents.clone(),
            awaited: local.awaited.clone(),
            fallback: Some(self.watches(&cluster)),
            remote: None,
        })
    }

    /// Creates the target for the cluster of a kubeconfig, which alone decides the identity (TGT-2).
    pub(super) async fn remote(&self, key: &TargetKey, text: &[u8]) -> Result<DependentsTarget, TargetError> {
        let remote = Remote::connect(key, text, &self.remote_options()).await?;
        let cluster = remote.cluster().clone();
        Ok(self.target(&cluster, self.recorder.on(&cluster, &self.tasks), Some(remote)))
    }

    fn remote_options(&self) -> RemoteOptions {
        RemoteOptions {
            cluster: self.cluster.clone(),
            tasks: self.tasks.clone(),
            operator: self.operator.clone(),
            allow_exec: self.allow_exec,
            connector: self.connector.clone(),
        }
    }

    fn target(&self, cluster: &Cluster, recorder: Recorder, remote: Option<Remote>) -> DependentsTarget {
        DependentsTarget {
            sender: self.sender(cluster),
            recorder,
            dependents: self.watches(cluster),
            awaited: AwaitedWatches::new(
                cluster.clone(),
                self.tasks.clone(),
                self.projection.operator.clone(),
                Arc::clone(&self.notify),
            ),
            fallback: None,
            remote,
        }
    }

    fn sender(&self, cluster: &Cluster) -> Sender {
        Sender::new(cluster.clone(), Arc::clone(&self.field_manager), self.parallel)
    }

    fn watches(&self, cluster: &Cluster) -> DependentWatches {
        let (projection, notify) = (Arc::clone(&self.projection), Arc::clone(&self.notify));
        DependentWatches::new(cluster.clone(), self.tasks.clone(), projection, notify)
    }
}

impl DependentsTarget {
    pub(crate) fn cluster(&self) -> &Cluster {
        self.sender.cluster()
    }

    /// Checks that the cluster answers. No request is sent while the result is known.
    pub(crate) async fn check(&self) -> Result<(), NotReached> {
        match &self.remote {
            Some(remote) => remote.check().await,
            None => Ok(()),
        }
    }

    /// Returns the reason why the cluster does not answer.
    pub(super) fn problem(&self) -> Option<String> {
        self.remote.as_ref()?.problem()
    }

    /// Returns the cluster and the state of each watch of this target on dependents.
    pub(super) fn watches(&self) -> Vec<(String, WatchState)> {
        // The watches with the operator's own identity belong to the target of that identity.
        let own = self.fallback.as_ref().unwrap_or(&self.dependents);
        own.states().into_iter().map(|state| (self.cluster().name().to_owned(), state)).collect()
    }
}

impl DependentsTarget {
    /// Forgets a component that no longer has its dependents here.
    pub(super) fn forget(&self, component: &Key) {
        self.dependents.forget(component);
        self.awaited.set(component, std::collections::HashSet::new());
        if let Some(fallback) = &self.fallback {
            fallback.forget(component);
        }
    }
}

impl Used<TargetUse> for DependentsTarget {
    fn forget(&self, user: &TargetUse) {
        // The watches of lookups are those of the component's other lookups, which end them.
        if let TargetUse::Dependents(component) = user {
            self.forget(component);
        }
    }

    fn end(&self) {
        if let Some(remote) = &self.remote {
            remote.end();
        }
    }
}

impl fmt::Debug for DependentsTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DependentsTarget").field("cluster", &self.cluster().name()).finish_non_exhaustive()
    }
}

impl fmt::Debug for TargetFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TargetFactory").field("operator", &self.operator).finish_non_exhaustive()
    }
}
