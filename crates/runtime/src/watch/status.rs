use std::future::pending;

use futures::future::select_all;
use kubewright_core::time::Moment;
use tokio::sync::watch;

use super::WatchSpec;
use crate::defaults::WATCH_TIMEOUT;

/// The state of a watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WatchState {
    /// The first list is not complete.
    Starting,
    /// The watch follows the server.
    Watching,
    /// The watch failed and is tried again soon. The objects in the store may be stale.
    Retrying,
    /// The server forbids the watch. It is tried again after 1 s, doubled up to a minute. The objects in the store may be stale.
    Forbidden,
    /// The server does not have the type. The watch is tried again when types change.
    NotServed,
}

impl WatchState {
    /// Returns the name of the state in metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Watching => "watching",
            Self::Retrying => "retrying",
            Self::Forbidden => "forbidden",
            Self::NotServed => "not_served",
        }
    }

    /// Returns the rank of the state: a store of several watches reports the one with the highest rank.
    const fn severity(self) -> u8 {
        match self {
            Self::Watching => 0,
            Self::Starting => 1,
            Self::Retrying => 2,
            Self::NotServed => 3,
            Self::Forbidden => 4,
        }
    }
}

/// The state of a watch, with the time and the reason of a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WatchStatus {
    /// The state.
    pub state: WatchState,
    /// The moment since which the watch does not follow the server, once it has been started; `None` while it does.
    pub broken_since: Option<Moment>,
    /// The latest error, while the watch is broken.
    pub error: Option<String>,
}

impl WatchStatus {
    pub(super) fn new(state: WatchState) -> Self {
        Self { state, broken_since: None, error: None }
    }

    /// Returns the combined status of several watches: that of the one in the worst state.
    pub(super) fn worst(all: impl Iterator<Item = Self>) -> Self {
        all.max_by_key(|status| status.state.severity()).unwrap_or_else(|| Self::new(WatchState::Starting))
    }
}

/// The changes of the status of a store's watches. It does not keep the watches alive.
#[derive(Debug)]
pub struct StatusChanges(Vec<watch::Receiver<WatchStatus>>);

impl StatusChanges {
    pub(super) fn new(watches: impl Iterator<Item = watch::Receiver<WatchStatus>>) -> Self {
        Self(watches.collect())
    }

    /// Waits for the next change of one of the watches. It never ends once they are gone. It is safe to cancel.
    pub async fn changed(&mut self) {
        loop {
            if self.0.is_empty() {
                return pending().await;
            }
            let (changed, at, _) = select_all(self.0.iter_mut().map(|watch| Box::pin(watch.changed()))).await;
            if changed.is_ok() {
                return;
            }
            self.0.swap_remove(at);
        }
    }

    /// Returns the current status; changes up to it are not reported any more.
    pub fn status(&mut self) -> WatchStatus {
        WatchStatus::worst(self.0.iter_mut().map(|watch| watch.borrow_and_update().clone()))
    }
}

/// The health of one watch.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WatchHealth {
    /// The name of the cluster.
    pub cluster: String,
    /// The specification of the watch.
    pub spec: WatchSpec,
    /// The status of the watch.
    pub status: WatchStatus,
    /// The moment of the last list, event, bookmark, or renewal.
    pub last_activity: Moment,
    /// The number of stores that use the watch.
    pub users: usize,
    /// True if a part of the operator waits for its first list, or for that of a store that shares it.
    pub is_awaited: bool,
    /// The number of objects that it holds.
    pub objects: usize,
    /// The number of objects that could not be read since it started.
    pub skipped: u64,
}

impl WatchHealth {
    /// Returns true if the watch follows the server, and the server has sent something within twice the time-out of a watch.
    ///
    /// A refused watch or a missing type counts as healthy: the part that needs it reports the problem.
    pub fn healthy(&self, now: Moment) -> bool {
        match self.status.state {
            WatchState::Retrying => false,
            WatchState::Starting | WatchState::Watching => now.0.saturating_sub(self.last_activity.0) <= 2 * WATCH_TIMEOUT,
            WatchState::Forbidden | WatchState::NotServed => true,
        }
    }
}
