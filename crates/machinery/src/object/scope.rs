//! The scope of a kind.

/// The scope of a kind: where its objects live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Deserialize)]
pub enum Scope {
    /// Objects live in a namespace.
    Namespaced,
    /// Objects live in the cluster as a whole.
    Cluster,
}
