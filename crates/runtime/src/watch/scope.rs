/// The scope of a store as a type: namespaces, labels and fields of the objects that it holds.
pub trait ScopeType: Send + Sync + 'static {
    /// Returns the scope.
    fn scope() -> StoreScope;
}

/// The scope of the objects that a store holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreScope {
    /// The namespaces; cluster-scoped kinds ignore them.
    pub namespaces: Namespaces,
    /// A label selector in the API's notation; empty for all objects.
    pub labels: String,
    /// A field selector in the API's notation, such as `metadata.name=demo`; empty for all objects.
    pub fields: String,
}

/// The scope of the namespace of this name.
impl From<&str> for StoreScope {
    fn from(namespace: &str) -> Self {
        Self::of(Namespaces::These(vec![namespace.to_owned()]))
    }
}

/// The scope of all namespaces.
impl From<AllNamespaces> for StoreScope {
    fn from(_: AllNamespaces) -> Self {
        AllNamespaces::scope()
    }
}

/// The namespaces of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Namespaces {
    /// The namespaces that the operator watches (`--watch-namespaces`); all by default.
    #[default]
    Watched,
    /// The namespace in which the operator runs (`--system-namespace`).
    System,
    /// All namespaces, regardless of those that the operator watches.
    All,
    /// The namespaces with these names.
    These(Vec<String>),
}

impl StoreScope {
    /// Returns the scope of all objects in these namespaces.
    pub fn of(namespaces: Namespaces) -> Self {
        Self { namespaces, ..Self::default() }
    }

    /// Limits the scope to objects with these labels, in the API's notation.
    #[must_use]
    pub fn labels(mut self, selector: impl Into<String>) -> Self {
        self.labels = selector.into();
        self
    }

    /// Limits the scope to objects with these fields, in the API's notation.
    #[must_use]
    pub fn fields(mut self, selector: impl Into<String>) -> Self {
        self.fields = selector.into();
        self
    }
}

/// The scope of the namespaces that the operator watches: those of `--watch-namespaces`, all by default.
#[derive(Clone, Copy, Debug)]
pub struct OperatorScope;

/// The scope of the namespace in which the operator runs.
#[derive(Clone, Copy, Debug)]
pub struct SystemNamespace;

/// The scope of all namespaces, even for an operator that watches only some.
#[derive(Clone, Copy, Debug)]
pub struct AllNamespaces;

impl ScopeType for OperatorScope {
    fn scope() -> StoreScope {
        StoreScope::of(Namespaces::Watched)
    }
}

impl ScopeType for SystemNamespace {
    fn scope() -> StoreScope {
        StoreScope::of(Namespaces::System)
    }
}

impl ScopeType for AllNamespaces {
    fn scope() -> StoreScope {
        StoreScope::of(Namespaces::All)
    }
}
