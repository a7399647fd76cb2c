//! The waits and blocks of a package.

use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use kubewright_testing::fixtures::package::{Dependency, ExtraMount, Package, PackageSpec, PackageVolume};

use super::world::{PackageWorld, condition, descriptor, shop, workload};

type ChangeSpec = fn(&mut PackageSpec);

// FPIPE-14, STEP-12
#[tokio::test]
async fn an_invalid_specification_is_blocked_with_the_path_of_the_field_and_nothing_is_written() {
    let table: [(ChangeSpec, &str); 5] = [
        (|spec| spec.name = "other".to_owned(), "spec.name: it is \"other\"; allowed: \"shop\", the name of the object"),
        (|spec| spec.version = "latest".to_owned(), "spec.version: it is \"latest\"; allowed: "),
        (|spec| spec.replicas = Some(0), "spec.replicas: it is 0; allowed: at least 1"),
        (
            |spec| spec.volume = Some(PackageVolume { size: "big".to_owned(), storage_class: None }),
            "spec.volume.size: it is \"big\"; allowed: ",
        ),
        (
            |spec| spec.extra_mounts = vec![ExtraMount { name: "A".to_owned(), source: "a".to_owned(), path: "/a".to_owned() }],
            "spec.extraMounts[0].name: it is \"A\"; ",
        ),
    ];
    let world = PackageWorld::start().await;
    for version in ["1.0.0", "latest"] {
        world.publish(&descriptor("shop", version)).await;
    }
    world.publish(&descriptor("other", "1.0.0")).await;
    for (change, expected) in table {
        let before = world.writes().len();
        let mut spec = shop();
        change(&mut spec);
        world.cluster.apply(Package::new("shop", spec)).await;
        let message = world.halted("shop", "InvalidSpec").await;
        assert!(message.starts_with(&format!("step validate: {expected}")), "{message}");
        world.idle(Duration::from_mins(50)).await;
        let writes = &world.writes()[before..];
        assert!(writes.len() == 1 && writes[0].contains("/status "), "{writes:#?}");
        world.cluster.delete::<Package>("shop").await;
        world.cluster.expect::<Package>("shop").to_be_gone().await;
    }
    world.stop().await;
}

// 17.2
#[tokio::test]
async fn an_image_of_another_package_and_one_that_runs_as_root_against_the_specification_are_blocked() {
    let world = PackageWorld::start().await;
    let mut other = descriptor("mail", "1.0.0").to_map();
    other["metadata"]["name"] = "descriptor-shop-1.0.0".into();
    world.cluster.apply(other).await;
    let mut spec = shop();
    spec.run_as_non_root = true;
    world.create(spec).await;
    let message = world.halted("shop", "IdentityMismatch").await;
    assert_eq!(message, "step validate: the image says that it is mail 1.0.0, not shop 1.0.0");
    let mut rooted = descriptor("shop", "1.0.0");
    rooted.runs_as_root = true;
    world.publish(&rooted).await;
    poke(&world).await;
    world.halted("shop", "SecurityValidationFailed").await;
    world.change("shop", json!({ "runAsNonRoot": false })).await;
    world.settled("shop").await;
    world.stop().await;
}

async fn poke(world: &PackageWorld) {
    world.cluster.patch::<Package>("shop", json!({ "metadata": { "labels": { "poked": "yes" } } })).await;
}

// FLOW-05, 17.2
#[tokio::test]
async fn a_package_waits_for_its_dependencies_and_theirs() {
    let world = PackageWorld::start().await;
    let on =
        |name: &str, version: &str, optional| Dependency { name: name.to_owned(), min_version: version.to_owned(), optional };
    let mut described = descriptor("shop", "1.0.0");
    described.dependencies = vec![on("users", "1.1", false), on("mail", "", true)];
    world.publish(&described).await;
    world.create(shop()).await;
    assert_eq!(world.halted("shop", "DependencyMissing").await, "step validate: users is not installed");
    let mut users = shop();
    users.name = "users".to_owned();
    world.install(users).await;
    let is_old = |package: &Value| {
        let message = condition(package, "Ready")["message"].clone();
        message == "step validate: users has version 1.0.0-0, and at least 1.1.0-0 is needed"
    };
    world.cluster.expect::<Package>("shop").within(world.patience()).matching("users is too old", is_old).await;
    assert!(world.cluster.get::<Deployment>("shop").await.is_none());
    world.publish(&descriptor("users", "1.1.0")).await;
    world.change("users", json!({ "version": "1.1.0" })).await;
    world.settled("users").await;
    world.settled("shop").await;
    world.stop().await;
}

// FPIPE-05, STEP-8
#[tokio::test]
async fn a_paused_package_is_validated_and_not_changed() {
    let world = PackageWorld::start().await;
    world.publish(&descriptor("shop", "1.0.0")).await;
    let mut spec = shop();
    spec.pause_reconciliation = true;
    world.create(spec).await;
    assert_eq!(world.halted("shop", "Paused").await, "the object is paused");
    world.idle(Duration::from_mins(6)).await;
    assert!(world.writes().iter().all(|write| write.contains("/status ")), "{:#?}", world.writes());
    world.change("shop", json!({ "version": "latest" })).await;
    world.halted("shop", "DescriptorMissing").await;
    world.change("shop", json!({ "version": "1.0.0", "pauseReconciliation": false })).await;
    let package = world.settled("shop").await;
    assert_eq!(condition(&package, "Paused")["status"], "False");
    world.stop().await;
}

// 17.2
#[tokio::test]
async fn support_mode_keeps_the_workload_idle_and_nothing_after_it_runs() {
    let world = PackageWorld::start().await;
    world.install(shop()).await;
    let mount = json!({ "name": "ca", "source": "absent", "path": "/etc/ca" });
    world.change("shop", json!({ "supportMode": true, "extraMounts": [mount] })).await;
    let message = world.halted("shop", "SupportModeActive").await;
    assert_eq!(message, "the workload is idle until `spec.supportMode` is false");
    // Passes that wait until the changed workload is observed report its present health.
    let is_told = |package: &Value| {
        ["SupportMode", "Healthy"].iter().all(|type_| condition(package, type_)["reason"] == "SupportModeActive")
    };
    world.cluster.expect::<Package>("shop").within(world.patience()).matching("support mode is told", is_told).await;
    world.deployment("shop", "it sleeps", |live| workload(live)["command"] == json!(["sleep", "infinity"])).await;

    world.change("shop", json!({ "supportMode": false })).await;
    world.deployment("shop", "it works", |live| workload(live).get("command").is_none()).await;
    let is_missing = |package: &Value| condition(package, "SupportMode")["status"] == "False";
    world.cluster.expect::<Package>("shop").within(world.patience()).matching("it is in use again", is_missing).await;
    world.halted("shop", "MountSourceMissing").await;
    world.cluster.apply(json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "absent" }, "data": {} })).await;
    world.settled("shop").await;
    let live =
        world.deployment("shop", "the files are mounted", |live| workload(live)["volumeMounts"][0]["name"] == "extra-ca").await;
    assert_eq!(live["spec"]["template"]["spec"]["volumes"][0]["configMap"]["name"], "absent");
    world.stop().await;
}

// 17.2
#[tokio::test]
async fn export_mode_adds_a_container_and_takes_it_back() {
    let world = PackageWorld::start().await;
    world.install(shop()).await;
    let containers = |live: &Value| live["spec"]["template"]["spec"]["containers"].as_array().map_or(0, Vec::len);
    for (is_on, expected) in [(true, 2), (false, 1)] {
        world.change("shop", json!({ "exportMode": is_on })).await;
        let message = if is_on { "the exporter is added" } else { "the exporter is removed" };
        world.told(&format!("Normal ExportModeSwitching step export-mode: {message}; next try in 5s")).await;
        let is_told = move |package: &Value| package["status"]["exportMode"] == is_on;
        world.cluster.expect::<Package>("shop").within(world.patience()).matching("its mode is told", is_told).await;
        let package = world.settled("shop").await;
        assert_eq!(package["status"]["exportMode"], is_on);
        world.deployment("shop", "it has its containers", |live| containers(live) == expected).await;
    }
    world.stop().await;
}

// 17.2
#[tokio::test]
async fn a_package_without_descriptor_fails_until_its_version_is_published() {
    let world = PackageWorld::start().await;
    world.create(shop()).await;
    let message = world.halted("shop", "DescriptorMissing").await;
    assert_eq!(message, "step descriptor: the registry of images has no version 1.0.0 of shop");
    world.publish(&descriptor("shop", "1.0.0")).await;
    world.settled("shop").await;
    let map = world.cluster.get::<ConfigMap>("descriptor-shop-1.0.0").await.unwrap_or_default();
    assert_eq!(map.owner_references().count(), 1, "the descriptor goes with the package");
    world.stop().await;
}
