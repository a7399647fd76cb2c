//! Update policies and the ownership of fields.

use std::time::Duration;

use kubewright::prelude::*;

use crate::types::{annotated, bundle, config_map};
use crate::world::{OPERATOR, World, is_seen, message_of};

const OTHER: &str = "example.com/other";

/// Returns a component with an update policy.
fn with_policy(policy: &str, objects: &[Value]) -> Value {
    let mut component = bundle("demo", objects);
    component["spec"]["updatePolicy"] = policy.into();
    component["spec"]["requeueInterval"] = "1s".into();
    component
}

fn data(object: &Value) -> Vec<&str> {
    object["data"].as_object().unwrap().keys().map(String::as_str).collect()
}

// A7, DRIFT-3, WRITE-5
#[tokio::test]
async fn the_ssa_override_policy_removes_fields_that_kubectl_added_when_a_reapply_is_due() {
    let world = World::start().await;
    let one = annotated(config_map("one", "a"), "reapply-interval", "20s");
    world.set(&with_policy("SsaOverride", std::slice::from_ref(&one))).await;
    world.until_ready("demo").await;
    for manager in ["kubectl", "kubectl-actor", "other-actor"] {
        let mut more = config_map("one", "a");
        more["metadata"]["annotations"] = json!({ format!("example.com/{manager}"): "x" });
        more["data"] = json!({ manager: "x" });
        world.apply_as(manager, &more).await;
    }
    let mark = world.journal().mark();
    world.pass(Duration::from_millis(1500)).await;
    world.journal().since(mark).writes().of("", "configmaps").exactly(0).unwrap();
    assert_eq!(data(&world.get(&one).await.unwrap()), ["kubectl", "kubectl-actor", "other-actor", "value"]);
    let after = world.until_object(&one, "taken back", |map| data(map) == ["other-actor", "value"]).await;
    assert_eq!(after["data"]["value"], "a");
    let annotations = after["metadata"]["annotations"].as_object().unwrap();
    assert!(annotations.contains_key("example.com/other-actor"));
    assert!(!annotations.keys().any(|key| key.starts_with("example.com/kubectl")), "{annotations:?}");
    let mark = world.journal().mark();
    world.pass(Duration::from_secs(10)).await;
    world.journal().since(mark).writes().of("", "configmaps").exactly(0).unwrap();
    assert!(world.events("Processing").await.is_empty(), "Ready throughout");
}

// A7: a merge does not touch fields of other managers.
#[tokio::test]
async fn a_merge_keeps_the_fields_that_kubectl_added() {
    let world = World::start().await;
    let one = annotated(config_map("one", "a"), "reapply-interval", "1s");
    world.set(&with_policy("SsaMerge", std::slice::from_ref(&one))).await;
    world.until_ready("demo").await;
    let mut more = config_map("one", "a");
    more["data"] = json!({ "more": "x" });
    world.apply_as("kubectl", &more).await;
    world.pass(Duration::from_secs(4)).await;
    assert_eq!(data(&world.get(&one).await.unwrap()), ["more", "value"]);
}

// WRITE-4, WRITE-5
#[tokio::test]
async fn an_object_survives_every_change_of_update_policy() {
    let world = World::start().await;
    let one = |keys: &[&str]| {
        let mut map = config_map("one", "a");
        map["data"] = keys.iter().map(|key| ((*key).to_owned(), json!("x"))).collect::<Map<_, _>>().into();
        map
    };
    world.set(&with_policy("Replace", &[one(&["a", "b"])])).await;
    world.until_ready("demo").await;
    let uid = world.get(&one(&[])).await.unwrap()["metadata"]["uid"].clone();
    let add = json!([{ "op": "add", "path": "/metadata/finalizers", "value": [OTHER] }]);
    world.edit_as("somebody", &one(&[]), add).await;
    for (policy, keys) in [("SsaMerge", "a"), ("SsaOverride", "c"), ("Replace", "d"), ("SsaOverride", "e")] {
        world.set(&with_policy(policy, &[one(&[keys])])).await;
        let map = world.until_object(&one(&[]), policy, |map| data(map) == [keys]).await;
        assert_eq!(map["metadata"]["finalizers"], json!([OTHER]), "{policy}");
        assert_eq!(map["metadata"]["uid"], uid, "{policy}");
        world.until_ready("demo").await;
    }
    world.delete(&bundle("demo", &[])).await;
    world.until_state("demo", "Deleting", "DeletionProcessing").await;
    world.finalize(&one(&[])).await;
    world.until_gone(&bundle("demo", &[])).await;
}

// WRITE-6, OPT-4
#[tokio::test]
async fn a_component_that_is_a_dependent_keeps_its_finalizer() {
    for policy in ["Replace", "SsaMerge", "SsaOverride"] {
        let world = World::start().await;
        let inner = |value| annotated(bundle("inner", &[config_map("one", value)]), "reapply-interval", "1s");
        world.set(&with_policy(policy, &[inner("a")])).await;
        world.until_ready("inner").await;
        world.until_ready("demo").await;
        let first = world.component("inner").await.unwrap();
        assert_eq!(first["metadata"]["finalizers"], json!([OPERATOR]), "{policy}");
        world.set(&with_policy(policy, &[inner("b")])).await;
        world.until("inner", "updated", |inner| inner["spec"]["objects"][0]["data"]["value"] == "b").await;
        world.until_ready("inner").await;
        world.until_ready("demo").await;
        world.pass(Duration::from_secs(4)).await;
        let inner = world.component("inner").await.unwrap();
        assert_eq!(inner["metadata"]["finalizers"], json!([OPERATOR]), "{policy}");
        assert_eq!(inner["metadata"]["uid"], first["metadata"]["uid"], "{policy}");
        world.delete(&bundle("demo", &[])).await;
        world.until_gone(&bundle("demo", &[])).await;
        world.until_gone(&bundle("inner", &[])).await;
        assert!(world.get(&config_map("one", "")).await.is_none());
    }
}

// WRITE-12
#[tokio::test]
async fn fields_unknown_to_the_server_are_dropped_and_reported_once() {
    for policy in ["Replace", "Recreate", "SsaMerge", "SsaOverride"] {
        let world = World::start().await;
        let strange = |value: &str| {
            let mut map = config_map("one", value);
            map["colour"] = "red".into();
            map["shape"] = json!({ "round": true });
            map
        };
        world.set(&with_policy(policy, &[strange("a")])).await;
        world.until_ready("demo").await;
        let live = world.get(&config_map("one", "")).await.unwrap();
        assert_eq!(live["data"]["value"], "a", "{policy}");
        assert!(live.get("colour").is_none());
        let note = world.until_event("UnknownFields").await;
        assert!(note.contains(".colour") && note.contains(".shape") && note.contains("one"), "{policy}: {note}");
        let ready = world.component("demo").await.unwrap();
        let dropped = crate::world::condition(&ready, "UnknownFields").unwrap()["message"].as_str().unwrap().to_owned();
        assert!(dropped.starts_with("ConfigMap ") && dropped.contains("/one: ") && dropped.contains(".colour"), "{dropped}");
        let mark = world.journal().mark();
        world.pass(Duration::from_secs(3)).await;
        world.journal().since(mark).writes().of("", "configmaps").exactly(0).unwrap();
        assert_eq!(world.events("UnknownFields").await.len(), 1, "{policy}");
        assert!(world.events("UpdateError").await.is_empty(), "{policy}");
        world.set(&with_policy(policy, &[config_map("one", "b")])).await;
        let is_told = |component: &Value| crate::world::condition(component, "UnknownFields").is_some();
        world.until("demo", "without unknown fields", |component| is_seen(component) && !is_told(component)).await;
    }
}

// DRIFT-2, PERF-3
#[tokio::test]
async fn a_due_reapply_of_an_object_in_sync_writes_nothing() {
    let world = World::start().await;
    for (name, policy) in [("one", "replace"), ("two", "ssa-merge"), ("three", "ssa-override"), ("four", "recreate")] {
        let object = annotated(annotated(config_map(name, "a"), "reapply-interval", "1s"), "update-policy", policy);
        let mut component = bundle(&format!("demo-{name}"), &[object]);
        component["spec"]["requeueInterval"] = "1s".into();
        world.set(&component).await;
        world.until_ready(&format!("demo-{name}")).await;
    }
    world.until_events("Ready", 4).await;
    let mark = world.journal().mark();
    world.idle(Duration::from_secs(120)).await;
    world.journal().since(mark).no_writes().unwrap();
}

// DIG-1, REF-11
#[tokio::test]
async fn an_object_may_change_with_its_component() {
    let world = World::start().await;
    let one = annotated(config_map("one", "a"), "reconcile-policy", "on-object-or-component-change");
    let secret = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "input" }, "data": { "key": "1" } });
    world.create(&secret).await;
    let mut component = bundle("demo", &[one.clone(), config_map("two", "a")]);
    component["spec"]["all"] = json!([{ "name": "input" }]);
    world.set(&component).await;
    world.until_ready("demo").await;
    let digest = |object: &Value| object["metadata"]["annotations"][format!("{OPERATOR}/digest")].as_str().unwrap().to_owned();
    let (one_before, two_before) = (world.get(&one).await.unwrap(), world.get(&config_map("two", "")).await.unwrap());
    assert!(digest(&one_before).contains("@k1:"));
    world.patch(&secret, json!({ "data": { "key": "2" } })).await;
    let after = world.until_object(&one, "written", |one| digest(one) != digest(&one_before)).await;
    assert_eq!(after["data"], one_before["data"]);
    let ready = world.until("demo", "at revision 2", |component| component["status"]["revision"] == 2).await;
    assert!(!message_of(&ready).is_empty());
    assert_eq!(world.get(&config_map("two", "")).await.unwrap(), two_before);
}

// WRITE-3, WRITE-5: types keep the operator's finalizer under every policy.
#[tokio::test]
async fn a_type_keeps_our_finalizer_under_an_override() {
    let world = World::start().await;
    let kinds = crate::kinds::Kinds::install(&world).await;
    world.set(&with_policy("SsaOverride", &[kinds.crd()])).await;
    world.until_ready("demo").await;
    let live = world.get(&kinds.crd()).await.unwrap();
    assert!(live["metadata"]["finalizers"].as_array().unwrap().contains(&json!(OPERATOR)), "{live:#}");
    world.set(&with_policy("Replace", &[annotated(kinds.crd(), "apply-order", "-1")])).await;
    world.until_ready("demo").await;
    let live = world.get(&kinds.crd()).await.unwrap();
    assert!(live["metadata"]["finalizers"].as_array().unwrap().contains(&json!(OPERATOR)), "{live:#}");
    world.delete(&bundle("demo", &[])).await;
    world.until_gone(&bundle("demo", &[])).await;
    world.until_gone(&kinds.crd()).await;
}

// DIG-2, DIG-1
#[tokio::test]
async fn another_reconcile_policy_is_one_update_of_the_object() {
    let world = World::start().await;
    let map = |policy: &str| annotated(config_map("one", "a"), "reconcile-policy", policy);
    world.set(&bundle("demo", &[map("on-object-change")])).await;
    world.until_ready("demo").await;
    let digest = |object: &Value| object["metadata"]["annotations"][format!("{OPERATOR}/digest")].as_str().unwrap().to_owned();
    let plain = digest(&world.get(&config_map("one", "")).await.unwrap());
    assert_eq!(plain.len(), 64);
    for (revision, policy) in [(2, "on-object-or-component-change"), (3, "once"), (4, "on-object-change")] {
        let mark = world.journal().mark();
        world.set(&bundle("demo", &[map(policy)])).await;
        world.until("demo", "changed", |component| component["status"]["revision"] == revision).await;
        world.until_ready("demo").await;
        world.journal().since(mark).writes().of("", "configmaps").exactly(1).unwrap();
        let found = digest(&world.get(&config_map("one", "")).await.unwrap());
        match policy {
            "on-object-or-component-change" => assert!(found.contains("@k1:"), "{found}"),
            "once" => assert_eq!(found, "__once__"),
            _ => assert_eq!(found, plain),
        }
    }
}

// WRITE-1, WRITE-11, MARK-1, OPT-1
#[tokio::test]
async fn a_created_object_names_its_field_manager_and_its_owner() {
    let world = World::start().await;
    let applied = annotated(config_map("applied", "a"), "update-policy", "ssa-merge");
    world.set(&bundle("demo", &[applied, config_map("posted", "a")])).await;
    world.until_ready("demo").await;
    let system = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "kube-system" } });
    let cluster = world.get(&system).await.unwrap()["metadata"]["uid"].as_str().unwrap().to_owned();
    for name in ["applied", "posted"] {
        let live = world.get(&config_map(name, "")).await.unwrap();
        let key = format!("{OPERATOR}/owner-id");
        let owner = format!("{cluster}/{}/demo", world.namespace());
        assert_eq!(live["metadata"]["annotations"][&key], owner.as_str());
        let hash = live["metadata"]["labels"][&key].as_str().unwrap();
        assert!(hash.len() == 52 && hash.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'2'..=b'7')), "{hash}");
        let managers = live["metadata"]["managedFields"].as_array().unwrap();
        let operation = if name == "applied" { "Apply" } else { "Update" };
        assert!(managers.iter().any(|entry| entry["manager"] == OPERATOR && entry["operation"] == operation), "{live:#}");
    }
    let writes = world.journal().all().writes().of("", "configmaps");
    writes.every_write_names_its_field_manager().unwrap();
    let first = writes.iter().find(|record| record.body.as_ref().is_some_and(|body| body["metadata"]["name"] == "applied"));
    let first = first.unwrap();
    assert_eq!(first.query_value("force"), None, "a create takes nothing from anybody");
    assert_eq!(first.query_value("fieldValidation"), Some("Warn"));
    assert_eq!(first.body.as_ref().unwrap()["metadata"]["resourceVersion"], "1");
}
