use kubewright_machinery::object::{GroupKind, GroupVersionKind};

/// A type that the cluster serves, as discovery tells it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ApiResource {
    /// Group, empty for the core group.
    pub group: String,
    /// Version.
    pub version: String,
    /// Kind.
    pub kind: String,
    /// Name in paths, plural and lower case.
    pub plural: String,
    /// Do its objects live in namespaces?
    pub namespaced: bool,
    /// Verbs that the server offers.
    pub verbs: Vec<String>,
    /// Subresources, such as `status`.
    pub subresources: Vec<String>,
}

impl ApiResource {
    /// A type that is known without discovery. Verbs and subresources are left empty.
    pub fn known(gvk: &GroupVersionKind, plural: impl Into<String>, namespaced: bool) -> Self {
        Self {
            group: gvk.group.clone(),
            version: gvk.version.clone(),
            kind: gvk.kind.clone(),
            plural: plural.into(),
            namespaced,
            verbs: Vec::new(),
            subresources: Vec::new(),
        }
    }

    /// `group/version`, or the version alone in the core group.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }

    /// Group and kind.
    pub fn group_kind(&self) -> GroupKind {
        GroupKind { group: self.group.clone(), kind: self.kind.clone() }
    }

    /// Group, version and kind.
    pub fn gvk(&self) -> GroupVersionKind {
        GroupVersionKind { group: self.group.clone(), version: self.version.clone(), kind: self.kind.clone() }
    }

    /// Does it have this subresource?
    pub fn has_subresource(&self, name: &str) -> bool {
        self.subresources.iter().any(|known| known == name)
    }

    /// Does the server offer this verb?
    pub fn supports(&self, verb: &str) -> bool {
        self.verbs.iter().any(|known| known == verb)
    }
}
