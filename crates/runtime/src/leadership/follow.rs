//! Leadership changes for the code of the operator's author.

use tokio::sync::watch;

use super::LeadershipState;

/// The buckets that this replica leads, and each change of them (LDR-5). It is an argument of constructors, for background work that depends on these
/// buckets; work that one replica does at a time is a [`LeaderTask`](crate::background::LeaderTask). Cheap to clone; each clone receives each change.
#[derive(Clone, Debug)]
pub struct LeadershipChanges(watch::Receiver<LeadershipState>);

impl LeadershipChanges {
    pub(crate) const fn new(state: watch::Receiver<LeadershipState>) -> Self {
        Self(state)
    }

    /// Returns the buckets that this replica leads now.
    pub fn current(&self) -> LeadershipState {
        self.0.borrow().clone()
    }

    /// Waits for a change since the last call, and returns the new state. It never ends once the operator has ended. It is safe to cancel.
    pub async fn next(&mut self) -> LeadershipState {
        match self.0.changed().await {
            Ok(()) => self.0.borrow_and_update().clone(),
            Err(_) => std::future::pending().await,
        }
    }
}
