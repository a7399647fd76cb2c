//! The key of an object within its controller.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Namespace and name of an object of the controller's kind. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(Arc<(String, String)>);

/// A text is no key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("read {0:?} as a key; it must be <name> or <namespace>/<name>")]
pub struct InvalidKey(String);

impl Key {
    /// The key of an object; the namespace of a cluster-scoped one is empty.
    pub fn new(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self(Arc::new((namespace.into(), name.into())))
    }

    /// The namespace; empty for a cluster-scoped object.
    pub fn namespace(&self) -> &str {
        &self.0.0
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.0.1
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.namespace() {
            "" => f.write_str(self.name()),
            namespace => write!(f, "{namespace}/{}", self.name()),
        }
    }
}

impl FromStr for Key {
    type Err = InvalidKey;

    fn from_str(text: &str) -> Result<Self, InvalidKey> {
        let (namespace, name) = text.split_once('/').unwrap_or(("", text));
        let invalid = name.is_empty() || name.contains('/') || namespace.is_empty() && text.starts_with('/');
        if invalid { Err(InvalidKey(text.to_owned())) } else { Ok(Self::new(namespace, name)) }
    }
}
