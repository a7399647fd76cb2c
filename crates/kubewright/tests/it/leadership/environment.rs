//! Leadership that is configured by the environment of a process.

use kubewright::prelude::*;
use kubewright_testing::TestCluster;

use crate::process::{OperatorProcess, ProcessArguments};

/// Runs as the process of the tests below; does nothing among other tests.
#[tokio::test(flavor = "multi_thread")]
async fn the_process_of_these_tests() {
    let Some(arguments) = ProcessArguments::given() else { return };
    let task = || {
        async |stop: CancellationToken| {
            stop.cancelled().await;
            Ok::<(), BoxError>(())
        }
    };
    let operator = Operator::from(Operator::new("ordinal.test.kubewright.dev").task("idle", task));
    arguments.run(operator.leadership(Leadership::ordinal_from_env().replicas(3))).await;
}

/// Starts the process with these variables, and waits until it logs a line with this text.
async fn logged(cluster: &TestCluster, variables: &[(&str, &str)], text: &str) -> String {
    let mut process = OperatorProcess::start(cluster, "leadership::environment::the_process_of_these_tests", variables).await;
    process.until(text).await
}

// LDR-40, LDR-41, 2.2
#[tokio::test(flavor = "multi_thread")]
async fn the_variables_of_a_pod_name_its_bucket_and_its_config_map() {
    let cluster = TestCluster::start().await;
    let map = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "name": "leaders", "namespace": cluster.namespace() }, "data": { "buckets": "3" },
    });
    cluster.create(map).await.unwrap();
    let variables = [
        ("STATEFUL_CONTROLLER_ORDINAL", "widgets-2"),
        ("STATEFUL_SERVICE_NAME", "router"),
        ("STATEFUL_SERVICE_PORT", "8080"),
        ("STATEFUL_SERVICE_PROTOCOL", "ws"),
        ("CLUSTER_DOMAIN", "example.org"),
        ("CONFIG_LEADERELECTION_NAME", "leaders"),
    ];
    let line = logged(&cluster, &variables, "leads the bucket of its number").await;
    let bucket = format!("ws://widgets-2.router.{}.svc.example.org:8080", cluster.namespace());
    assert!(line.contains(&format!("{bucket:?}")), "{line}");
    cluster.stop().await;
}

// LDR-40
#[tokio::test(flavor = "multi_thread")]
async fn all_that_is_wrong_with_the_variables_ends_the_start() {
    let cluster = TestCluster::start().await;
    let variables = [("STATEFUL_CONTROLLER_ORDINAL", "widgets"), ("STATEFUL_SERVICE_PORT", "0")];
    let line = logged(&cluster, &variables, "start the operator").await;
    for expected in ["STATEFUL_CONTROLLER_ORDINAL", "STATEFUL_SERVICE_NAME", "STATEFUL_SERVICE_PORT"] {
        assert!(line.contains(expected), "{expected}: {line}");
    }
    cluster.stop().await;
}
