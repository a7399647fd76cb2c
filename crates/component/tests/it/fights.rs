//! Drift that recurs, and drift that an apply cannot repair.

use std::time::Duration;

use kubewright::prelude::*;
use kubewright_middleware::Verb;

use crate::types::{annotated, bundle, config_map, deployment};
use crate::world::{OPERATOR, World, condition};

/// The number of corrections of an object within a little more than a minute (DRIFT-5). In real time, the test waits for fewer.
const CORRECTIONS: usize = 3;

/// Returns the time for which a fight is observed. In real time it is just long enough to detect the fight.
fn length(world: &World) -> Duration {
    Duration::from_secs(if world.cluster.is_embedded() { 100 } else { 60 })
}

// DRIFT-5
#[tokio::test]
async fn corrections_of_a_field_that_another_actor_rewrites_are_spaced_and_reported() {
    let world = World::start().await;
    let one = config_map("one", "a");
    world.set(&bundle("demo", std::slice::from_ref(&one))).await;
    world.until_ready("demo").await;
    let mark = world.journal().mark();
    let started = world.cluster.clock().moment().0;
    // In real time, the test does not wait for the third correction.
    let corrections = if world.cluster.is_embedded() { CORRECTIONS } else { 2 };
    let corrected = || world.journal().since(mark).writes().of("", "configmaps").iter().count();
    while world.cluster.clock().moment().0 < started + length(&world)
        && (world.cluster.is_embedded() || corrected() < corrections)
    {
        if world.get(&one).await.unwrap()["data"]["value"] == "a" {
            let edit = json!([{ "op": "replace", "path": "/data/value", "value": "mine" }]);
            world.edit_as("fighter", &one, edit).await;
        }
        world.pass(Duration::from_millis(100)).await;
    }
    let writes = world.journal().since(mark).writes().of("", "configmaps");
    assert_eq!(writes.iter().count(), corrections);
    if corrections == 3 {
        let times: Vec<_> = writes.iter().map(|record| record.time).collect();
        let at: Vec<i64> = times.iter().map(|time| time.duration_since(times[0]).as_secs()).collect();
        assert!((10..12).contains(&at[1]) && (70..73).contains(&at[2]), "{at:?}");
        let note = world.until_event("DriftRepeated").await;
        assert!(note.contains("fighter") && note.contains(".data.value") && note.contains("one"), "{note}");
        assert_eq!(world.events("DriftRepeated").await.len(), 1);
        let fought = world.component("demo").await.unwrap();
        let contested = condition(&fought, "Contested").unwrap();
        assert!(contested["message"].as_str().unwrap().contains("fighter keeps changing .data.value"), "{contested}");
        // Peace: the object stays as rendered for as long as the last pause, and no program changes it any more.
        let peaceful = |component: &Value| condition(component, "Contested").is_none();
        world.patch(&one, json!({ "data": { "value": "a" } })).await;
        // The other program owns the field now, so the next correction comes with the reapply; then the same quiet period follows.
        world.pass(Duration::from_secs(3 * 3600)).await;
        world.until("demo", "at peace", peaceful).await;
    }
    let component = world.component("demo").await.unwrap();
    assert_eq!(component["status"]["state"], "Ready");
    assert!(world.events("Processing").await.is_empty() && world.events("Error").await.is_empty(), "Ready throughout");
}

// DRIFT-5
#[tokio::test]
async fn replicas_that_are_scaled_after_an_image_was_set_are_restored_at_once() {
    let world = World::start().await;
    let web = deployment("web");
    world.set(&bundle("demo", std::slice::from_ref(&web))).await;
    world.until_present(&web).await;
    world.play_deployment(&web).await;
    world.until_ready("demo").await;
    let image = json!([{ "op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "example.com/main:2" }]);
    world.edit_as("kubectl-set", &web, image).await;
    let image_of = |web: &Value| web["spec"]["template"]["spec"]["containers"][0]["image"].clone();
    world.until_object(&web, "of the first image", |web| image_of(web) == "example.com/main:1").await;
    world.scale_as("kubectl", &web, 3).await;
    world.until_object(&web, "of one replica", |web| web["spec"]["replicas"] == 1).await;
    assert_eq!(world.told("demo", "Drifted"), Vec::<String>::new(), "nothing was held back");
}

// DRIFT-5, STA-4
#[tokio::test]
async fn a_drift_that_waits_for_its_correction_is_a_condition() {
    let world = World::start().await;
    let one = config_map("one", "a");
    world.set(&bundle("demo", std::slice::from_ref(&one))).await;
    world.until_ready("demo").await;
    for _ in 0..2 {
        world.until_object(&one, "restored", |one| one["data"]["value"] == "a").await;
        let edit = json!([{ "op": "replace", "path": "/data/value", "value": "mine" }]);
        world.edit_as("fighter", &one, edit).await;
    }
    let waits = |component: &Value| condition(component, "Drifted").is_some();
    let waiting = world.until("demo", "aware of the drift", waits).await;
    let told = condition(&waiting, "Drifted").unwrap();
    assert_eq!((told["reason"].as_str(), waiting["status"]["state"].as_str()), (Some("CorrectionDelayed"), Some("Ready")));
    let text = told["message"].as_str().unwrap();
    let start = format!("ConfigMap {}/one: fighter changed .data.value, which is corrected at 2", world.namespace());
    assert!(text.starts_with(&start), "{text}");
    world.until("demo", "corrected", |component| !waits(component)).await;
    assert_eq!(world.get(&one).await.unwrap()["data"]["value"], "a");
}

// DRIFT-5
#[tokio::test]
async fn the_corrections_of_an_object_are_forgotten_when_it_is_deleted() {
    let world = World::start().await;
    let one = config_map("one", "a");
    world.set(&bundle("demo", std::slice::from_ref(&one))).await;
    world.until_ready("demo").await;
    let edit = || json!([{ "op": "replace", "path": "/data/value", "value": "mine" }]);
    for _ in 0..3 {
        let uid = world.get(&one).await.unwrap()["metadata"]["uid"].clone();
        world.edit_as("person", &one, edit()).await;
        world.until_object(&one, "restored", |one| one["data"]["value"] == "a").await;
        world.delete(&one).await;
        world.until_object(&one, "created again", |one| one["metadata"]["uid"] != uid).await;
    }
    world.until_ready("demo").await;
    assert_eq!(world.told("demo", "Drifted"), Vec::<String>::new(), "nothing was held back");
    assert!(world.events("DriftRepeated").await.is_empty());
}

// OWN-4, DRIFT-5
#[tokio::test]
async fn a_label_that_another_program_removes_is_restored_in_growing_pauses() {
    let world = World::start().await;
    let one = config_map("one", "a");
    world.set(&bundle("demo", std::slice::from_ref(&one))).await;
    world.until_ready("demo").await;
    let label = format!("{OPERATOR}/owner-id");
    let mark = world.journal().mark();
    let end = world.cluster.clock().moment().0 + length(&world);
    let mut removed = 0;
    let restored = || world.journal().since(mark).verb(Verb::Update).of("", "configmaps").iter().count();
    while world.cluster.clock().moment().0 < end && (world.cluster.is_embedded() || removed < 2 || restored() < 1) {
        if world.get(&one).await.unwrap()["metadata"]["labels"].get(&label).is_some() {
            let path = format!("/metadata/labels/{}", label.replace('/', "~1"));
            world.edit_as("fighter", &one, json!([{ "op": "remove", "path": path }])).await;
            removed += 1;
        }
        world.pass(Duration::from_millis(100)).await;
    }
    let records = world.journal().since(mark);
    let updates = restored();
    assert!(removed > 1 && updates >= 1, "the label is restored");
    assert!(updates <= CORRECTIONS, "{updates} updates");
    // The first time the object could as well have been deleted, so the operator reads it.
    records.clone().verb(Verb::Create).of("", "configmaps").exactly(1).unwrap();
    // The object is known to exist, so it is not read again.
    assert!(records.verb(Verb::Get).of("", "configmaps").iter().count() < 20);
    if world.cluster.is_embedded() {
        assert_eq!(updates, CORRECTIONS);
        let note = world.until_event("DriftRepeated").await;
        assert!(note.contains(&label) && note.contains("one"), "{note}");
    }
    assert_eq!(world.component("demo").await.unwrap()["status"]["state"], "Ready");
    assert!(world.events("Processing").await.is_empty() && world.events("Error").await.is_empty(), "Ready throughout");
}

// OWN-4, DRIFT-5
#[tokio::test]
async fn two_components_that_always_adopt_take_an_object_from_each_other_in_growing_pauses() {
    let world = World::start().await;
    let one = |value: &str| annotated(config_map("one", value), "adoption-policy", "always");
    let mark = world.journal().mark();
    world.set(&bundle("here", &[one("here")])).await;
    world.until_ready("here").await;
    world.set(&bundle("there", &[one("there")])).await;
    world.until_ready("there").await;
    let end = world.cluster.clock().moment().0 + length(&world);
    let updated = || world.journal().since(mark).verb(Verb::Update).of("", "configmaps").iter().count();
    while world.cluster.clock().moment().0 < end && (world.cluster.is_embedded() || updated() < 2) {
        world.pass(Duration::from_millis(100)).await;
    }
    let records = world.journal().since(mark);
    let updates = updated();
    // The first to lose the label takes it back once; after that each takes it back as often as a field that another program changes.
    assert!((2..=1 + 2 * CORRECTIONS).contains(&updates), "{updates} updates");
    let statuses = records.writes().subresource("status").iter().count();
    assert!(statuses < 40, "{statuses} writes of a status");
    for name in ["here", "there"] {
        assert_eq!(world.component(name).await.unwrap()["status"]["state"], "Ready");
    }
}

/// Returns a Service whose port another program can move.
fn service() -> Value {
    json!({
        "apiVersion": "v1", "kind": "Service", "metadata": { "name": "web" },
        "spec": { "selector": { "app": "web" }, "ports": [{ "name": "http", "port": 80, "targetPort": 8080 }] },
    })
}

// DRIFT-8
#[tokio::test]
async fn a_list_entry_whose_key_was_changed_is_repaired_by_a_put() {
    let world = World::start().await;
    let mut component = bundle("demo", &[service()]);
    component["spec"]["updatePolicy"] = "SsaOverride".into();
    world.set(&component).await;
    world.until_ready("demo").await;
    let mark = world.journal().mark();
    let edit = json!([{ "op": "replace", "path": "/spec/ports/0/port", "value": 81 }]);
    world.edit_as("other", &service(), edit).await;
    let repaired = |service: &Value| {
        let ports = service["spec"]["ports"].as_array().unwrap();
        ports.len() == 1 && ports[0]["port"] == 80
    };
    world.until_object(&service(), "repaired", repaired).await;
    world.pass(Duration::from_secs(2)).await;
    world.journal().since(mark).verb(Verb::Update).of("", "services").exactly(1).unwrap();
    assert!(world.events("Processing").await.is_empty() && world.events("DriftNotRepaired").await.is_empty());
    assert_eq!(world.component("demo").await.unwrap()["status"]["state"], "Ready");
}

// DRIFT-8
#[tokio::test]
async fn drift_whose_repair_the_server_refuses_is_reported_and_leaves_the_component_ready() {
    let world = World::start().await;
    world.set(&bundle("demo", &[service()])).await;
    world.until_ready("demo").await;
    let rule = world.faults().on(Verb::Update).of("", "services").deny_admission("guard", "ports are frozen");
    let edit = json!([{ "op": "replace", "path": "/spec/ports/0/targetPort", "value": 9 }]);
    world.edit_as("other", &service(), edit).await;
    let note = world.until_event("DriftNotRepaired").await;
    assert!(note.contains("web") && note.contains("ports are frozen"), "{note}");
    assert_eq!(world.component("demo").await.unwrap()["status"]["state"], "Ready");
    assert!(world.events("UpdateError").await.is_empty());
    rule.remove();
    world.until_object(&service(), "repaired", |service| service["spec"]["ports"][0]["targetPort"] == 8080).await;
}
