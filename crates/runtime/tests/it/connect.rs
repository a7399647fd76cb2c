use std::path::PathBuf;

use kube::config::KubeConfigOptions;
use kubewright_runtime::clock::{Clock, Random};
use kubewright_runtime::cluster::{ApiError, Cluster, ClusterOptions, ConnectError, config_from_file};
use kubewright_runtime::task::Tasks;

fn file(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn context(name: Option<&str>) -> KubeConfigOptions {
    KubeConfigOptions { context: name.map(str::to_owned), ..KubeConfigOptions::default() }
}

/// A kubeconfig whose server is not reachable, since no process listens on port 1.
const ANONYMOUS: &str = "
apiVersion: v1
kind: Config
current-context: dev
contexts: [{name: dev, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}]
users: [{name: u, user: {}}]
";

#[tokio::test]
async fn a_kubeconfig_that_is_none_is_named() {
    let path = file("garbage", "clusters: 7");
    let error = config_from_file(&path, &context(None)).await.unwrap_err();
    assert!(matches!(&error, ConnectError::Kubeconfig { .. }));
    let text = error.to_string();
    assert!(text.starts_with(&format!("load kubeconfig {}: ", path.display())), "{text}");
    assert!(text.ends_with("correct the file, or name another with --kubeconfig or $KUBECONFIG"), "{text}");
}

#[tokio::test]
async fn a_context_that_is_not_there_names_those_that_are() {
    let path = file("contexts", ANONYMOUS);
    let error = config_from_file(&path, &context(Some("prod"))).await.unwrap_err();
    assert_eq!(error.to_string(), format!("find context \"prod\" in kubeconfig {}: it has dev", path.display()));
}

#[tokio::test]
async fn an_unreachable_cluster_is_reported_as_a_connection_error() {
    let config = config_from_file(&file("nobody", ANONYMOUS), &context(Some("dev"))).await.unwrap();
    let options = ClusterOptions::new(Clock::system(), Random::seeded(1), Tasks::new());
    let error = Cluster::connect(config, options).unwrap().version().await.unwrap_err();
    assert!(matches!(&error, ApiError::Connection { .. }) && error.is_transient());
    let text = error.to_string();
    assert!(text.starts_with("get /version: no connection to the API server: "), "{text}");
    assert!(text.contains("refused"), "{text}");
}
