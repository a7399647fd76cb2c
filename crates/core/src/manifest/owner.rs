//! Whose an object is.

use std::fmt;

use data_encoding::BASE32_NOPAD;
use sha2::{Digest, Sha256};

/// The key of an owner mark, without its prefix.
pub(crate) const OWNER_SUFFIX: &str = "owner-id";

/// The name of an operator, or of one of its component types: a DNS name such as `podinfo-operator.demo.kubewright.dev`. It is the
/// prefix of all labels and annotations that the engine reads and writes (OPT-1a).
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
        self.key(OWNER_SUFFIX)
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

    /// Whether a text has the form of an owner hash.
    pub(crate) fn is_hash(text: &str) -> bool {
        text.len() == 52 && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'2'..=b'7'))
    }

    /// Whether a text has the form of a plain owner id of a component.
    pub(crate) fn is_id(text: &str) -> bool {
        let mut parts = text.split('/');
        let is_part = |part: Option<&str>| part.is_some_and(|part| !part.is_empty());
        // The namespace of a component of the cluster is empty.
        is_part(parts.next()) && parts.next().is_some() && is_part(parts.next()) && parts.next().is_none()
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
