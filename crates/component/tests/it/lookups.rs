//! Lookups of renderings in clusters.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use k8s_openapi::api::core::v1::ConfigMap;
use kubewright::prelude::*;
use kubewright::runtime::operator::rbac_documents;
use kubewright_middleware::Verb;
use kubewright_testing::{TestCluster, TestOptions};

use crate::types::{Bundle, bundle, config_map};
use crate::world::{OPERATOR, World, message_of};

/// Renders ConfigMap `copy` from lookups, which the name of the component selects.
async fn curious(cx: &RenderContext<Bundle>) -> Result<Vec<Manifest>, RenderError> {
    let (namespace, name) = (cx.namespace(), cx.name());
    let value = |object: Option<Value>| object.map_or_else(|| json!("none"), |object| object["data"]["value"].clone());
    let group = format!("{}.test.kubewright.dev", cx.component().metadata.namespace.as_deref().unwrap_or_default());
    let data = match name {
        "looks" => json!({ "value": value(cx.lookup("v1", "ConfigMap", namespace, "source").await?) }),
        "both" => {
            let here = cx.component().metadata.namespace.clone().unwrap_or_default();
            let there = cx.lookup("v1", "ConfigMap", namespace, "source").await?;
            json!({ "there": value(there), "here": value(cx.lookup_local("v1", "ConfigMap", &here, "source").await?) })
        }
        "demands" => {
            let source = cx.lookup("v1", "ConfigMap", namespace, "source").await?;
            json!({ "value": value(Some(source.ok_or_else(|| RenderError::input("there is no source"))?)) })
        }
        "asks" => {
            let gadgets = cx.capabilities().has(&format!("{group}/v1/Gadget")).await?;
            let version = cx.capabilities().version().await?;
            json!({ "gadgets": gadgets.to_string(), "version": format!("{}.{}", version.major, version.minor) })
        }
        "lists" => {
            let versions = cx.capabilities().api_versions().await?;
            json!({ "gadgets": versions.contains(&format!("{group}/v1")).to_string(), "apps": versions.contains(&"apps/v1".to_owned()).to_string() })
        }
        "everything" => {
            let source = cx.lookup("v1", "ConfigMap", namespace, "source").await?;
            let apis = cx.capabilities().api_versions().await?;
            let served = cx.capabilities().has("apps/v1/Deployment").await? && cx.capabilities().version().await?.major == 1;
            json!({ "value": value(source), "apis": (served && apis.contains(&"v1".to_owned())).to_string() })
        }
        "gadget" => {
            let gadget = cx.lookup(&format!("{group}/v1"), "Gadget", namespace, "one").await?;
            json!({ "size": gadget.map_or_else(|| "none".to_owned(), |gadget| gadget["spec"]["size"].to_string()) })
        }
        "names" => {
            let found = cx.lookup_list("v1", "ConfigMap", namespace, "role=source").await?.unwrap_or_default();
            let names: Vec<&str> = found.iter().filter_map(|object| object["metadata"]["name"].as_str()).collect();
            let kinds = found.iter().all(|object| object["kind"] == "ConfigMap" && object["apiVersion"] == "v1");
            json!({ "names": names.join(","), "kinds": kinds.to_string() })
        }
        "warns" => {
            for number in 0..7 {
                cx.warn(format!("warning {number}"));
                cx.warn(format!("warning {number}"));
            }
            json!({})
        }
        _ => json!({}),
    };
    let copy = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "copy" }, "data": data });
    Ok(vec![Manifest::from_json(copy)?])
}

async fn start() -> World {
    start_on(World::new().await).await
}

async fn start_on(mut world: World) -> World {
    world.run_other(operator()).await;
    world
}

fn operator() -> Operator {
    Operator::new(OPERATOR).component::<Bundle>(curious).lookup_types([("", "configmaps"), ("apps", "deployments")]).into()
}

fn renders(world: &World) -> u64 {
    let start = "kubewright_renders_total{controller=\"bundle\"} ";
    world.metrics().lines().find_map(|line| line.strip_prefix(start)?.parse().ok()).unwrap_or(0)
}

/// Waits until the rendered ConfigMap has this data.
async fn until_copied(world: &World, data: Value) {
    world.until_object(&config_map("copy", ""), &format!("a copy of {data}"), |copy| copy["data"] == data).await;
}

/// Returns a definition of a type of the test's own group.
fn definition(world: &World, kind: &str) -> Value {
    let group = format!("{}.test.kubewright.dev", world.namespace());
    let (singular, plural) = (kind.to_lowercase(), format!("{}s", kind.to_lowercase()));
    let schema = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("{plural}.{group}") },
        "spec": {
            "group": group, "scope": "Namespaced",
            "names": { "kind": kind, "listKind": format!("{kind}List"), "plural": plural, "singular": singular },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } }],
        },
    })
}

fn gadget(world: &World) -> Value {
    json!({
        "apiVersion": format!("{}.test.kubewright.dev/v1", world.namespace()), "kind": "Gadget",
        "metadata": { "name": "one" }, "spec": { "size": 3 },
    })
}

// GEN-2, GEN-5
#[tokio::test]
async fn a_looked_up_object_causes_a_new_rendering_when_it_is_created_changed_or_deleted() {
    let world = start().await;
    world.set(&bundle("looks", &[])).await;
    world.until_ready("looks").await;
    until_copied(&world, json!({ "value": "none" })).await;
    assert_eq!(renders(&world), 1);
    world.create(&config_map("source", "")).await;
    until_copied(&world, json!({ "value": "" })).await;
    world.until_ready("looks").await;
    assert_eq!(renders(&world), 2);
    for (number, value) in [(3, "a"), (4, "b")] {
        world.patch(&config_map("source", ""), json!({ "data": { "value": value } })).await;
        until_copied(&world, json!({ "value": value })).await;
        world.until_ready("looks").await;
        assert_eq!(renders(&world), number, "one more rendering for one change");
    }
    // An object that was not looked up is no input.
    world.create(&config_map("other", "x")).await;
    world.pass(Duration::from_secs(1)).await;
    assert_eq!(renders(&world), 4);
    world.delete(&config_map("source", "")).await;
    until_copied(&world, json!({ "value": "none" })).await;
    world.until_ready("looks").await;
    assert_eq!(renders(&world), 5);
}

// GEN-5, PERF-3
#[tokio::test]
async fn lookups_of_a_rendering_cost_no_request_at_rest() {
    // Types of other tests would be changes for an operator that looks up all types.
    let world = start_on(World::on(TestCluster::start_with(TestOptions::default().exclusive()).await)).await;
    world.create(&config_map("source", "a")).await;
    world.set(&bundle("everything", &[])).await;
    world.until_ready("everything").await;
    until_copied(&world, json!({ "value": "a", "apis": "true" })).await;
    world.idle(Duration::from_secs(30)).await;
    let mark = world.journal().mark();
    // Periodic passes happen in this time.
    world.idle(Duration::from_mins(25)).await;
    let records = world.journal().since(mark);
    records.filter(|record| record.target.verb() != Some(Verb::Watch)).exactly(0).unwrap();
    assert_eq!(renders(&world), 1);
}

// GEN-5
#[tokio::test]
async fn a_capability_that_was_asked_for_renders_again_and_another_does_not() {
    let world = start().await;
    world.set(&bundle("asks", &[])).await;
    world.until_ready("asks").await;
    let data = world.get(&config_map("copy", "")).await.unwrap()["data"].clone();
    assert_eq!(data["gadgets"], "false");
    assert!(data["version"].as_str().unwrap().starts_with("1."), "{data}");
    assert_eq!(renders(&world), 1);
    world.create(&definition(&world, "Widget")).await;
    let widget = json!({ "apiVersion": gadget(&world)["apiVersion"], "kind": "Widget", "metadata": { "name": "w" } });
    world.create(&widget).await;
    world.pass(Duration::from_secs(2)).await;
    assert_eq!(renders(&world), 1, "nobody asked for widgets");
    world.create(&definition(&world, "Gadget")).await;
    world.until_object(&config_map("copy", ""), "told of gadgets", |copy| copy["data"]["gadgets"] == "true").await;
    world.until_ready("asks").await;
    assert_eq!(renders(&world), 2);
}

// GEN-5
#[tokio::test]
async fn the_whole_list_of_apis_is_an_input_where_it_was_asked_for() {
    let world = start().await;
    world.set(&bundle("lists", &[])).await;
    world.until_ready("lists").await;
    until_copied(&world, json!({ "gadgets": "false", "apps": "true" })).await;
    world.create(&definition(&world, "Gadget")).await;
    until_copied(&world, json!({ "gadgets": "true", "apps": "true" })).await;
    world.until_ready("lists").await;
}

// GEN-2
#[tokio::test]
async fn an_object_of_a_type_that_comes_later_is_found_when_it_is_there() {
    let world = start().await;
    world.set(&bundle("gadget", &[])).await;
    world.until_ready("gadget").await;
    until_copied(&world, json!({ "size": "none" })).await;
    world.create(&definition(&world, "Gadget")).await;
    world.create(&gadget(&world)).await;
    until_copied(&world, json!({ "size": "3" })).await;
    world.until_ready("gadget").await;
}

// GEN-4
#[tokio::test]
async fn a_rendering_that_failed_for_a_missing_object_is_tried_again_when_it_comes() {
    let world = start().await;
    world.set(&bundle("demands", &[])).await;
    world.until("demands", "refused", |component| message_of(component).contains("here is no source")).await;
    world.create(&config_map("source", "a")).await;
    until_copied(&world, json!({ "value": "a" })).await;
    world.until_ready("demands").await;
}

#[test]
fn roles_have_the_permissions_for_types_that_are_looked_up() {
    let roles = rbac_documents(&operator().declarations(), "test");
    let rules: Vec<&Value> = roles.iter().filter_map(|role| role["rules"].as_array()).flatten().collect();
    let verbs = rules.iter().find(|rule| rule["resources"] == json!(["deployments"])).map(|rule| &rule["verbs"]);
    assert_eq!(verbs, Some(&json!(["get", "list", "watch"])), "{rules:?}");
}

// GEN-2: if a watch is forbidden, the object is read in each pass.
#[tokio::test]
async fn an_object_that_may_not_be_watched_is_read() {
    let world = start().await;
    world.create(&config_map("source", "a")).await;
    // The first list of ConfigMaps is that of the lookup.
    world.faults().on(Verb::List).of("", "configmaps").times(1).forbidden();
    let mark = world.journal().mark();
    world.set(&bundle("looks", &[])).await;
    until_copied(&world, json!({ "value": "a" })).await;
    world.until_ready("looks").await;
    assert!(!world.journal().since(mark).verb(Verb::Get).of("", "configmaps").named("source").is_empty());
}

/// Returns a ConfigMap with the label that the component `names` looks for.
fn labelled(name: &str) -> Value {
    let mut object = config_map(name, "");
    object["metadata"]["labels"] = json!({ "role": "source" });
    object
}

// GEN-2, GEN-5
#[tokio::test]
async fn a_looked_up_list_causes_a_new_rendering_when_an_object_joins_or_leaves_it() {
    let world = start().await;
    world.create(&labelled("b")).await;
    world.create(&config_map("unlabelled", "")).await;
    world.set(&bundle("names", &[])).await;
    world.until_ready("names").await;
    until_copied(&world, json!({ "names": "b", "kinds": "true" })).await;
    world.create(&labelled("a")).await;
    until_copied(&world, json!({ "names": "a,b", "kinds": "true" })).await;
    world.patch(&config_map("b", ""), json!({ "metadata": { "labels": { "role": "none" } } })).await;
    until_copied(&world, json!({ "names": "a", "kinds": "true" })).await;
    world.until_ready("names").await;
    assert_eq!(renders(&world), 3);
}

// GEN-2: if a watch is forbidden, the objects are read in each pass.
#[tokio::test]
async fn a_list_that_may_not_be_watched_is_read() {
    let world = start().await;
    world.create(&labelled("a")).await;
    // The first list of ConfigMaps is that of the lookup.
    world.faults().on(Verb::List).of("", "configmaps").times(1).forbidden();
    world.set(&bundle("names", &[])).await;
    until_copied(&world, json!({ "names": "a", "kinds": "true" })).await;
    world.until_ready("names").await;
}

// GEN-2
#[tokio::test]
async fn warnings_of_a_rendering_are_one_event_that_later_passes_do_not_repeat() {
    let world = start().await;
    world.set(&bundle("warns", &[])).await;
    world.until_ready("warns").await;
    world.patch(&bundle("warns", &[]), json!({ "spec": { "objects": [config_map("another", "")] } })).await;
    world.until("warns", "rendered again", |component| component["status"]["revision"] == 2).await;
    world.idle(Duration::from_mins(11)).await;
    assert_eq!(world.events("RenderWarning").await, ["warning 0; warning 1; warning 2; warning 3; warning 4; and 2 more"]);
}

/// Returns a secret with a kubeconfig.
fn kubeconfig(text: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "target" }, "data": { "value": STANDARD.encode(text) },
    })
}

// GEN-2, TGT-2
#[tokio::test(flavor = "multi_thread")]
async fn lookups_tell_the_target_from_the_cluster_of_the_component() {
    let world = start().await;
    let other = TestCluster::start_with(TestOptions::default().exclusive()).await;
    world.create(&kubeconfig(&other.kubeconfig().await)).await;
    world.create(&config_map("source", "near")).await;
    other.apply(config_map("source", "far")).await;
    let mut component = bundle("both", &[]);
    component["spec"]["namespace"] = other.namespace().into();
    component["spec"]["kubeConfig"] = json!({ "secretRef": { "name": "target" } });
    world.set(&component).await;
    world.until_ready("both").await;
    let copied =
        |there: &'static str, here: &'static str| move |copy: &Value| copy["data"] == json!({ "there": there, "here": here });
    other.expect::<ConfigMap>("copy").matching("it tells the two apart", copied("far", "near")).await;
    other.patch::<ConfigMap>("source", json!({ "data": { "value": "farther" } })).await;
    other.expect::<ConfigMap>("copy").matching("it follows the target", copied("farther", "near")).await;
    world.patch(&config_map("source", ""), json!({ "data": { "value": "nearer" } })).await;
    other.expect::<ConfigMap>("copy").matching("it follows the cluster of the component", copied("farther", "nearer")).await;
    world.delete(&component).await;
    world.until_gone(&component).await;
    world.kill_and_stop(other).await;
}
