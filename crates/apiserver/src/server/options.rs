//! The options of a server (apiserver.md, 5).

use std::time::Duration;

use crate::{store::HISTORY_BYTES, workloads::Workloads};

/// The times at which the garbage collector and the other controllers run (DIF-4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Controllers {
    /// They run to quiescence after each write, before it is answered.
    #[default]
    Inline,
    /// They run only in `tick()` and `settle()`.
    Ticked,
    /// They never run; finalizers of deletions stay, as on a server without kube-controller-manager.
    Off,
}

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

/// The options with which a server is built.
#[derive(Clone, Debug)]
pub(crate) struct ServerOptions {
    pub(crate) controllers: Controllers,
    pub(crate) watch_window: usize,
    pub(crate) watch_window_bytes: usize,
    pub(crate) bookmark_period: Duration,
    pub(crate) event_ttl: Duration,
    pub(crate) workloads: Workloads,
    pub(crate) watch_queue: Option<usize>,
    pub(crate) strict: bool,
    pub(crate) cr_create_delay: Duration,
    pub(crate) max_in_flight: usize,
    pub(crate) names: Names,
    pub(crate) rbac: bool,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            controllers: Controllers::default(),
            watch_window: 10_000,
            watch_window_bytes: HISTORY_BYTES,
            bookmark_period: Duration::from_secs(60),
            event_ttl: Duration::from_secs(3600),
            workloads: Workloads::Off,
            watch_queue: None,
            strict: false,
            cr_create_delay: Duration::ZERO,
            max_in_flight: usize::MAX,
            names: Names::default(),
            rbac: false,
        }
    }
}
