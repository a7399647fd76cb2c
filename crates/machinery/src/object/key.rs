//! Keys of objects among those of their kind.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::identity::write_namespaced_name;

/// The namespace and name of an object whose kind is known. Cheap to clone: clones share their memory.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(Arc<KeyParts>);

#[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
struct KeyParts {
    namespace: Arc<str>,
    name: Box<str>,
}

/// The error of a text that is not a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("read {0:?} as a key; it must be <name> or <namespace>/<name>")]
pub struct InvalidKey(String);

impl Key {
    /// Creates the key of an object; the namespace of a cluster-scoped one is empty.
    pub fn new(namespace: impl AsRef<str>, name: impl AsRef<str>) -> Self {
        Self::within(namespace.as_ref().into(), name)
    }

    /// Creates the key of an object in a namespace whose text is shared by many keys.
    pub fn within(namespace: Arc<str>, name: impl AsRef<str>) -> Self {
        Self(Arc::new(KeyParts { namespace, name: name.as_ref().into() }))
    }

    /// Returns the namespace; empty for a cluster-scoped object.
    pub fn namespace(&self) -> &str {
        &self.0.namespace
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.0.name
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_namespaced_name(f, self.namespace(), self.name())
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({self})")
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

#[cfg(test)]
mod tests {
    use super::*;

    // STAGE-1
    #[test]
    fn keys_are_parsed_and_shown() {
        let key = |text: &str| text.parse::<Key>().unwrap();
        assert_eq!((key("ns/a").namespace(), key("ns/a").name(), key("a").namespace()), ("ns", "a", ""));
        assert_eq!((key("ns/a").to_string(), key("a").to_string()), ("ns/a".to_owned(), "a".to_owned()));
        assert_eq!(key("ns/a"), Key::within("ns".into(), "a"));
        for bad in ["", "/a", "a/", "a/b/c"] {
            assert!(bad.parse::<Key>().is_err(), "{bad}");
        }
    }
}
