//! Children that are written by server-side apply.

use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Service};
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use kubewright::runtime::ensure::Ensure;
use kubewright_middleware::Verb;
use kubewright_testing::TestCluster;

use super::world::{DOMAIN, child_of, ensuring, holds, requests, start, start_on, told};
use crate::reconcile::widget::{Widget, Widgets};
use crate::reconcile::world::World;

fn sized(cx: &Context<Widget>, widget: &Widget) -> Ensure<ConfigMap> {
    cx.ensure(child_of(cx.key().name(), widget.spec.size))
}

// ENS-01, ENS-19, KID-2
#[tokio::test]
async fn an_absent_child_is_created_with_its_marks() {
    let (script, log) = ensuring(sized);
    let world = start(script).await;
    let widget = world.create("demo", 3).await;
    let child = holds(&world, "demo", 3).await;
    told(&world, "demo", 3).await;
    assert_eq!(log.all()[0], "Created");
    assert_eq!(child.controller().map(|controller| controller.uid.to_owned()), Some(widget.uid().to_owned()));
    let label = |name: &str| child.label(&format!("{DOMAIN}/{name}")).map(str::to_owned);
    assert_eq!(label("owner-kind").as_deref(), Some("Widget"));
    assert_eq!(label("owner-namespace").as_deref(), Some(world.cluster.namespace()));
    assert_eq!(label("owner-name").as_deref(), Some("demo"));
    let managers: Vec<&str> =
        child["metadata"]["managedFields"].as_array().unwrap().iter().filter_map(|entry| entry["manager"].as_str()).collect();
    assert_eq!(managers, [format!("{DOMAIN}/widget")]);
    world.stop().await;
}

// ENS-02
#[tokio::test]
async fn a_creation_that_fails_fails_the_pass_and_is_retried() {
    let cluster = TestCluster::start().await;
    let refused = cluster.faults().on(Verb::Patch).of("", "configmaps").times(1).internal_error();
    let (script, log) = ensuring(sized);
    let world = start_on(cluster, script).await;
    world.create("demo", 3).await;
    holds(&world, "demo", 3).await;
    told(&world, "demo", 3).await;
    assert_eq!((refused.hits(), log.all()[..2].to_vec()), (1, vec!["InternalError".to_owned(), "Created".to_owned()]));
    world.stop().await;
}

// ENS-03, ACT-10
#[tokio::test]
async fn a_creation_that_meets_an_object_is_retried_after_a_second_without_noise() {
    let cluster = TestCluster::start().await;
    cluster.faults().on(Verb::Patch).of("", "configmaps").times(1).conflict();
    let (script, log) = ensuring(sized);
    let world = start_on(cluster, script).await;
    let before = world.cluster.clock().moment();
    world.create("demo", 3).await;
    told(&world, "demo", 3).await;
    assert_eq!(log.all()[..2], ["AlreadyExists", "Created"]);
    assert!(world.cluster.clock().moment().since(before) >= Duration::from_secs(1));
    let passes = |result| world.metric("kubewright_reconcile_total", &[("controller", "widget"), ("result", result)]);
    assert_eq!((passes("conflict"), passes("error")), (Some(1.0), None));
    world.stop().await;
}

// ENS-03, KID-4: an object that another program created meanwhile is read before it is changed
#[tokio::test]
async fn an_object_that_came_meanwhile_is_not_overwritten_by_the_creation() {
    let (script, log) = ensuring(sized);
    let world = start(script).await;
    let other = world.cluster.apply(json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "other" } })).await;
    let other = json!({ "apiVersion": "v1", "kind": "ConfigMap", "name": "other", "uid": other.uid(), "controller": true });
    let foreign = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "data": { "size": "7" },
        "metadata": { "name": "demo", "ownerReferences": [other] },
    });
    let late = world.cluster.faults().on(Verb::Patch).of("", "configmaps").times(1).delay(Duration::from_secs(2));
    world.create("demo", 3).await;
    world.until("the creation is on its way", || late.hits() == 1).await;
    world.cluster.apply(foreign).await;
    world.until("the pass has ended", || !log.all().is_empty()).await;
    world.until("it is looked at", || log.last() == "NameConflict").await;
    assert_eq!(log.all()[0], "AlreadyExists");
    assert_eq!(world.cluster.get::<ConfigMap>("demo").await.unwrap()["data"]["size"], "7");
    world.stop().await;
}

// ENS-04
#[tokio::test]
async fn a_child_that_differs_is_brought_to_where_it_is_wanted() {
    let (script, log) = ensuring(sized);
    let world = start(script).await;
    world.create("demo", 3).await;
    let child = holds(&world, "demo", 3).await;
    world.cluster.patch::<Widget>("demo", json!({ "spec": { "size": 4 } })).await;
    let changed = holds(&world, "demo", 4).await;
    told(&world, "demo", 4).await;
    assert_eq!((changed.uid(), log.count("Created"), log.count("Updated")), (child.uid(), 1, 1));
    world.cluster.patch::<ConfigMap>("demo", json!({ "data": { "size": "9" } })).await;
    holds(&world, "demo", 4).await;
    world.until("the drift was noted", || log.count("Updated") == 2).await;
    world.stop().await;
}

// ENS-05, KID-8, KID-10, TS-4
#[tokio::test]
async fn a_child_that_is_as_it_is_wanted_costs_no_request() {
    let (script, log) = ensuring(sized);
    let world = start(script).await;
    world.create("demo", 3).await;
    told(&world, "demo", 3).await;
    world.idle(Duration::from_secs(5)).await;
    let (sent, passes) = (requests(&world, "configmaps"), log.all().len());
    assert_eq!(sent.len(), 1, "{sent:#?}");
    world.cluster.patch::<Widget>("demo", json!({ "metadata": { "labels": { "a": "b" } } })).await;
    world.cluster.patch::<Widget>("demo", json!({ "spec": { "size": 3, "unknown": 1 } })).await;
    world.until("another pass ran", || log.all().len() > passes || world.cluster.is_shared()).await;
    assert_eq!(requests(&world, "configmaps"), sent);
    world.stop().await;
}

// ENS-05: after a restart, one apply finds out that nothing differs
#[tokio::test]
async fn an_apply_that_changes_nothing_counts_as_unchanged() {
    let (script, log) = ensuring(sized);
    let mut world = start(script.clone()).await;
    world.create("demo", 3).await;
    told(&world, "demo", 3).await;
    let version = holds(&world, "demo", 3).await.resource_version().to_owned();
    world.restart_with(Widgets::operator_with(&script, super::world::owning)).await;
    world.until("the new process looked at it", || log.last() == "Unchanged").await;
    assert_eq!(holds(&world, "demo", 3).await.resource_version(), version);
    assert_eq!(log.count("Updated"), 0);
    world.stop().await;
}

// ENS-07
#[tokio::test]
async fn finalizers_labels_and_owner_references_of_others_survive_an_update_of_a_child() {
    let (script, _) = ensuring(sized);
    let world = start(script).await;
    world.create("demo", 3).await;
    holds(&world, "demo", 3).await;
    let owner = world.cluster.apply(json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "other" } })).await;
    let foreign = json!({ "apiVersion": "v1", "kind": "ConfigMap", "name": "other", "uid": owner.uid() });
    let live = holds(&world, "demo", 3).await;
    let mut references: Vec<Value> = live["metadata"]["ownerReferences"].as_array().unwrap().clone();
    references.push(foreign);
    let patch = json!({ "metadata": {
        "finalizers": ["test.kubewright.dev/foreign"], "labels": { "foreign": "yes" }, "ownerReferences": references,
    } });
    world.cluster.patch::<ConfigMap>("demo", patch).await;
    world.cluster.patch::<Widget>("demo", json!({ "spec": { "size": 4 } })).await;
    let child = holds(&world, "demo", 4).await;
    assert!(child.has_finalizer("test.kubewright.dev/foreign"));
    assert_eq!(child.label("foreign"), Some("yes"));
    assert_eq!(child.owner_references().count(), 2);
    world.cluster.patch::<ConfigMap>("demo", json!({ "metadata": { "finalizers": null } })).await;
    world.stop().await;
}

// ENS-09, ACT-10
#[tokio::test]
async fn a_conflict_on_update_is_retried_after_a_second_without_noise() {
    let (script, log) = ensuring(sized);
    let world = start(script).await;
    world.create("demo", 3).await;
    told(&world, "demo", 3).await;
    world.cluster.faults().on(Verb::Patch).of("", "configmaps").times(1).conflict();
    world.cluster.patch::<Widget>("demo", json!({ "spec": { "size": 4 } })).await;
    told(&world, "demo", 4).await;
    assert_eq!((log.count("Conflict"), log.count("Updated")), (1, 1), "{:?}", log.all());
    let passes = |result| world.metric("kubewright_reconcile_total", &[("controller", "widget"), ("result", result)]);
    assert_eq!((passes("conflict"), passes("error")), (Some(1.0), None));
    world.stop().await;
}

// ENS-10
#[tokio::test]
async fn the_address_of_a_service_survives_an_update() {
    let (script, log) = ensuring(|cx, widget| {
        let port = json!({ "name": "web", "port": 80 + widget.spec.size, "targetPort": 8080 });
        let service = json!({
            "apiVersion": "v1", "kind": "Service", "metadata": { "name": cx.key().name() },
            "spec": { "selector": { "app": "demo" }, "ports": [port] },
        });
        cx.ensure(serde_json::from_value::<Service>(service).unwrap())
    });
    let operator = Widgets::operator_with(&script, |controller| controller.owns::<Service>().creates::<Service>());
    let world = World::start_operator(script, operator).await;
    world.create("demo", 1).await;
    told(&world, "demo", 1).await;
    let address = world.cluster.get::<Service>("demo").await.unwrap()["spec"]["clusterIP"].clone();
    assert!(address.as_str().is_some_and(|address| !address.is_empty()), "{address}");
    world.cluster.patch::<Widget>("demo", json!({ "spec": { "size": 2 } })).await;
    told(&world, "demo", 2).await;
    let service = world.cluster.get::<Service>("demo").await.unwrap();
    assert_eq!((&service["spec"]["clusterIP"], &service["spec"]["ports"][0]["port"]), (&address, &json!(82)));
    assert_eq!(service["spec"]["ports"].as_array().map(Vec::len), Some(1));
    assert_eq!(log.count("Updated"), 1, "{:?}", log.all());
    world.stop().await;
}

// ENS-16, KID-10
#[tokio::test]
async fn changes_of_the_status_of_a_child_cost_no_request() {
    let (script, log) = ensuring(|cx, widget| {
        let deployment = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": cx.key().name() },
            "spec": {
                "replicas": widget.spec.size, "selector": { "matchLabels": { "app": "demo" } },
                "template": {
                    "metadata": { "labels": { "app": "demo" } },
                    "spec": { "containers": [{ "name": "main", "image": "example.com/demo:1" }] },
                },
            },
        });
        cx.ensure(serde_json::from_value::<Deployment>(deployment).unwrap())
    });
    let operator = Widgets::operator_with(&script, |controller| controller.owns::<Deployment>().creates::<Deployment>());
    let options = kubewright_testing::TestOptions::default().without_controllers();
    let world = World::start_on(TestCluster::start_with(options).await, script, operator).await;
    world.create("demo", 0).await;
    told(&world, "demo", 0).await;
    let sent = requests(&world, "deployments");
    for change in 1..=10 {
        let passes = log.all().len();
        world.cluster.patch_status::<Deployment>("demo", json!({ "collisionCount": change })).await;
        world.until("the change started a pass", || log.all().len() > passes).await;
    }
    assert_eq!(requests(&world, "deployments"), sent);
    assert_eq!(sent.len(), 1, "{sent:#?}");
    world.stop().await;
}

// ENS-18, KID-3
#[tokio::test]
async fn a_cache_that_lags_behind_own_writes_causes_no_second_write() {
    let cluster = TestCluster::start().await;
    let (script, log) = ensuring(sized);
    // The watch of the children reports no further changes.
    cluster.faults().on(Verb::Watch).of("", "configmaps").hang_watch(0);
    let world = start_on(cluster, script).await;
    world.create("demo", 3).await;
    told(&world, "demo", 3).await;
    world.cluster.patch::<Widget>("demo", json!({ "spec": { "size": 4 } })).await;
    told(&world, "demo", 4).await;
    let passes = log.all().len();
    world.cluster.patch::<Widget>("demo", json!({ "metadata": { "annotations": { "a": "b" } } })).await;
    world.until("another pass ran", || log.all().len() > passes).await;
    assert_eq!((log.count("Created"), log.count("Updated")), (1, 1), "{:?}", log.all());
    assert_eq!(requests(&world, "configmaps").len(), 2, "{:#?}", requests(&world, "configmaps"));
    world.stop().await;
}

// KID-3: a kind that the operator does not watch is read with a GET, once in each pass
#[tokio::test]
async fn a_child_of_a_kind_without_a_watch_is_read_in_each_pass() {
    let (script, log) = ensuring(sized);
    let operator = Widgets::operator_with(&script, Controller::creates::<ConfigMap>);
    let world = World::start_operator(script, operator).await;
    world.create("demo", 3).await;
    told(&world, "demo", 3).await;
    world.cluster.patch::<Widget>("demo", json!({ "spec": { "size": 4 } })).await;
    told(&world, "demo", 4).await;
    let sent = requests(&world, "configmaps");
    let reads = sent.iter().filter(|request| request.contains(" get configmaps")).count();
    assert_eq!((reads, sent.len() - reads), (log.all().len(), 2), "{sent:#?}");
    world.stop().await;
}
