//! The transitions of a restart, and the handling of failures.

use std::time::Duration;

use kubewright::prelude::*;
use kubewright_middleware::Verb;
use kubewright_testing::fixtures::package::Package;
use kubewright_testing::fixtures::restart::{HistoryLimits, RestartRequest};

use super::world::RestartWorld;
use crate::package::world::condition;

/// Returns the phases that the status of a request went through.
fn phases(world: &RestartWorld, name: &str) -> Vec<String> {
    let writes = world.packages.cluster.journal().all().of("fixtures.kubewright.dev", "restartrequests").subresource("status");
    let of_request = writes.named(name);
    let phase = |body: &Value| {
        // A merge patch has the status as an object, a JSON patch as a list of operations.
        let merged = body["status"]["phase"].as_str().map(str::to_owned);
        let operations = body.as_array().into_iter().flatten();
        let mut set = operations.filter(|operation| operation["path"] == "/status/phase" || operation["path"] == "/status");
        merged.or_else(|| {
            let value = &set.next()?["value"];
            value.as_str().or_else(|| value["phase"].as_str()).map(str::to_owned)
        })
    };
    let mut phases: Vec<String> = of_request.iter().filter_map(|record| phase(record.body.as_ref()?)).collect();
    phases.dedup();
    phases
}

// FLOW-06
#[tokio::test]
async fn a_request_stops_the_package_and_starts_it_again() {
    let world = RestartWorld::start(HistoryLimits::default()).await;
    world.request("one", "shop").await;
    let request = world.phase("one", "completed").await;
    assert_eq!(condition(&request, "Succeeded")["status"], "True");
    assert!(request["status"]["completionTime"].is_string());
    let seen = phases(&world, "one");
    let all = ["stop", "stopping", "stopped", "start", "starting", "completed"];
    let mut rest = all.iter();
    assert!(seen.iter().all(|phase| rest.any(|known| known == phase)), "{seen:?} is in the order of {all:?}");
    assert_eq!((seen.first().map(String::as_str), seen.last().map(String::as_str)), (Some("stop"), Some("completed")));
    let package = world.packages.settled("shop").await;
    assert_eq!(package["status"]["stopped"], false);
    // A finished request does nothing more.
    let writes = world.packages.writes().len();
    world.packages.idle(Duration::from_mins(12)).await;
    assert_eq!(world.packages.writes()[writes..], <[String; 0]>::default());
    world.stop().await;
}

// FLOW-06
#[tokio::test]
async fn one_request_comes_after_the_other() {
    let world = RestartWorld::start(HistoryLimits::default()).await;
    world.request("one", "shop").await;
    world.phase("one", "stop").await;
    world.request("two", "shop").await;
    world.phase("two", "completed").await;
    let [one, two] = [world.phase("one", "completed").await, world.phase("two", "completed").await];
    let completed = |request: &Value| request["status"]["completionTime"].as_str().unwrap_or_default().to_owned();
    assert!(completed(&one) <= completed(&two), "{one} {two}");
    world.stop().await;
}

// FLOW-06
#[tokio::test]
async fn requests_that_fail_to_look_to_stop_and_to_start_are_retried() {
    let world = RestartWorld::start(HistoryLimits::default()).await;
    let faults = world.packages.cluster.faults();
    let packages = |verb| faults.on(verb).of("fixtures.kubewright.dev", "packages").subresource("").named("shop");
    let looks = packages(Verb::Get).times(2).internal_error();
    let sets = |stopped: bool| {
        let sets = move |body: &Value| body["spec"]["stopped"] == stopped;
        packages(Verb::Patch).with_body(sets).times(2).internal_error()
    };
    let (stops, starts) = (sets(true), sets(false));
    world.request("one", "shop").await;
    world.phase("one", "completed").await;
    assert_eq!([looks.hits(), stops.hits(), starts.hits()], [2, 2, 2]);
    assert!(world.metric("error") >= 6.0, "{}", world.metric("error"));
    world.stop().await;
}

// FLOW-06
#[tokio::test]
async fn a_request_for_a_package_that_is_not_there_fails_for_good() {
    let world = RestartWorld::without_package(HistoryLimits::default()).await;
    world.request("lost", "absent").await;
    let request = world.phase("lost", "failed").await;
    let stalled = condition(&request, "Stalled");
    assert_eq!(
        (&stalled["reason"], &stalled["message"]),
        (&json!("PackageNotFound"), &json!("spec.package: there is no package \"absent\""))
    );
    assert!(request["status"]["failureTime"].is_string());
    world.packages.idle(Duration::from_mins(50)).await;
    assert!(world.metric("terminal") <= 2.0 && world.metric("error") < 1.0);
    // A package that is created later changes nothing.
    world.packages.cluster.patch::<RestartRequest>("lost", json!({ "metadata": { "labels": { "again": "1" } } })).await;
    world.packages.idle(Duration::from_secs(10)).await;
    let request = world.phase("lost", "failed").await;
    assert_eq!(condition(&request, "Succeeded")["status"], "False");
    assert!(world.packages.cluster.get::<Package>("absent").await.is_none());
    world.stop().await;
}
