//! Names of finalizers.

use std::fmt;

use crate::manifest::OperatorName;

/// The longest part before the slash, in characters.
const MAX_DOMAIN: usize = 253;
/// The longest part after the slash, in characters.
const MAX_NAME: usize = 63;

/// The name of a finalizer: qualified, `domain/name`, a DNS subdomain and a name of at most 63 characters; or a name without domain, as component
/// types and other frameworks have it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FinalizerName(String);

/// The error of a text that is not a finalizer name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("use {name:?} as the name of a finalizer: {problem}; it must be <DNS subdomain>/<name>, for instance example.com/widget")]
pub struct InvalidFinalizerName {
    name: String,
    problem: &'static str,
}

impl FinalizerName {
    /// Checks and returns a name.
    pub fn parse(name: impl Into<String>) -> Result<Self, InvalidFinalizerName> {
        let name = name.into();
        match problem(&name) {
            Some(problem) => Err(InvalidFinalizerName { name, problem }),
            None => Ok(Self(name)),
        }
    }

    /// Accepts a name in the form of other frameworks: `configmaps.`, or the name of an operator. API servers warn about names without domain, so
    /// this form is for objects that already have such a name, and for formats that must not change.
    pub fn unqualified(name: impl Into<String>) -> Result<Self, InvalidFinalizerName> {
        let name = name.into();
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        let problem = match () {
            () if name.contains('/') => problem(&name),
            () if name.is_empty() => Some("it is empty"),
            () if name.len() > MAX_NAME => Some("it is longer than 63 characters"),
            () if !name.bytes().all(allowed) => Some("it has other characters than letters, digits, `-`, `_`, `.` and `/`"),
            () => None,
        };
        match problem {
            Some(problem) => Err(InvalidFinalizerName { name, problem }),
            None => Ok(Self(name)),
        }
    }

    /// Returns the name of a controller's own finalizer for a kind: `<domain>/<kind in lower case>`.
    pub fn own(domain: &str, kind: &str) -> Result<Self, InvalidFinalizerName> {
        Self::parse(format!("{domain}/{}", kind.to_ascii_lowercase()))
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Converts the name of a component type to its default finalizer (OPT-1a).
impl From<&OperatorName> for FinalizerName {
    fn from(name: &OperatorName) -> Self {
        Self(name.as_str().to_owned())
    }
}

impl fmt::Display for FinalizerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for FinalizerName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

fn problem(name: &str) -> Option<&'static str> {
    let Some((domain, rest)) = name.split_once('/') else {
        return Some("it has no slash");
    };
    if domain.is_empty() || domain.len() > MAX_DOMAIN || !domain.split('.').all(is_dns_label) {
        return Some("the part before the slash is no DNS subdomain");
    }
    let edge = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = rest.as_bytes();
    let inner = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if bytes.len() > MAX_NAME {
        return Some("the part after the slash is longer than 63 characters");
    }
    if !(edge(bytes.first()) && edge(bytes.last()) && bytes.iter().all(inner)) {
        return Some(
            "the part after the slash must consist of letters, digits, `-`, `_` and `.`, and start and end with a letter or digit",
        );
    }
    None
}

fn is_dns_label(label: &str) -> bool {
    let bytes = label.as_bytes();
    let edge = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let inner = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
    bytes.len() <= 63 && edge(bytes.first()) && edge(bytes.last()) && bytes.iter().all(inner)
}
