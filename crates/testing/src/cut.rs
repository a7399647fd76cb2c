//! The end of an operator's process in the middle of its work.

use std::time::Duration;

use kubewright_middleware::Verb;
use kubewright_middleware::faults::CutHandle;
use kubewright_middleware::journal::{Mark, Outcome};
use kubewright_runtime::operator::Operator;

use crate::{TestCluster, TestOperator};

/// The time limit for an operator to send the request that is cut off. An operator that has not sent it by then has done its work with fewer requests.
const PATIENCE: Duration = Duration::from_secs(60);
/// Pause between two checks of the cut.
const POLL: Duration = Duration::from_millis(20);

/// A cut that is in force: see [`TestCluster::cut_after`].
#[derive(Debug)]
#[must_use = "the operator is cut off and stays so"]
pub struct OperatorCut<'c> {
    cluster: &'c TestCluster,
    cut: CutHandle,
    /// The beginning of the cut in the journal.
    begin: Mark,
}

impl TestCluster {
    /// Lets this many more requests of operators pass, and drops all later ones, as if the process had ended there (TS-5). [`OperatorCut::restarted`]
    /// kills the operator and starts the next process.
    pub fn cut_after(&self, requests: u64) -> OperatorCut<'_> {
        OperatorCut { cluster: self, begin: self.journal().mark(), cut: self.faults().cut_after(requests).start() }
    }
}

impl OperatorCut<'_> {
    /// Waits until a request of the operator is dropped and those before it are answered, kills the operator, and starts the next process. Returns
    /// `None` if the operator sends no such request within a minute; it is killed in this case too.
    pub async fn restarted(self, operator: TestOperator, next: impl Into<Operator>) -> Option<TestOperator> {
        let begun = self.cluster.clock().moment();
        while !(self.cut.dropped() > 0 && self.is_answered()) && self.cluster.clock().moment().since(begun) < PATIENCE {
            self.cluster.pass(POLL).await;
        }
        operator.kill().await;
        let is_cut = self.cut.dropped() > 0;
        self.cut.resume();
        if is_cut { Some(self.cluster.run(next).await) } else { None }
    }

    /// Returns true if the journal has the end of each request since the cut began, watches excepted.
    fn is_answered(&self) -> bool {
        let is_running = |verb: Option<Verb>, outcome: Outcome| outcome == Outcome::Running && verb != Some(Verb::Watch);
        let sent = self.cluster.journal().since(self.begin);
        !sent.iter().any(|record| is_running(record.target.resource().map(|target| target.verb), record.outcome))
    }
}
