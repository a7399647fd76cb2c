use kubewright_machinery::object::{GroupKind, GroupVersionKind, LabelledOwner, ObjectExt as _, OwnerLabels};
use serde_json::{Value, json};

/// The owner of children: the object of a pass, with the keys of the labels with which its children name it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ChildOwner {
    /// The kind and version of the owner.
    pub gvk: GroupVersionKind,
    /// The namespace, kind and name of the owner in the form that labels have.
    pub identity: LabelledOwner,
    /// The UID of the owner.
    pub uid: String,
    /// The keys of the labels that name the owner.
    pub labels: OwnerLabels,
}

/// The owner of a live object according to its marks (`flow-and-contract.md`, 7.2).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ownership {
    /// The object of the pass owns it.
    Ours,
    /// A deleted object with the kind and name of the object of the pass owned it; garbage collection is about to remove the child.
    Former,
    /// Another object owns it, given by kind and name.
    Other(String),
    /// No object owns it.
    Unowned,
}

impl ChildOwner {
    /// Creates the owner with this kind, namespace, name and UID. The identity has an empty kind if the labels contain none.
    pub fn new(gvk: GroupVersionKind, (namespace, name): (&str, &str), uid: &str, labels: OwnerLabels) -> Self {
        let kind = labels.kind.as_ref().map(|_| gvk.kind.clone()).unwrap_or_default();
        let identity = LabelledOwner { kind, namespace: namespace.to_owned(), name: name.to_owned() };
        Self { gvk, identity, uid: uid.to_owned(), labels }
    }

    /// Marks an object as a child of this owner by labels, and by a controller reference if its namespace allows one (KID-2). Other owner references
    /// are kept.
    pub fn mark(&self, child: &mut Value) {
        self.label(child);
        self.refer(child);
    }

    /// Sets a controller reference to this owner if the namespace of the object allows one. Other owner references are kept.
    pub fn refer(&self, child: &mut Value) {
        if !self.may_be_referenced_by(child) || child.controller().is_some_and(|controller| controller.uid == self.uid) {
            return;
        }
        let reference = json!({
            "apiVersion": self.gvk.api_version(),
            "kind": self.gvk.kind,
            "name": self.identity.name,
            "uid": self.uid,
            "controller": true,
            "blockOwnerDeletion": true,
        });
        let references = child.metadata_mut().entry("ownerReferences").or_insert_with(|| Value::Array(Vec::new()));
        match references.as_array_mut() {
            Some(references) => {
                references.retain(|known| known.get("uid").and_then(Value::as_str) != Some(self.uid.as_str()));
                references.push(reference);
            }
            None => *references = json!([reference]),
        }
    }

    /// Sets the labels that name this owner, without a controller reference.
    pub fn label(&self, child: &mut Value) {
        self.labels.put(child, &self.identity);
    }

    /// Returns the owner of a live object. A controller reference takes precedence over labels.
    pub fn ownership(&self, live: &Value) -> Ownership {
        if let Some(controller) = live.controller() {
            return if controller.uid == self.uid {
                Ownership::Ours
            } else if controller.is_of(&self.kind()) && controller.name == self.identity.name {
                Ownership::Former
            } else {
                Ownership::Other(format!("{} {}", controller.kind, controller.name))
            };
        }
        match self.labels.read(live) {
            Some(owner) if owner == self.identity => Ownership::Ours,
            Some(owner) if owner.namespace.is_empty() => Ownership::Other(format!("{} {}", owner.kind, owner.name)),
            Some(owner) => Ownership::Other(format!("{} {}/{}", owner.kind, owner.namespace, owner.name)),
            None => Ownership::Unowned,
        }
    }

    /// Returns true if the labels of an object name this owner.
    pub(super) fn is_labelled(&self, object: &Value) -> bool {
        self.labels.name_owner(object, &self.identity)
    }

    fn kind(&self) -> GroupKind {
        self.gvk.group_kind()
    }

    /// Returns true if an owner reference of this child to the owner is effective: cluster-scoped owners may have children in every namespace,
    /// namespaced owners only in their own.
    fn may_be_referenced_by(&self, child: &Value) -> bool {
        self.identity.namespace.is_empty() || self.identity.namespace == child.namespace()
    }
}
