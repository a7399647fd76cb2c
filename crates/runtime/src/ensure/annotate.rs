use kubewright_core::flow::{Failure, Flow};
use kubewright_machinery::object::{AnnotationChange, ObjectExt as _, annotation_patch};
use serde_json::Value;

use super::ChildPass;
use crate::cluster::{ApiRequest, ApiResource, PatchKind};

impl ChildPass {
    /// Changes one annotation of an object, which is given as it was read, and no other field (flow-and-contract.md, 8.1). Returns the changed object; None
    /// if the annotation already had the value, or if the object is gone while its owner is being deleted.
    pub(crate) async fn annotate(
        &self,
        resource: &ApiResource,
        object: &Value,
        key: &str,
        change: AnnotationChange<'_>,
    ) -> Flow<Option<Value>> {
        let Some(mut patch) = annotation_patch(object, key, change)? else { return Ok(None) };
        if !object.uid().is_empty() {
            // A new object of the same name must not be changed.
            kubewright_core::precondition::only_change(&mut patch, object.uid());
        }
        let request = ApiRequest::patch(resource, object.namespace(), object.name(), PatchKind::Merge, &patch);
        match self.children.cluster.write(resource, &request.field_manager(&self.children.manager)).await {
            Ok(answer) => Ok(Some(answer)),
            Err(error) if error.is_not_found() && self.is_deleting => Ok(None),
            Err(error) => Err(Failure::unclassified(error).into()),
        }
    }
}
