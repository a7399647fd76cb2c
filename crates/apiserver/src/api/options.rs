//! The options of the API (apiserver.md, 5).

use std::time::Duration;

use serde_json::Value;

use crate::store::HISTORY_BYTES;

/// The completion of generated names (DET-6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Names {
    /// Five characters from the seed, as on the real server.
    #[default]
    Random,
    /// Five digits that count from 00001 on, for tests that expect fixed names.
    Counter,
}

/// The options of an [`ObjectApi`](super::ObjectApi). Those of a server are set by the methods of
/// [`ApiServerBuilder`](crate::server::ApiServerBuilder), which describe them.
#[derive(Clone, Debug)]
pub(crate) struct ApiOptions {
    pub(crate) watch_window: usize,
    pub(crate) watch_window_bytes: usize,
    pub(crate) watch_queue: Option<usize>,
    pub(crate) bookmark_period: Duration,
    pub(crate) cr_create_delay: Duration,
    pub(crate) names: Names,
    pub(crate) rbac: bool,
    /// The warnings about a built-in object that is written, besides those of its kind.
    pub(crate) further_warnings: Option<fn(&Value) -> Vec<String>>,
}

impl Default for ApiOptions {
    fn default() -> Self {
        Self {
            watch_window: 10_000,
            watch_window_bytes: HISTORY_BYTES,
            watch_queue: None,
            bookmark_period: Duration::from_secs(60),
            cr_create_delay: Duration::ZERO,
            names: Names::default(),
            rbac: false,
            further_warnings: None,
        }
    }
}
