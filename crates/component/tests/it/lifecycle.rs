use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kubewright::prelude::*;
use kubewright_middleware::Verb;

use crate::kinds::Kinds;
use crate::types::{Bundle, bundle, config_map};
use crate::world::{World, condition, is_seen, message_of, reason_of};

fn suspended(mut component: Value, suspend: bool) -> Value {
    component["spec"]["suspend"] = suspend.into();
    component
}

// PASS-3
#[tokio::test]
async fn a_suspended_component_is_left_alone_and_can_be_deleted() {
    let world = World::start().await;
    let component = bundle("demo", &[config_map("one", "a")]);
    world.set(&suspended(component.clone(), true)).await;
    let seen = world.until_state("demo", "Pending", "Suspended").await;
    assert!(seen["metadata"].get("finalizers").is_none());
    assert!(world.get(&config_map("one", "")).await.is_none());
    world.set(&suspended(component.clone(), false)).await;
    world.until_ready("demo").await;
    world.set(&suspended(component.clone(), true)).await;
    world.until_state("demo", "Pending", "Suspended").await;
    world.delete(&config_map("one", "")).await;
    world.idle(Duration::from_mins(20)).await;
    assert!(world.get(&config_map("one", "")).await.is_none(), "drift stays");
    world.delete(&component).await;
    world.until_gone(&component).await;
}

// PASS-4, TRG-1
#[tokio::test]
async fn annotations_count_as_a_change_and_labels_do_not() {
    let world = World::start().await;
    let component = bundle("demo", &[config_map("one", "a")]);
    world.set(&component).await;
    world.until_ready("demo").await;
    world.patch(&component, json!({ "metadata": { "labels": { "a": "b" } } })).await;
    world.idle(Duration::from_secs(10)).await;
    assert_eq!(world.component("demo").await.unwrap()["status"]["revision"], 1);
    world.patch(&component, json!({ "metadata": { "annotations": { "a": "b" } } })).await;
    let ready = world.until("demo", "at revision 2", |component| component["status"]["revision"] == 2).await;
    assert_eq!(ready["status"]["state"], "Ready");
}

// EVT-1, EVT-3
#[tokio::test]
async fn an_install_an_upgrade_and_a_repair_each_report_their_changes_in_one_event() {
    let world = World::start().await;
    world.set(&bundle("demo", &[config_map("one", "a"), config_map("two", "a")])).await;
    world.until_ready("demo").await;
    let sent = |world: &World| {
        let events = world.journal().all().verb(Verb::Create).of("events.k8s.io", "events");
        events.filter(|record| record.status().is_some()).iter().count()
    };
    world.until_true("the install is told", || sent(&world) > 0).await;
    world.idle(Duration::from_secs(30)).await;
    assert_eq!(world.events("Ready").await, ["Dependent resources successfully reconciled (created 2)"]);
    assert_eq!(sent(&world), 1);
    world.set(&bundle("demo", &[config_map("one", "b"), config_map("two", "a")])).await;
    world.until("demo", "at revision 2", |component| component["status"]["revision"] == 2).await;
    world.until_ready("demo").await;
    world.until_true("the upgrade is told", || sent(&world) > 1).await;
    world.idle(Duration::from_secs(30)).await;
    assert_eq!(sent(&world), 2);
    let mut notes = world.events("Ready").await;
    notes.sort_unstable();
    let ready = |what: &str| format!("Dependent resources successfully reconciled ({what})");
    assert_eq!(notes, [ready("created 2"), ready("updated 1")]);
    world.delete(&config_map("one", "")).await;
    world.until_present(&config_map("one", "")).await;
    world.until_true("the repair is told", || sent(&world) > 2).await;
    world.idle(Duration::from_secs(30)).await;
    assert_eq!(world.events("DependentsChanged").await, ["created 1"]);
    assert_eq!(sent(&world), 3);
}

// PASS-10
#[tokio::test]
async fn a_panic_in_user_code_is_an_error_of_its_component_alone() {
    let world = World::start_with(|builder| {
        builder.pre_reconcile(|_: &HookContext<Bundle>, component: &Bundle, _: &mut ComponentStatus| {
            let name = component.metadata.name.clone().unwrap_or_default();
            async move {
                assert!(name != "bad", "the hook of this component is broken");
                Ok(())
            }
        })
    })
    .await;
    world.set(&bundle("bad", &[config_map("one", "a")])).await;
    world.set(&bundle("good", &[config_map("two", "a")])).await;
    world.until_ready("good").await;
    let bad = world.until("bad", "in error", |component| component["status"]["state"] == "Error").await;
    assert!(condition(&bad, "Ready").unwrap()["message"].as_str().unwrap().contains("the hook of this component is broken"));
}

/// Starts a world whose operator has a hook that panics while a switch is set.
async fn world_that_panics() -> (World, Arc<AtomicBool>) {
    let panics = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&panics);
    let world = World::start_with(move |builder| {
        builder.pre_reconcile(move |_: &HookContext<Bundle>, _: &Bundle, _: &mut ComponentStatus| {
            let panics = told.load(Ordering::Relaxed);
            async move {
                assert!(!panics, "the hook is broken");
                Ok(())
            }
        })
    })
    .await;
    (world, panics)
}

// PASS-10, TIME-3
#[tokio::test]
async fn of_a_panic_only_state_and_condition_are_recorded() {
    let (world, panics) = world_that_panics().await;
    let kinds = Kinds::install(&world).await;
    let mut component = kinds.component(&[kinds.foo()]);
    component["spec"]["timeout"] = "6s".into();
    world.set(&component).await;
    let before = world.until_state("demo", "Processing", "Processing").await;
    panics.store(true, Ordering::Relaxed);
    component["spec"]["objects"][0]["spec"]["value"] = "b".into();
    world.set(&component).await;
    let broken = world.until("demo", "in error", |component| component["status"]["state"] == "Error").await;
    assert!(message_of(&broken).contains("the hook is broken"), "{}", message_of(&broken));
    let kept = |component: &Value| {
        let mut status = component["status"].clone();
        for field in ["state", "conditions", "lastObservedAt"] {
            status.as_object_mut().unwrap().remove(field);
        }
        status
    };
    assert_eq!(kept(&broken), kept(&before));
    let late = world.until("demo", "late by its own timeout", |component| reason_of(component) == "Timeout").await;
    assert_eq!(kept(&late), kept(&before));
    panics.store(false, Ordering::Relaxed);
    let again = world.until("demo", "seen", is_seen).await;
    assert_eq!((&again["status"]["observedGeneration"], &again["status"]["revision"]), (&json!(2), &json!(2)));
}

// PASS-10, GEN-5
#[tokio::test]
async fn a_panic_does_not_cause_a_new_rendering() {
    let (world, panics) = world_that_panics().await;
    let one = config_map("one", "a");
    world.set(&bundle("demo", std::slice::from_ref(&one))).await;
    world.until_ready("demo").await;
    let renderings = || world.metrics().lines().filter(|line| line.starts_with("kubewright_renders_total")).collect::<String>();
    let before = renderings();
    panics.store(true, Ordering::Relaxed);
    world.patch(&one, json!({ "metadata": { "annotations": { "note": "mine" } } })).await;
    world.until("demo", "in error", |component| component["status"]["state"] == "Error").await;
    panics.store(false, Ordering::Relaxed);
    world.until_ready("demo").await;
    assert_eq!(renderings(), before);
}

// COM-2, COM-5
#[tokio::test]
async fn the_crd_has_printer_columns_and_its_schema_refuses_an_invalid_duration() {
    let world = World::start().await;
    let gvk = kubewright::machinery::object::GroupVersionKind::new("test.kubewright.dev", "v1", "Bundle");
    let crd = kubewright::component::custom_resource_definition::<Bundle>().unwrap();
    let version = &crd["spec"]["versions"][0];
    assert_eq!(version["name"], gvk.version.as_str());
    let columns: Vec<_> = version["additionalPrinterColumns"].as_array().unwrap().iter().map(|column| &column["name"]).collect();
    assert_eq!(columns, ["State", "Reason", "Age"]);
    let mut component = bundle("demo", &[]);
    component["spec"]["requeueInterval"] = "ten minutes".into();
    assert!(world.try_create(&component).await.unwrap_err().contains("requeueInterval"));
}

// STA-5, TRG-1
#[tokio::test]
async fn a_wiped_status_is_rebuilt_without_recreating_dependents() {
    let world = World::start().await;
    let component = bundle("demo", &[config_map("one", "a")]);
    world.set(&component).await;
    world.until_ready("demo").await;
    let uid = world.get(&config_map("one", "")).await.unwrap()["metadata"]["uid"].clone();
    let wiped =
        json!({ "inventory": null, "state": null, "conditions": null, "processingDigest": null, "observedGeneration": -1 });
    world.patch_status(&component, wiped).await;
    let healed = world.until("demo", "healed", |component| component["status"]["state"] == "Ready" && is_seen(component)).await;
    assert_eq!(healed["status"]["inventory"].as_array().unwrap().len(), 1);
    assert_eq!(world.get(&config_map("one", "")).await.unwrap()["metadata"]["uid"], uid);
}

// RUN-7
#[tokio::test]
async fn a_resync_looks_at_everything_and_changes_nothing() {
    let world = World::start().await;
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    world.until_ready("demo").await;
    world.patch(&bundle("demo", &[]), json!({ "spec": { "suspend": true } })).await;
    world.until_state("demo", "Pending", "Suspended").await;
    // Only a virtual clock can advance that far.
    if !world.cluster.is_embedded() {
        return;
    }
    let passes = || {
        let metrics = world.metrics();
        let of = |line: &str| line.starts_with("kubewright_reconcile_total{") && line.contains("bundle");
        let value = |line: &str| line.rsplit(' ').next().and_then(|text| text.parse::<u64>().ok()).unwrap_or_default();
        metrics.lines().filter(|line| of(line)).map(value).sum::<u64>()
    };
    world.pass(Duration::from_mins(1)).await;
    let (mark, before) = (world.journal().mark(), passes());
    world.pass(Duration::from_hours(9)).await;
    assert_eq!(passes(), before, "a suspended component has no timer");
    world.pass(Duration::from_hours(2)).await;
    assert_eq!(passes(), before + 1);
    world.journal().since(mark).no_writes().unwrap();
}

// GEN-4, OUT-3
#[tokio::test]
async fn a_request_of_a_generator_that_fails_in_passing_is_a_wait() {
    async fn unavailable(_: &RenderContext<Bundle>) -> Result<Vec<Manifest>, RenderError> {
        let status = kube::core::Status { code: 503, reason: "ServiceUnavailable".into(), ..kube::core::Status::default() };
        Err(kube::Error::Api(Box::new(status)).into())
    }
    let mut world = World::new().await;
    world.run_other(Operator::new(crate::world::OPERATOR).component::<Bundle>(unavailable)).await;
    world.set(&bundle("demo", &[])).await;
    world.until_state("demo", "Pending", "Retrying").await;
}
