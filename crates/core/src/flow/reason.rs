//! Reasons: the short CamelCase words of conditions and events.

use std::borrow::Cow;
use std::fmt;

/// The longest reason that a condition may carry, in bytes.
const MAX_BYTES: usize = 1024;

/// A reason of conditions and events, for machines and people: letters, digits, `_`, `,` and `:`, starting with a letter, ending with a letter, digit
/// or `_`, at most 1024 bytes.
///
/// Text that breaks the rule is repaired: illegal characters become `_`, a first character that is not a letter gets the prefix `X`, a last `,` or
/// `:` becomes `_`, and a longer text is cut. [`reason!`](crate::reason) checks a constant when it is compiled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reason(Cow<'static, str>);

impl Reason {
    /// Converts a text to a reason; repairs it if necessary.
    pub fn new(text: impl Into<Cow<'static, str>>) -> Self {
        let text = text.into();
        if is_valid(&text) { Self(text) } else { Self(Cow::Owned(repair(&text))) }
    }

    /// Creates a constant reason. An invalid one fails to compile when used in a constant; [`reason!`](crate::reason) does that.
    pub const fn constant(text: &'static str) -> Self {
        assert!(
            is_valid(text),
            "a reason has letters, digits, `_`, `,`, `:`; it starts with a letter and does not end with `,` or `:`"
        );
        Self(Cow::Borrowed(text))
    }

    /// Returns the reason as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A [`Reason`](crate::flow::Reason) from a literal, checked when it is compiled.
///
/// ```
/// assert_eq!(kubewright_core::reason!("QuotaExceeded").as_str(), "QuotaExceeded");
/// ```
///
/// ```compile_fail
/// kubewright_core::reason!("quota exceeded");
/// ```
#[macro_export]
macro_rules! reason {
    ($text:literal) => {{
        const REASON: $crate::flow::Reason = $crate::flow::Reason::constant($text);
        REASON
    }};
}

impl From<&'static str> for Reason {
    fn from(text: &'static str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Reason {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for Reason {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for Reason {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Reason {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

/// Returns true if the text is a reason without repair.
pub(crate) const fn is_valid(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.is_empty() || bytes.len() > MAX_BYTES || !bytes[0].is_ascii_alphabetic() {
        return false;
    }
    let mut index = 1;
    while index < bytes.len() {
        let byte = bytes[index];
        let separator = matches!(byte, b',' | b':') && index + 1 < bytes.len();
        if !(byte.is_ascii_alphanumeric() || byte == b'_' || separator) {
            return false;
        }
        index += 1;
    }
    true
}

fn repair(text: &str) -> String {
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ',' | ':');
    let mut repaired = String::with_capacity(text.len().min(MAX_BYTES) + 1);
    if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        repaired.push('X');
    }
    for c in text.chars().take(MAX_BYTES - repaired.len()) {
        repaired.push(if legal(c) { c } else { '_' });
    }
    if repaired.ends_with([',', ':']) {
        repaired.pop();
        repaired.push('_');
    }
    repaired
}

/// Creates a constant reason; a shorter form for its many callers.
pub(crate) const fn constant(text: &'static str) -> Reason {
    Reason::constant(text)
}
