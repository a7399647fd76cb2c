//! Dependents in other clusters. Connections are real here, so time is real too.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kubewright::prelude::*;
use kubewright_testing::{TestCluster, TestOptions};

use crate::types::{bundle, config_map};
use crate::world::{OPERATOR, World, condition, message_of, reason_of};

/// A secret with a kubeconfig.
fn kubeconfig(text: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "target" }, "data": { "value": STANDARD.encode(text) },
    })
}

/// A component whose dependents live in the cluster of that kubeconfig.
fn remote(objects: &[Value], namespace: &str) -> Value {
    let mut component = bundle("demo", objects);
    component["spec"]["namespace"] = namespace.into();
    component["spec"]["kubeConfig"] = json!({ "secretRef": { "name": "target" } });
    component
}

/// The object in the namespace of the other cluster's test.
async fn there(other: &TestCluster, name: &str) -> Option<Value> {
    other.get::<k8s_openapi::api::core::v1::ConfigMap>(name).await
}

// TGT-2, TGT-4, DRIFT-1
#[tokio::test(flavor = "multi_thread")]
async fn dependents_live_in_the_cluster_of_the_kubeconfig() {
    let world = World::start().await;
    let other = TestCluster::start_with(TestOptions::default().exclusive()).await;
    let place = other.namespace().to_owned();
    world.create(&kubeconfig(&other.kubeconfig().await)).await;
    world.set(&remote(&[config_map("one", "a")], &place)).await;
    world.until_ready("demo").await;
    assert_eq!(there(&other, "one").await.unwrap()["data"]["value"], "a");
    assert!(world.get(&config_map("one", "")).await.is_none(), "nothing lives here");
    // It is watched there, too.
    other.delete::<k8s_openapi::api::core::v1::ConfigMap>("one").await;
    other.expect::<k8s_openapi::api::core::v1::ConfigMap>("one").matching("it is back", |_| true).await;
    world.until_ready("demo").await;
    world.delete(&remote(&[], &place)).await;
    world.until_gone(&remote(&[], &place)).await;
    assert!(there(&other, "one").await.is_none());
    world.kill_and_stop(other).await;
}

// TGT-4, TGT-5, TGT-7, DEL-10
#[tokio::test(flavor = "multi_thread")]
async fn a_kubeconfig_that_becomes_useless_loses_nothing_and_can_be_given_up() {
    let world = World::start().await;
    let other = TestCluster::start_with(TestOptions::default().exclusive()).await;
    let place = other.namespace().to_owned();
    let good = other.kubeconfig().await;
    let secret = kubeconfig(&good);
    world.create(&secret).await;
    world.set(&remote(&[config_map("one", "a")], &place)).await;
    world.until_ready("demo").await;

    let program = "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: 'https://a'}}]\n\
         contexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {exec: {command: /bin/true}}}]\n";
    world.patch(&secret, kubeconfig(program)).await;
    let refused = world.until("demo", "stalled", |component| condition(component, "Stalled").is_some()).await;
    assert_eq!(condition(&refused, "Stalled").unwrap()["reason"], "CredentialsRefused");
    assert!(message_of(&refused).contains("sets users[0].user.exec, which runs a program"), "{}", message_of(&refused));
    assert_eq!(refused["status"]["inventory"].as_array().unwrap().len(), 1);
    world.patch(&secret, kubeconfig(&good)).await;
    world.until_ready("demo").await;

    world.delete(&secret).await;
    world.delete(&remote(&[], &place)).await;
    let waiting = world.until_state("demo", "DeletionPending", "DeletionRetrying").await;
    let way_out = format!("{OPERATOR}/abandon-dependents=true");
    assert!(
        message_of(&waiting).contains("target: not found") && message_of(&waiting).contains(&way_out),
        "{}",
        message_of(&waiting)
    );
    let annotation = json!({ "metadata": { "annotations": { format!("{OPERATOR}/abandon-dependents"): "true" } } });
    world.patch(&remote(&[], &place), annotation).await;
    world.until_gone(&remote(&[], &place)).await;
    world.until_event("DependentsAbandoned").await;
    assert!(there(&other, "one").await.is_some());
    world.kill_and_stop(other).await;
}

// TGT-4
#[tokio::test(flavor = "multi_thread")]
async fn a_target_out_of_reach_holds_back_only_its_own_components() {
    let world = World::start().await;
    // Nothing listens on port 1.
    let nowhere = "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}]\n\
         contexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {}}]\n";
    world.create(&kubeconfig(nowhere)).await;
    // More of them than there are workers.
    for number in 0..20 {
        let mut far = remote(&[config_map("one", "a")], world.namespace());
        far["metadata"]["name"] = format!("far-{number}").into();
        world.create(&far).await;
    }
    world.set(&bundle("near", &[config_map("two", "a")])).await;
    world.until_ready("near").await;
    for number in [0, 19] {
        let far = world.until_state(&format!("far-{number}"), "Pending", "Retrying").await;
        let message = message_of(&far);
        assert!(message.starts_with("The target cluster cannot be reached: "), "{message}");
    }
    world.patch(&config_map("two", ""), json!({ "data": { "value": "b" } })).await;
    world.until_object(&config_map("two", ""), "repaired", |map| map["data"]["value"] == "a").await;
    assert_eq!(reason_of(&world.component("near").await.unwrap()), "Ready");
    world.pass(Duration::from_millis(10)).await;
}
