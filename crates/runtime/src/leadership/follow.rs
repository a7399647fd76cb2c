//! Leadership for code of the operator's author.

use kubewright_core::flow::BoxError;
use tokio::sync::watch;

use super::LeadershipState;
use crate::inject::FromOperator;
use crate::operator::{Declarations, OperatorContext};

/// The buckets that this replica leads, and each change of them (LDR-5). An argument of constructors, for background work that depends on these
/// buckets; work of one replica at a time is a [`LeaderTask`](crate::background::LeaderTask). Cheap to clone; each clone tells each change.
#[derive(Clone, Debug)]
pub struct LeadershipChanges(watch::Receiver<LeadershipState>);

impl LeadershipChanges {
    /// The buckets that this replica leads now.
    pub fn current(&self) -> LeadershipState {
        self.0.borrow().clone()
    }

    /// Ends when something has changed since the last call, and returns it. Never ends when the operator has ended. Safe to cancel.
    pub async fn next(&mut self) -> LeadershipState {
        match self.0.changed().await {
            Ok(()) => self.0.borrow_and_update().clone(),
            Err(_) => std::future::pending().await,
        }
    }
}

impl FromOperator for LeadershipChanges {
    fn declare(_: &mut Declarations) {}

    fn extract(context: &OperatorContext) -> Result<Self, BoxError> {
        Ok(Self(context.leadership.clone()))
    }
}
