use kubewright_machinery::object::{GroupKind, GroupVersionKind};

/// A type that the cluster serves, as found by discovery.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ApiResource {
    /// The group; empty for the core group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The kind.
    pub kind: String,
    /// The name in paths: plural and lower case.
    pub plural: String,
    /// The singular name, in lower case; empty if the server does not name it.
    pub singular: String,
    /// The short names, such as `deploy`.
    pub short_names: Vec<String>,
    /// The categories, such as `all`.
    pub categories: Vec<String>,
    /// True if its objects live in namespaces.
    pub namespaced: bool,
    /// The verbs that the server offers.
    pub verbs: Vec<String>,
    /// The subresources.
    pub subresources: Vec<ApiSubresource>,
}

/// A subresource of a type, such as `status` or `scale`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ApiSubresource {
    /// The name in paths, after that of the type.
    pub name: String,
    /// The type of its objects, such as `Scale` of `autoscaling/v1`.
    pub gvk: GroupVersionKind,
    /// The verbs that the server offers.
    pub verbs: Vec<String>,
}

impl ApiResource {
    /// Returns a type that is known without discovery. All that only discovery tells is left empty.
    pub fn known(gvk: &GroupVersionKind, plural: impl Into<String>, namespaced: bool) -> Self {
        Self {
            group: gvk.group.clone(),
            version: gvk.version.clone(),
            kind: gvk.kind.clone(),
            plural: plural.into(),
            singular: String::new(),
            short_names: Vec::new(),
            categories: Vec::new(),
            namespaced,
            verbs: Vec::new(),
            subresources: Vec::new(),
        }
    }

    /// Returns `group/version`, or the version alone in the core group.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }

    /// Returns group and kind.
    pub fn group_kind(&self) -> GroupKind {
        GroupKind { group: self.group.clone(), kind: self.kind.clone() }
    }

    /// Returns group, version and kind.
    pub fn gvk(&self) -> GroupVersionKind {
        GroupVersionKind { group: self.group.clone(), version: self.version.clone(), kind: self.kind.clone() }
    }

    /// Returns true if the type has this subresource.
    pub fn has_subresource(&self, name: &str) -> bool {
        self.subresources.iter().any(|known| known.name == name)
    }

    /// Returns true if the server offers this verb.
    pub fn supports(&self, verb: &str) -> bool {
        self.verbs.iter().any(|known| known == verb)
    }
}
