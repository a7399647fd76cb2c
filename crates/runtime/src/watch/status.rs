use std::future::pending;
use std::time::Duration;

use futures::future::select_all;

use kubewright_core::time::Moment;
use tokio::sync::watch;

use super::WatchSpec;

/// How long the server keeps a watch open.
pub(super) const WATCH_TIMEOUT: Duration = Duration::from_secs(290);

/// How a watch is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WatchState {
    /// Its first list is not complete.
    Starting,
    /// It follows the server.
    Watching,
    /// It failed and tries again soon. What the store has may be old.
    Retrying,
    /// The server forbids it. It is tried again after 1 s, doubled up to a minute. What the store has may be old.
    Forbidden,
    /// The server does not have the type. It is tried again when types change.
    NotServed,
}

impl WatchState {
    /// The state as metrics name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Watching => "watching",
            Self::Retrying => "retrying",
            Self::Forbidden => "forbidden",
            Self::NotServed => "not_served",
        }
    }

    /// The rank of the state: a store of several watches reports the one with the highest.
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

/// State of a watch, and since when it is not well.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WatchStatus {
    /// The state.
    pub state: WatchState,
    /// Since when it does not follow the server, once it has been asked to; `None` while it does.
    pub broken_since: Option<Moment>,
    /// The latest error, while it is broken.
    pub error: Option<String>,
}

impl WatchStatus {
    pub(super) fn new(state: WatchState) -> Self {
        Self { state, broken_since: None, error: None }
    }

    /// The status of several watches together: that of the one that is worst off.
    pub(super) fn worst(all: impl Iterator<Item = Self>) -> Self {
        all.max_by_key(|status| status.state.severity()).unwrap_or_else(|| Self::new(WatchState::Starting))
    }
}

/// Tells when the watches of a store get better or worse. It does not keep them alive.
#[derive(Debug)]
pub struct StatusChanges(Vec<watch::Receiver<WatchStatus>>);

impl StatusChanges {
    pub(super) fn new(watches: impl Iterator<Item = watch::Receiver<WatchStatus>>) -> Self {
        Self(watches.collect())
    }

    /// Ends with the next change of one of them. Never once they are gone. Safe to cancel.
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

    /// The status now; the changes up to it are no longer told.
    pub fn status(&mut self) -> WatchStatus {
        WatchStatus::worst(self.0.iter_mut().map(|watch| watch.borrow_and_update().clone()))
    }
}

/// One line of the watches' health.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WatchHealth {
    /// The cluster's name.
    pub cluster: String,
    /// What is watched.
    pub spec: WatchSpec,
    /// How it is doing.
    pub status: WatchStatus,
    /// The last list, event, bookmark, or renewal.
    pub last_activity: Moment,
    /// How many stores use it.
    pub users: usize,
    /// Whether a part of the operator waits for its first list, or for that of a store that shares it.
    pub is_awaited: bool,
    /// How many objects it holds.
    pub objects: usize,
    /// How many objects could not be read since it started.
    pub skipped: u64,
}

impl WatchHealth {
    /// Does it follow the server, and has the server said anything within twice the time-out of a watch?
    ///
    /// A refused watch or a missing type is no fault of the watch: who needs it says so.
    pub fn healthy(&self, now: Moment) -> bool {
        match self.status.state {
            WatchState::Retrying => false,
            WatchState::Starting | WatchState::Watching => now.0.saturating_sub(self.last_activity.0) <= 2 * WATCH_TIMEOUT,
            WatchState::Forbidden | WatchState::NotServed => true,
        }
    }
}
