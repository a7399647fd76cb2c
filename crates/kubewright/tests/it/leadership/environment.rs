//! Leadership as the environment of a process says it.

use std::process::Stdio;
use std::time::Duration;

use kubewright::prelude::*;
use kubewright::runtime::operator::cli::main_from;
use kubewright_testing::TestCluster;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

/// Names the kubeconfig to the process that a test starts.
const KUBECONFIG: &str = "KUBEWRIGHT_TEST_ORDINAL_KUBECONFIG";
/// Names the namespace to it.
const NAMESPACE: &str = "KUBEWRIGHT_TEST_ORDINAL_NAMESPACE";

/// Is the process of the tests below; does nothing among other tests.
#[tokio::test(flavor = "multi_thread")]
async fn the_process_of_these_tests() {
    let (Ok(kubeconfig), Ok(namespace)) = (std::env::var(KUBECONFIG), std::env::var(NAMESPACE)) else { return };
    let task = || {
        async |stop: CancellationToken| {
            stop.cancelled().await;
            Ok::<(), BoxError>(())
        }
    };
    let operator = Operator::from(Operator::new("ordinal.test.kubewright.dev").task("idle", task));
    let operator = operator.leadership(Leadership::ordinal_from_env().replicas(3));
    let place = ["--watch-namespaces", &namespace, "--system-namespace", &namespace];
    let args = [&["ordinal", "--kubeconfig", &kubeconfig, "--admin-addr", "off"][..], &place].concat();
    main_from(args.into_iter().map(Into::into), operator, None).await;
}

/// Starts the process with these variables, and waits until it logs a line with this text.
async fn logged(cluster: &TestCluster, name: &str, variables: &[(&str, &str)], text: &str) -> String {
    let path = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("ordinal-{name}"));
    std::fs::write(&path, cluster.kubeconfig().await).unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "leadership::environment::the_process_of_these_tests", "--nocapture"]);
    command.env(KUBECONFIG, path).env(NAMESPACE, cluster.namespace()).env("LOG_FORMAT", "json").env("RUST_LOG", "info");
    command.envs(variables.iter().copied()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.kill_on_drop(true).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut printed = Vec::new();
    let reading = async {
        while let Some(line) = lines.next_line().await.unwrap() {
            printed.push(line.clone());
            if line.contains(text) {
                return line;
            }
        }
        panic!("{text:?} is not in the log: {printed:#?}");
    };
    let line = tokio::time::timeout(Duration::from_secs(150), reading).await.unwrap();
    child.kill().await.unwrap();
    line
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
    let line = logged(&cluster, "right", &variables, "leads the bucket of its number").await;
    let bucket = format!("ws://widgets-2.router.{}.svc.example.org:8080", cluster.namespace());
    assert!(line.contains(&format!("{bucket:?}")), "{line}");
    cluster.stop().await;
}

// LDR-40
#[tokio::test(flavor = "multi_thread")]
async fn all_that_is_wrong_with_the_variables_ends_the_start() {
    let cluster = TestCluster::start().await;
    let variables = [("STATEFUL_CONTROLLER_ORDINAL", "widgets"), ("STATEFUL_SERVICE_PORT", "0")];
    let line = logged(&cluster, "wrong", &variables, "start the operator").await;
    for expected in ["STATEFUL_CONTROLLER_ORDINAL", "STATEFUL_SERVICE_NAME", "STATEFUL_SERVICE_PORT"] {
        assert!(line.contains(expected), "{expected}: {line}");
    }
    cluster.stop().await;
}
