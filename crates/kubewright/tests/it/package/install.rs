//! Installation of a package.

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, PersistentVolumeClaim, Pod, Secret, Service};
use k8s_openapi::api::networking::v1::NetworkPolicy;
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use kubewright_testing::fixtures::package::{AccountProducer, FINALIZER, Package};

use super::world::{PackageWorld, condition, descriptor, shop};

// FPIPE-04, FPIPE-12, STEP-2, STEP-5
#[tokio::test]
async fn a_package_is_installed_with_all_its_objects_and_not_written_again() {
    let world = PackageWorld::start().await;
    let extra = BTreeMap::from([("motd".to_owned(), BTreeMap::from([("text".to_owned(), "hello".to_owned())]))]);
    let accounts = vec![AccountProducer { producer: "users".to_owned(), optional: false }];
    let mut described = descriptor("shop", "1.0.0");
    (described.extra_resources, described.accounts) = (extra, accounts);
    world.publish(&described).await;
    world.create(shop()).await;
    let package = world.settled("shop").await;
    assert!(package.has_finalizer(FINALIZER));
    assert_eq!(package["status"]["phase"], "Installed");
    for map in ["shop-config", "version-shop", "registration-shop", "account-users-shop", "shop-motd", "health-shop"] {
        world.cluster.expect::<ConfigMap>(map).to_exist().await;
    }
    world.cluster.expect::<Secret>("shop-sensitive").to_exist().await;
    world.cluster.expect::<Service>("shop").to_exist().await;
    world.cluster.expect::<NetworkPolicy>("shop").to_exist().await;
    world.cluster.expect::<Pod>("shop-helper").to_be_gone().await;
    let config = world.cluster.get::<ConfigMap>("shop-config").await.unwrap_or_default();
    assert_eq!(config["data"], json!({ "theme": "dark" }));
    assert!(config.owner_references().any(|owner| owner.uid == package.uid()), "it goes with the package");
    world.idle(Duration::from_secs(5)).await;

    let writes = world.writes().len();
    world.cluster.patch::<Package>("shop", json!({ "metadata": { "labels": { "again": "1" } } })).await;
    world.idle(Duration::from_mins(12)).await;
    assert_eq!(world.writes()[writes..], <[String; 0]>::default());
    assert!(world.scripts.runs().is_empty(), "scripts are for upgrades");
    world.stop().await;
}

// STEP-5
#[tokio::test]
async fn settings_of_a_newer_generation_restart_the_pods_and_foreign_changes_are_corrected() {
    let world = PackageWorld::start().await;
    world.install(shop()).await;
    let template = |deployment: &Value| deployment["spec"]["template"]["metadata"]["annotations"].clone();
    let before = template(&world.cluster.get::<Deployment>("shop").await.unwrap_or_default());
    world.change("shop", json!({ "configuration": { "theme": "light" } })).await;
    world.deployment("shop", "its pods are restarted", move |live| template(live) != before).await;
    let image =
        json!([{ "op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "registry.example/other:9" }]);
    let deployments: kube::Api<Deployment> = kube::Api::namespaced(world.cluster.client().clone(), world.cluster.namespace());
    let patch = kube::api::Patch::Json::<()>(serde_json::from_value(image).unwrap());
    deployments.patch("shop", &kube::api::PatchParams::default(), &patch).await.unwrap();
    let is_right = |live: &Value| super::world::workload(live)["image"] == "registry.example/shop:1.0.0";
    world.deployment("shop", "its image is right again", is_right).await;
    world.settled("shop").await;
    world.stop().await;
}

// STEP-5
#[tokio::test]
async fn a_restored_package_gets_the_registered_version_and_loses_the_restored_annotation() {
    use kubewright_testing::fixtures::package::RESTORED;

    let mut world = PackageWorld::start().await;
    world.install(shop()).await;
    world.kill().await;
    world.cluster.patch_status::<Package>("shop", json!({ "installedVersion": null })).await;
    let former = json!([{
        "apiVersion": "fixtures.kubewright.dev/v1", "kind": "Package", "name": "shop", "uid": "11111111-2222-3333-4444-555555555555",
    }]);
    // Objects from backups have references to the object that they were made from.
    let package = world.cluster.get::<Package>("shop").await.unwrap_or_default();
    let mut owners = former.as_array().cloned().unwrap_or_default();
    owners.push(
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "name": "version-shop", "uid": uid(&world, "version-shop").await }),
    );
    world.cluster.patch::<ConfigMap>("shop-config", json!({ "metadata": { "ownerReferences": owners } })).await;
    world.cluster.patch::<Package>("shop", json!({ "metadata": { "annotations": { RESTORED: "true" } } })).await;
    world.restart().await;
    let restored = |package: &Value| package.annotation(RESTORED).is_none() && package["status"]["installedVersion"] == "1.0.0";
    world.cluster.expect::<Package>("shop").matching("it is restored", restored).await;
    let wanted = package.uid().to_owned();
    let is_owned = move |config: &Value| {
        let owners: Vec<_> = config.owner_references().filter(|owner| owner.kind == "Package").map(|owner| owner.uid).collect();
        owners == [wanted.as_str()]
    };
    world.cluster.expect::<ConfigMap>("shop-config").matching("it belongs to the package", is_owned).await;
    world.stop().await;
}

async fn uid(world: &PackageWorld, map: &str) -> String {
    world.cluster.get::<ConfigMap>(map).await.unwrap_or_default().uid().to_owned()
}

// 17.2
#[tokio::test]
async fn accounts_at_optional_packages_are_made_when_these_are_installed() {
    let world = PackageWorld::start().await;
    let mut described = descriptor("shop", "1.0.0");
    described.accounts = vec![AccountProducer { producer: "mail".to_owned(), optional: true }];
    world.publish(&described).await;
    world.create(shop()).await;
    world.settled("shop").await;
    assert!(world.cluster.get::<ConfigMap>("account-mail-shop").await.is_none());
    let mut mail = shop();
    mail.name = "mail".to_owned();
    world.install(mail).await;
    world.cluster.expect::<ConfigMap>("account-mail-shop").to_exist().await;
    world.stop().await;
}

// 17.2
#[tokio::test]
async fn a_package_reports_whether_its_volume_is_large_enough_and_warns_of_another_storage_class() {
    let world = PackageWorld::start().await;
    let mut spec = shop();
    spec.volume = Some(world.volume("1Gi").await);
    let package = world.install(spec).await;
    assert_eq!(condition(&package, "MeetsMinVolumeSize")["status"], "True");
    let claim = world.cluster.get::<PersistentVolumeClaim>("shop").await.unwrap_or_default();
    assert_eq!(claim["spec"]["resources"]["requests"]["storage"], "1Gi");
    world.change("shop", json!({ "volume": { "storageClass": "other" } })).await;
    world.told("Warning StorageClassDiffers ").await;
    world.settled("shop").await;
    world.stop().await;
}
