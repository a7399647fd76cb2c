//! Strings of Go: bytes, usually UTF-8.

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::sync::Arc;

/// A string of Go. It holds any bytes, since functions cut strings between bytes and read binary files. Copies share the bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GoString(Arc<[u8]>);

impl GoString {
    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the text; bytes that are no UTF-8 become U+FFFD, one each, as Go's conversion to runes does.
    pub fn to_text(&self) -> Cow<'_, str> {
        if let Ok(text) = std::str::from_utf8(&self.0) {
            return Cow::Borrowed(text);
        }
        let mut text = String::with_capacity(self.0.len());
        for chunk in self.0.utf8_chunks() {
            text.push_str(chunk.valid());
            text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
        }
        Cow::Owned(text)
    }

    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the number of bytes if nothing else holds them, or else zero.
    pub(super) fn own_len(&self) -> usize {
        if Arc::strong_count(&self.0) == 1 { self.len() } else { 0 }
    }

    /// Returns true for the empty string.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Borrow<[u8]> for GoString {
    /// Returns the bytes, by which maps find a key without an allocation.
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for GoString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_text(), f)
    }
}

impl From<&str> for GoString {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().into())
    }
}

impl From<String> for GoString {
    fn from(text: String) -> Self {
        Self(text.into_bytes().into())
    }
}

impl From<Cow<'_, str>> for GoString {
    fn from(text: Cow<'_, str>) -> Self {
        text.as_ref().into()
    }
}

impl From<&[u8]> for GoString {
    fn from(bytes: &[u8]) -> Self {
        Self(bytes.into())
    }
}

impl From<Vec<u8>> for GoString {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes.into())
    }
}

impl From<Arc<[u8]>> for GoString {
    /// Returns a string that shares the bytes.
    fn from(bytes: Arc<[u8]>) -> Self {
        Self(bytes)
    }
}
