use std::time::Duration;

use bundle_operator::Bundle;
use kube::core::GroupVersionKind;
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use kubewright_middleware::Verb;
use kubewright_middleware::journal::Record;
use kubewright_testing::{TestCluster, TestOptions};

use crate::world::{bundle, config_map, shared_manifests, text};

const NAMESPACE: &str = "cert-manager";
const PATIENCE: Duration = Duration::from_secs(170);

fn deployments() -> GroupVersionKind {
    GroupVersionKind::gvk("apps", "v1", "Deployment")
}

fn definitions() -> GroupVersionKind {
    GroupVersionKind::gvk("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
}

/// Returns the items of the inventory.
fn items(bundle: &Value) -> Vec<&Value> {
    bundle["status"]["inventory"].as_array().map(|items| items.iter().collect()).unwrap_or_default()
}

/// Returns the next version: another image for all Deployments, one object less, and one more.
fn next_version(manifests: &[Value]) -> Vec<Value> {
    let mut next: Vec<Value> = manifests.iter().filter(|object| !is_dropped(object)).cloned().collect();
    for object in next.iter_mut().filter(|object| object.kind() == "Deployment") {
        let image = &mut object["spec"]["template"]["spec"]["containers"][0]["image"];
        *image = json!(image.as_str().unwrap().replace(":v0.0.0", ":v0.0.1"));
    }
    next.push(json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "name": "release", "namespace": NAMESPACE },
        "data": { "version": "v0.0.1" },
    }));
    next
}

fn is_dropped(object: &Value) -> bool {
    object.kind() == "ClusterRole" && object.name() == "cert-manager-cluster-view"
}

/// Asserts that objects that others need were created before them.
fn assert_order(cluster: &TestCluster) {
    let created = cluster.journal().all().verb(Verb::Create);
    let of = |resource: &'static str| move |record: &Record| record.target.resource().is_some_and(|at| at.resource == resource);
    let order =
        ["namespaces", "customresourcedefinitions", "clusterrolebindings", "deployments", "validatingwebhookconfigurations"];
    for pair in order.windows(2) {
        created.in_order(of(pair[0]), of(pair[1])).unwrap();
    }
}

// ORD-1, ORD-2, NS-1
#[tokio::test]
async fn cert_manager_is_installed_upgraded_and_removed() {
    let Some(manifests) = shared_manifests("cert-manager.yaml") else { return };
    assert!(manifests.iter().any(is_dropped));
    let options = TestOptions::default().exclusive().ready_delay(Duration::from_secs(2));
    let cluster = TestCluster::start_with(options).await;
    let operator = cluster.run(bundle_operator::operator()).await;

    cluster.apply(config_map("cert-manager", "manifests.yaml", &text(&manifests))).await;
    cluster.apply(bundle("cert-manager", json!({ "configMaps": [{ "name": "cert-manager" }], "timeout": "10m" }))).await;
    let ready = cluster.expect::<Bundle>("cert-manager").within(PATIENCE).ready().await;
    assert_eq!(items(&ready).len(), manifests.len());
    assert_order(&cluster);
    let image = |deployment: &Value| deployment["spec"]["template"]["spec"]["containers"][0]["image"].clone();
    let controller = cluster.expect_object(&deployments(), "cert-manager").in_namespace(NAMESPACE).to_exist().await;
    assert_eq!(image(&controller), "quay.io/jetstack/cert-manager-controller:v0.0.0");

    let next = next_version(&manifests);
    cluster.apply(config_map("cert-manager", "manifests.yaml", &text(&next))).await;
    let upgraded = |bundle: &Value| bundle["status"]["revision"] == 2 && bundle["status"]["state"] == "Ready";
    let upgraded =
        cluster.expect::<Bundle>("cert-manager").within(PATIENCE).matching("it is ready at revision 2", upgraded).await;
    assert_eq!(items(&upgraded).len(), next.len());
    assert!(items(&upgraded).iter().any(|item| item["kind"] == "ConfigMap" && item["name"] == "release"));
    let after = cluster.expect_object(&deployments(), "cert-manager").in_namespace(NAMESPACE).to_exist().await;
    assert_eq!(image(&after), "quay.io/jetstack/cert-manager-controller:v0.0.1");
    assert_eq!(after.uid(), controller.uid());
    let role = GroupVersionKind::gvk("rbac.authorization.k8s.io", "v1", "ClusterRole");
    assert_eq!(cluster.get_object(&role, "cert-manager-cluster-view").await, None);

    cluster.delete::<Bundle>("cert-manager").await;
    cluster.expect::<Bundle>("cert-manager").within(PATIENCE).to_be_gone().await;
    for object in next.iter().filter(|object| object.namespace().is_empty()) {
        let gvk = object.gvk().unwrap();
        let kind = GroupVersionKind::gvk(&gvk.group, &gvk.version, &gvk.kind);
        assert!(cluster.get_object(&kind, object.name()).await.is_none(), "{} is still there", object.title());
    }
    operator.stop().await;
    cluster.stop().await;
}

// WAVE-2, I3
#[tokio::test]
async fn definitions_precede_their_instances_and_stay_until_foreign_instances_are_deleted() {
    let Some(manifests) = shared_manifests("cert-manager.yaml") else { return };
    let definitions_only: Vec<Value> =
        manifests.into_iter().filter(|object| object.kind() == "CustomResourceDefinition").collect();
    let cluster = TestCluster::start_exclusive().await;
    let operator = cluster.run(bundle_operator::operator()).await;
    let issuer = |name: &str| {
        json!({
            "apiVersion": "cert-manager.io/v1", "kind": "Issuer",
            "metadata": { "name": name }, "spec": { "selfSigned": {} },
        })
    };
    cluster.apply(config_map("types", "types.yaml", &text(&definitions_only))).await;
    let spec = json!({ "configMaps": [{ "name": "types" }], "manifests": text(&[issuer("own")]) });
    cluster.apply(bundle("types", spec)).await;
    cluster.expect::<Bundle>("types").within(PATIENCE).ready().await;
    cluster.apply(issuer("foreign")).await;

    cluster.delete::<Bundle>("types").await;
    cluster.expect::<Bundle>("types").within(PATIENCE).condition("Ready", "Unknown", "DeletionBlocked").await;
    assert!(cluster.get_object(&definitions(), "issuers.cert-manager.io").await.is_some());
    let issuers = GroupVersionKind::gvk("cert-manager.io", "v1", "Issuer");
    assert!(cluster.get_object(&issuers, "own").await.is_some());
    cluster.delete_object(&issuers, "foreign").await;
    cluster.expect::<Bundle>("types").within(PATIENCE).to_be_gone().await;
    assert!(cluster.get_object(&definitions(), "issuers.cert-manager.io").await.is_none());
    operator.stop().await;
    cluster.stop().await;
}
