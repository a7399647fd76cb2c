//! Names of finalizers.

use std::fmt;

/// The longest part before the slash.
const MAX_DOMAIN: usize = 253;
/// The longest part after the slash.
const MAX_NAME: usize = 63;

/// A qualified finalizer name, `domain/name`: a DNS subdomain and a name of at most 63 characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FinalizerName(String);

/// A text is no finalizer name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("use {name:?} as the name of a finalizer: {problem}; it must be <DNS subdomain>/<name>, for instance example.com/widget")]
pub struct InvalidFinalizerName {
    name: String,
    problem: &'static str,
}

impl FinalizerName {
    /// Checks a name.
    pub fn parse(name: impl Into<String>) -> Result<Self, InvalidFinalizerName> {
        let name = name.into();
        match problem(&name) {
            Some(problem) => Err(InvalidFinalizerName { name, problem }),
            None => Ok(Self(name)),
        }
    }

    /// The name of a controller's own finalizer for a kind: `<domain>/<kind in lower case>`.
    pub fn own(domain: &str, kind: &str) -> Result<Self, InvalidFinalizerName> {
        Self::parse(format!("{domain}/{}", kind.to_ascii_lowercase()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
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
