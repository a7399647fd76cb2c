//! The ways of writing a child besides plain server-side apply.

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret, Service};
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use kubewright::runtime::ensure::Ensure;
use kubewright::runtime::reconcile::Context;

use super::world::{DOMAIN, child_of, ensuring, holds, owning, requests, start, told};
use crate::reconcile::widget::{Widget, Widgets};
use crate::reconcile::world::World;

fn hash_of(child: &Value) -> String {
    child.annotation(&format!("{DOMAIN}/applied-hash")).unwrap_or_default().to_owned()
}

fn guarded(cx: &Context<Widget>, widget: &Widget) -> Ensure<ConfigMap> {
    cx.ensure(child_of(cx.key().name(), widget.spec.size)).hash_guarded()
}

// ENS-04, ENS-05, ENS-06, KID-11
#[tokio::test]
async fn a_hash_guard_skips_equal_children_and_corrects_drift() {
    let (script, log) = ensuring(guarded);
    let mut world = start(script.clone()).await;
    world.create("demo", 3).await;
    told(&world, "demo", 3).await;
    let child = holds(&world, "demo", 3).await;
    assert!(hash_of(&child).starts_with("v1:"), "{child:#}");

    // Another process detects the state by the annotation, and writes nothing.
    let sent = requests(&world, "configmaps").len();
    world.restart_with(Widgets::operator_with(&script, owning)).await;
    world.until("the new process looked at it", || log.last() == "Unchanged").await;
    assert_eq!(requests(&world, "configmaps").len(), sent);

    world.cluster.patch::<ConfigMap>("demo", json!({ "data": { "size": "9" } })).await;
    let corrected = holds(&world, "demo", 3).await;
    assert_eq!((corrected.uid(), hash_of(&corrected)), (child.uid(), hash_of(&child)));

    let wrong = json!({ "metadata": { "annotations": { format!("{DOMAIN}/applied-hash"): "v0:1" } }, "data": { "size": "8" } });
    world.cluster.patch::<ConfigMap>("demo", wrong).await;
    world.until("the wrong hash was noted", || log.count("Updated") == 2).await;
    let corrected = holds(&world, "demo", 3).await;
    assert_eq!((corrected.uid(), hash_of(&corrected)), (child.uid(), hash_of(&child)));
    world.stop().await;
}

// ENS-06, KID-11: a kind with a generation, whose drift the hash alone does not show
#[tokio::test]
async fn a_hash_guard_detects_drift_by_the_generation_of_kinds_that_have_one() {
    let (script, log) = ensuring(|cx, widget| {
        let part =
            Widget::new(&format!("{}-part", cx.key().name()), crate::reconcile::widget::WidgetSpec { size: widget.spec.size });
        if cx.key().name() == "demo" {
            cx.ensure(part).hash_guarded()
        } else {
            cx.ensure(Widget::new("other", part.spec)).hash_guarded()
        }
    });
    let script = only(script, "demo");
    let operator = Widgets::operator_with(&script, |controller| controller.owns::<Widget>().creates::<Widget>());
    let world = World::start_operator(script, operator).await;
    world.create("demo", 3).await;
    told(&world, "demo", 3).await;
    let part =
        |size: i64| world.cluster.expect::<Widget>("demo-part").matching("its size", move |part| part["spec"]["size"] == size);
    part(3).await;
    world.cluster.patch::<Widget>("demo-part", json!({ "spec": { "size": 9 } })).await;
    part(3).await;
    // The change may be visible before its answer arrives.
    world.until("the write is told", || log.count("Updated") > 0).await;
    assert_eq!((log.count("Created"), log.count("Updated")), (1, 1), "{:?}", log.all());
    let passes = log.all().len();
    world.cluster.patch_status::<Widget>("demo-part", json!({ "note": "changed" })).await;
    world.until("another pass ran", || log.all().len() > passes).await;
    assert_eq!(log.last(), "Unchanged");
    world.stop().await;
}

/// Restricts the script to one widget; the others are left alone.
fn only(script: crate::reconcile::widget::Script, name: &'static str) -> crate::reconcile::widget::Script {
    let reconcile = script.reconcile.clone();
    script.reconcile(
        move |cx, widget, status| {
            if cx.key().name() == name { reconcile(cx, widget, status) } else { Box::pin(async { Ok(()) }) }
        },
    )
}

// ENS-13
#[tokio::test]
async fn a_generated_child_is_created_once_and_one_of_a_user_is_marked() {
    let (script, log) = ensuring(|cx, widget| {
        let mut secret = Secret::default();
        secret.metadata.name = Some(cx.key().name().to_owned());
        secret.string_data = Some([("size".to_owned(), widget.spec.size.to_string())].into());
        cx.ensure(secret).create_once()
    });
    let operator = Widgets::operator_with(&script, |controller| controller.owns::<Secret>().creates::<Secret>());
    let world = World::start_operator(script, operator).await;
    let users = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "users" }, "stringData": { "size": "7" } });
    let before = world.cluster.apply(users).await;
    for name in ["ours", "users"] {
        world.create(name, 3).await;
        told(&world, name, 3).await;
        world.cluster.patch::<Widget>(name, json!({ "spec": { "size": 4 } })).await;
        told(&world, name, 4).await;
    }
    let (ours, users) = (world.cluster.get::<Secret>("ours").await.unwrap(), world.cluster.get::<Secret>("users").await.unwrap());
    assert_eq!((&ours["data"]["size"], ours.label(&format!("{DOMAIN}/orphan"))), (&json!("Mw=="), None));
    assert_eq!((&users["data"], users.label(&format!("{DOMAIN}/orphan"))), (&before["data"], Some("true")));
    assert_eq!((users.label(&format!("{DOMAIN}/owner-name")), users.controller().is_some()), (Some("users"), false));
    assert_eq!((log.count("Created"), log.count("Updated")), (1, 1), "{:?}", log.all());
    let writes = requests(&world, "secrets").into_iter().filter(|request| !request.contains(" get ")).count();
    assert_eq!(writes, 2, "{:#?}", requests(&world, "secrets"));
    world.stop().await;
}

// ENS-14
#[tokio::test]
async fn a_child_that_cannot_be_changed_is_deleted_and_created() {
    let (script, log) = ensuring(|cx, widget| {
        let service = json!({
            "apiVersion": "v1", "kind": "Service", "metadata": { "name": cx.key().name() },
            "spec": {
                "clusterIP": if widget.spec.size == 1 { "None" } else { "" },
                "selector": { "app": "demo" }, "ports": [{ "name": "web", "port": 80 }],
            },
        });
        cx.ensure(serde_json::from_value::<Service>(service).unwrap()).replace()
    });
    let operator = Widgets::operator_with(&script, |controller| controller.owns::<Service>().creates::<Service>());
    let world = World::start_operator(script, operator).await;
    world.create("demo", 1).await;
    told(&world, "demo", 1).await;
    let before = world.cluster.get::<Service>("demo").await.unwrap();
    world.cluster.patch::<Widget>("demo", json!({ "spec": { "size": 2 } })).await;
    told(&world, "demo", 2).await;
    let after = world.cluster.get::<Service>("demo").await.unwrap();
    assert_ne!(after.uid(), before.uid());
    assert_ne!(after["spec"]["clusterIP"], "None");
    assert_eq!((log.count("Recreating"), log.count("Created")), (1, 2), "{:?}", log.all());
    let deleted = requests(&world, "services").into_iter().filter(|request| request.contains(" delete ")).count();
    assert_eq!(deleted, 1, "{:#?}", requests(&world, "services"));
    world.stop().await;
}

// ENS-14, 7.3: an object without the annotation of which only the metadata differs
#[tokio::test]
async fn an_object_that_differs_in_its_marks_only_is_adopted_without_being_replaced() {
    let (script, log) = ensuring(|cx, widget| cx.ensure(child_of(cx.key().name(), widget.spec.size)).replace());
    let world = start(script).await;
    let found = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "demo" }, "data": { "size": "3" } });
    let found = world.cluster.apply(found).await;
    world.create("demo", 3).await;
    told(&world, "demo", 3).await;
    let child = holds(&world, "demo", 3).await;
    assert_eq!((child.uid(), child.controller().is_some()), (found.uid(), true));
    assert_eq!((log.count("Updated"), log.count("Recreating")), (1, 0), "{:?}", log.all());
    world.idle(Duration::from_secs(1)).await;
    world.stop().await;
}
