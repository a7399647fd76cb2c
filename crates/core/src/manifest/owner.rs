//! Whose an object is.

use std::fmt;

use data_encoding::BASE32_NOPAD;
use sha2::{Digest, Sha256};

/// The name of an operator: a DNS name such as `podinfo-operator.demo.kubewright.dev`. It is the prefix of all labels and
/// annotations that the engine reads and writes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperatorName(String);

/// A name that is no DNS name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid operator name {0:?} (allowed: a DNS name of at most 253 characters, labels of lower-case letters, digits and '-', joined by '.')"
)]
pub struct InvalidName(String);

impl OperatorName {
    /// Checks a name.
    pub fn new(name: impl Into<String>) -> Result<Self, InvalidName> {
        let name = name.into();
        let label = |label: &str| {
            !label.is_empty()
                && label.len() <= 63
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        };
        if name.len() <= 253 && name.split('.').all(label) { Ok(Self(name)) } else { Err(InvalidName(name)) }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key of a label or annotation of this operator: `<name>/<suffix>`.
    pub fn key(&self, suffix: &str) -> String {
        format!("{}/{suffix}", self.0)
    }

    /// The key of the label (with the owner hash) and of the annotation (with the plain owner id).
    pub fn owner_key(&self) -> String {
        self.key("owner-id")
    }

    /// The key of the annotation with the object digest.
    pub fn digest_key(&self) -> String {
        self.key("digest")
    }

    /// The key of the annotation with readiness hints.
    pub fn status_hint_key(&self) -> String {
        self.key("status-hint")
    }
}

impl fmt::Display for OperatorName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Who owns a set of dependents: `<cluster id>/<namespace>/<name>` of a component, with an empty namespace for one of the
/// cluster.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnerId {
    id: String,
    hash: String,
}

impl OwnerId {
    /// An owner by its plain id.
    pub fn new(id: impl Into<String>) -> Self {
        let id = id.into();
        let hash = BASE32_NOPAD.encode(&Sha256::digest(id.as_bytes())).to_ascii_lowercase();
        Self { id, hash }
    }

    /// The owner id of a component (OPT-1). The cluster id is the UID of the namespace `kube-system`.
    pub fn of_component(cluster_id: &str, namespace: &str, name: &str) -> Self {
        Self::new(format!("{cluster_id}/{namespace}/{name}"))
    }

    /// The plain id: the value of the annotation.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The hash of the id, 52 characters: the value of the label.
    pub fn hash(&self) -> &str {
        &self.hash
    }
}

impl fmt::Display for OwnerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id)
    }
}
