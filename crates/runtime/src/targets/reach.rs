use std::time::Duration;

use kubewright_core::time::Moment;
use parking_lot::Mutex;

use crate::cluster::{ApiRequest, Cluster};
use crate::watch::WatchState;

/// A cluster that does not answer is asked again after this time.
const AGAIN: Duration = Duration::from_secs(10);
/// So long may the first answer take.
const LIMIT: Duration = Duration::from_secs(5);
/// Those who come while somebody finds out come again after this time.
const SOON: Duration = Duration::from_secs(1);

/// Whether another cluster answers. One pass finds out; the others do not wait, so that a cluster that is gone takes no more than
/// one worker from those that need other clusters.
#[derive(Debug)]
pub(super) struct Reach(Mutex<State>);

#[derive(Clone, Debug)]
enum State {
    Unknown,
    Asking,
    Reached,
    Failed { at: Moment, error: String },
}

/// The cluster does not answer, as far as is known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the target cluster cannot be reached: {error}")]
#[non_exhaustive]
pub struct NotReached {
    /// What is wrong.
    pub error: String,
    /// When to look again.
    pub again: Duration,
    /// Somebody is finding out: nothing is known yet that could be told.
    pub is_open: bool,
}

/// Puts the state back if whoever asks gives up.
struct Asking<'a>(&'a Reach);

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        let mut state = self.0.0.lock();
        if matches!(*state, State::Asking) {
            *state = State::Unknown;
        }
    }
}

impl Reach {
    pub(super) fn new() -> Self {
        Self(Mutex::new(State::Unknown))
    }

    /// Ok when the cluster answered, and its watches do not say otherwise.
    pub(super) async fn check(&self, cluster: &Cluster) -> Result<(), NotReached> {
        let now = cluster.clock().moment();
        {
            let mut state = self.0.lock();
            match &*state {
                State::Reached if !is_broken(cluster) => return Ok(()),
                State::Asking => {
                    return Err(NotReached { error: "it is being asked".to_owned(), again: SOON, is_open: true });
                }
                State::Failed { at, error } if now.since(*at) < AGAIN => {
                    let again = AGAIN.saturating_sub(now.since(*at));
                    return Err(NotReached { error: error.clone(), again, is_open: false });
                }
                _ => *state = State::Asking,
            }
        }
        let asking = Asking(self);
        let answer = cluster.send(&ApiRequest::raw("/version").deadline(LIMIT).at_once()).await;
        let reached = match answer {
            // Who refuses to answer has been reached.
            Err(error) if error.is_transient() => Err(error.to_string()),
            _ => Ok(()),
        };
        *self.0.lock() = match &reached {
            Ok(()) => State::Reached,
            Err(error) => State::Failed { at: cluster.clock().moment(), error: error.clone() },
        };
        drop(asking);
        reached.map_err(|error| NotReached { error, again: AGAIN, is_open: false })
    }

    /// What was known may be wrong: the next check asks.
    pub(super) fn doubt(&self) {
        let mut state = self.0.lock();
        if !matches!(*state, State::Asking) {
            *state = State::Unknown;
        }
    }

    /// The last error, while the cluster does not answer.
    pub(super) fn error(&self) -> Option<String> {
        match &*self.0.lock() {
            State::Failed { error, .. } => Some(error.clone()),
            _ => None,
        }
    }
}

fn is_broken(cluster: &Cluster) -> bool {
    cluster.watches().health().iter().any(|watch| watch.status.state == WatchState::Retrying)
}
