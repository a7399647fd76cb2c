//! Upgrades and downgrades of a package.

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kubewright::prelude::*;
use kubewright_testing::fixtures::package::{Package, Script};

use super::world::{PackageWorld, condition, descriptor, shop, workload};

/// Returns a helper pod of the new version that does not start.
fn gated_helper() -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "shop-helper" },
        "spec": {
            "schedulingGates": [{ "name": "fixtures.kubewright.dev/test" }],
            "containers": [{ "name": "helper", "image": "registry.example/shop:2.0.0" }],
        },
    })
}

fn threshold(deployment: &Value) -> i64 {
    workload(deployment)["startupProbe"]["failureThreshold"].as_i64().unwrap_or_default()
}

fn writes_of_threshold(world: &PackageWorld) -> Vec<i64> {
    let all = world.cluster.journal().all().of("apps", "deployments").writes();
    let bodies = all.iter().filter_map(|record| Some(threshold(record.body.as_ref()?)));
    let mut thresholds: Vec<i64> = bodies.filter(|threshold| *threshold > 0).collect();
    thresholds.dedup();
    thresholds
}

// FLOW-02
#[tokio::test]
async fn an_upgrade_waits_for_its_helper_pod_runs_both_scripts_and_settles() {
    let world = PackageWorld::start().await;
    world.install(shop()).await;
    world.publish(&descriptor("shop", "2.0.0")).await;
    world.change("shop", json!({ "version": "2.0.0" })).await;
    for told in [
        "Normal HelperPodStarting step helper-pod: the helper pod was created; next try in 3s",
        "Normal UpgradeRollout step update-deployment: version 2.0.0 is rolled out; next try in 3s",
        "Normal UpgradeSettling step post-upgrade: the upgrade settles; next try in 3s",
    ] {
        world.told(told).await;
    }
    let package = world.settled("shop").await;
    assert_eq!(condition(&package, "Upgrading")["status"], "False");
    assert_eq!(world.scripts.runs(), ["PreUpgrade 2.0.0", "PostUpgrade 2.0.0"]);
    assert_eq!(writes_of_threshold(&world), [60, 1080, 60]);
    let register = world.cluster.get::<ConfigMap>("version-shop").await.unwrap_or_default();
    assert_eq!(register["data"]["version"], "2.0.0");
    world.cluster.expect::<Pod>("shop-helper").to_be_gone().await;
    world.stop().await;
}

// FLOW-02
#[tokio::test]
async fn an_upgrade_fails_while_the_helper_pod_is_not_ready_and_while_a_script_fails() {
    let world = PackageWorld::start().await;
    world.install(shop()).await;
    world.publish(&descriptor("shop", "2.0.0")).await;
    world.cluster.create(gated_helper()).await.unwrap();
    world.scripts.fail(Some(Script::PreUpgrade));
    world.change("shop", json!({ "version": "2.0.0" })).await;
    let message = world.halted("shop", "HelperPodNotReady").await;
    assert_eq!(message, "step helper-pod: the helper pod is not ready: it is Pending");

    // The pod that the package creates in its place starts.
    world.cluster.delete::<Pod>("shop-helper").await;
    let message = world.halted("shop", "PreUpgradeFailed").await;
    assert_eq!(message, "step update-deployment: the script ended with code 3");
    let live = world.deployment("shop", "it has the former version", |_| true).await;
    assert_eq!((workload(&live)["image"].as_str(), threshold(&live)), (Some("registry.example/shop:1.0.0"), 60));
    let failed = world.metric("kubewright_reconcile_total", &[("controller", "package"), ("result", "error")]);
    assert!(failed.is_some_and(|failed| failed >= 2.0), "{failed:?}");

    world.scripts.fail(Some(Script::PostUpgrade));
    world.halted("shop", "PostUpgradeFailed").await;
    world.scripts.fail(None);
    world.settled("shop").await;
    assert_eq!(world.scripts.runs(), ["PreUpgrade 2.0.0", "PostUpgrade 2.0.0"]);
    world.stop().await;
}

// 17.2
#[tokio::test]
async fn a_downgrade_is_blocked_unless_it_is_forced() {
    let world = PackageWorld::start().await;
    let mut spec = shop();
    spec.version = "2.0.0".to_owned();
    world.install(spec).await;
    world.publish(&descriptor("shop", "1.9.0")).await;
    world.change("shop", json!({ "version": "1.9.0" })).await;
    let message = world.halted("shop", "Downgrade").await;
    assert!(message.starts_with("step validate: spec.version: it is 1.9.0-0, and 2.0.0-0 is installed"), "{message}");
    world.change("shop", json!({ "forceUpgrade": true })).await;
    world.settled("shop").await;
    let live = world.deployment("shop", "it is there", |_| true).await;
    assert_eq!(workload(&live)["image"], "registry.example/shop:1.9.0");
    world.stop().await;
}

// FPIPE-06, STEP-3, STEP-4
#[tokio::test]
async fn a_new_version_is_rolled_out_although_the_workload_does_not_serve() {
    let world = PackageWorld::start().await;
    world.publish(&descriptor("shop", "1.0.0")).await;
    let mut spec = shop();
    spec.replicas = Some(2);
    world.create(spec).await;
    world.settled("shop").await;
    let gates = json!([{ "op": "add", "path": "/spec/template/spec/schedulingGates", "value": [{ "name": "fixtures.kubewright.dev/test" }] }]);
    let deployments: kube::Api<k8s_openapi::api::apps::v1::Deployment> =
        kube::Api::namespaced(world.cluster.client().clone(), world.cluster.namespace());
    let patch = kube::api::Patch::Json::<()>(serde_json::from_value(gates).unwrap());
    deployments.patch("shop", &kube::api::PatchParams::default(), &patch).await.unwrap();
    world.halted("shop", "Unhealthy").await;

    world.publish(&descriptor("shop", "2.0.0")).await;
    world.change("shop", json!({ "version": "2.0.0" })).await;
    let is_new = |live: &Value| workload(live)["image"] == "registry.example/shop:2.0.0";
    world.deployment("shop", "it has the new version", is_new).await;
    let waits = |package: &Value| condition(package, "Upgrading")["status"] == "True";
    world.cluster.expect::<Package>("shop").within(world.patience()).matching("the upgrade goes on", waits).await;
    world.stop().await;
}
