/// The objects that a store holds, by type: in which namespaces, with which labels and fields.
pub trait Scope: Send + Sync + 'static {
    /// The scope.
    fn scope() -> StoreScope;
}

/// The objects that a store holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreScope {
    /// The namespaces; kinds without namespaces ignore them.
    pub namespaces: Namespaces,
    /// A label selector in the API's notation; empty for all objects.
    pub labels: String,
    /// A field selector in the API's notation, such as `metadata.name=demo`; empty for all objects.
    pub fields: String,
}

/// In the namespace of this name.
impl From<&str> for StoreScope {
    fn from(namespace: &str) -> Self {
        Self::of(Namespaces::These(vec![namespace.to_owned()]))
    }
}

/// In all namespaces.
impl From<AllNamespaces> for StoreScope {
    fn from(_: AllNamespaces) -> Self {
        AllNamespaces::scope()
    }
}

/// The namespaces of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Namespaces {
    /// Those that the operator watches (`--watch-namespaces`); all by default.
    #[default]
    Watched,
    /// The one in which the operator runs (`--system-namespace`).
    System,
    /// All, whatever the operator watches.
    All,
    /// These.
    These(Vec<String>),
}

impl StoreScope {
    /// All objects in these namespaces.
    pub fn of(namespaces: Namespaces) -> Self {
        Self { namespaces, ..Self::default() }
    }

    /// Only objects with these labels, in the API's notation.
    #[must_use]
    pub fn labels(mut self, selector: impl Into<String>) -> Self {
        self.labels = selector.into();
        self
    }

    /// Only objects with these fields, in the API's notation.
    #[must_use]
    pub fn fields(mut self, selector: impl Into<String>) -> Self {
        self.fields = selector.into();
        self
    }
}

/// The namespaces that the operator watches: those of `--watch-namespaces`, all by default.
#[derive(Clone, Copy, Debug)]
pub struct OperatorScope;

/// The namespace in which the operator runs.
#[derive(Clone, Copy, Debug)]
pub struct SystemNamespace;

/// All namespaces, also for an operator that watches only some.
#[derive(Clone, Copy, Debug)]
pub struct AllNamespaces;

impl Scope for OperatorScope {
    fn scope() -> StoreScope {
        StoreScope::of(Namespaces::Watched)
    }
}

impl Scope for SystemNamespace {
    fn scope() -> StoreScope {
        StoreScope::of(Namespaces::System)
    }
}

impl Scope for AllNamespaces {
    fn scope() -> StoreScope {
        StoreScope::of(Namespaces::All)
    }
}
