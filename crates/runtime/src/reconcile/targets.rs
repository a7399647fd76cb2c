use std::fmt;
use std::sync::Arc;

use kube::core::{DynamicObject, PartialObjectMeta};
use kubewright_core::flow::{Blocked, BoxError, Delay, Flow, Halt, Wait};
use kubewright_machinery::object::GroupVersionKind;
use serde::de::DeserializeOwned;

use super::Context;
use super::scope::PassScope;
use crate::cluster::Cluster;
use crate::inject::FromOperator;
use crate::kind::KnownKind;
use crate::operator::{Declarations, OperatorContext};
use crate::store::{NoIndexes, StoreRequest, StoreScope, StoredObjects, shared};
use crate::targets::{NotReached, Selected, TargetError, TargetUser, UsedCluster};
use crate::watch::{Namespaces, WatchSpec, WatchState};

/// The reason of a kubeconfig that is rejected.
const REFUSED: &str = "CredentialsRefused";
/// The reason of a cluster that does not answer.
const UNREACHABLE: &str = "TargetUnreachable";

/// The other clusters of a reconciler, by kubeconfigs that are only known at run time. It is an argument of a reconciler's constructor, and declares nothing.
///
/// A key uses one target at a time. A reconciler that works between two clusters requests `Targets` twice, and selects one target with each.
///
/// ```
/// use kubewright_core::flow::Flow;
/// use kubewright_runtime::reconcile::{Context, Targets};
/// use kubewright_runtime::store::AllNamespaces;
/// use k8s_openapi::api::core::v1::Node;
///
/// async fn nodes<K>(targets: &Targets, cx: &Context<K>, kubeconfig: &[u8]) -> Flow<usize> {
///     let target = targets.select(cx, kubeconfig).await?;
///     let nodes = target.store::<Node>(AllNamespaces)?;
///     Ok(nodes.len())
/// }
/// ```
#[derive(Clone)]
pub struct Targets {
    role: usize,
}

/// Another cluster, for one pass. Cheap to clone.
///
/// Objects of its stores are tracked like those of the operator's own cluster, for example with [`Context::track_key`].
#[derive(Clone)]
pub struct TargetCluster {
    scope: Arc<PassScope>,
    user: TargetUser,
    target: Arc<UsedCluster>,
    cluster: Cluster,
    client: kube::Client,
}

impl Targets {
    /// Selects the cluster of a kubeconfig, which the object uses from now on instead of the previous one.
    ///
    /// A rejected kubeconfig ends the pass as blocked, reason `CredentialsRefused`; its content is never shown. If the cluster does not answer, the pass
    /// waits, reason `TargetUnreachable`, and runs again when the cluster may answer.
    pub async fn select<K>(&self, cx: &Context<K>, kubeconfig: impl AsRef<[u8]> + Send) -> Flow<TargetCluster> {
        let scope = cx.scope();
        let (targets, user) = (&scope.services.targets, self.user(cx));
        let selected = targets.select(&scope.targets, &user, kubeconfig.as_ref(), cx.enqueue()).await;
        let selected = selected.map_err(|error| refused(scope, &error))?;
        scope.left(selected.left.as_slice());
        reached(scope, user, selected).await
    }

    /// Returns the cluster that the object last used in this process, for a `finalize` whose kubeconfig is gone. Returns None if it used none; otherwise the
    /// outcome is that of [`select`](Self::select).
    pub async fn last<K>(&self, cx: &Context<K>) -> Flow<Option<TargetCluster>> {
        let (scope, user) = (cx.scope(), self.user(cx));
        match scope.services.targets.known(&scope.targets, &user, cx.enqueue()) {
            Some(selected) => reached(scope, user, selected).await.map(Some),
            None => Ok(None),
        }
    }

    fn user<K>(&self, cx: &Context<K>) -> TargetUser {
        cx.scope().services.targets.user(self.role, cx.key())
    }
}

/// Returns the target, if it answers.
async fn reached(scope: &Arc<PassScope>, user: TargetUser, selected: Selected) -> Flow<TargetCluster> {
    let Selected { target, access, .. } = selected;
    target.check().await.map_err(|error| away(scope, target.name(), &error))?;
    Ok(TargetCluster { scope: Arc::clone(scope), user, target, cluster: access.cluster, client: access.client })
}

fn refused(scope: &PassScope, error: &TargetError) -> Halt {
    match error {
        TargetError::NotReached(error) => away(scope, "", error),
        error => Blocked::new(REFUSED, error.to_string()).into(),
    }
}

fn away(scope: &PassScope, name: &str, error: &NotReached) -> Halt {
    let again = Delay::at_least_min(error.again);
    if error.is_open {
        scope.knows_nothing_new();
    }
    Wait::after(again, UNREACHABLE).message(format!("the target cluster {name} cannot be reached: {}", error.error)).into()
}

impl TargetCluster {
    /// Returns the name of the cluster in messages, logs and metrics: `target-` and the beginning of a checksum of the kubeconfig.
    pub fn name(&self) -> &str {
        self.target.name()
    }

    /// Returns a client of the cluster. Its writes are visible at once in all stores of the cluster. A request that is not answered within 30 seconds fails.
    pub fn client(&self) -> &kube::Client {
        &self.client
    }

    /// Returns the cluster.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// Returns the store of whole objects of a kind: in one namespace (its name), in all ([`AllNamespaces`](crate::store::AllNamespaces)), or in another
    /// scope.
    ///
    /// The first key that requests it starts its watch, equal requests share it, and it is kept for the key until a successful pass does not use it. A store
    /// without a first list ends the pass as a wait, reason `WatchStarting`, `WatchFailed`, `WatchForbidden` or `KindNotServed`; a change of the watch's
    /// state repeats the pass.
    pub fn store<K: KnownKind>(&self, scope: impl Into<StoreScope>) -> Flow<StoredObjects<K>> {
        self.requested(&StoreRequest::of::<K>(scope.into()))
    }

    /// Returns the store of the metadata of a kind, like [`store`](Self::store): neither spec nor status is transferred.
    pub fn metadata<K: KnownKind>(&self, scope: impl Into<StoreScope>) -> Flow<StoredObjects<PartialObjectMeta<K>>> {
        self.requested(&StoreRequest::of::<K>(scope.into()).metadata_only())
    }

    /// Returns the store of a kind that is only known at run time, like [`store`](Self::store).
    pub fn dynamic(&self, gvk: &GroupVersionKind, scope: impl Into<StoreScope>) -> Flow<StoredObjects<DynamicObject>> {
        let scope = scope.into();
        self.opened(&scope.namespaces, WatchSpec::of_version(gvk).labels(&scope.labels).fields(&scope.fields))
    }

    fn requested<T: DeserializeOwned + Send + Sync + 'static>(&self, request: &StoreRequest) -> Flow<StoredObjects<T>> {
        self.opened(request.namespaces(), request.spec())
    }

    fn opened<T>(&self, namespaces: &Namespaces, spec: WatchSpec) -> Flow<StoredObjects<T>>
    where
        T: DeserializeOwned + Send + Sync + 'static,
    {
        let namespaces = self.scope.services.targets.namespaces(namespaces);
        let store = shared::<T, NoIndexes>(&self.cluster, &namespaces, spec);
        let (id, is_synced) = self.target.open(&self.user, &store);
        self.scope.targets.opened(self.user.role(), id);
        if is_synced {
            return Ok(store);
        }
        let (what, name, status) = (store.kept(), self.name(), store.kept().status());
        let error = status.error.map(|error| format!(": {error}")).unwrap_or_default();
        let wait = |reason: &'static str, message: String| Wait::for_event(reason).message(message).into();
        match status.state {
            WatchState::NotServed => wait("KindNotServed", format!("the target cluster {name} does not serve {what}")),
            WatchState::Forbidden => wait(
                "WatchForbidden",
                format!("grant get, list and watch of {what} in {name} to the user of the kubeconfig{error}"),
            ),
            WatchState::Retrying => wait("WatchFailed", format!("the watch of {what} in {name} fails{error}")),
            _ => {
                self.scope.knows_nothing_new();
                wait("WatchStarting", format!("the watch of {what} in {name} starts"))
            }
        }
    }
}

impl FromOperator for Targets {
    fn declare(_: &mut Declarations) {}

    fn extract(context: &OperatorContext) -> Result<Self, BoxError> {
        Ok(Self { role: context.targets.role(&context.checks, &context.metrics)? })
    }
}

impl fmt::Debug for Targets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Targets").finish_non_exhaustive()
    }
}

impl fmt::Debug for TargetCluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TargetCluster").field("cluster", &self.name()).finish_non_exhaustive()
    }
}
