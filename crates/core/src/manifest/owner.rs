//! The owner of an object, and the name of an operator that the marks begin with.

use std::fmt;

use data_encoding::BASE32_NOPAD;
use sha2::{Digest, Sha256};

use super::keys;

/// The name of an operator, or of one of its component types: a DNS name such as `podinfo-operator.demo.kubewright.dev`. It is the
/// prefix of all labels and annotations that the engine reads and writes (OPT-1a).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperatorName(String);

/// The error for a name that is not a DNS name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid operator name {0:?} (allowed: a DNS name of at most 253 characters, labels of lower-case letters, digits and '-', joined by '.')"
)]
pub struct InvalidName(String);

impl OperatorName {
    /// Checks a name.
    ///
    /// # Errors
    ///
    /// The name is not a DNS name of lower-case labels, or is longer than 253 characters.
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

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the key of a label or annotation of this operator: `<name>/<suffix>`.
    pub fn key(&self, suffix: &str) -> String {
        format!("{}/{suffix}", self.0)
    }

    /// Returns the key of the owner marks: a label with the owner hash, and an annotation with the plain owner id.
    pub fn owner_key(&self) -> String {
        self.key(keys::OWNER_ID)
    }

    /// Returns the key of the annotation with the object digest.
    pub fn digest_key(&self) -> String {
        self.key(keys::DIGEST)
    }

    /// Returns the key of the annotation with readiness hints.
    pub fn status_hint_key(&self) -> String {
        self.key(keys::STATUS_HINT)
    }
}

impl fmt::Display for OperatorName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The owner of a set of dependents: `<cluster id>/<namespace>/<name>` of a component. The namespace of a cluster-scoped component is empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnerId {
    id: String,
    hash: String,
}

impl OwnerId {
    /// Creates an owner from its plain id.
    pub fn new(id: impl Into<String>) -> Self {
        let id = id.into();
        let hash = BASE32_NOPAD.encode(&Sha256::digest(id.as_bytes())).to_ascii_lowercase();
        Self { id, hash }
    }

    /// Returns the owner id of a component (OPT-1). The cluster id is the UID of the namespace `kube-system`.
    pub fn of_component(cluster_id: &str, namespace: &str, name: &str) -> Self {
        Self::new(format!("{cluster_id}/{namespace}/{name}"))
    }

    /// Returns true if a text has the form of an owner hash.
    pub(crate) fn is_hash(text: &str) -> bool {
        text.len() == 52 && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'2'..=b'7'))
    }

    /// Returns true if a text has the form of the plain owner id of a component.
    pub(crate) fn is_id(text: &str) -> bool {
        let mut parts = text.split('/');
        let is_part = |part: Option<&str>| part.is_some_and(|part| !part.is_empty());
        // The namespace of a cluster-scoped component is empty.
        is_part(parts.next()) && parts.next().is_some() && is_part(parts.next()) && parts.next().is_none()
    }

    /// Returns the plain id: the value of the annotation.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the hash of the id, 52 characters: the value of the label.
    pub fn hash(&self) -> &str {
        &self.hash
    }
}

impl fmt::Display for OwnerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id)
    }
}
