//! A second run of an operator on objects that are already in their desired state.

use std::time::Duration;

use kubewright_runtime::operator::Operator;

use crate::{TestCluster, TestOperator};

/// The idle time after which an operator counts as at rest: no key has been queued, waited or been worked on for this long.
const REST: Duration = Duration::from_secs(2);
/// The time limit for an operator to come to rest.
const LIMIT: Duration = Duration::from_secs(150);
/// Pause between two checks of the work queues.
const POLL: Duration = Duration::from_millis(100);

impl TestCluster {
    /// Runs an operator on objects that an earlier run of it has brought to their desired state, until it has reconciled all of them, and stops it.
    /// Panics if it writes anything: an object, a status, a finalizer, an event (TS-4). Leases do not count.
    pub async fn second_pass_writes_nothing(&self, operator: impl Into<Operator>) {
        let mark = self.journal().mark();
        let operator = self.run(operator).await;
        if !self.is_at_rest(&operator).await {
            self.fail(&format!("expected the operator to be at rest within {LIMIT:?}"));
        }
        operator.stop().await;
        let is_lease = |group: &str, resource: &str| group == "coordination.k8s.io" && resource == "leases";
        let writes = self.journal().since(mark).writes();
        let writes = writes.filter(|record| record.target.resource().is_none_or(|of| !is_lease(&of.group, &of.resource)));
        if let Err(violation) = writes.no_writes() {
            self.fail(&format!("the second pass writes something: {violation}"));
        }
    }

    async fn is_at_rest(&self, operator: &TestOperator) -> bool {
        let (begun, mut since) = (self.clock().moment(), self.clock().moment());
        let mut last = operator.work();
        while self.clock().moment().since(begun) < LIMIT {
            self.pass(POLL).await;
            let now = operator.work();
            if now.waiting > 0.0 || now.added > last.added {
                since = self.clock().moment();
            }
            if self.clock().moment().since(since) >= REST {
                return true;
            }
            last = now;
        }
        false
    }
}

/// The load of an operator's work queues.
struct QueueLoad {
    added: f64,
    waiting: f64,
}

impl TestOperator {
    fn work(&self) -> QueueLoad {
        let sum = |name| self.metric_sum(name);
        QueueLoad {
            added: sum("kubewright_workqueue_adds_total"),
            waiting: sum("kubewright_workqueue_depth") + sum("kubewright_workqueue_unfinished_work_seconds"),
        }
    }
}
