use std::time::Duration;

use kubewright::prelude::*;
use kubewright_apiserver::status::StatusExt as _;
use kubewright_middleware::faults::RuleHandle;
use kubewright_middleware::journal::{Mark, Record};
use kubewright_middleware::{Status, Verb};

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
async fn endless_conflicts_on_one_dependent_are_retried_and_do_not_block_other_dependents() {
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

/// Returns the configuration of a webhook without a server behind it, for ConfigMaps of the test's namespace.
fn absent_webhook(namespace: &str) -> Value {
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
        "metadata": { "name": format!("absent.{namespace}") },
        "webhooks": [{
            "name": "absent.test.kubewright.dev", "sideEffects": "None", "admissionReviewVersions": ["v1"], "failurePolicy": "Fail",
            "clientConfig": { "url": "https://127.0.0.1:1/none" },
            "namespaceSelector": { "matchLabels": { "kubernetes.io/metadata.name": namespace } },
            "rules": [{ "apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE", "DELETE"], "resources": ["configmaps"] }],
        }],
    })
}

/// Makes the admission webhook of ConfigMaps unavailable. The embedded server calls no webhooks, so a rule returns the error.
async fn take_webhook_away(world: &World) -> Option<RuleHandle> {
    if world.cluster.is_embedded() {
        let text = "Internal error occurred: failed calling webhook \"absent.test.kubewright.dev\": failed to call webhook";
        let answer = Status::new(500, "InternalError", text);
        return Some(world.faults().on(Verb::Create).of("", "configmaps").respond(answer));
    }
    world.create(&absent_webhook(world.namespace())).await;
    // A new configuration takes effect with a delay.
    for number in 0..600 {
        if world.try_create(&config_map(&format!("probe-{number}"), "a")).await.is_err() {
            return None;
        }
        world.pass(Duration::from_millis(100)).await;
    }
    panic!("the webhook is not asked after 600 creates in a minute");
}

async fn bring_webhook_back(world: &World, rule: Option<RuleHandle>) {
    match rule {
        Some(rule) => rule.remove(),
        None => world.delete(&absent_webhook(world.namespace())).await,
    }
}

// OUT-3: the retry interval of the component, 10 minutes, is longer than a test waits.
#[tokio::test]
async fn an_install_continues_seconds_after_an_absent_admission_webhook_is_available_again() {
    let world = World::start().await;
    let rule = take_webhook_away(&world).await;
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    let waiting = world.until_state("demo", "Pending", "Retrying").await;
    assert!(message(&waiting).contains("failed calling webhook"), "{}", message(&waiting));
    bring_webhook_back(&world, rule).await;
    world.until_ready("demo").await;
}

// OUT-3, DEL-1
#[tokio::test]
async fn a_deletion_continues_after_transient_errors() {
    let world = World::start().await;
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    world.until_ready("demo").await;
    let rule = world.faults().on(Verb::Delete).of("", "configmaps").internal_error();
    world.delete(&bundle("demo", &[])).await;
    world.until_state("demo", "DeletionPending", "DeletionRetrying").await;
    rule.remove();
    world.until_gone(&bundle("demo", &[])).await;
    assert!(world.get(&config_map("one", "")).await.is_none());
}

// OUT-3, REF-2
#[tokio::test]
async fn a_reference_is_read_again_seconds_after_transient_errors() {
    let world = World::start().await;
    // An object that may not be listed is read by its name.
    world.faults().on(Verb::List).of("", "configmaps").forbidden();
    let rule = world.faults().on(Verb::Get).of("", "configmaps").named("settings").timeout();
    world.create(&config_map("settings", "a")).await;
    let mut component = bundle("demo", &[]);
    component["spec"]["all"] = json!([{ "name": "settings" }]);
    world.set(&component).await;
    let waiting = world.until_state("demo", "Pending", "Retrying").await;
    assert!(message(&waiting).contains("error loading ConfigMap"), "{}", message(&waiting));
    assert!(waiting["status"].get("processingSince").is_none(), "references start no countdown: {waiting:#}");
    rule.remove();
    world.until_ready("demo").await;
}

/// Returns the times of the requests that a rule answered, in seconds after the first.
fn moments(world: &World, mark: Mark, is_meant: impl Fn(&Record) -> bool) -> Vec<f64> {
    let records = world.journal().since(mark);
    let at: Vec<jiff::Timestamp> = records.iter().filter(|record| is_meant(record)).map(|record| record.time).collect();
    at.iter().map(|moment| moment.duration_since(at[0]).as_secs_f64()).collect()
}

fn is_create(record: &Record) -> bool {
    record.target.resource().is_some_and(|resource| resource.verb == Verb::Create && resource.resource == "configmaps")
}

// OUT-3
#[tokio::test]
async fn a_longer_time_that_the_server_asks_for_is_kept() {
    let world = World::start().await;
    world.faults().on(Verb::Create).of("", "configmaps").times(1).too_many_requests(4);
    let mark = world.journal().mark();
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    world.until_ready("demo").await;
    let creates = moments(&world, mark, is_create);
    assert!(creates.len() == 2 && creates[1] >= 4.0, "{creates:?}");
    assert!(creates[1] < 4.5 || !world.cluster.is_embedded(), "{creates:?}");
}

// OUT-3: only a virtual clock makes the number of requests in a given time exact.
#[tokio::test]
async fn waits_after_transient_errors_double_up_to_a_minute_and_start_anew() {
    let world = World::start().await;
    if !world.cluster.is_embedded() {
        return;
    }
    let rule = world.faults().on(Verb::Create).of("", "configmaps").unavailable();
    let mark = world.journal().mark();
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    world.pass(Duration::from_mins(5)).await;
    let creates = moments(&world, mark, is_create);
    // Each pass sends the request three times, after 100 ms and 500 ms.
    let passes: Vec<f64> = creates.chunks(3).map(|tries| tries[0]).collect();
    let waits: Vec<f64> = passes.windows(2).map(|pair| pair[1] - pair[0] - 0.6).collect();
    let expected = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0];
    assert_eq!(waits.len(), expected.len(), "{waits:?}");
    for (wait, expected) in waits.iter().zip(expected) {
        assert!(*wait >= expected && *wait <= expected * 1.06, "{waits:?}");
    }
    rule.remove();
    world.until_ready("demo").await;
    world.faults().on(Verb::Create).of("", "configmaps").named("two").times(3).unavailable();
    let mark = world.journal().mark();
    world.set(&bundle("demo", &[config_map("one", "a"), config_map("two", "a")])).await;
    world.until_ready("demo").await;
    let creates = moments(&world, mark, is_create);
    assert!(creates.len() == 4 && creates[3] < 1.8, "{creates:?}");
}

// OUT-3, PASS-5, STA-7
#[tokio::test]
async fn requests_for_the_component_itself_are_repeated_in_growing_waits() {
    let world = World::start().await;
    for subresource in ["", "status"] {
        let on_component = world.faults().on(Verb::Patch).of("test.kubewright.dev", "bundles").subresource(subresource);
        let rule = on_component.internal_error();
        let name = if subresource.is_empty() { "finalizer" } else { "status" };
        world.set(&bundle(name, &[config_map(name, "a")])).await;
        // Three tries in each pass; passes after 1, 2, 4, 8, 16, 32 and then 60 seconds.
        world.idle(Duration::from_mins(5)).await;
        assert!((3..=40).contains(&rule.hits()), "{} patches of the {name}", rule.hits());
        rule.remove();
        world.until_ready(name).await;
    }
}

// OUT-3, DRIFT-7: the pauses of a fight would leave the drift for 10 s, 60 s and then until a reapply is due.
#[tokio::test]
async fn drift_is_corrected_soon_after_transient_errors() {
    let world = World::start().await;
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    world.until_ready("demo").await;
    let rule = world.faults().on(Verb::Update).of("", "configmaps").internal_error();
    world.patch(&config_map("one", ""), json!({ "data": { "value": "b" } })).await;
    world.idle(Duration::from_mins(5)).await;
    world.until_true("a correction was tried", || rule.hits() > 0).await;
    assert_eq!(world.component("demo").await.unwrap()["status"]["state"], "Ready");
    rule.remove();
    world.until_object(&config_map("one", ""), "corrected", |map| map["data"]["value"] == "a").await;
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
async fn a_type_whose_reads_are_forbidden_is_reported_with_the_rule_to_grant() {
    let world = World::start().await;
    for verb in [Verb::List, Verb::Get] {
        let why = format!("User \"op\" cannot {verb} resource \"configmaps\" in API group \"\" at the cluster scope");
        world.faults().on(verb).of("", "configmaps").respond(Status::forbidden("", "configmaps", "", &why));
    }
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    let failed = world.until("demo", "in error", |component| component["status"]["state"] == "Error").await;
    assert_eq!(reason_of(&failed), "Error");
    let remedy = "(grant user \"op\" the rule {apiGroups: [\"\"], resources: [configmaps], verbs: [get]} in a ClusterRole)";
    assert!(message(&failed).contains(remedy), "{}", message(&failed));
}

// WATCH-2
#[tokio::test]
async fn a_type_that_may_not_be_watched_cluster_wide_is_watched_in_its_namespaces() {
    let world = World::start().await;
    let rule = world.faults().on(Verb::List).of("", "configmaps").in_namespace("").forbidden();
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    world.until_ready("demo").await;
    world.delete(&config_map("one", "")).await;
    world.until_present(&config_map("one", "")).await;
    world.until_ready("demo").await;
    // When the permission is granted, the operator continues where it stopped.
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

// PASS-3, OUT-3: the refusal is not caused by a concurrent change.
#[tokio::test]
async fn a_finalizer_refused_by_the_cluster_is_reported_and_not_sent_in_a_loop() {
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
