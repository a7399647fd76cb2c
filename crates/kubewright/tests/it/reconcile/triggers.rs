//! The triggers of passes.

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kubewright::core::filter;
use kubewright::core::flow::Delay;
use kubewright::machinery::object::Key;
use kubewright::prelude::*;
use kubewright::runtime::reconcile::{Controller, TriggerSet};
use kubewright_testing::TestCluster;

use super::widget::{Script, Widget, Widgets};
use super::world::World;

async fn world(watches: impl FnOnce(&mut TriggerSet<Widget>)) -> World {
    let script = Script::default();
    let operator = Widgets::operator_with(&script, |controller| controller.watches(watches));
    let world = World::start_operator(script, operator).await;
    for name in ["a", "b"] {
        world.create(name, 1).await;
        world.condition(name, "Ready", "True", "Reconciled").await;
    }
    world.idle(Duration::from_secs(1)).await;
    world
}

/// Returns the passes after this number of calls.
fn since(world: &World, calls: usize) -> Vec<String> {
    world.script.calls()[calls..].iter().map(|call| call.rsplit(' ').next().unwrap_or_default().to_owned()).collect()
}

fn config_map(name: &str, labels: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": labels}})
}

// MAP-2, MAP-12, TRF-2
#[tokio::test]
async fn an_owned_object_starts_a_pass_of_its_controller() {
    let world = world(|triggers| drop(triggers.owned::<ConfigMap>())).await;
    let owner = world.get("a").await.unwrap();
    let reference = |kind: &str, name: &str, controller: bool| json!({"apiVersion": "test.kubewright.dev/v1", "kind": kind, "name": name, "uid": owner["metadata"]["uid"], "controller": controller});
    for (owned, passes) in [
        (reference("Widget", "a", true), vec!["a"]),
        (reference("Widget", "a", false), vec![]),
        (reference("Gadget", "a", true), vec![]),
    ] {
        let calls = world.script.calls().len();
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "owned", "ownerReferences": [owned]}});
        world.cluster.apply(&object).await;
        world.idle(Duration::from_secs(3)).await;
        assert_eq!(since(&world, calls), passes, "{object}");
        world.cluster.delete::<ConfigMap>("owned").await;
        world.idle(Duration::from_secs(3)).await;
        assert_eq!(since(&world, calls).len(), passes.len() * 2, "a deletion starts a pass, too");
    }
    world.stop().await;
}

/// A kind with a status, for owned objects.
#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "test.kubewright.dev", version = "v1", kind = "Part", namespaced, status = "PartStatus")]
struct PartSpec {
    weight: u32,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct PartStatus {
    worn: Option<bool>,
}

// EF-6, FILT-09
#[tokio::test]
async fn an_owned_object_with_a_status_starts_passes_by_generation_status_and_owners() {
    let script = Script::default();
    let operator = Widgets::operator_with(&script, |controller| controller.owns::<Part>().owns::<ConfigMap>());
    let cluster = TestCluster::start().await;
    cluster.install_crd(&serde_json::to_value(<Part as kube::CustomResourceExt>::crd()).unwrap()).await;
    let world = World::start_on(cluster, script, operator).await;
    let created = world.create("a", 1).await;
    world.condition("a", "Ready", "True", "Reconciled").await;
    let owners = json!([{
        "apiVersion": "test.kubewright.dev/v1", "kind": "Widget", "name": "a", "uid": created["metadata"]["uid"], "controller": true,
    }]);
    let part = json!({
        "apiVersion": "test.kubewright.dev/v1", "kind": "Part", "metadata": {"name": "p", "ownerReferences": owners}, "spec": {"weight": 1},
    });
    world.cluster.create(&part).await.unwrap();
    let mut map = config_map("m", json!({}));
    map["metadata"]["ownerReferences"] = owners;
    world.cluster.create(&map).await.unwrap();
    world.cluster.patch_status::<Part>("p", json!({"worn": false})).await;
    world.idle(Duration::from_secs(3)).await;
    let mut calls = world.script.calls().len();
    let mut passes = async |what: &str, expected: usize| {
        world.idle(Duration::from_secs(3)).await;
        assert_eq!(world.script.calls().len() - calls, expected, "{what}");
        calls = world.script.calls().len();
    };
    let label = json!({"metadata": {"labels": {"x": "y"}}});
    world.cluster.patch::<Part>("p", label.clone()).await;
    passes("a label of an object with a status", 0).await;
    world.cluster.patch_status::<Part>("p", json!({"worn": true})).await;
    passes("its status", 1).await;
    world.cluster.patch::<Part>("p", json!({"spec": {"weight": 2}})).await;
    passes("its generation", 1).await;
    world.cluster.patch::<Part>("p", json!({"metadata": {"ownerReferences": []}})).await;
    passes("its owners", 1).await;
    world.cluster.patch::<ConfigMap>("m", label).await;
    passes("a label of an object without status", 1).await;
    world.stop().await;
}

// MAP-3, MAP-10
#[tokio::test]
async fn a_label_that_moves_starts_a_pass_of_both_objects() {
    let world = world(|triggers| drop(triggers.watch::<ConfigMap>().by_label("widget", None))).await;
    let calls = world.script.calls().len();
    world.cluster.apply(config_map("labelled", json!({"widget": "a"}))).await;
    world.idle(Duration::from_secs(3)).await;
    assert_eq!(since(&world, calls), ["a"]);
    world.cluster.apply(config_map("labelled", json!({"widget": "b"}))).await;
    world.idle(Duration::from_secs(3)).await;
    let mut passes = since(&world, calls + 1);
    passes.sort();
    assert_eq!(passes, ["a", "b"]);
    let calls = world.script.calls().len();
    world.cluster.apply(config_map("unlabelled", json!({}))).await;
    world.idle(Duration::from_secs(3)).await;
    assert_eq!(since(&world, calls), Vec::<String>::new());
    world.stop().await;
}

// MAP-6, MAP-7, MAP-8
#[tokio::test]
async fn mappers_filters_and_metadata_only_watches_decide_which_pass_starts() {
    let world = world(|triggers| {
        triggers
            .watch::<Secret>()
            .metadata_only()
            .map(|secret| secret.metadata.namespace.clone().map(|namespace| Key::new(namespace, "a")))
            .filter(filter::annotation("follow", "yes", false));
        triggers.watch::<ConfigMap>().map(|map| {
            map.data
                .iter()
                .flatten()
                .map(|(_, name)| name.clone())
                .map(|name| {
                    let namespace = map.metadata.namespace.clone().unwrap_or_default();
                    Key::new(namespace, name)
                })
                .collect::<Vec<_>>()
        });
    })
    .await;
    let calls = world.script.calls().len();
    let secret =
        |annotations: Value| json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "annotations": annotations}});
    world.cluster.apply(secret(json!({"follow": "no"}))).await;
    world.idle(Duration::from_secs(3)).await;
    assert_eq!(since(&world, calls), Vec::<String>::new());
    world.cluster.apply(secret(json!({"follow": "yes"}))).await;
    world.idle(Duration::from_secs(3)).await;
    assert_eq!(since(&world, calls), ["a"]);
    let named = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "names"}, "data": {"x": "b", "y": "b"}});
    world.cluster.apply(named).await;
    world.idle(Duration::from_secs(3)).await;
    assert_eq!(since(&world, calls), ["a", "b"]);
    world.stop().await;
}

// QUE-10, MAP-8
#[tokio::test]
async fn a_debounced_trigger_starts_one_pass_for_many_changes() {
    let world = world(|triggers| drop(triggers.watch::<ConfigMap>().by_label("widget", None).debounce(Delay::secs::<2>()))).await;
    let calls = world.script.calls().len();
    for step in 0..20 {
        world.cluster.apply(config_map(&format!("m{step}"), json!({"widget": "a"}))).await;
    }
    assert_eq!(since(&world, calls), Vec::<String>::new());
    world.idle(Duration::from_secs(4)).await;
    assert_eq!(since(&world, calls), ["a"]);
    world.stop().await;
}

// TRF-3
#[tokio::test]
async fn a_status_of_another_writer_starts_a_pass_only_if_asked_for() {
    for asked in [false, true] {
        let script = Script::default();
        let change = |controller: Controller<Widgets>| if asked { controller.on_status_change() } else { controller };
        let operator = Widgets::operator_with(&script, change);
        let world = World::start_operator(script, operator).await;
        world.create("a", 1).await;
        world.condition("a", "Ready", "True", "Reconciled").await;
        world.idle(Duration::from_secs(2)).await;
        let calls = world.script.calls().len();
        world.cluster.patch_status::<Widget>("a", json!({"note": "theirs"})).await;
        world.idle(Duration::from_secs(3)).await;
        assert_eq!(since(&world, calls).len(), usize::from(asked));
        world.cluster.patch::<Widget>("a", json!({"metadata": {"labels": {"x": "y"}}})).await;
        world.idle(Duration::from_secs(3)).await;
        assert_eq!(since(&world, calls).len(), 1 + usize::from(asked));
        world.stop().await;
    }
}
