//! Children that a cleanup deletes.

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::Api;
use kube::api::DeleteParams;
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use kubewright::runtime::ensure::ChildDeletion;
use kubewright_middleware::Verb;

use super::world::{brought_up, gone, names, reading, script, sent, watching};
use crate::ensure::world::{DOMAIN, child_of};
use crate::reconcile::widget::{FINALIZER, Script, Widget, Widgets};
use crate::reconcile::world::World;

// FDEL-01, TEAR-5, KID-16, KID-17
#[tokio::test]
async fn a_cleanup_deletes_in_one_pass_and_ends_in_the_next() {
    let (script, log) =
        script(|cx, _| Box::pin(async move { cx.delete_all(names(cx).map(|name| cx.delete(&child_of(&name, 0)))).await }));
    let operator = watching(&script);
    let world = brought_up(script, operator).await;
    world.cluster.delete::<Widget>("demo").await;
    gone(&world).await;
    let all = log.all();
    assert_eq!((all.first().map(String::as_str), all.last().map(String::as_str)), (Some("Deleting"), Some("Gone")), "{all:?}");
    assert_eq!(sent(&world, "delete"), 2);
    for name in ["demo-first", "demo-second"] {
        world.cluster.expect::<ConfigMap>(name).to_be_gone().await;
    }
    world.stop().await;
}

// FDEL-02, KID-17, BR-1
#[tokio::test]
async fn a_deletion_that_fails_keeps_no_other_from_being_tried() {
    let (script, log) =
        script(|cx, _| Box::pin(async move { cx.delete_all(names(cx).map(|name| cx.delete(&child_of(&name, 0)))).await }));
    let operator = watching(&script);
    let world = brought_up(script, operator).await;
    let refused = world.cluster.faults().on(Verb::Delete).of("", "configmaps").named("demo-first").times(1).internal_error();
    world.cluster.delete::<Widget>("demo").await;
    gone(&world).await;
    assert_eq!((refused.hits(), log.all()[0].as_str()), (1, "InternalError"));
    let requests = crate::ensure::world::requests(&world, "configmaps");
    let deletes: Vec<&String> = requests.iter().filter(|request| request.contains(" delete configmaps")).collect();
    let of = |name: &str| deletes.iter().filter(|request| request.contains(name)).count();
    assert_eq!((of("demo-first"), of("demo-second")), (2, 1), "{deletes:#?}");
    world.stop().await;
}

// FDEL-03, KID-16
#[tokio::test]
async fn a_child_that_is_gone_already_is_no_failure() {
    for verb in [Verb::Get, Verb::Delete] {
        let (script, log) =
            script(|cx, _| Box::pin(async move { cx.delete_all(names(cx).map(|name| cx.delete(&child_of(&name, 0)))).await }));
        let operator = reading(&script);
        let world = brought_up(script, operator).await;
        let absent = world.cluster.faults().on(verb).of("", "configmaps").times(2).not_found();
        world.cluster.delete::<Widget>("demo").await;
        gone(&world).await;
        assert_eq!((absent.hits(), log.all()), (2, vec!["Gone".to_owned()]), "{verb:?}");
        world.stop().await;
    }
}

// FDEL-03, KID-6: a child is deleted between a read and a change in a cleanup that still writes it
#[tokio::test]
async fn a_child_deleted_while_a_cleanup_changes_it_is_skipped() {
    let (script, log) = script(|cx, widget| {
        Box::pin(async move {
            let child = child_of(&names(cx)[0], widget.spec.size + 1);
            let change = cx.ensure(child).await?.change;
            assert_eq!(change, ChildChange::Skipped);
            Ok(ChildDeletion::Gone)
        })
    });
    let operator = reading(&script);
    let world = brought_up(script, operator).await;
    let late = world.cluster.faults().on(Verb::Patch).of("", "configmaps").times(1).delay(Duration::from_secs(2));
    world.cluster.delete::<Widget>("demo").await;
    world.until("the change is on its way", || late.hits() == 1).await;
    world.cluster.delete::<ConfigMap>("demo-first").await;
    gone(&world).await;
    assert_eq!(log.all(), ["Gone"]);
    assert!(world.cluster.get::<ConfigMap>("demo-first").await.is_none());
    world.stop().await;
}

// FDEL-07, KID-16
#[tokio::test]
async fn a_cleanup_keeps_foreign_and_preexisting_objects() {
    let secret = |name: &str| {
        let mut secret = Secret::default();
        secret.metadata.name = Some(name.to_owned());
        secret
    };
    let script = Script::default()
        .reconcile(move |cx, widget, status| {
            Box::pin(async move {
                for name in ["generated", "users"] {
                    cx.ensure(secret(name)).create_once().await?;
                }
                status.size = Some(widget.spec.size);
                status.conditions.mark_true("Sized");
                Ok(())
            })
        })
        .finalize(move |cx, _, _| {
            Box::pin(async move {
                match cx.delete_all(["generated", "users", "foreign"].map(|name| cx.delete(&secret(name)))).await? {
                    ChildDeletion::Gone => Ok(()),
                    _ => Wait::for_event("ChildrenDeleting").into(),
                }
            })
        });
    let operator =
        Widgets::operator_with(&script, |controller| controller.owns::<Secret>().creates::<Secret>().finalizer(Some(FINALIZER)));
    let world = World::start_operator(script, operator).await;
    for name in ["users", "foreign"] {
        world.cluster.apply(json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": name } })).await;
    }
    world.create("demo", 3).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    let users = world.cluster.get::<Secret>("users").await.unwrap();
    assert_eq!(users.label(&format!("{DOMAIN}/orphan")), Some("true"));
    world.cluster.delete::<Widget>("demo").await;
    gone(&world).await;
    world.cluster.expect::<Secret>("generated").to_be_gone().await;
    world.idle(Duration::from_secs(5)).await;
    assert!(world.cluster.get::<Secret>("users").await.is_some() && world.cluster.get::<Secret>("foreign").await.is_some());
    world.stop().await;
}

// FDEL-08, KID-6
#[tokio::test]
async fn a_cleanup_does_not_recreate_children_removed_by_foreground_deletion() {
    let (script, log) = script(|cx, widget| {
        Box::pin(async move {
            for name in names(cx) {
                let change = cx.ensure(child_of(&name, widget.spec.size)).await?.change;
                if change != ChildChange::Skipped {
                    return Ok(ChildDeletion::Deleting);
                }
            }
            Ok(ChildDeletion::Gone)
        })
    });
    let operator = watching(&script);
    let world = brought_up(script, operator).await;
    let widgets: Api<Widget> = Api::namespaced(world.cluster.client().clone(), world.cluster.namespace());
    widgets.delete("demo", &DeleteParams::foreground()).await.unwrap();
    gone(&world).await;
    assert_eq!((log.last(), sent(&world, "patch")), ("Gone".to_owned(), 2), "{:?}", log.all());
    for name in ["demo-first", "demo-second"] {
        assert!(world.cluster.get::<ConfigMap>(name).await.is_none(), "{name}");
    }
    world.stop().await;
}

// FDEL-09, KID-16
#[tokio::test]
async fn an_object_that_took_the_name_of_a_child_is_not_deleted() {
    let (script, log) = script(|cx, _| Box::pin(async move { cx.delete(&child_of(&names(cx)[0], 0)).await }));
    let operator = watching(&script);
    let world = brought_up(script, operator).await;
    let late = world.cluster.faults().on(Verb::Delete).of("", "configmaps").times(1).delay(Duration::from_secs(2));
    world.cluster.delete::<Widget>("demo").await;
    world.until("the deletion is on its way", || late.hits() == 1).await;
    world.cluster.delete::<ConfigMap>("demo-first").await;
    world.cluster.apply(json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "demo-first" } })).await;
    gone(&world).await;
    assert_eq!(log.all(), ["Conflict", "Gone"]);
    assert!(world.cluster.get::<ConfigMap>("demo-first").await.is_some());
    world.stop().await;
}

// KID-16: a kind that is not watched is checked again
#[tokio::test]
async fn a_cleanup_without_a_watch_of_its_children_ends_soon() {
    let (script, log) = script(|cx, _| Box::pin(async move { cx.delete(&child_of(&names(cx)[0], 0)).await }));
    let operator = reading(&script);
    let world = brought_up(script, operator).await;
    world.cluster.delete::<Widget>("demo").await;
    gone(&world).await;
    assert_eq!(log.all(), ["Deleting", "Gone"]);
    world.stop().await;
}
