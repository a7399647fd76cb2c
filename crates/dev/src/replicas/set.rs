//! The set of replicas that `dev` runs.

use std::future::pending;
use std::sync::Arc;

use futures::StreamExt as _;
use futures::future::join_all;
use futures::stream::FuturesUnordered;
use kubewright_runtime::operator::{OperatorError, RunningOperator};

use super::replica::Replica;
use crate::DevError;
use crate::view::ReplicaRow;

/// A function that starts the replica of a number.
type StartReplica = Box<dyn FnMut(usize) -> Result<RunningOperator, DevError> + Send>;

/// The replicas of an operator.
pub(crate) struct Replicas {
    start: StartReplica,
    /// The common prefix of the names of buckets.
    prefix: String,
    all: Vec<Replica>,
}

impl Replicas {
    /// Starts this number of replicas of the operator with this name. `start` is called for each of them, and again to restart a killed one.
    pub(crate) fn start(
        operator: &str,
        count: usize,
        mut start: impl FnMut(usize) -> Result<RunningOperator, DevError> + Send + 'static,
    ) -> Result<Self, DevError> {
        let all = (0..count).map(|number| Ok(Replica::new(number, start(number)?))).collect::<Result<_, DevError>>()?;
        Ok(Self { start: Box::new(start), prefix: format!("{}.", operator.to_lowercase()), all })
    }

    /// Returns true if all replicas that were not killed work or stand by, and there is at least one.
    pub(crate) fn have_started(&self) -> bool {
        let mut alive = self.all.iter().filter(|replica| !replica.is_killed()).peekable();
        alive.peek().is_some() && alive.all(Replica::has_started)
    }

    /// Waits until the state of a replica changes. Returns an error if a replica ended by itself. Cancel safe.
    pub(crate) async fn changed(&mut self) -> Result<(), DevError> {
        let mut changes: FuturesUnordered<_> = self.all.iter_mut().map(Replica::changed).collect();
        match changes.next().await {
            Some(changed) => changed.map_err(DevError::Operator),
            None => pending().await,
        }
    }

    /// Kills the replica of this number, or starts it again.
    pub(crate) async fn toggle(&mut self, number: usize) -> Result<(), DevError> {
        match self.all.get_mut(number) {
            Some(replica) if replica.is_killed() => *replica = Replica::new(number, (self.start)(number)?),
            Some(replica) => replica.kill().await,
            None => {}
        }
        Ok(())
    }

    /// Returns the rows of the replicas in the view, or none for a single replica.
    pub(crate) fn rows(&self) -> Vec<ReplicaRow> {
        match self.all.as_slice() {
            [_] => Vec::new(),
            replicas => replicas.iter().map(|replica| replica.row(&self.prefix)).collect(),
        }
    }

    /// Ends all replicas in order and in parallel.
    pub(crate) async fn stop(self) -> Result<(), Arc<OperatorError>> {
        join_all(self.all.iter().map(Replica::stop)).await.into_iter().collect()
    }
}
