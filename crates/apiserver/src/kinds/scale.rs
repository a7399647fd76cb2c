//! Where a kind keeps what its `/scale` subresource shows.

use super::path::FieldPath;

/// The fields behind `/scale`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scale {
    /// The desired number of replicas.
    pub spec_replicas: FieldPath,
    /// The observed number of replicas.
    pub status_replicas: FieldPath,
    /// Where the selector of the replicas comes from.
    pub selector: ScaleSelector,
}

/// How a kind shows the selector of its replicas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScaleSelector {
    /// The kind has none.
    None,
    /// A label selector object, with matchLabels and matchExpressions.
    Object(FieldPath),
    /// A plain map of labels.
    Labels(FieldPath),
    /// The text of a selector, as custom resources have it in their status.
    Text(FieldPath),
}
