//! One replica of the operator that `dev` runs.

use std::future::pending;
use std::num::NonZeroU32;
use std::sync::Arc;

use kubewright_runtime::leadership::{Leadership, LeadershipState};
use kubewright_runtime::operator::{Operator, OperatorError, OperatorPhase, RunningOperator};
use tokio::sync::watch;

use crate::DevError;
use crate::view::{ReplicaRow, ReplicaState};

/// Returns the name of a replica in leases and events, by its number counted from 0. Keys count from 1.
fn name_of(number: usize) -> String {
    format!("replica-{}", number + 1)
}

/// Returns the operator prepared for the replica of this number. A single replica leads all objects and needs no leases.
pub(crate) fn prepared(operator: Operator, number: usize, replicas: NonZeroU32) -> Result<Operator, DevError> {
    let mut has_leases = true;
    let agent = format!("{}/{}", operator.name(), name_of(number));
    let operator = operator.options(|options| {
        options.admin = None;
        options.system_namespace.get_or_insert_with(|| "default".to_owned());
        if replicas.get() == 1 {
            options.leadership = Leadership::off();
            return;
        }
        options.instance = Some(name_of(number));
        options.user_agent = Some(agent);
        match options.leadership.clone().rehearsed(replicas) {
            Some(leadership) => options.leadership = leadership,
            None => has_leases = false,
        }
    });
    if has_leases { Ok(operator) } else { Err(DevError::NoLeases { replicas }) }
}

/// A replica that is running or was killed.
pub(super) struct Replica {
    name: String,
    running: RunningOperator,
    phase: watch::Receiver<OperatorPhase>,
    leadership: watch::Receiver<LeadershipState>,
    /// True once the replica works or stands by.
    has_started: bool,
    is_killed: bool,
}

impl Replica {
    pub(super) fn new(number: usize, running: RunningOperator) -> Self {
        let (phase, leadership) = (running.phase(), running.leadership());
        Self { name: name_of(number), running, phase, leadership, has_started: false, is_killed: false }
    }

    pub(super) fn is_killed(&self) -> bool {
        self.is_killed
    }

    pub(super) fn has_started(&self) -> bool {
        self.has_started
    }

    /// Waits until the state of the replica changes. Returns an error if the replica ended by itself. Cancel safe.
    pub(super) async fn changed(&mut self) -> Result<(), Arc<OperatorError>> {
        let Self { running, phase, leadership, has_started, is_killed, .. } = self;
        if *is_killed {
            return pending().await;
        }
        tokio::select! {
            biased;
            ended = running.wait() => Err(ended.err().unwrap_or_else(|| Arc::new(OperatorError::Stopped))),
            Ok(()) = running.working(), if !*has_started => {
                *has_started = true;
                Ok(())
            }
            Ok(()) = leadership.changed() => Ok(()),
            Ok(()) = phase.changed() => Ok(()),
        }
    }

    /// Ends the replica as if its process had been killed: its leases remain until they expire.
    pub(super) async fn kill(&mut self) {
        self.is_killed = true;
        self.running.kill().await;
    }

    /// Ends the replica in order.
    pub(super) async fn stop(&self) -> Result<(), Arc<OperatorError>> {
        if self.is_killed { Ok(()) } else { self.running.stop().await }
    }

    /// Returns the row of the replica in the view, with its buckets without their common prefix.
    pub(super) fn row(&self, prefix: &str) -> ReplicaRow {
        let held = |state: &LeadershipState| {
            state.held().map(|bucket| bucket.strip_prefix(prefix).unwrap_or(bucket).to_owned()).collect::<Vec<_>>()
        };
        let buckets = if self.is_killed { Vec::new() } else { held(&self.leadership.borrow()) };
        let state = match *self.phase.borrow() {
            _ if self.is_killed => ReplicaState::Killed,
            phase if phase >= OperatorPhase::Draining => ReplicaState::Ending,
            _ if !buckets.is_empty() => ReplicaState::Leading,
            _ if self.has_started => ReplicaState::Standby,
            _ => ReplicaState::Starting,
        };
        ReplicaRow { name: self.name.clone(), state, buckets, passes: self.running.metrics().standard().passes.get() }
    }
}
