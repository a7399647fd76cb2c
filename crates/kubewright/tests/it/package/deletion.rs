//! The objects that are removed when a package is deleted.

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use kubewright_testing::fixtures::package::{AccountProducer, FINALIZER, LEGACY_FINALIZER, Package};

use super::world::{PackageWorld, descriptor, shop};

async fn installed() -> PackageWorld {
    let world = PackageWorld::start().await;
    let mut described = descriptor("shop", "1.0.0");
    described.accounts = vec![AccountProducer { producer: "users".to_owned(), optional: false }];
    world.publish(&described).await;
    world.create(shop()).await;
    world.settled("shop").await;
    world.cluster.expect::<ConfigMap>("health-shop").to_exist().await;
    world
}

// FPIPE-04, FDEL-03, FDEL-05, FIN-06
#[tokio::test]
async fn a_deleted_package_leaves_nothing_in_other_systems_and_loses_its_finalizer_under_all_names_last() {
    let world = installed().await;
    let finalizers = json!({ "metadata": { "finalizers": [LEGACY_FINALIZER, FINALIZER] } });
    world.cluster.patch::<Package>("shop", finalizers).await;
    // An object that is gone already is no obstacle.
    world.cluster.delete::<Secret>("shop-sensitive").await;
    world.cluster.delete::<Package>("shop").await;
    world.cluster.expect::<Package>("shop").to_be_gone().await;
    for map in ["registration-shop", "account-users-shop", "health-shop"] {
        world.cluster.expect::<ConfigMap>(map).to_be_gone().await;
    }
    world.cluster.expect::<Secret>("shop-sensitive").to_be_gone().await;
    let packages = world.cluster.journal().all().of("fixtures.kubewright.dev", "packages").writes();
    let last = packages.iter().last().map(|record| (record.target.resource().cloned(), record.body.clone()));
    let (Some(target), Some(body)) = last.unwrap_or_default() else { panic!("the package was written") };
    assert!(target.subresource.is_empty(), "{target:?}");
    assert!(!body.to_string().contains(FINALIZER) || body.is_array() || body.finalizers().count() == 0, "{body}");
    world.stop().await;
}

// FDEL-04
#[tokio::test]
async fn a_package_without_descriptor_is_deleted_without_its_accounts() {
    let world = installed().await;
    world.cluster.delete::<ConfigMap>("descriptor-shop-1.0.0").await;
    world.cluster.expect::<ConfigMap>("descriptor-shop-1.0.0").to_be_gone().await;
    world.cluster.delete::<Package>("shop").await;
    world.cluster.expect::<Package>("shop").to_be_gone().await;
    world.cluster.expect::<ConfigMap>("registration-shop").to_be_gone().await;
    world.cluster.expect::<ConfigMap>("account-users-shop").to_exist().await;
    world.stop().await;
}
