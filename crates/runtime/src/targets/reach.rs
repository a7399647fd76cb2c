use std::time::Duration;

use kubewright_core::time::Moment;
use parking_lot::Mutex;

use crate::cluster::{ApiRequest, Cluster};
use crate::defaults::{TARGET_AGAIN, TARGET_FIRST_ANSWER};
use crate::watch::WatchState;

/// The time after which a pass runs again that came while another pass was checking the cluster.
const SOON: Duration = Duration::from_secs(1);

/// The reachability of another cluster. One pass checks it and the others do not wait, so that an unreachable cluster occupies at most one worker, and passes
/// for other clusters can run.
#[derive(Debug)]
pub(super) struct Reach(Mutex<ReachState>);

#[derive(Clone, Debug)]
enum ReachState {
    Unknown,
    Asking,
    Reached,
    Failed { at: Moment, error: String },
}

/// The error of a cluster that does not answer, as far as is known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the target cluster cannot be reached: {error}")]
#[non_exhaustive]
pub struct NotReached {
    /// The error text.
    pub error: String,
    /// The time after which to check again.
    pub again: Duration,
    /// True if another pass is checking the cluster, so that nothing is known yet that could be reported.
    pub is_open: bool,
}

/// A guard that restores the state if the checking pass is dropped.
struct Asking<'a>(&'a Reach);

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        let mut state = self.0.0.lock();
        if matches!(*state, ReachState::Asking) {
            *state = ReachState::Unknown;
        }
    }
}

impl Reach {
    pub(super) fn new() -> Self {
        Self(Mutex::new(ReachState::Unknown))
    }

    /// Returns Ok if the cluster has answered, and its watches do not contradict that.
    pub(super) async fn check(&self, cluster: &Cluster) -> Result<(), NotReached> {
        let now = cluster.clock().moment();
        {
            let mut state = self.0.lock();
            match &*state {
                ReachState::Reached if !is_broken(cluster) => return Ok(()),
                ReachState::Asking => {
                    return Err(NotReached { error: "it is being asked".to_owned(), again: SOON, is_open: true });
                }
                ReachState::Failed { at, error } if now.since(*at) < TARGET_AGAIN => {
                    let again = TARGET_AGAIN.saturating_sub(now.since(*at));
                    return Err(NotReached { error: error.clone(), again, is_open: false });
                }
                _ => *state = ReachState::Asking,
            }
        }
        let asking = Asking(self);
        let answer = cluster.send(&ApiRequest::raw("/version").deadline(TARGET_FIRST_ANSWER).at_once()).await;
        let reached = match answer {
            // A server that rejects the request has been reached.
            Err(error) if error.is_transient() => Err(error.to_string()),
            _ => Ok(()),
        };
        *self.0.lock() = match &reached {
            Ok(()) => ReachState::Reached,
            Err(error) => ReachState::Failed { at: cluster.clock().moment(), error: error.clone() },
        };
        drop(asking);
        reached.map_err(|error| NotReached { error, again: TARGET_AGAIN, is_open: false })
    }

    /// Drops the known state, because it may be wrong; the next check asks the cluster.
    pub(super) fn doubt(&self) {
        let mut state = self.0.lock();
        if !matches!(*state, ReachState::Asking) {
            *state = ReachState::Unknown;
        }
    }

    /// Returns the last error, while the cluster does not answer.
    pub(super) fn error(&self) -> Option<String> {
        match &*self.0.lock() {
            ReachState::Failed { error, .. } => Some(error.clone()),
            _ => None,
        }
    }
}

fn is_broken(cluster: &Cluster) -> bool {
    cluster.watches().health().iter().any(|watch| watch.status.state == WatchState::Retrying)
}
