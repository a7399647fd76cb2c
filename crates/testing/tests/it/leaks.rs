//! Tests fail if a task outlives its test cluster or its operator.

use std::panic::AssertUnwindSafe;

use futures::FutureExt as _;
use k8s_openapi::api::core::v1::ConfigMap;
use kubewright_core::flow::{BoxError, Flow};
use kubewright_runtime::inject::FromOperator;
use kubewright_runtime::operator::{Declarations, Operator, OperatorContext};
use kubewright_runtime::reconcile::{Context, Controller, ControllerExt as _, NoStatus, Reconcile};
use kubewright_testing::TestCluster;

/// Returns the text of the panic with which the end of a test fails.
async fn failure(end: impl Future<Output = ()>) -> Option<String> {
    let payload = AssertUnwindSafe(end).catch_unwind().await.err()?;
    Some(payload.downcast_ref::<String>().unwrap().clone())
}

// TCL-8
#[tokio::test]
async fn a_task_of_the_test_that_does_not_end_fails_it() {
    let cluster = TestCluster::start().await;
    cluster.tasks().spawn("pump", std::future::pending::<()>()).detach();
    let failure = failure(cluster.stop()).await;
    assert_eq!(failure.as_deref(), Some("Leaked task: pump did not end when asked to"));
}

/// A dependency with a task that does not end when it is asked to.
pub(crate) struct Pump;

impl FromOperator for Pump {
    fn declare(_: &mut Declarations) {}

    fn extract(context: &OperatorContext) -> Result<Self, BoxError> {
        context.tasks.spawn("pump", std::future::pending::<()>()).detach();
        Ok(Self)
    }
}

/// A reconciler that does nothing.
struct Idle;

impl Reconcile for Idle {
    type Kind = ConfigMap;
    type Status = NoStatus;

    async fn reconcile(&self, _: &Context<ConfigMap>, _: &ConfigMap, _: &mut NoStatus) -> Flow {
        Ok(())
    }
}

// TCL-8
#[tokio::test]
async fn a_task_of_an_operator_that_does_not_end_fails_its_test() {
    let cluster = TestCluster::start().await;
    let operator = Operator::new("pumps.test.kubewright.dev").add_controller(Controller::new(|_: Pump| Idle));
    let operator = cluster.run(operator).await;
    let failure = failure(operator.stop()).await;
    assert_eq!(failure.as_deref(), Some("Leaked task: pump did not end when the operator was stopped"));
    cluster.stop().await;
}
