//! The ownership of children, and the metadata that all children get.

use k8s_openapi::api::core::v1::ConfigMap;
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use kubewright::runtime::ensure::Adopt;

use super::world::{DOMAIN, child_of, ensuring, holds, owning, requests, start, told};
use crate::reconcile::widget::{Widget, Widgets};
use crate::reconcile::world::World;

fn object(metadata: Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "data": { "size": "7" }, "metadata": metadata })
}

// ENS-08, KID-4
#[tokio::test]
async fn a_child_of_another_owner_is_left_alone() {
    let (script, log) = ensuring(|cx, widget| cx.ensure(child_of(cx.key().name(), widget.spec.size)));
    let world = start(script).await;
    let other = world.cluster.apply(object(json!({ "name": "other" }))).await;
    let other = json!({ "apiVersion": "v1", "kind": "ConfigMap", "name": "other", "uid": other.uid(), "controller": true });
    world.cluster.apply(object(json!({ "name": "referred", "ownerReferences": [other] }))).await;
    let labels = json!({
        format!("{DOMAIN}/owner-kind"): "Widget", format!("{DOMAIN}/owner-namespace"): world.cluster.namespace(),
        format!("{DOMAIN}/owner-name"): "other",
    });
    world.cluster.apply(object(json!({ "name": "labelled", "labels": labels }))).await;
    let namespace = world.cluster.namespace().to_owned();
    for (name, owner) in [("referred", "ConfigMap other".to_owned()), ("labelled", format!("Widget {namespace}/other"))] {
        world.create(name, 3).await;
        let widget = world.condition(name, "Stalled", "True", "NameConflict").await;
        let text = widget["status"]["conditions"].to_string();
        assert!(text.contains(&format!("ConfigMap {namespace}/{name} belongs to {owner}")), "{text}");
        assert_eq!(holds(&world, name, 7).await["data"]["size"], "7");
    }
    assert_eq!(log.count("NameConflict"), log.all().len());
    assert!(requests(&world, "configmaps").is_empty(), "{:#?}", requests(&world, "configmaps"));
    world.stop().await;
}

// ENS-08
#[tokio::test]
async fn an_object_without_owner_is_adopted_unless_that_is_forbidden() {
    let (script, log) = ensuring(|cx, widget| {
        let adopt = if cx.key().name() == "never" { Adopt::Never } else { Adopt::IfUnowned };
        cx.ensure(child_of(cx.key().name(), widget.spec.size)).adopt(adopt)
    });
    let world = start(script).await;
    for name in ["never", "adopted"] {
        world.cluster.apply(object(json!({ "name": name }))).await;
        world.create(name, 3).await;
    }
    world.condition("never", "Stalled", "True", "NameConflict").await;
    holds(&world, "never", 7).await;
    let widget = told(&world, "adopted", 3).await;
    let child = holds(&world, "adopted", 3).await;
    assert_eq!(child.controller().map(|controller| controller.uid.to_owned()), Some(widget.uid().to_owned()));
    assert_eq!(log.count("Updated"), 1, "{:?}", log.all());
    world.stop().await;
}

// ENS-15, KID-9, KID-12
#[tokio::test]
async fn a_child_of_a_former_owner_is_waited_for() {
    let (script, log) = ensuring(|cx, widget| cx.ensure(child_of(cx.key().name(), widget.spec.size)));
    let world = start(script).await;
    let former = json!({
        "apiVersion": "test.kubewright.dev/v1", "kind": "Widget", "name": "demo",
        "uid": "00000000-0000-0000-0000-000000000001", "controller": true,
    });
    // The finalizer keeps the object from garbage collection until it was observed.
    let held = json!({ "name": "demo", "ownerReferences": [former], "finalizers": ["test.kubewright.dev/hold"] });
    world.cluster.apply(object(held)).await;
    world.create("demo", 3).await;
    world.until("it is waited for", || ["ChildOfFormerOwner", "ChildTerminating"].contains(&log.last().as_str())).await;
    assert!(requests(&world, "configmaps").is_empty(), "{:#?}", requests(&world, "configmaps"));
    let collected = |child: &Value| child.deletion_timestamp().is_some();
    world.cluster.expect::<ConfigMap>("demo").matching("garbage collection", collected).await;
    world.cluster.patch::<ConfigMap>("demo", json!({ "metadata": { "finalizers": null } })).await;
    told(&world, "demo", 3).await;
    holds(&world, "demo", 3).await;
    world.stop().await;
}

// ENS-15, KID-5, KID-9
#[tokio::test]
async fn a_child_that_is_being_deleted_is_waited_for() {
    let (script, log) = ensuring(|cx, widget| cx.ensure(child_of(cx.key().name(), widget.spec.size)));
    let world = start(script).await;
    world.create("demo", 3).await;
    told(&world, "demo", 3).await;
    world.cluster.patch::<ConfigMap>("demo", json!({ "metadata": { "finalizers": ["test.kubewright.dev/hold"] } })).await;
    world.cluster.delete::<ConfigMap>("demo").await;
    world.until("it is waited for", || log.last() == "ChildTerminating").await;
    world.condition("demo", "Ready", "False", "ChildTerminating").await;
    let sent = requests(&world, "configmaps").len();
    world.cluster.patch::<Widget>("demo", json!({ "spec": { "size": 4 } })).await;
    world.until("a pass saw the new size", || log.count("ChildTerminating") > 1).await;
    assert_eq!(requests(&world, "configmaps").len(), sent);
    world.cluster.patch::<ConfigMap>("demo", json!({ "metadata": { "finalizers": null } })).await;
    holds(&world, "demo", 4).await;
    told(&world, "demo", 4).await;
    assert_eq!(log.count("Created"), 2);
    world.stop().await;
}

// ENS-19, KID-1, KID-2
#[tokio::test]
async fn children_get_common_metadata_and_references_where_their_namespace_allows_them() {
    let (script, _) = ensuring(|cx, widget| {
        let mut child = child_of(cx.key().name(), widget.spec.size);
        child.metadata.labels = Some([("tier".to_owned(), "own".to_owned())].into());
        if cx.key().name().starts_with("away") {
            child.metadata.namespace = Some(cx.key().name().to_owned());
        }
        cx.ensure(child)
    });
    let operator = Widgets::operator_with(&script, |controller| {
        owning(controller).child_labels([("tier", "common"), ("team", "a")]).child_annotations([("note", "common")])
    });
    let world = World::start_operator(script, operator).await;
    let away = format!("away-{}", world.cluster.namespace());
    world.cluster.apply(json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": away } })).await;
    for (name, namespace, refers) in [("near", world.cluster.namespace().to_owned(), true), (&*away, away.clone(), false)] {
        world.create(name, 3).await;
        let child = world.cluster.expect::<ConfigMap>(name).in_namespace(&namespace).to_exist().await;
        assert_eq!(
            (child.label("tier"), child.label("team"), child.annotation("note")),
            (Some("own"), Some("a"), Some("common"))
        );
        assert_eq!(child.label(&format!("{DOMAIN}/owner-name")), Some(name));
        assert_eq!((child.controller().is_some(), child.owner_references().count()), (refers, usize::from(refers)));
        told(&world, name, 3).await;
    }
    world.stop().await;
}
