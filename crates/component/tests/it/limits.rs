//! Limits: the size of the status, random generators, and the series and events of components that are created and deleted.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use kubewright::prelude::*;

use crate::types::{Bundle, bundle, config_map};
use crate::world::{OPERATOR, World, condition, message_of};

// STA-8
#[tokio::test]
async fn a_component_with_too_many_dependents_is_blocked_before_anything_is_created() {
    let world = World::start().await;
    let many: Vec<Value> = (0..4000).map(|n| config_map(&format!("a-rather-long-name-{n}"), "")).collect();
    world.set(&bundle("demo", &many)).await;
    let blocked = world.until("demo", "blocked", |component| condition(component, "Stalled").is_some()).await;
    assert_eq!(condition(&blocked, "Stalled").unwrap()["reason"], "TooManyDependents");
    assert!(message_of(&blocked).contains("4000 dependents"), "{}", message_of(&blocked));
    world.journal().all().writes().of("", "configmaps").exactly(0).unwrap();
    world.set(&bundle("demo", &many[..3])).await;
    world.until_ready("demo").await;
}

/// Renders as many ConfigMaps as the first entry of the spec requests. One of them has the value that the entry names.
async fn many(cx: &RenderContext<Bundle>) -> Result<Vec<Manifest>, RenderError> {
    let spec = &cx.component().spec;
    let parameters = spec.objects.first().map(|object| &object.0);
    let count = parameters.and_then(|object| object.get("count")).and_then(Value::as_u64).unwrap_or_default();
    let value = parameters.and_then(|object| object.get("value")).and_then(Value::as_str).unwrap_or_default();
    let map = |n: u64| Ok(Manifest::from_json(config_map(&format!("dependent-{n:04}"), if n == 7 { value } else { "" }))?);
    (0..count).map(map).collect()
}

/// Returns a component whose spec is small, whatever the number of its dependents.
fn counted(count: u64, value: &str) -> Value {
    bundle("demo", &[json!({ "count": count, "value": value })])
}

// STA-8: the size is that of the whole object, which the API server stores.
#[tokio::test]
async fn three_thousand_dependents_are_listed_in_one_status() {
    let mut world = World::new().await;
    world.run_other(Operator::new(OPERATOR).component::<Bundle>(many)).await;
    world.set(&counted(3000, "a")).await;
    let ready = world.until_ready("demo").await;
    let items = ready["status"]["inventory"].as_array().unwrap();
    assert_eq!(items.len(), 3000);
    let bytes = ready["status"].to_string().len();
    eprintln!("a status with 3000 dependents has {bytes} bytes, {} per dependent", bytes / 3000);
    assert!((1_000_000..1_500_000).contains(&bytes), "{bytes} bytes");
    // A change of one dependent causes one write to it.
    let mark = world.journal().mark();
    world.set(&counted(3000, "b")).await;
    world.until_object(&config_map("dependent-0007", ""), "changed", |map| map["data"]["value"] == "b").await;
    world.until_ready("demo").await;
    world.journal().since(mark).writes().of("", "configmaps").exactly(1).unwrap();
    // A set that is too large is refused before anything is created, and existing objects stay.
    world.set(&counted(5000, "b")).await;
    let blocked = world.until("demo", "blocked", |component| condition(component, "Stalled").is_some()).await;
    assert_eq!(condition(&blocked, "Stalled").unwrap()["reason"], "TooManyDependents");
    let message = message_of(&blocked);
    assert!(message.starts_with("the object would have 2") && message.contains("with 5000 dependents"), "{message}");
    assert_eq!(blocked["status"]["inventory"].as_array().unwrap().len(), 3000);
    world.journal().since(mark).writes().of("", "configmaps").exactly(1).unwrap();
    world.delete(&bundle("demo", &[])).await;
    world.until_gone(&bundle("demo", &[])).await;
}

static COUNTER: AtomicU64 = AtomicU64::new(0);

async fn random(_: &RenderContext<Bundle>) -> Result<Vec<Manifest>, RenderError> {
    let value = COUNTER.fetch_add(1, Ordering::Relaxed);
    Ok(vec![Manifest::from_json(config_map("one", &value.to_string()))?])
}

// GEN-6
#[tokio::test]
async fn a_generator_with_random_output_is_reported_and_causes_no_endless_writes() {
    let mut world = World::new().await;
    let builder = Operator::new(OPERATOR).component::<Bundle>(random);
    world.run_other(builder).await;
    world.set(&bundle("demo", &[])).await;
    world.until_ready("demo").await;
    for value in ["x", "y", "z"] {
        world.patch(&config_map("one", ""), json!({ "data": { "value": value } })).await;
        world.until_object(&config_map("one", ""), "repaired", |map| map["data"]["value"] != value).await;
        world.until_ready("demo").await;
        world.idle(Duration::from_secs(70)).await;
    }
    let note = world.until_event("NonDeterministicManifests").await;
    assert!(note.contains("one"), "{note}");
    world.journal().all().writes().of("", "configmaps").at_most(10).unwrap();
}

// EVT-1
#[tokio::test]
async fn each_state_change_emits_an_event_and_equal_passes_emit_none() {
    let world = World::start().await;
    let mut demo = bundle("demo", &[config_map("one", "a")]);
    for (suspended, state, reason) in [(false, "Ready", "Ready"), (true, "Pending", "Suspended"), (false, "Ready", "Ready")] {
        demo["spec"]["suspend"] = suspended.into();
        world.set(&demo).await;
        world.until_state("demo", state, reason).await;
        world.pass(Duration::from_secs(1)).await;
    }
    world.until_event("Suspended").await;
    assert_eq!(world.events("Suspended").await.len(), 1);
    world.until_event("Ready").await;
}

// STA-6
#[tokio::test]
async fn a_new_reason_alone_does_not_change_the_transition_time() {
    let world = World::start().await;
    let mut demo = bundle("demo", &[]);
    demo["spec"]["all"] = json!([{ "name": "missing" }]);
    world.set(&demo).await;
    let waiting = world.until_state("demo", "Pending", "Retrying").await;
    world.pass(Duration::from_secs(3)).await;
    demo["spec"]["suspend"] = true.into();
    world.set(&demo).await;
    let suspended = world.until_state("demo", "Pending", "Suspended").await;
    let since = |component: &Value| condition(component, "Ready").unwrap()["lastTransitionTime"].clone();
    assert_eq!(since(&suspended), since(&waiting));
}

// COM-4, COM-6
#[tokio::test]
async fn a_reapply_interval_of_zero_is_refused() {
    let world = World::start().await;
    let zero = crate::types::annotated(config_map("one", "a"), "reapply-interval", "0s");
    world.set(&bundle("demo", &[zero])).await;
    let failed = world.until("demo", "in error", |component| component["status"]["state"] == "Error").await;
    assert_eq!(condition(&failed, "Stalled").unwrap()["reason"], "InvalidManifest");
    assert!(message_of(&failed).contains("reapply-interval") && message_of(&failed).contains("0s"), "{}", message_of(&failed));
    world.journal().all().writes().of("", "configmaps").exactly(0).unwrap();
}

// HOOK-2, MET-1: a deleted component is forgotten, also when its finalizer was removed by hand.
#[tokio::test]
async fn a_component_deleted_without_its_finalizer_disappears_from_the_metrics() {
    let world = World::start().await;
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    world.until_ready("demo").await;
    world.until_true("the metrics name it", || world.metrics().contains("name=\"demo\"")).await;
    world.patch(&bundle("demo", &[]), json!({ "metadata": { "finalizers": [] } })).await;
    world.delete(&bundle("demo", &[])).await;
    world.until_gone(&bundle("demo", &[])).await;
    world.until_true("the metrics have forgotten it", || !world.metrics().contains("name=\"demo\"")).await;
}
