use kubewright_machinery::object::{GroupVersionKind, OwnerLabels};

use super::ChildOwner;

/// The keys by which a controller marks its children, and its own object about them: those of a domain (`flow-and-contract.md`, 8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildMarks {
    domain: String,
    owner: OwnerLabels,
}

impl ChildMarks {
    /// The keys of a domain, a DNS subdomain.
    pub fn of_domain(domain: impl Into<String>) -> Self {
        let domain = domain.into();
        Self { owner: OwnerLabels::of_domain(&domain), domain }
    }

    /// With other labels that name the owner, as formats have them that must not change.
    #[must_use]
    pub fn with_owner_labels(mut self, labels: OwnerLabels) -> Self {
        self.owner = labels;
        self
    }

    /// The domain.
    pub fn domain(&self) -> &str {
        &self.domain
    }

    /// The owner of this kind, name and UID, which these labels name on its children.
    pub fn owner(&self, gvk: GroupVersionKind, name: (&str, &str), uid: &str) -> ChildOwner {
        ChildOwner::new(gvk, name, uid, self.owner.clone())
    }

    /// The annotation of a child with the hash of the object as it was wanted last: `<domain>/applied-hash`.
    pub fn applied_hash(&self) -> String {
        self.key("applied-hash")
    }

    /// The label of objects that a user provided in place of a child: `<domain>/orphan`.
    pub fn orphan(&self) -> String {
        self.key("orphan")
    }

    /// The annotation of an owner by which a person opens the update gate of its children: `<domain>/autoupdate-spec`.
    pub fn autoupdate(&self) -> String {
        self.key("autoupdate-spec")
    }

    /// The field manager of a controller's children: `<domain>/<controller>`.
    pub fn manager(&self, controller: &str) -> String {
        self.key(controller)
    }

    fn key(&self, name: &str) -> String {
        format!("{}/{name}", self.domain)
    }
}
