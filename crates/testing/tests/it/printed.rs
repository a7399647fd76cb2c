//! Manifests that a program prints, applied to the cluster unchanged.

use std::panic::AssertUnwindSafe;

use futures::FutureExt as _;
use kubewright_testing::TestCluster;
use serde_json::json;

// CMD-6
#[tokio::test]
async fn warnings_about_printed_manifests_name_their_objects() {
    let cluster = TestCluster::start().await;
    let pod = json!({
        "metadata": {"labels": {"app": "a"}},
        "spec": {"containers": [{"name": "a", "image": "example.com/a:1"}]},
    });
    let deployment = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "dotted.name", "namespace": cluster.namespace()},
        "spec": {"replicas": 0, "selector": {"matchLabels": {"app": "a"}}, "template": pod},
    });
    let warnings = cluster.apply_printed(&deployment.to_string()).await;
    let [warning] = &*warnings else { panic!("{warnings:?}") };
    assert!(warning.starts_with("Deployment dotted.name: ") && warning.contains("a DNS label is recommended"), "{warning}");
    cluster.stop().await;
}

// CMD-6
#[tokio::test]
async fn a_printed_manifest_with_a_field_that_there_is_not_fails_the_test() {
    let cluster = TestCluster::start().await;
    let text =
        format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: a, namespace: {}}}, colour: red}}", cluster.namespace());
    let applied = AssertUnwindSafe(cluster.apply_printed(&text)).catch_unwind().await;
    let told = applied.unwrap_err().downcast::<String>().unwrap();
    assert!(told.contains("failed to apply ConfigMap a: ") && told.contains("colour"), "{told}");
    cluster.stop().await;
}
