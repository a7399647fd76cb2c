use std::sync::Arc;

use kubewright_core::child::{Adopt, ChildMarks, Strategy, UpdateGate};
use kubewright_core::finalizer::FinalizerName;
use kubewright_core::flow::{Failure, Origin};
use kubewright_machinery::object::{Key, ObjectExt as _, ObjectKey, applied_hash, desired_form};
use serde_json::{Value, json};

use super::ChildPass;
use crate::cluster::ApiResource;

/// The child to which a request refers.
#[derive(Clone, Debug)]
pub(super) struct ChildTarget {
    pub(super) resource: Arc<ApiResource>,
    pub(super) key: Key,
}

/// The desired child and the way to write it.
#[derive(Debug)]
pub(super) struct ChildRequest {
    pub(super) resource: Arc<ApiResource>,
    pub(super) object: Value,
    pub(super) strategy: Strategy,
    pub(super) adopt: Adopt,
    pub(super) gate: UpdateGate,
    /// True if an absent child is not created while its owner is being deleted.
    pub(super) skips_absent: bool,
    /// True if the child names its owner as its controller if its namespace permits that.
    pub(super) refers: bool,
    /// True if the child is deleted before the finalizer of the owner is removed.
    pub(super) is_helper: bool,
    /// The finalizer that protects the child.
    pub(super) guard: Option<FinalizerName>,
    /// The field manager, or None for that of the controller.
    pub(super) manager: Option<Arc<str>>,
}

/// A child with all its marks, ready to be written.
#[derive(Debug)]
pub(super) struct PreparedChild {
    pub(super) target: ChildTarget,
    pub(super) desired: Value,
    pub(super) digest: String,
    pub(super) manager: Arc<str>,
}

impl ChildTarget {
    /// Returns the target of this name, in the namespace of the owner if the kind is namespaced and no namespace is given.
    pub(super) fn new(pass: &ChildPass, resource: Arc<ApiResource>, namespace: &str, name: &str) -> Result<Self, Failure> {
        let namespace = match (resource.namespaced, namespace) {
            (false, _) => "",
            (true, "") => pass.owner.identity.namespace.as_str(),
            (true, namespace) => namespace,
        };
        let missing = match (name, namespace) {
            ("", _) => Some("name"),
            (_, "") if resource.namespaced => Some("namespace"),
            _ => None,
        };
        if let Some(field) = missing {
            let text = format!("address the child {} {name:?}: it has no metadata.{field}; set it", resource.kind);
            return Err(Failure::msg(text).reason("InternalError").origin(Origin::Bug));
        }
        pass.children.admits(&resource.group_kind())?;
        Ok(Self { key: Key::new(namespace, name), resource })
    }

    pub(super) fn object_key(&self) -> ObjectKey {
        self.resource.group_kind().object(&self.key)
    }

    /// Returns the name of the child in messages.
    pub(super) fn title(&self) -> String {
        format!("{} {}", self.resource.kind, self.key)
    }
}

impl ChildRequest {
    pub(super) fn new(pass: &ChildPass, resource: Arc<ApiResource>, object: Value) -> Self {
        Self {
            resource,
            object,
            strategy: Strategy::default(),
            adopt: Adopt::default(),
            gate: UpdateGate::Open,
            skips_absent: pass.is_deleting,
            refers: true,
            is_helper: false,
            guard: None,
            manager: None,
        }
    }

    /// Returns the child with its common metadata, owner and guard, and with the hash if the strategy compares hashes (KID-1, KID-2).
    pub(super) fn prepare(&self, pass: &ChildPass) -> Result<PreparedChild, Failure> {
        let target = ChildTarget::new(pass, Arc::clone(&self.resource), self.object.namespace(), self.object.name())?;
        let mut desired = desired_form(&self.object);
        desired["apiVersion"] = self.resource.api_version().into();
        desired["kind"] = self.resource.kind.as_str().into();
        match target.key.namespace() {
            "" => drop(desired.metadata_mut().remove("namespace")),
            namespace => drop(desired.metadata_mut().insert("namespace".to_owned(), namespace.into())),
        }
        pass.children.common.merge_under(&mut desired);
        if let Some(guard) = self.guard.as_ref().filter(|guard| !desired.has_finalizer(guard.as_str())) {
            let names: Vec<&str> = desired.finalizers().chain([guard.as_str()]).collect();
            let names = json!(names);
            desired.metadata_mut().insert("finalizers".to_owned(), names);
        }
        if self.refers {
            pass.owner.mark(&mut desired);
        } else {
            pass.owner.label(&mut desired);
        }
        let digest = self.hash(&pass.children.marks, &mut desired);
        let manager = self.manager.clone().unwrap_or_else(|| Arc::clone(&pass.children.manager));
        Ok(PreparedChild { target, desired, digest, manager })
    }

    /// Returns the hash of the child. The child gets it as an annotation if its strategy compares hashes (flow-and-contract.md, 7.4).
    fn hash(&self, marks: &ChildMarks, desired: &mut Value) -> String {
        let annotation = marks.applied_hash();
        let digest = applied_hash(desired, &annotation);
        if matches!(self.strategy, Strategy::HashGuarded | Strategy::Replace) {
            desired.set_annotation(annotation, digest.as_str());
        }
        digest
    }
}
