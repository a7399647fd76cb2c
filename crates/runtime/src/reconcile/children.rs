use kubewright_core::flow::{BoxError, Failure, Flow, Origin};
use kubewright_machinery::object::AnnotationChange;
use serde_json::Value;

use super::Context;
use crate::cluster::ApiResource;
use crate::ensure::{ChildDeletion, DeleteChild, Ensure, UpdateGate, delete_all};
use crate::kind::KnownKind;

/// Children: objects that a pass writes for its object, one by one (`flow-and-contract.md`, 7).
impl<K> Context<K> {
    /// Brings a child to where the pass wants it to be, with one write at most. Await what is returned.
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

    /// The same for an object of a type that is known at run time only.
    pub fn ensure_json(&self, resource: &ApiResource, child: Value) -> Ensure<Value> {
        Ensure::new(self.scope().children(), resource.clone(), Ok(child))
    }

    /// Ensures a helper of a cleanup, such as a Job: it is created although the object is being deleted, names the object by labels only, so that garbage
    /// collection leaves it alone, and is deleted before the finalizer of the object is released (KID-6). Await what is returned.
    ///
    /// A process that starts anew knows of a helper when the cleanup has asked for it again.
    pub fn helper<D: KnownKind>(&self, child: D) -> Ensure<D> {
        self.ensure(child).helping()
    }

    /// The same for an object of a type that is known at run time only.
    pub fn helper_json(&self, resource: &ApiResource, child: Value) -> Ensure<Value> {
        self.ensure_json(resource, child).helping()
    }

    /// Deletes a child, of which only name and namespace count. Await what is returned.
    pub fn delete<D: KnownKind>(&self, child: &D) -> DeleteChild {
        let (namespace, name) = (child.meta().namespace.as_deref(), child.meta().name.as_deref());
        let name = (namespace.unwrap_or_default(), name.unwrap_or_default());
        DeleteChild::new(self.scope().children(), resource_of::<D>(), name)
    }

    /// The same for an object of a type that is known at run time only.
    pub fn delete_json(&self, resource: &ApiResource, namespace: &str, name: &str) -> DeleteChild {
        DeleteChild::new(self.scope().children(), resource.clone(), (namespace, name))
    }

    /// Deletes a group of children: all of them are attempted, whatever becomes of each, and their outcomes are joined (KID-17). `Gone` when all are gone.
    ///
    /// What uses something goes before what it uses: delete the next group when the one before is gone.
    pub async fn delete_all(&self, children: impl IntoIterator<Item = DeleteChild> + Send) -> Flow<ChildDeletion> {
        let children: Vec<DeleteChild> = children.into_iter().collect();
        delete_all(children).await
    }

    /// Deletes the helpers of a cleanup that went well, for a controller that clears its finalizer by hand. Others do it by themselves.
    pub async fn delete_helpers(&self) -> Flow {
        self.scope().children()?.delete_helpers().await
    }

    /// The update gate of this pass, for [`Ensure::gate`]: open when the spec of the object changed since the last success, that is when its generation is
    /// above `status.appliedGeneration`, or when a person opened it by the annotation `<domain>/autoupdate-spec`: `always`, or `once`, which is removed at
    /// the end of a successful pass (KID-14, KID-15). In a pass without object it is closed.
    pub fn update_gate(&self) -> UpdateGate {
        self.scope().children().map_or(UpdateGate::Closed, |children| children.gate())
    }

    /// The children that the update gate held back in this pass, as messages call them: what condition `RequiresUpdate` tells of (KID-13).
    pub fn held_children(&self) -> Vec<String> {
        self.scope().held_children()
    }

    /// Changes one annotation of an object, which is given as it was read, and nothing else of it. Returns whether it was changed; nothing is sent
    /// if it is as wanted already. An annotation that has another value than [`AnnotationChange::Set`] wants is a failure
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
