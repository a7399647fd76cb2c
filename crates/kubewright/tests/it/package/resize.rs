//! Growth of a volume: the workload is stopped, the request written, the workload started, and the capacity awaited.

use k8s_openapi::api::core::v1::PersistentVolumeClaim;
use kubewright::prelude::*;
use kubewright_testing::fixtures::package::Package;

use super::world::{PackageWorld, condition, shop};

/// Returns the writes of a resize, in order.
fn resizes(world: &PackageWorld) -> Vec<String> {
    let mut told = Vec::new();
    for record in world.cluster.journal().all().writes().iter() {
        let Some((of, body)) = record.target.resource().zip(record.body.as_ref()) else { continue };
        let replicas = &body["spec"]["replicas"];
        let request = &body["spec"]["resources"]["requests"]["storage"];
        if of.resource == "deployments" && replicas.is_i64() && record.status().is_some_and(|code| code < 300) {
            told.push(format!("scale to {replicas}"));
        } else if of.resource == "persistentvolumeclaims" && request.is_string() && record.status().is_some_and(|code| code < 300)
        {
            told.push(format!("request {request}"));
        }
    }
    told
}

async fn resized(world: &PackageWorld) {
    let is_requested = |claim: &Value| claim["spec"]["resources"]["requests"]["storage"] == "2Gi";
    world.cluster.expect::<PersistentVolumeClaim>("shop").within(world.patience()).matching("it is to grow", is_requested).await;
    world.deployment("shop", "it is started again", |live| live["spec"]["replicas"] == 1).await;
    world.halted("shop", "VolumeGrowing").await;
    let growing = world.cluster.get::<Package>("shop").await.unwrap_or_default();
    assert_eq!(condition(&growing, "MeetsMinVolumeSize")["status"], "False");
    world.bind("shop", "2Gi").await;
    let package = world.settled("shop").await;
    assert_eq!(condition(&package, "MeetsMinVolumeSize")["status"], "True");
    assert_eq!(package["status"]["stopped"], false);
}

/// The writes of a resize, after those of the installation.
const EXPECTED: [&str; 5] = ["request \"1Gi\"", "scale to 1", "scale to 0", "request \"2Gi\"", "scale to 1"];

// FLOW-01
#[tokio::test]
async fn a_volume_grows_while_the_workload_is_stopped() {
    let world = PackageWorld::start().await;
    let mut spec = shop();
    spec.volume = Some(world.volume("1Gi").await);
    world.install(spec).await;
    world.change("shop", json!({ "volume": { "size": "2Gi" } })).await;
    resized(&world).await;
    assert_eq!(resizes(&world), EXPECTED);
    world.stop().await;
}

// FLOW-01, STEP-5
#[tokio::test]
async fn a_resize_continues_in_a_new_process_after_each_of_its_requests() {
    let mut ended = 0;
    for requests in 0.. {
        let mut world = PackageWorld::start().await;
        let mut spec = shop();
        spec.volume = Some(world.volume("1Gi").await);
        world.install(spec).await;
        // In real time, some of the requests are polls.
        let requests = if world.cluster.is_embedded() { requests } else { 4 * requests };
        let is_cut = world.change_and_restart_after(requests, "shop", json!({ "volume": { "size": "2Gi" } })).await;
        if is_cut {
            resized(&world).await;
            assert_eq!(resizes(&world), EXPECTED, "after {requests} requests");
            ended += 1;
        }
        let is_last = !is_cut || !world.cluster.is_embedded() && ended == 3;
        world.stop().await;
        if is_last {
            break;
        }
    }
    assert!(ended >= 3, "the resize sends more than {ended} requests");
}

// FLOW-01, STEP-7
#[tokio::test]
async fn a_package_that_is_stopped_stays_so_and_its_volume_grows_all_the_same() {
    let world = PackageWorld::start().await;
    let mut spec = shop();
    spec.volume = Some(world.volume("1Gi").await);
    world.install(spec).await;
    world.change("shop", json!({ "stopped": true, "volume": { "size": "2Gi" } })).await;
    let requested = |claim: &Value| claim["spec"]["resources"]["requests"]["storage"] == "2Gi";
    world.cluster.expect::<PersistentVolumeClaim>("shop").matching("it is to grow", requested).await;
    world.bind("shop", "2Gi").await;
    let is_done = |package: &Value| {
        let meets = condition(package, "MeetsMinVolumeSize")["status"] == "True";
        meets && package["status"]["stopped"] == true && condition(package, "Healthy")["reason"] == "Unhealthy"
    };
    world.cluster.expect::<Package>("shop").within(world.patience()).matching("it is stopped and large enough", is_done).await;
    assert_eq!(resizes(&world).last().map(String::as_str), Some("request \"2Gi\""), "it is not started");
    world.change("shop", json!({ "stopped": false })).await;
    world.settled("shop").await;
    world.stop().await;
}
