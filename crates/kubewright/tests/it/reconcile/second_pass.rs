//! Operators that find all objects in the desired state.

use std::panic::AssertUnwindSafe;

use futures::FutureExt as _;
use kubewright_testing::TestCluster;

use super::widget::{Script, Widget, Widgets, widget};

/// Starts a cluster on which an operator has made a widget Ready.
async fn brought_up(script: &Script) -> TestCluster {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(Widgets::operator(script)).await;
    cluster.create(widget(&cluster, "demo", 1)).await.unwrap();
    cluster.expect::<Widget>("demo").condition("Ready", "True", "Reconciled").await;
    operator.stop().await;
    cluster
}

// TCL-6, TS-4
#[tokio::test]
async fn an_operator_that_is_done_writes_nothing_when_it_starts_again() {
    let script = Script::default().reconcile(|_, _, status| {
        status.conditions.mark_true("Sized");
        Box::pin(async { Ok(()) })
    });
    let cluster = brought_up(&script).await;
    cluster.second_pass_writes_nothing(Widgets::operator(&script)).await;
    cluster.stop().await;
}

// TCL-6, TS-4
#[tokio::test]
async fn the_second_pass_check_fails_for_an_operator_that_writes_in_each_pass() {
    let counting = Script::default();
    let calls = counting.clone();
    let script = counting.reconcile(move |_, _, status| {
        status.size = i64::try_from(calls.count("reconcile")).ok();
        status.conditions.mark_true("Sized");
        Box::pin(async { Ok(()) })
    });
    let cluster = brought_up(&script).await;
    let second = AssertUnwindSafe(cluster.second_pass_writes_nothing(Widgets::operator(&script))).catch_unwind().await;
    let text = second.unwrap_err().downcast::<String>().unwrap();
    assert!(text.starts_with("the second pass writes something: expected no writes, found 1:"), "{text}");
    assert!(text.contains("widgets.test.kubewright.dev/status"), "{text}");
    cluster.stop().await;
}
