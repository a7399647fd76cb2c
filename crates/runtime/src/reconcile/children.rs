use kubewright_core::flow::{BoxError, Failure, Flow, Origin};
use kubewright_machinery::object::AnnotationChange;
use serde_json::Value;

use super::Context;
use crate::cluster::ApiResource;
use crate::ensure::{ChildDeletion, DeleteChild, Ensure, UpdateGate, delete_all};
use crate::kind::KnownKind;

/// The children of a pass: objects that it writes for its own object, one by one (`flow-and-contract.md`, 7).
impl<K> Context<K> {
    /// Brings a child into its desired state, with one write at most. The returned value must be awaited.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kubewright_core::flow::Flow;
    /// use kubewright_runtime::reconcile::Context;
    ///
    /// async fn settings<K>(cx: &Context<K>) -> Flow {
    ///     let mut settings = ConfigMap::default();
    ///     settings.metadata.name = Some(format!("{}-settings", cx.key().name()));
    ///     settings.data = Some([("size".to_owned(), "3".to_owned())].into());
    ///     let settings = cx.ensure(settings).await?.object;
    ///     tracing::debug!(version = settings.metadata.resource_version, "the settings are there");
    ///     Ok(())
    /// }
    /// ```
    pub fn ensure<D: KnownKind>(&self, child: D) -> Ensure<D> {
        Ensure::new(self.scope().children(), resource_of::<D>(), json_of(&child))
    }

    /// Ensures a child like [`ensure`](Self::ensure), for a type that is only known at run time.
    pub fn ensure_json(&self, resource: &ApiResource, child: Value) -> Ensure<Value> {
        Ensure::new(self.scope().children(), resource.clone(), Ok(child))
    }

    /// Ensures a helper of a cleanup, such as a Job. It is created although the object is being deleted, names the object by labels only, so that garbage
    /// collection does not delete it, and is deleted before the finalizer of the object is removed (KID-6). The returned value must be awaited.
    ///
    /// A restarted process does not know a helper until the cleanup has requested it again.
    pub fn helper<D: KnownKind>(&self, child: D) -> Ensure<D> {
        self.ensure(child).helping()
    }

    /// Ensures a helper like [`helper`](Self::helper), for a type that is only known at run time.
    pub fn helper_json(&self, resource: &ApiResource, child: Value) -> Ensure<Value> {
        self.ensure_json(resource, child).helping()
    }

    /// Deletes a child, of which only name and namespace are used. The returned value must be awaited.
    pub fn delete<D: KnownKind>(&self, child: &D) -> DeleteChild {
        let (namespace, name) = (child.meta().namespace.as_deref(), child.meta().name.as_deref());
        let name = (namespace.unwrap_or_default(), name.unwrap_or_default());
        DeleteChild::new(self.scope().children(), resource_of::<D>(), name)
    }

    /// Deletes a child like [`delete`](Self::delete), for a type that is only known at run time.
    pub fn delete_json(&self, resource: &ApiResource, namespace: &str, name: &str) -> DeleteChild {
        DeleteChild::new(self.scope().children(), resource.clone(), (namespace, name))
    }

    /// Deletes a group of children: all deletions are attempted, even if some fail, and their outcomes are joined (KID-17). Returns `Gone` if all children
    /// are gone.
    ///
    /// Users of a resource must be deleted before the resource itself: delete the next group when the previous one is gone.
    pub async fn delete_all(&self, children: impl IntoIterator<Item = DeleteChild> + Send) -> Flow<ChildDeletion> {
        let children: Vec<DeleteChild> = children.into_iter().collect();
        delete_all(children).await
    }

    /// Deletes the helpers of a successful cleanup, for a controller that clears its finalizer by hand. Other controllers do this automatically.
    pub async fn delete_helpers(&self) -> Flow {
        self.scope().children()?.delete_helpers().await
    }

    /// Returns the update gate of this pass, for [`Ensure::gate`]. It is open if the spec of the object changed since the last success, that is if its
    /// generation is above `status.appliedGeneration`, or if a user opened it by the annotation `<domain>/autoupdate-spec`: `always`, or `once`, which is
    /// removed at the end of a successful pass (KID-14, KID-15). In a pass without an object it is closed.
    pub fn update_gate(&self) -> UpdateGate {
        self.scope().children().map_or(UpdateGate::Closed, |children| children.gate())
    }

    /// Returns the children that the update gate held back in this pass, by their names in messages; the condition `RequiresUpdate` lists them (KID-13).
    pub fn held_children(&self) -> Vec<String> {
        self.scope().held_children()
    }

    /// Changes one annotation of an object, which is given as it was read, and no other field of it. Returns true if it was changed; no request is sent if it
    /// already has the desired value. An annotation with another value than [`AnnotationChange::Set`] requires is a failure
    /// ([`AnnotationExists`](kubewright_machinery::object::AnnotationExists)).
    pub async fn annotate<D: KnownKind>(&self, object: &D, key: &str, change: AnnotationChange<'_>) -> Flow<bool> {
        let (pass, object) = (self.scope().children()?, json_of(object)?);
        Ok(pass.annotate(&resource_of::<D>(), &object, key, change).await?.is_some())
    }
}

fn resource_of<D: KnownKind>() -> ApiResource {
    ApiResource::known(&D::gvk(), D::plural(&()), D::is_namespaced())
}

fn json_of<D: KnownKind>(object: &D) -> Result<Value, Failure> {
    serde_json::to_value(object).map_err(|error| {
        let error: BoxError = format!("encode a {}: {error}", D::kind(&())).into();
        Failure::backoff(error).reason("InternalError").origin(Origin::Bug)
    })
}
