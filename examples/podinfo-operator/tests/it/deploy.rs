//! The output of the command `deploy`, on a cluster.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kubewright::machinery::yaml;
use kubewright::prelude::Operator;
use kubewright_testing::{TestCluster, TestOptions};
use podinfo_operator::{NAME, Podinfo, operator};
use serde_json::{Value, json};

use crate::command::{run, stderr, stdout};
use crate::objects::{dependents, podinfo};

const IMAGE: &str = "registry.example.com/podinfo-operator:1.0.0";
const LEASES: (&str, &str) = ("coordination.k8s.io", "leases");

/// Returns the output of the program.
fn printed(args: &[&str]) -> String {
    let output = run(&[&["deploy", "--image", IMAGE], args].concat());
    assert!(output.status.success() && stderr(&output).is_empty(), "{}", stderr(&output));
    stdout(&output)
}

/// Creates a namespace for the operator that refuses pods which violate the profile `restricted`, and warns of such workloads.
async fn restricted(cluster: &TestCluster) -> String {
    let name = format!("{}-system", cluster.namespace());
    let profile = |mode: &str| (format!("pod-security.kubernetes.io/{mode}"), Value::from("restricted"));
    let labels: serde_json::Map<_, _> = ["enforce", "warn"].map(profile).into_iter().collect();
    cluster.apply(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}})).await;
    name
}

/// Waits until this many replicas of the operator are available.
async fn available(cluster: &TestCluster, (namespace, name): (&str, &str), replicas: u64) -> Value {
    let enough = |deployment: &Value| deployment["status"]["availableReplicas"] == replicas;
    let expected = cluster.expect::<Deployment>(name).in_namespace(namespace);
    expected.matching(&format!("{replicas} replicas are available"), enough).await
}

/// Returns the operator as its pods run it.
fn in_namespace(system: &str) -> Operator {
    Operator::from(operator()).options(|options| options.system_namespace = Some(system.to_owned()))
}

/// Runs the operator with the rights of a service account, makes a Podinfo ready, and deletes it.
async fn works_as(cluster: &TestCluster, operator: Operator, account: &str) {
    let running = cluster.run_as(operator, account).await;
    cluster.apply(podinfo("demo")).await;
    cluster.expect::<Podinfo>("demo").ready().await;
    assert_eq!(dependents(cluster, "demo").await.len(), 7);
    let told = |map: &Value| map["metadata"]["labels"].get(format!("{NAME}/owner-id")).is_some();
    cluster.delete::<ConfigMap>("demo").await;
    cluster.expect::<ConfigMap>("demo").matching("it is back", told).await;
    cluster.delete::<Podinfo>("demo").await;
    cluster.expect::<Podinfo>("demo").to_be_gone().await;
    running.stop().await;
}

// CMD-6
#[tokio::test]
async fn the_printed_manifests_apply_without_a_warning_and_grant_all_needed_permissions() {
    let cluster = TestCluster::start_with(TestOptions::default().exclusive().rbac()).await;
    let system = restricted(&cluster).await;
    let yaml = printed(&["--system-namespace", &system, "--metrics-service", "--", "--resync", "1h"]);
    assert_eq!(cluster.apply_printed(&yaml).await, [""; 0]);
    // The profile accepts its pods.
    let first = available(&cluster, (&system, "podinfo-operator"), 2).await;
    // Applying the manifests again changes nothing.
    assert_eq!(cluster.apply_printed(&yaml).await, [""; 0]);
    let again = available(&cluster, (&system, "podinfo-operator"), 2).await;
    assert_eq!(again["metadata"]["generation"], first["metadata"]["generation"]);

    let account = format!("system:serviceaccount:{system}:{NAME}");
    works_as(&cluster, in_namespace(&system), &account).await;
    for verb in ["get", "list", "watch", "create", "update", "delete"] {
        assert!(cluster.allows(&account, verb, LEASES, &system).await, "{verb}");
        assert!(!cluster.allows(&account, verb, LEASES, cluster.namespace()).await, "{verb}");
    }
    cluster.stop().await;
}

// CMD-6, CHK-3
#[tokio::test]
async fn the_printed_manifests_for_one_namespace_grant_all_permissions_that_the_operator_needs() {
    let cluster = TestCluster::start_with(TestOptions::default().rbac()).await;
    let system = restricted(&cluster).await;
    let (namespace, name) = (cluster.namespace().to_owned(), format!("{}-podinfo", cluster.namespace()));
    let scope = ["--watch-namespaces", &namespace, "--system-namespace", &system];
    let yaml = printed(&[&scope[..], &["--prefix", &name, "--replicas", "1"]].concat());
    assert_eq!(cluster.apply_printed(&yaml).await, [""; 0]);
    available(&cluster, (&system, &name), 1).await;
    let account = format!("system:serviceaccount:{system}:{name}");
    let confined = in_namespace(&system).options(|options| options.watch_namespaces = vec![namespace]);
    works_as(&cluster, confined, &account).await;
    // The rights in the operator's own namespace are those for leases and their ConfigMap.
    assert!(cluster.allows(&account, "create", LEASES, &system).await);
    assert!(cluster.allows(&account, "list", ("", "configmaps"), &system).await);
    assert!(!cluster.allows(&account, "update", ("", "configmaps"), &system).await);
    assert!(!cluster.allows(&account, "list", ("", "secrets"), &system).await);
    cluster.delete::<Namespace>(&system).await;
    cluster.stop().await;
}

// CMD-6
#[test]
fn the_documents_come_in_the_order_in_which_they_can_be_applied() {
    let documents = yaml::documents(&printed(&["--system-namespace", "podinfo-system", "--metrics-service"])).unwrap();
    let kinds: Vec<&str> = documents.iter().map(|document| document["kind"].as_str().unwrap()).collect();
    let expected = [
        "Namespace",
        "CustomResourceDefinition",
        "ClusterRole",
        "Role",
        "ServiceAccount",
        "ClusterRoleBinding",
        "RoleBinding",
        "Service",
        "PodDisruptionBudget",
        "Deployment",
    ];
    assert_eq!(kinds, expected);
    assert_eq!(documents[1], yaml::documents(&stdout(&run(&["crds"]))).unwrap()[0]);
    assert!(printed(&["--system-namespace", "s", "--no-crds"]).lines().all(|line| line != "kind: CustomResourceDefinition"));
}

// CMD-6, OPR-6
#[test]
fn the_command_line_of_the_container_is_one() {
    let yaml = printed(&["--system-namespace", "s", "--watch-namespaces", "a,b", "--", "--resync=1h", "--log-format", "json"]);
    let documents = yaml::documents(&yaml).unwrap();
    let container = &documents.last().unwrap()["spec"]["template"]["spec"]["containers"][0];
    let args: Vec<&str> = container["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
    // The program starts until it searches for a cluster.
    let output = run(&args);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("failed to find a cluster"), "{}", stderr(&output));
}

// CMD-6, OPR-6
#[test]
fn without_an_image_the_error_names_the_flag() {
    let output = run(&["deploy", "--system-namespace", "s"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).starts_with("error: failed to print the manifests: ") && stderr(&output).contains("--image"));
    assert!(stdout(&output).is_empty());
}
