//! The parameters of a watch.

use std::time::Duration;

use crate::api::selection::Selection;

/// The minimum duration of a watch without a timeout; over HTTP the maximum is twice as long (SWATCH-9).
pub(crate) const MIN_TIMEOUT_SECONDS: u64 = 1800;

/// The parameters of [`ObjectApi::watch`](crate::api::ObjectApi::watch).
#[derive(Clone, Debug)]
pub struct WatchQuery {
    /// The namespace; all namespaces if unset.
    pub(crate) namespace: Option<String>,
    /// The objects that are watched.
    pub(crate) selection: Selection,
    /// True if the watch has bookmarks.
    pub(crate) bookmarks: bool,
    /// The start of the watch.
    pub(crate) start: WatchStart,
    /// The duration of the watch.
    pub(crate) timeout: Duration,
}

/// The start of a watch. Versions are revisions of the store, the numbers in `metadata.resourceVersion`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WatchStart {
    /// First all current objects (SWATCH-2, SWATCH-8), at least as new as the version, then their changes. 0 is any version.
    Initial(u64),
    /// The changes after a version (SWATCH-3), such as that of a list.
    After(u64),
    /// The next change.
    Now,
}

impl WatchQuery {
    /// Creates the parameters of a watch of all objects in all namespaces, without bookmarks, which ends after 30 minutes.
    pub fn new(start: WatchStart) -> Self {
        Self {
            namespace: None,
            selection: Selection::default(),
            bookmarks: false,
            start,
            timeout: Duration::from_secs(MIN_TIMEOUT_SECONDS),
        }
    }

    /// Sets the only namespace that is watched.
    pub fn in_namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// Sets the objects that are watched; the default is all of them.
    pub fn selecting(mut self, selection: Selection) -> Self {
        self.selection = selection;
        self
    }

    /// Adds bookmarks: one after the initial objects, one per bookmark period of the API (60 seconds by default), and one 2 seconds before the end.
    pub fn with_bookmarks(mut self) -> Self {
        self.bookmarks = true;
        self
    }

    /// Sets the duration of the watch; the default is 30 minutes. A watch of no duration has only the initial objects.
    pub fn lasting(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }
}
