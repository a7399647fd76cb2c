//! The processes of the operator in a run: their starts and their ends.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use kubewright_machinery::object::ObjectExt as _;
use kubewright_runtime::leadership::Leadership;
use kubewright_runtime::operator::{OperatorError, RunningOperator};

use super::leaders::{Leaders, REPLICAS, lease};
use super::player::Player;
use super::scenario::Scenario;
use crate::TestOperator;

impl<S: Scenario> Player<'_, S> {
    /// Makes the operator run as replicas that share the work by leases from now on.
    pub(super) fn replicate(&mut self) {
        self.leaders = Some(Leaders::of(&self.cluster));
    }

    /// Starts a process of the operator.
    pub(super) async fn launch(&self) -> TestOperator {
        let operator = self.scenario.operator();
        let Some(leaders) = &self.leaders else { return self.cluster.start_operator(operator).await };
        let (name, replica) = (operator.name().to_owned(), leaders.next_name());
        // With a single bucket, one replica leads all objects.
        let started = self.cluster.start_replica(operator.leadership(Leadership::leases()), &replica).await;
        leaders.add(format!("{name}/{replica}"), started.running());
        started
    }

    /// Starts the operator without waiting until it works.
    pub(super) async fn launch_all(&mut self) {
        for _ in 0..if self.leaders.is_some() { REPLICAS } else { 1 } {
            let operator = self.launch().await;
            self.operators.push(operator);
        }
    }

    /// Starts the operator, and waits until it is at rest.
    pub(super) async fn start(&mut self) -> Result<(), String> {
        self.launch_all().await;
        let all = async {
            for operator in &self.operators {
                operator.running().working().await?;
            }
            while self.leaders.as_ref().is_some_and(|leaders| !leaders.has_leader()) {
                self.cluster.pass(Duration::from_millis(100)).await;
            }
            Ok::<(), Arc<OperatorError>>(())
        };
        let working = tokio::time::timeout(self.patience(), all).await;
        match working {
            Ok(outcome) => outcome.map_err(|error| error.to_string())?,
            Err(_) => return Err(self.complaint("the operator to work", None).await?),
        }
        self.cluster.pass(Duration::from_secs(1)).await;
        Ok(())
    }

    /// Returns the processes of the operator that run.
    pub(super) fn running(&self) -> impl Iterator<Item = &RunningOperator> {
        self.operators.iter().map(TestOperator::running)
    }

    /// Kills all processes.
    pub(super) async fn kill(&mut self) {
        if let Some(leaders) = &self.leaders {
            leaders.clear();
        }
        for operator in self.operators.drain(..) {
            operator.kill().await;
        }
    }

    /// Stops the replicas in order, and checks that they leave no held lease behind.
    pub(super) async fn retire(&mut self) -> Result<(), String> {
        for operator in self.operators.drain(..) {
            operator.stop().await;
        }
        for lease in self.hand.list(&lease()).await? {
            if lease["spec"]["holderIdentity"] != "" {
                return Err(format!(
                    "the lease {} is held by {} after all replicas have ended",
                    lease.name(),
                    lease["spec"]["holderIdentity"]
                ));
            }
        }
        Ok(())
    }

    /// Replaces processes that were cut off or have ended by themselves.
    pub(super) async fn see_to_the_operator(&mut self) {
        if let Some((cut, again)) = self.cut.take_if(|(cut, _)| cut.dropped() > 0) {
            self.kill().await;
            cut.resume();
            self.cut = again.map(|again| {
                let after = u64::try_from(again).unwrap_or(u64::MAX);
                (self.cluster.faults().cut_after(after).start(), None)
            });
            self.launch_all().await;
        }
        for index in 0..self.operators.len() {
            if self.operators[index].ended().now_or_never().is_some() {
                let next = self.launch().await;
                std::mem::replace(&mut self.operators[index], next).kill().await;
            }
        }
        if let Some(leaders) = &self.leaders {
            leaders.see_to();
        }
    }
}
