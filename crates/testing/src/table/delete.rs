use kubewright_machinery::object::GroupVersionKind;

/// An expected deletion of one object.
#[derive(Clone, Debug)]
pub struct Delete {
    pub(super) kind: GroupVersionKind,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) propagation: Option<String>,
    pub(super) uid: Option<String>,
    pub(super) resource_version: Option<String>,
}

impl Delete {
    /// Expects a deletion with any options.
    pub fn new(kind: GroupVersionKind, namespace: &str, name: &str) -> Self {
        let (namespace, name) = (namespace.to_owned(), name.to_owned());
        Self { kind, namespace, name, propagation: None, uid: None, resource_version: None }
    }

    /// Expects this propagation policy: `Foreground`, `Background` or `Orphan`.
    #[must_use]
    pub fn propagation(mut self, policy: &str) -> Self {
        self.propagation = Some(policy.to_owned());
        self
    }

    /// Expects a precondition with this UID.
    #[must_use]
    pub fn uid(mut self, uid: &str) -> Self {
        self.uid = Some(uid.to_owned());
        self
    }

    /// Expects a precondition with this resource version.
    #[must_use]
    pub fn resource_version(mut self, version: &str) -> Self {
        self.resource_version = Some(version.to_owned());
        self
    }
}

impl From<(GroupVersionKind, &str, &str)> for Delete {
    fn from((kind, namespace, name): (GroupVersionKind, &str, &str)) -> Self {
        Self::new(kind, namespace, name)
    }
}

/// An expected deletion of all objects that selectors match.
#[derive(Clone, Debug)]
pub struct DeleteCollection {
    pub(super) kind: GroupVersionKind,
    pub(super) namespace: String,
    pub(super) labels: String,
    pub(super) fields: String,
}

impl DeleteCollection {
    /// Expects a deletion without selectors.
    pub fn new(kind: GroupVersionKind, namespace: &str) -> Self {
        Self { kind, namespace: namespace.to_owned(), labels: String::new(), fields: String::new() }
    }

    /// Expects this label selector.
    #[must_use]
    pub fn labels(mut self, selector: &str) -> Self {
        selector.clone_into(&mut self.labels);
        self
    }

    /// Expects this field selector.
    #[must_use]
    pub fn fields(mut self, selector: &str) -> Self {
        selector.clone_into(&mut self.fields);
        self
    }
}
