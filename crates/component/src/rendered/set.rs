use std::any::type_name;
use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use kubewright_core::component::ComponentStatus;
use kubewright_core::flow::{BoxError, Delay, Failure, Flow, Halt};
use kubewright_machinery::object::Key;
use kubewright_render::ErasedGenerator;
use kubewright_runtime::cluster::RequestRetries;
use kubewright_runtime::inject::FromOperator;
use kubewright_runtime::kind::KnownKind;
use kubewright_runtime::operator::{Declarations, OperatorContext};
use kubewright_runtime::reconcile::Context;
use parking_lot::Mutex;
use tokio::sync::OnceCell;

use super::definition::{Opened, SetDefinition};
use super::host::{HostedPass, Rendering};
use super::{RenderedDeletion, Subject};
use crate::kind::Component;
use crate::operator::{identity_of, identity_request};
use crate::reconciler::{HostRequest, Hosted};

/// The dependents that a generator renders for an object, as one step of the reconciler that owns the object.
///
/// It uses the engine of components inside the pass of another reconciler. The engine observes through shared watches, plans, sends the needed
/// requests, and waits until all dependents are ready, with the policies, waves and annotations of components. Its data about the dependents is
/// a [`ComponentStatus`] in a field of the object's status. A dependent is listed there, on the server, before it is created.
///
/// The reconciler owns the finalizer: its `finalize` calls [`delete`](Self::delete). Changes of dependents start its passes.
///
/// ```
/// use kubewright::prelude::*;
///
/// #[derive(CustomResource, Component, Clone, Debug, Serialize, Deserialize, JsonSchema)]
/// #[kube(group = "example.com", version = "v1", kind = "Site", namespaced, status = "SiteStatus")]
/// struct SiteSpec {
///     text: String,
/// }
///
/// #[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
/// struct SiteStatus {
///     #[serde(default)]
///     rendered: ComponentStatus,
/// }
///
/// impl EmbedsStatus for SiteStatus {
///     fn component_status(&self) -> &ComponentStatus {
///         &self.rendered
///     }
///     fn component_status_mut(&mut self) -> &mut ComponentStatus {
///         &mut self.rendered
///     }
/// }
///
/// async fn manifests(cx: &RenderContext<Site>) -> Result<Vec<Manifest>, RenderError> {
///     let page = json!({
///         "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": cx.name() },
///         "data": { "text": cx.component().spec.text },
///     });
///     Ok(vec![Manifest::from_json(page)?])
/// }
///
/// struct SiteReconciler {
///     dependents: RenderedSet<Site>,
/// }
///
/// #[reconciler(kind = Site)]
/// impl SiteReconciler {
///     #[inject]
///     fn new(dependents: RenderedSet<Site>) -> Self {
///         Self { dependents }
///     }
///
///     async fn reconcile(&self, cx: &Context<Site>, site: &Site, status: &mut SiteStatus) -> Flow {
///         self.dependents.apply(cx, site, &mut status.rendered).await?;
///         // Everything is ready here.
///         Ok(())
///     }
///
///     async fn finalize(&self, cx: &Context<Site>, site: &Site, status: &mut SiteStatus) -> Flow {
///         self.dependents.delete(cx, site, &mut status.rendered).await
///     }
/// }
///
/// let operator: Operator = Operator::new("site-operator.example.com")
///     .rendered_set::<Site>(manifests)
///     .dependent_types([("", "configmaps")])
///     .controller(SiteReconciler::new)
///     .into();
/// # drop(operator);
/// ```
pub struct RenderedSet<K, C = K> {
    inner: Arc<SharedRenderedSet<C>>,
    owner: PhantomData<fn() -> K>,
}

struct SharedRenderedSet<C> {
    opened: Opened,
    generator: Arc<dyn ErasedGenerator<C>>,
    /// Set once the identity of the owners' cluster is known.
    identity: OnceCell<()>,
    /// The terms in which this replica led the owners.
    terms: Mutex<HashMap<Key, u64>>,
}

/// The definition of a set under the types of its owner and of its subject.
pub(super) struct RegisteredSet<K, C> {
    definition: SetDefinition<C>,
    owner: PhantomData<fn() -> K>,
}

impl<K: Component + KnownKind> RenderedSet<K> {
    /// Installs, upgrades and repairs the dependents. Returns `Ok` when all of them are as rendered, and ready.
    ///
    /// `part` is the field of the status with the data of the set. While dependents are not ready, the result is a wait for an event. It is
    /// blocked when the user must change something or the timeout of the object has expired, and failed according to the usual classes of
    /// errors.
    pub async fn apply(&self, cx: &Context<K>, object: &K, part: &mut ComponentStatus) -> Flow {
        let owner = Arc::new(object.clone());
        self.apply_as(cx, &owner, Subject::new(Arc::clone(&owner), ""), part).await
    }

    /// Deletes the dependents in the order of their annotations. Returns `Ok` when all of them are gone. An object that stays may be applied
    /// again later.
    pub async fn delete(&self, cx: &Context<K>, object: &K, part: &mut ComponentStatus) -> Flow {
        let owner = Arc::new(object.clone());
        self.delete_as(cx, &owner, Subject::new(Arc::clone(&owner), ""), part).await
    }

    /// Returns the deletion as a step of a pipeline.
    pub fn deletion(&self) -> RenderedDeletion<K> {
        RenderedDeletion::new(self.clone())
    }
}

impl<K: Component + KnownKind, C: Send + Sync + 'static> RenderedSet<K, C> {
    /// Applies a set whose generator gets another value than the owner; otherwise the same as [`apply`](Self::apply).
    pub async fn apply_as(&self, cx: &Context<K>, owner: &Arc<K>, subject: Subject<C>, part: &mut ComponentStatus) -> Flow {
        let is_terminating = owner.meta().deletion_timestamp.is_some();
        if !is_terminating {
            // Without the finalizer, created dependents would not be cleaned up.
            cx.hold().await?;
        }
        self.run(cx, owner, subject, part, HostRequest::Apply).await
    }

    /// Deletes the dependents of a set whose generator gets another value than the owner; otherwise the same as [`delete`](Self::delete). The
    /// generator is called for objects of deletion stages only.
    pub async fn delete_as(&self, cx: &Context<K>, owner: &Arc<K>, subject: Subject<C>, part: &mut ComponentStatus) -> Flow {
        self.run(cx, owner, subject, part, HostRequest::Delete).await
    }

    async fn run(
        &self,
        cx: &Context<K>,
        owner: &Arc<K>,
        subject: Subject<C>,
        part: &mut ComponentStatus,
        task: HostRequest,
    ) -> Flow {
        let SharedRenderedSet { opened: Opened { shared, status_path, queue }, generator, .. } = &*self.inner;
        let Some(object) = cx.latest() else { return Err(Halt::Done) };
        queue.get_or_init(|| cx.enqueue());
        self.identify(cx).await?;
        self.enter_term(cx);
        let rendering = Rendering {
            owner: Arc::clone(owner),
            subject: subject.value,
            digest: subject.digest.into(),
            generator: Arc::clone(generator),
        };
        let host = HostedPass { cx, status_path, rendering };
        let Hosted { part: next, flow, recheck } = shared.run_hosted((&host, cx.key()), object, part, task).await;
        *part = next;
        if let Some(delay) = recheck {
            cx.recheck_after(Delay::at_least_min(delay));
        }
        flow
    }

    /// Reads the identity of the cluster once per process. Owner ids begin with it (OPT-1).
    async fn identify(&self, cx: &Context<K>) -> Flow {
        let SharedRenderedSet { opened: Opened { shared, .. }, identity, .. } = &*self.inner;
        let asking = async {
            let answer = cx.cluster().send_retrying(&identity_request(), &RequestRetries::default()).await;
            shared.know_cluster(identity_of(&answer.map_err(Failure::unclassified)?));
            Ok::<(), Failure>(())
        };
        identity.get_or_try_init(|| asking).await?;
        Ok(())
    }

    /// Drops the memory about an owner if another replica has led it in the meantime.
    fn enter_term(&self, cx: &Context<K>) {
        let Some(term) = cx.term() else { return };
        let before = self.inner.terms.lock().insert(cx.key().clone(), term.epoch());
        if before.is_some_and(|before| before != term.epoch()) {
            self.inner.opened.shared.stand_down(cx.key());
        }
    }
}

impl<K: Component + KnownKind, C: Send + Sync + 'static> FromOperator for RenderedSet<K, C> {
    fn declare(declarations: &mut Declarations) {
        let kind = K::kind(&());
        match declarations.registered::<RegisteredSet<K, C>>() {
            Some(registered) => registered.definition.declare::<K>(declarations),
            None => _ = declarations.problem(missing(&kind)),
        }
    }

    fn extract(context: &OperatorContext) -> Result<Self, BoxError> {
        let registered = context.state::<RegisteredSet<K, C>>().ok_or_else(|| missing(&K::kind(&())))?;
        let opened = registered.definition.open::<K>(context)?;
        let generator = registered.definition.generator;
        let inner = SharedRenderedSet { opened, generator, identity: OnceCell::new(), terms: Mutex::default() };
        Ok(Self { inner: Arc::new(inner), owner: PhantomData })
    }
}

fn missing(kind: &str) -> String {
    format!(
        "a constructor asks for the rendered set of {kind}, and the operator has none; add it with `.rendered_set::<{kind}>(generator)`"
    )
}

impl<K, C> RegisteredSet<K, C> {
    pub(super) fn new(definition: SetDefinition<C>) -> Self {
        Self { definition, owner: PhantomData }
    }
}

impl<K, C> Clone for RegisteredSet<K, C> {
    fn clone(&self) -> Self {
        Self::new(self.definition.clone())
    }
}

impl<K, C> Clone for RenderedSet<K, C> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner), owner: PhantomData }
    }
}

impl<K, C> fmt::Debug for RenderedSet<K, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RenderedSet").field("owner", &type_name::<K>()).finish_non_exhaustive()
    }
}
