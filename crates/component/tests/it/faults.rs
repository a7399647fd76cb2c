use std::time::Duration;

use kubewright::prelude::*;
use kubewright_apiserver::kinds::Verb;
use kubewright_apiserver::status::Status;

use crate::types::{bundle, config_map};
use crate::world::{World, condition, reason_of};

fn message(component: &Value) -> &str {
    condition(component, "Ready").unwrap()["message"].as_str().unwrap()
}

// WRITE-9
#[tokio::test]
async fn a_few_conflicts_are_overcome_in_the_same_pass() {
    let world = World::start().await;
    world.set(&bundle("demo", &[config_map("one", "a"), config_map("two", "a")])).await;
    world.until_ready("demo").await;
    world.faults().on(Verb::Update).of("", "configmaps").named("one").times(3).conflict();
    world.set(&bundle("demo", &[config_map("one", "b"), config_map("two", "b")])).await;
    world.until_ready("demo").await;
    assert_eq!(world.get(&config_map("one", "")).await.unwrap()["data"]["value"], "b");
    world.idle(Duration::from_secs(30)).await;
    assert!(world.events("UpdateError").await.is_empty());
    assert!(world.events("Retrying").await.is_empty());
}

// WRITE-9
#[tokio::test]
async fn endless_conflicts_wait_and_hold_back_nobody_else() {
    let world = World::start().await;
    world.set(&bundle("demo", &[config_map("one", "a"), config_map("two", "a")])).await;
    world.until_ready("demo").await;
    let rule = world.faults().on(Verb::Update).of("", "configmaps").named("one").conflict();
    world.set(&bundle("demo", &[config_map("one", "b"), config_map("two", "b")])).await;
    let waiting = world.until_state("demo", "Pending", "Retrying").await;
    assert!(message(&waiting).contains("onflict while writing"), "{}", message(&waiting));
    assert_eq!(world.get(&config_map("two", "")).await.unwrap()["data"]["value"], "b");
    rule.remove();
    world.until_ready("demo").await;
}

// OUT-3
#[tokio::test]
async fn transient_errors_are_repeated_and_then_waited_for() {
    let world = World::start().await;
    world.faults().on(Verb::Create).of("", "configmaps").times(2).unavailable();
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    let ready = world.until_ready("demo").await;
    assert!(condition(&ready, "Stalled").is_none());
    world.idle(Duration::from_secs(30)).await;
    assert!(world.events("Retrying").await.is_empty());
}

// OUT-1, OUT-3
#[tokio::test]
async fn a_refused_write_is_an_error_that_names_the_object_and_heals_by_itself() {
    let world = World::start().await;
    let rule = world.faults().on(Verb::Create).of("", "configmaps").forbidden();
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    let failed = world.until_state("demo", "Error", "Error").await;
    assert!(message(&failed).contains(&format!("{}/one", world.namespace())), "{}", message(&failed));
    world.until_event("UpdateError").await;
    rule.remove();
    world.until_ready("demo").await;
}

// WATCH-2, WATCH-6
#[tokio::test]
async fn a_type_that_may_not_be_read_at_all_is_named_with_what_to_grant() {
    let world = World::start().await;
    for verb in [Verb::List, Verb::Get] {
        world.faults().on(verb).of("", "configmaps").forbidden();
    }
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    let failed = world.until("demo", "in error", |component| component["status"]["state"] == "Error").await;
    assert_eq!(reason_of(&failed), "Error");
    assert!(message(&failed).contains("grant get, list and watch"), "{}", message(&failed));
}

// WATCH-2
#[tokio::test]
async fn what_may_not_be_watched_everywhere_is_watched_in_its_namespaces() {
    let world = World::start().await;
    let rule = world.faults().on(Verb::List).of("", "configmaps").in_namespace("").forbidden();
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    world.until_ready("demo").await;
    world.delete(&config_map("one", "")).await;
    world.until_present(&config_map("one", "")).await;
    world.until_ready("demo").await;
    // The permission comes; nothing is lost on the way.
    rule.remove();
    world.idle(Duration::from_mins(15)).await;
    world.patch(&config_map("one", ""), json!({ "data": { "value": "b" } })).await;
    world.until_object(&config_map("one", ""), "repaired", |map| map["data"]["value"] == "a").await;
    world.delete(&bundle("demo", &[])).await;
    world.until_gone(&bundle("demo", &[])).await;
    assert!(world.get(&config_map("one", "")).await.is_none());
}

// STA-7
#[tokio::test]
async fn a_conflict_on_the_status_is_overcome() {
    let world = World::start().await;
    world.faults().on(Verb::Patch).of("test.kubewright.dev", "bundles").subresource("status").times(2).conflict();
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    world.until_ready("demo").await;
}

// WATCH-7
#[tokio::test]
async fn interrupted_watches_lose_nothing() {
    let world = World::start().await;
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    world.until_ready("demo").await;
    // Only the embedded server can be restarted and compacted under its clients.
    if let Some(server) = world.cluster.embedded() {
        server.restart();
        server.compact(server.revision());
    }
    world.delete(&config_map("one", "")).await;
    world.until_present(&config_map("one", "")).await;
    world.until_ready("demo").await;
}

// WATCH-5, WATCH-9
#[tokio::test]
async fn a_type_that_cannot_be_observed_is_waited_for_and_nothing_is_written_meanwhile() {
    let world = World::start().await;
    let rules = [Verb::List, Verb::Watch].map(|verb| world.faults().on(verb).of("", "configmaps").unavailable());
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    let waiting = world.until_state("demo", "Pending", "Retrying").await;
    assert!(message(&waiting).starts_with("ConfigMap cannot be observed"), "{}", message(&waiting));
    world.journal().all().writes().of("", "configmaps").exactly(0).unwrap();
    for rule in rules {
        rule.remove();
    }
    world.until_ready("demo").await;
    assert!(world.get(&config_map("one", "")).await.is_some());
}

// PASS-3, OUT-3: what is wrong is not that somebody else was faster.
#[tokio::test]
async fn a_finalizer_that_the_cluster_does_not_want_is_told_and_not_sent_again_and_again() {
    let world = World::start().await;
    let unwanted = Status::new(422, "Invalid", "metadata.finalizers: Invalid value");
    let rule = world.faults().on(Verb::Patch).of("test.kubewright.dev", "bundles").subresource("").respond(unwanted);
    let mark = world.journal().mark();
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    let component = world.until_state("demo", "Error", "Error").await;
    assert!(message(&component).contains("finalizers"), "{component:#}");
    world.idle(Duration::from_secs(10)).await;
    assert!(rule.hits() < 20, "{} patches in ten seconds", rule.hits());
    world.journal().since(mark).writes().of("", "configmaps").exactly(0).unwrap();
    rule.remove();
    world.until_ready("demo").await;
}
