//! The parameters of a watch.

use std::time::Duration;

use crate::api::selection::Selection;

/// The options of a watch.
#[derive(Clone, Debug)]
pub(crate) struct WatchQuery {
    pub(crate) namespace: Option<String>,
    pub(crate) selection: Selection,
    pub(crate) bookmarks: bool,
    pub(crate) start: Start,
    pub(crate) timeout: Duration,
}

/// The start of a watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// All current objects (SWATCH-2, SWATCH-8), at least as new as the version.
    Initial(u64),
    /// The events after a version (SWATCH-3).
    After(u64),
    /// The next event.
    Now,
}
