//! Operators with several component types, and objects of other operators.

use kubewright::component::ComponentBuilder;
use kubewright::prelude::*;
use kubewright_testing::TestCluster;

use crate::kinds::Kinds;
use crate::types::{Bundle, Object, bundle, config_map, objects};
use crate::world::{OPERATOR, World, condition, message_of};

/// The name of the second type.
const PARCELS: &str = "parcel-operator.test.kubewright.dev";

/// Keeps the objects that its spec lists, as a Bundle does.
#[derive(CustomResource, Component, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "test.kubewright.dev", version = "v1", kind = "Parcel", namespaced, status = "ComponentStatus")]
pub(crate) struct ParcelSpec {
    #[serde(flatten)]
    placement: Placement,
    #[serde(flatten)]
    policies: Policies,
    #[serde(default)]
    objects: Vec<Object>,
}

/// A kind of the same name as Bundle, in another group.
mod elsewhere {
    use super::{Object, *};

    #[derive(CustomResource, Component, Clone, Debug, Serialize, Deserialize, JsonSchema)]
    #[kube(group = "elsewhere.test.kubewright.dev", version = "v1", kind = "Bundle", namespaced, status = "ComponentStatus")]
    pub(super) struct BundleSpec {
        #[serde(flatten)]
        pub(super) placement: Placement,
        #[serde(default)]
        pub(super) objects: Vec<Object>,
    }
}

fn manifests(objects: &[Object]) -> Result<Vec<Manifest>, RenderError> {
    objects.iter().map(|object| Ok(Manifest::from_json(Value::Object(object.0.clone()))?)).collect()
}

async fn parcel_objects(cx: &RenderContext<Parcel>) -> Result<Vec<Manifest>, RenderError> {
    manifests(&cx.component().spec.objects)
}

async fn elsewhere_objects(cx: &RenderContext<elsewhere::Bundle>) -> Result<Vec<Manifest>, RenderError> {
    manifests(&cx.component().spec.objects)
}

fn parcel(name: &str, objects: &[Value]) -> Value {
    let mut parcel = bundle(name, objects);
    parcel["kind"] = "Parcel".into();
    parcel
}

/// Returns an operator of Bundles and Parcels.
fn operator() -> ComponentBuilder<Parcel> {
    Operator::new(OPERATOR).component::<Bundle>(objects).component::<Parcel>(parcel_objects).named(PARCELS)
}

async fn start() -> World {
    let mut world = World::new().await;
    world.run_other(operator()).await;
    world
}

async fn until_ready(world: &World, component: &Value) -> Value {
    let holds = |component: &Value| {
        let status = &component["status"];
        status["state"] == "Ready" && status["observedGeneration"] == component["metadata"]["generation"]
    };
    world.until_object(component, "Ready", holds).await
}

/// Waits until a component is blocked by the owner of an object, and returns the message.
async fn until_conflict(world: &World, component: &Value) -> String {
    let stalled = |component: &Value| condition(component, "Stalled").is_some_and(|found| found["reason"] == "OwnerConflict");
    message_of(&world.until_object(component, "blocked by an owner", stalled).await).to_owned()
}

fn owner(name: &str) -> String {
    format!("{name}/owner-id")
}

/// Returns the names under which an object has owner marks.
fn owners(object: &Value) -> Vec<String> {
    let labels = object["metadata"]["labels"].as_object().into_iter().flatten();
    labels.filter_map(|(key, _)| key.strip_suffix("/owner-id").map(str::to_owned)).collect()
}

/// Returns the error with which an operator is refused before it sends a request.
async fn refused(operator: impl Into<Operator>) -> String {
    let cluster = TestCluster::start().await;
    let error = operator.into().start(cluster.client().clone()).map(drop).unwrap_err().to_string();
    assert_eq!(cluster.journal().all().iter().count(), 0);
    cluster.stop().await;
    error
}

// OPT-1a
#[tokio::test]
async fn two_types_of_one_name_are_refused_before_any_request() {
    let nameless = Operator::new(OPERATOR).component::<Bundle>(objects).component::<Parcel>(parcel_objects);
    let error = refused(nameless).await;
    for part in [
        "Bundle.test.kubewright.dev",
        "Parcel.test.kubewright.dev",
        "the same name",
        OPERATOR,
        "`.component::<Parcel>(…).named(\"…\")`",
    ] {
        assert!(error.contains(part), "{part:?} is not in: {error}");
    }
    assert!(!error.contains("finalizer"), "{error}");
    let named_alike = Operator::new("a.example.com").component::<Bundle>(objects).named(PARCELS);
    let error = refused(named_alike.component::<Parcel>(parcel_objects).named(PARCELS)).await;
    assert!(error.contains(PARCELS) && error.contains("named("), "{error}");
    let error = refused(operator().finalizer(OPERATOR)).await;
    assert!(error.contains("the same finalizer") && error.contains("`.finalizer(\"…\")`"), "{error}");
    let error = refused(operator().named("Not A Name")).await;
    assert!(error.contains("Parcel.test.kubewright.dev") && error.contains("\"Not A Name\""), "{error}");
    let error = refused(operator().named("a".repeat(64))).await;
    assert!(error.contains("at most 63"), "{error}");
}

// OPT-1a
#[tokio::test]
async fn components_of_two_types_with_one_name_have_nothing_in_common() {
    let world = start().await;
    world.set(&bundle("shop", &[config_map("bundle", "a")])).await;
    world.set(&parcel("shop", &[config_map("parcel", "a")])).await;
    let first = until_ready(&world, &bundle("shop", &[])).await;
    let second = until_ready(&world, &parcel("shop", &[])).await;
    assert_eq!(first["metadata"]["finalizers"], json!([OPERATOR]));
    assert_eq!(second["metadata"]["finalizers"], json!([PARCELS]));
    for (name, of) in [("bundle", OPERATOR), ("parcel", PARCELS)] {
        let object = world.get(&config_map(name, "")).await.unwrap();
        assert_eq!(owners(&object), [of]);
        let annotations = object["metadata"]["annotations"].as_object().unwrap();
        assert!(annotations.keys().all(|key| key.starts_with(&format!("{of}/"))), "{annotations:?}");
        let managers = object["metadata"]["managedFields"].as_array().unwrap();
        assert!(managers.iter().all(|entry| entry["manager"] == of), "{managers:?}");
    }
    // Both have the same owner id; the name distinguishes them.
    let id = |object: &Value, name: &str| object["metadata"]["annotations"][owner(name)].clone();
    let (mine, theirs) =
        (world.get(&config_map("bundle", "")).await.unwrap(), world.get(&config_map("parcel", "")).await.unwrap());
    assert_eq!(id(&mine, OPERATOR), id(&theirs, PARCELS));

    world.delete(&parcel("shop", &[])).await;
    world.until_gone(&parcel("shop", &[])).await;
    assert!(world.get(&config_map("parcel", "")).await.is_none());
    assert_eq!(world.get(&config_map("bundle", "")).await.unwrap(), mine);
    until_ready(&world, &bundle("shop", &[])).await;
}

// OPT-1a, EVT-3
#[tokio::test]
async fn events_and_annotations_are_those_of_the_component_type() {
    let world = start().await;
    let mut demo = parcel("demo", &[config_map("one", "a")]);
    demo["metadata"]["annotations"] = json!({ format!("{OPERATOR}/abandon-dependents"): "true" });
    world.set(&demo).await;
    until_ready(&world, &demo).await;
    world.until_event("Ready").await;
    let sent = world.journal().all().of("events.k8s.io", "events").writes();
    let reporters: Vec<&Value> =
        sent.iter().filter_map(|record| record.body.as_ref()).map(|body| &body["reportingController"]).collect();
    assert!(!reporters.is_empty() && reporters.iter().all(|reporter| **reporter == PARCELS), "{reporters:?}");
    // The annotation of the other name has no effect here.
    world.delete(&demo).await;
    world.until_gone(&demo).await;
    assert!(world.get(&config_map("one", "")).await.is_none());
    demo["metadata"]["annotations"] = json!({ format!("{PARCELS}/abandon-dependents"): "true" });
    world.set(&demo).await;
    until_ready(&world, &demo).await;
    world.delete(&demo).await;
    world.until_gone(&demo).await;
    assert!(world.get(&config_map("one", "")).await.is_some());
}

// OWN-3a, OWN-3
#[tokio::test]
async fn the_second_component_with_the_same_object_is_blocked_until_the_first_is_deleted() {
    let world = start().await;
    world.set(&bundle("shop", &[config_map("shop", "first")])).await;
    until_ready(&world, &bundle("shop", &[])).await;
    let taken = world.get(&config_map("shop", "")).await.unwrap();
    world.set(&parcel("shop", &[config_map("shop", "second")])).await;
    let message = until_conflict(&world, &parcel("shop", &[])).await;
    let expected = format!("/{}/shop of operator {OPERATOR}", world.namespace());
    assert!(message.contains("is owned by ") && message.contains(&expected), "{message}");
    assert_eq!(world.get(&config_map("shop", "")).await.unwrap(), taken);
    until_ready(&world, &bundle("shop", &[])).await;

    // The blocked component is deleted without a change to the object.
    world.delete(&parcel("shop", &[])).await;
    world.until_gone(&parcel("shop", &[])).await;
    assert_eq!(world.get(&config_map("shop", "")).await.unwrap(), taken);

    world.set(&parcel("shop", &[config_map("shop", "second")])).await;
    until_conflict(&world, &parcel("shop", &[])).await;
    world.delete(&bundle("shop", &[])).await;
    world.until_gone(&bundle("shop", &[])).await;
    until_ready(&world, &parcel("shop", &[])).await;
    let mine = world.get(&config_map("shop", "")).await.unwrap();
    assert_eq!((&mine["data"]["value"], owners(&mine)), (&json!("second"), vec![PARCELS.to_owned()]));
}

// OWN-3a
#[tokio::test]
async fn with_adoption_always_the_marks_of_the_other_type_go_and_the_other_one_sees_the_loss() {
    let world = start().await;
    for policy in ["Replace", "SsaMerge", "SsaOverride"] {
        let name = policy.to_lowercase();
        let first = bundle(&name, &[config_map(&name, "first")]);
        world.set(&first).await;
        until_ready(&world, &first).await;
        let mut second = parcel(&name, &[config_map(&name, "second")]);
        second["spec"]["adoptionPolicy"] = "Always".into();
        second["spec"]["updatePolicy"] = policy.into();
        world.set(&second).await;
        until_ready(&world, &second).await;
        let message = until_conflict(&world, &first).await;
        let expected = format!("/{}/{name} of operator {PARCELS}", world.namespace());
        assert!(message.contains(&expected), "{policy}: {message}");
        let taken = world.get(&config_map(&name, "")).await.unwrap();
        assert_eq!((&taken["data"]["value"], owners(&taken)), (&json!("second"), vec![PARCELS.to_owned()]), "{policy}");
        let annotations = taken["metadata"]["annotations"].as_object().unwrap();
        assert!(annotations.keys().all(|key| key.starts_with(&format!("{PARCELS}/"))), "{policy}: {annotations:?}");
        world.delete(&first).await;
        world.until_gone(&first).await;
        assert_eq!(world.get(&config_map(&name, "")).await.unwrap(), taken, "{policy}");
        until_ready(&world, &second).await;
    }
}

// GATE-1, OPT-1a
#[tokio::test]
async fn instances_of_the_other_type_hold_up_the_deletion_of_the_first() {
    let mut world = World::new().await;
    let kinds = Kinds::install(&world).await;
    world.run_other(operator()).await;
    let brings = kinds.component(&[kinds.crd()]);
    world.set(&brings).await;
    until_ready(&world, &brings).await;
    let uses = parcel("demo", &[kinds.baz()]);
    world.set(&uses).await;
    world.observe(&kinds.baz()).await;
    until_ready(&world, &uses).await;
    world.delete(&brings).await;
    let blocked = |component: &Value| message_of(component).contains("is still in use (instances exist)");
    world.until_object(&brings, "blocked by an instance", blocked).await;
    until_ready(&world, &uses).await;
    world.delete(&uses).await;
    world.until_gone(&uses).await;
    world.until_gone(&brings).await;
    world.until_gone(&kinds.crd()).await;
}

// OWN-3a, OWN-3
#[tokio::test]
async fn an_object_of_another_operator_is_left_alone_until_its_marks_are_removed() {
    // The marks are those of the Go framework component-operator-runtime.
    let other = "podinfo-operator.go.example.com";
    let hash = "t6dnbamijr6wlgrp5kqmkwwqcwr36ty3fmfyelgrlvwblmhqbiea";
    let mut theirs = config_map("shop", "theirs");
    theirs["metadata"]["labels"] = json!({ owner(other): hash, "app": "shop" });
    theirs["metadata"]["annotations"] = json!({ owner(other): "cluster/default/shop", format!("{other}/digest"): "d" });
    let world = start().await;
    let before = world.create(&theirs).await;
    let shop = bundle("shop", &[config_map("shop", "ours")]);
    world.set(&shop).await;
    let message = until_conflict(&world, &shop).await;
    assert!(message.contains(&format!("is owned by cluster/default/shop of operator {other}")), "{message}");
    assert_eq!(world.get(&theirs).await.unwrap(), before);
    // The release is that of the Go framework: the marks are removed, and the object stays.
    let marks = json!({ "metadata": {
        "labels": { owner(other): null }, "annotations": { owner(other): null, format!("{other}/digest"): null },
    } });
    world.patch(&theirs, marks).await;
    until_ready(&world, &shop).await;
    let ours = world.get(&theirs).await.unwrap();
    assert_eq!((&ours["data"]["value"], owners(&ours)), (&json!("ours"), vec![OPERATOR.to_owned()]));
}

// OPT-1a
#[tokio::test]
async fn two_types_of_one_kind_are_distinguished_by_their_groups() {
    let mut world = World::new().await;
    let both = Operator::new(OPERATOR)
        .component::<Bundle>(objects)
        .component::<elsewhere::Bundle>(elsewhere_objects)
        .named("elsewhere.test.kubewright.dev");
    world.run_other(both).await;
    let here = bundle("shop", &[config_map("here", "a")]);
    let mut there = bundle("shop", &[config_map("there", "a")]);
    there["apiVersion"] = "elsewhere.test.kubewright.dev/v1".into();
    for component in [&here, &there] {
        world.set(component).await;
        until_ready(&world, component).await;
    }
    let metrics = world.metrics();
    for controller in ["bundle.test.kubewright.dev", "bundle.elsewhere.test.kubewright.dev"] {
        assert!(metrics.contains(&format!("controller=\"{controller}\"")), "{controller} is not in: {metrics}");
    }
    assert!(!metrics.contains("controller=\"bundle\""), "{metrics}");
    world.delete(&there).await;
    world.until_gone(&there).await;
    until_ready(&world, &here).await;
    assert!(world.get(&config_map("here", "")).await.is_some());
}
