//! Tasks that outlive what they belong to fail the test.

use std::panic::AssertUnwindSafe;

use futures::FutureExt as _;
use kubewright_testing::TestCluster;

/// The text of the panic with which the end of a test fails.
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

// TCL-8
#[tokio::test]
async fn a_task_without_a_name_that_runs_on_fails_the_test() {
    let cluster = TestCluster::start().await;
    if !cluster.is_embedded() {
        println!("skipped: only on the embedded server no other tasks come and go");
        return cluster.stop().await;
    }
    #[allow(clippy::disallowed_methods, reason = "what is forbidden in the project may happen in tests of others")]
    let task = tokio::spawn(std::future::pending::<()>());
    let failure = failure(cluster.stop()).await;
    assert_eq!(failure.as_deref(), Some("Leaked task: 1 that began in the test still run at its end"));
    task.abort();
}
