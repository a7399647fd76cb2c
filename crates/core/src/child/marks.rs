use kubewright_machinery::object::{GroupVersionKind, OwnerLabels};

use super::ChildOwner;

/// The keys of the marks that a controller sets on its children and its own object, for one domain (`flow-and-contract.md`, 8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildMarks {
    domain: String,
    owner: OwnerLabels,
}

impl ChildMarks {
    /// Returns the keys of a domain, which is a DNS subdomain.
    pub fn of_domain(domain: impl Into<String>) -> Self {
        let domain = domain.into();
        Self { owner: OwnerLabels::of_domain(&domain), domain }
    }

    /// Returns the domain.
    pub fn domain(&self) -> &str {
        &self.domain
    }

    /// Returns the owner with this kind, name and UID, which these labels name on its children.
    pub fn owner(&self, gvk: GroupVersionKind, name: (&str, &str), uid: &str) -> ChildOwner {
        ChildOwner::new(gvk, name, uid, self.owner.clone())
    }

    /// Returns the annotation of a child with the hash of the last desired object: `<domain>/applied-hash`.
    pub fn applied_hash(&self) -> String {
        self.key("applied-hash")
    }

    /// Returns the label of objects that a user provided in place of a child: `<domain>/orphan`.
    pub fn orphan(&self) -> String {
        self.key("orphan")
    }

    /// Returns the annotation of an owner with which a user opens the update gate of its children: `<domain>/autoupdate-spec`.
    pub fn autoupdate(&self) -> String {
        self.key("autoupdate-spec")
    }

    /// Returns the field manager of a controller's children: `<domain>/<controller>`.
    pub fn manager(&self, controller: &str) -> String {
        self.key(controller)
    }

    fn key(&self, name: &str) -> String {
        format!("{}/{name}", self.domain)
    }
}
