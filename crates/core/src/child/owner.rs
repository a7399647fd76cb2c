use kubewright_machinery::object::{GroupKind, GroupVersionKind, LabelledOwner, ObjectExt as _, OwnerLabels};
use serde_json::{Value, json};

/// The owner of children: the object of a pass, with the keys of the labels by which its children name it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ChildOwner {
    /// Its kind and version.
    pub gvk: GroupVersionKind,
    /// Its namespace, kind and name, as labels have them.
    pub identity: LabelledOwner,
    /// Its UID.
    pub uid: String,
    /// The keys of the labels.
    pub labels: OwnerLabels,
}

/// The owner of a live object, as its marks tell it (`flow-and-contract.md`, 7.2).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ownership {
    /// The object of the pass.
    Ours,
    /// A former object of the same kind and name: garbage collection is about to remove the child.
    Former,
    /// Another object, by kind and name.
    Other(String),
    /// No object.
    Unowned,
}

impl ChildOwner {
    /// The owner with this kind and this UID, which the labels name. In formats without a label for the kind, it has none there.
    pub fn new(gvk: GroupVersionKind, (namespace, name): (&str, &str), uid: &str, labels: OwnerLabels) -> Self {
        let kind = labels.kind.as_ref().map(|_| gvk.kind.clone()).unwrap_or_default();
        let identity = LabelledOwner { kind, namespace: namespace.to_owned(), name: name.to_owned() };
        Self { gvk, identity, uid: uid.to_owned(), labels }
    }

    /// Marks an object as a child of this owner: by labels, and by a controller reference where its namespace allows one (KID-2). Other owner
    /// references stay.
    pub fn mark(&self, child: &mut Value) {
        self.label(child);
        self.refer(child);
    }

    /// Sets a controller reference to this owner where the namespace of the object allows one. Other owner references stay.
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

    /// Names this owner by labels only.
    pub fn label(&self, child: &mut Value) {
        self.labels.put(child, &self.identity);
    }

    /// The owner of a live object. A controller reference outweighs labels.
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

    /// Whether the labels of an object name this owner.
    pub(super) fn is_labelled(&self, object: &Value) -> bool {
        self.labels.name_owner(object, &self.identity)
    }

    fn kind(&self) -> GroupKind {
        self.gvk.group_kind()
    }

    /// Whether an owner reference of this child to the owner has an effect: owners of the cluster have children everywhere, others in their own
    /// namespace.
    fn may_be_referenced_by(&self, child: &Value) -> bool {
        self.identity.namespace.is_empty() || self.identity.namespace == child.namespace()
    }
}
