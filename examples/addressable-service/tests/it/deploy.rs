//! The output of the command `deploy`, on a cluster.

use std::process::Command;

use addressable_service::{AddressableService, AddressableServiceSpec, SimpleDeployment, SimpleDeploymentSpec, operator};
use k8s_openapi::api::core::v1::{ConfigMap, Service};
use kubewright::prelude::*;
use kubewright_testing::{TestCluster, TestOptions};

fn printed(args: &[&str]) -> String {
    let mut deploy = Command::new(env!("CARGO_BIN_EXE_addressable-service"));
    deploy.args(["deploy", "--image", "registry.example.com/samples:1.0.0"]).args(args).env_clear();
    let output = deploy.output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

// CMD-6, INJ-3
#[tokio::test]
async fn the_printed_manifests_grant_all_permissions_that_hand_written_reconcilers_need() {
    let cluster = TestCluster::start_with(TestOptions::default().exclusive().rbac()).await;
    let system = format!("{}-system", cluster.namespace());
    assert_eq!(cluster.apply_printed(&printed(&["--system-namespace", &system])).await, [""; 0]);
    let config = json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "config-addressing", "namespace": system},
        "data": {"announce": "true"},
    });
    cluster.apply(config).await;
    let account = format!("system:serviceaccount:{system}:samples-controller");
    let in_namespace = operator().options(|options| options.system_namespace = Some(system.clone()));
    let running = cluster.run_as(in_namespace, &account).await;

    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}]}});
    cluster.apply(service).await;
    cluster.apply(AddressableService::new("demo", AddressableServiceSpec { service_name: "web".to_owned() })).await;
    cluster.expect::<AddressableService>("demo").ready().await;
    let announced = |service: &Value| service["metadata"]["annotations"]["samples.knative.dev/addressed-by"] == "demo";
    cluster.expect::<Service>("web").matching("the annotation", announced).await;
    let pods = |replicas| SimpleDeployment::new("demo", SimpleDeploymentSpec { image: "example/hello:1".to_owned(), replicas });
    cluster.apply(pods(2)).await;
    cluster.expect::<SimpleDeployment>("demo").matching("two pods", |object| object["status"]["readyReplicas"] == 2).await;
    cluster.apply(pods(1)).await;
    cluster.expect::<SimpleDeployment>("demo").matching("one pod", |object| object["status"]["readyReplicas"] == 1).await;
    cluster.delete::<AddressableService>("demo").await;
    cluster.expect::<AddressableService>("demo").to_be_gone().await;
    // The operator has no access to the configuration of others.
    assert!(cluster.allows(&account, "list", ("", "configmaps"), &system).await);
    assert!(!cluster.allows(&account, "list", ("", "configmaps"), cluster.namespace()).await);
    assert!(cluster.get::<ConfigMap>("config-addressing").await.is_none());
    running.stop().await;
    cluster.stop().await;
}
