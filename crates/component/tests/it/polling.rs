//! Kinds that may not be watched, and objects that the inventory does not list.

use std::time::Duration;

use kubewright::prelude::*;
use kubewright_middleware::Verb;
use kubewright_middleware::journal::{Mark, Record};

use crate::kinds::{Kinds, held};
use crate::types::{bundle, config_map};
use crate::world::{OPERATOR, World, condition, message_of};

fn polling(component: &Value) -> &str {
    condition(component, "Polling").and_then(|condition| condition["message"].as_str()).unwrap_or_default()
}

/// Returns the number of polls since the mark: lists of the objects of one owner.
fn polls(world: &World, mark: Mark, kinds: &Kinds) -> usize {
    let lists = world.journal().since(mark).verb(Verb::List).of(kinds.group(), "foos");
    let of_owner = |record: &Record| record.query_value("labelSelector").is_some_and(|labels| labels.contains(['=', '%']));
    lists.filter(of_owner).iter().count()
}

// WATCH-6, STA-4
#[tokio::test]
async fn a_type_that_may_not_be_watched_is_polled_until_it_may() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    let rule = world.faults().on(Verb::Watch).of(kinds.group(), "foos").forbidden();
    world.set(&kinds.component(&[kinds.foo(), config_map("one", "a")])).await;
    let waiting = world.until("demo", "polling", |component| !polling(component).is_empty()).await;
    let expected = format!("polled, since watching them is forbidden: Foo.{} (grant list and watch on them)", kinds.group());
    assert_eq!(polling(&waiting), expected);
    assert_eq!(condition(&waiting, "Polling").unwrap()["reason"], "WatchForbidden");
    world.until_state("demo", "Processing", "Processing").await;
    // No event reports that the object is ready.
    world.observe(&kinds.foo()).await;
    let ready = world.until_ready("demo").await;
    assert_eq!(polling(&ready), expected);
    let metric = "kubewright_polled_types{controller=\"bundle\",cluster=\"local\"} 1";
    assert!(world.metrics().contains(metric), "{}", world.metrics());
    rule.remove();
    // The watch is tried again at least once a minute.
    let granted = world.cluster.clock().moment();
    let watched = world.until("demo", "no longer polling", |component| condition(component, "Polling").is_none()).await;
    assert!(world.cluster.clock().moment().since(granted) < Duration::from_secs(61));
    assert_eq!(watched["status"]["state"], "Ready");
    world.until_true("nothing is polled", || world.metrics().contains(&metric.replace("} 1", "} 0"))).await;
    let deleted = world.get(&kinds.foo()).await.unwrap();
    world.delete(&kinds.foo()).await;
    let is_another = |foo: &Value| foo["metadata"]["uid"] != deleted["metadata"]["uid"];
    world.until_object(&kinds.foo(), "back", is_another).await;
    world.delete(&bundle("demo", &[])).await;
    world.until_gone(&bundle("demo", &[])).await;
    assert!(world.get(&kinds.foo()).await.is_none());
}

// WAIT-3
#[tokio::test]
async fn polls_become_rarer_and_stop_when_the_component_is_ready() {
    let world = World::start().await;
    // Only a virtual clock makes the number of polls in a given time exact.
    if !world.cluster.is_embedded() {
        return;
    }
    let kinds = Kinds::install(&world).await;
    world.faults().on(Verb::Watch).of(kinds.group(), "foos").forbidden();
    world.set(&kinds.component(&[kinds.foo()])).await;
    world.until_state("demo", "Processing", "Processing").await;
    let mark = world.journal().mark();
    world.pass(Duration::from_secs(6)).await;
    let first = polls(&world, mark, &kinds);
    assert!((7..=11).contains(&first), "50, 100, 200, 400, 800 ms, then each second: {first}");
    world.pass(Duration::from_mins(2)).await;
    let mark = world.journal().mark();
    world.pass(Duration::from_secs(100)).await;
    let later = polls(&world, mark, &kinds);
    assert!((8..=11).contains(&later), "each 10 seconds: {later}");
    world.observe(&kinds.foo()).await;
    world.until_ready("demo").await;
    let mark = world.journal().mark();
    world.pass(Duration::from_mins(5)).await;
    assert_eq!(polls(&world, mark, &kinds), 0);
    world.pass(Duration::from_mins(7)).await;
    assert!(polls(&world, mark, &kinds) >= 1, "the requeue interval");
}

// WATCH-6
#[tokio::test]
async fn dependents_that_may_not_be_listed_are_read_one_by_one() {
    let world = World::start().await;
    for verb in [Verb::List, Verb::Watch] {
        world.faults().on(verb).of("", "configmaps").forbidden();
    }
    let (one, two) = (config_map("one", "a"), config_map("two", "a"));
    world.set(&bundle("demo", &[one.clone(), two.clone()])).await;
    let ready = world.until_ready("demo").await;
    assert!(polling(&ready).contains(": ConfigMap ("), "{}", polling(&ready));
    // A foreign object is found when the dependent cannot be created.
    world.create(&config_map("three", "x")).await;
    world.set(&bundle("demo", &[one, config_map("two", "b"), config_map("three", "a")])).await;
    world.until_ready("demo").await;
    for (name, value) in [("two", "b"), ("three", "a")] {
        assert_eq!(world.get(&config_map(name, "")).await.unwrap()["data"]["value"], value);
    }
    world.set(&bundle("demo", &[config_map("three", "a")])).await;
    world.until_ready("demo").await;
    assert!(world.get(&two).await.is_none());
    world.delete(&bundle("demo", &[])).await;
    world.until_gone(&bundle("demo", &[])).await;
    assert!(world.get(&config_map("three", "")).await.is_none());
}

// GATE-3, WATCH-6
#[tokio::test]
async fn foreign_instances_that_may_not_be_watched_are_polled() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    world.set(&kinds.component(&[])).await;
    world.until_ready("demo").await;
    world.create(&kinds.bar()).await;
    world.faults().on(Verb::Watch).of(kinds.group(), "bars").forbidden();
    world.delete(&bundle("demo", &[])).await;
    world.until_state("demo", "Deleting", "DeletionBlocked").await;
    let blocked = world.until("demo", "polling", |component| !polling(component).is_empty()).await;
    assert!(polling(&blocked).contains(&format!("Bar.{}", kinds.group())), "{}", polling(&blocked));
    world.delete(&kinds.bar()).await;
    world.until_gone(&bundle("demo", &[])).await;
}

// REF-2, WATCH-6
#[tokio::test]
async fn references_that_may_not_be_watched_are_shown() {
    let world = World::start().await;
    world.faults().on(Verb::Watch).of("", "secrets").forbidden();
    let mut component = bundle("demo", &[]);
    component["spec"]["nested"] = json!({ "secretValues": { "x": { "name": "login", "key": "password" } } });
    world.set(&component).await;
    let waiting = world.until("demo", "polling", |component| !polling(component).is_empty()).await;
    assert!(polling(&waiting).contains(": Secret ("), "{}", polling(&waiting));
    world
        .create(&json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "login" }, "data": { "password": "b2xk" } }))
        .await;
    world.until_ready("demo").await;
}

// REF-2, WATCH-6
#[tokio::test]
async fn references_are_no_longer_polled_a_minute_after_they_may_be_watched() {
    let world = World::start().await;
    let rule = world.faults().on(Verb::List).of("", "secrets").forbidden();
    world
        .create(&json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "login" }, "data": { "password": "b2xk" } }))
        .await;
    let mut component = bundle("demo", &[]);
    component["spec"]["nested"] = json!({ "secretValues": { "x": { "name": "login", "key": "password" } } });
    world.set(&component).await;
    let ready = world.until_ready("demo").await;
    assert!(polling(&ready).contains(": Secret ("), "{}", polling(&ready));
    rule.remove();
    world.until("demo", "no longer polling", |component| condition(component, "Polling").is_none()).await;
}

// WATCH-6, WATCH-10
#[tokio::test]
async fn an_operator_that_may_not_watch_its_components_is_not_ready_and_names_the_missing_rights() {
    let mut world = World::start().await;
    world.kill().await;
    let rule = world.faults().on(Verb::List).of("test.kubewright.dev", "bundles").forbidden();
    world.start_operator().await;
    let refusal = || world.unready("components of bundle").is_some_and(|why| why.contains("may not be watched: "));
    world.until_true("the refused watch is told", refusal).await;
    let why = world.unready("components of bundle").unwrap();
    assert!(why.contains("grant get, list and watch on bundles.test.kubewright.dev"), "{why}");
    rule.remove();
    let granted = world.cluster.clock().moment();
    world.until_true("the operator is ready", || world.is_ready()).await;
    assert!(world.cluster.clock().moment().since(granted) < Duration::from_secs(61));
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    world.until_ready("demo").await;
}

// INV-6, TAKE-4
#[tokio::test]
async fn a_lost_inventory_heals_and_unlisted_objects_are_counted_but_never_touched() {
    let world = World::start().await;
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    world.until_ready("demo").await;
    let one = world.get(&config_map("one", "")).await.unwrap();
    let mut unlisted = config_map("stray", "x");
    let key = format!("{OPERATOR}/owner-id");
    unlisted["metadata"]["labels"] = json!({ &key: one["metadata"]["labels"][&key] });
    world.create(&unlisted).await;
    let demo = bundle("demo", &[]);
    let lost = json!({ "inventory": null, "processingDigest": null, "state": null });
    world.patch_status(&demo, lost).await;
    let healed = world.until("demo", "whole again", |component| {
        let inventory = component["status"]["inventory"].as_array();
        component["status"]["state"] == "Ready" && inventory.is_some_and(|items| items.len() == 1)
    });
    assert_eq!(healed.await["status"]["inventory"][0]["name"], "one");
    assert_eq!(world.get(&config_map("one", "")).await.unwrap()["metadata"]["uid"], one["metadata"]["uid"]);
    let metric = "kubewright_unknown_dependents{controller=\"bundle\",cluster=\"local\"} 1";
    assert!(world.metrics().contains(metric), "{}", world.metrics());
    world.delete(&demo).await;
    world.until_gone(&demo).await;
    assert!(world.get(&config_map("one", "")).await.is_none());
    assert_eq!(world.get(&unlisted).await.unwrap()["data"]["value"], "x");
}

// WATCH-6, OUT-1: a back-off is not shortened by polls.
#[tokio::test]
async fn an_error_is_not_repeated_at_the_pace_of_polls() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    world.faults().on(Verb::Watch).of(kinds.group(), "foos").forbidden();
    world.faults().on(Verb::Create).of(kinds.group(), "foos").forbidden();
    let mark = world.journal().mark();
    world.set(&kinds.component(&[held(kinds.foo())])).await;
    let failed = world.until_state("demo", "Error", "Error").await;
    assert!(message_of(&failed).contains("oo"), "{}", message_of(&failed));
    world.idle(Duration::from_secs(4)).await;
    let creates = world.journal().since(mark).verb(Verb::Create).of(kinds.group(), "foos").iter().count();
    assert!(creates <= 12, "{creates} creates in 4 seconds");
}
