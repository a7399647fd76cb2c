//! One file of a chart.

use std::sync::Arc;

/// A file of a chart. Copies share the content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChartFile {
    /// The path below the directory of the chart, with `/`.
    pub name: Arc<str>,
    /// The content.
    pub data: Arc<[u8]>,
}

impl ChartFile {
    /// Creates a file.
    pub fn new(name: impl Into<Arc<str>>, data: impl Into<Arc<[u8]>>) -> Self {
        Self { name: name.into(), data: data.into() }
    }

    /// Returns the same content under another path.
    pub(crate) fn renamed(&self, name: &str) -> Self {
        Self { name: name.into(), data: self.data.clone() }
    }
}

/// Returns a text without the byte order mark at its beginning.
pub(crate) fn without_mark(data: &[u8]) -> &[u8] {
    data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data)
}

/// Returns true if the extension of a path is this one, in this case.
pub(crate) fn has_extension(path: &str, extension: &str) -> bool {
    base_name(path).rsplit_once('.').is_some_and(|(_, own)| own == extension)
}

/// Returns the last part of a path.
pub(crate) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
