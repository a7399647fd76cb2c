//! The fields that the `/scale` subresource of a kind shows.

use super::path::FieldPath;

/// The fields behind `/scale`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scale {
    /// The desired number of replicas.
    pub spec_replicas: FieldPath,
    /// The observed number of replicas.
    pub status_replicas: FieldPath,
    /// The source of the selector of the replicas.
    pub selector: ScaleSelector,
}

/// The form in which a kind stores the selector of its replicas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScaleSelector {
    /// The kind has no selector.
    None,
    /// A label selector object, with matchLabels and matchExpressions.
    Object(FieldPath),
    /// A plain map of labels.
    Labels(FieldPath),
    /// The text of a selector, as custom resources store it in their status.
    Text(FieldPath),
}
