//! Children that must not be deleted while their owner exists.

use k8s_openapi::api::core::v1::ConfigMap;
use kubewright::core::finalizer::FinalizerName;
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use kubewright::runtime::ensure::ChildDeletion;
use kubewright_middleware::Verb;

use super::world::{gone, sent, watching};
use crate::ensure::world::{Log, child_of};
use crate::reconcile::widget::{Script, Widget};
use crate::reconcile::world::World;

const GUARD: &str = "test.kubewright.dev/guard";

fn guard() -> FinalizerName {
    FinalizerName::parse(GUARD).unwrap()
}

fn script() -> (Script, Log) {
    let log = Log::default();
    let (noted, cleaned) = (log.clone(), log.clone());
    let script = Script::default()
        .reconcile(move |cx, widget, status| {
            let log = noted.clone();
            Box::pin(async move {
                let change =
                    cx.ensure(child_of("guarded", widget.spec.size)).guarded_by(&guard()).await.map(|ensured| ensured.change);
                log.note(&change);
                change?;
                status.size = Some(widget.spec.size);
                status.conditions.mark_true("Sized");
                Ok(())
            })
        })
        .finalize(move |cx, _, _| {
            let log = cleaned.clone();
            Box::pin(async move {
                let deleted = cx.delete(&child_of("guarded", 0)).guarded_by(&guard()).await;
                log.note(&deleted);
                match deleted? {
                    ChildDeletion::Gone => Ok(()),
                    _ => Wait::for_event("ChildrenDeleting").into(),
                }
            })
        });
    (script, log)
}

async fn start() -> (World, Log) {
    let (script, log) = script();
    let operator = watching(&script);
    let world = World::start_operator(script, operator).await;
    world.create("demo", 3).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    assert!(world.cluster.get::<ConfigMap>("guarded").await.unwrap().has_finalizer(GUARD));
    (world, log)
}

// FDEL-11, KID-19
#[tokio::test]
async fn a_guarded_child_is_deleted_when_its_owner_is_deleted() {
    let (world, log) = start().await;
    world.cluster.delete::<Widget>("demo").await;
    gone(&world).await;
    world.cluster.expect::<ConfigMap>("guarded").to_be_gone().await;
    assert_eq!((log.last(), sent(&world, "delete")), ("Gone".to_owned(), 1));
    world.stop().await;
}

// FDEL-11, KID-5, KID-19
#[tokio::test]
async fn a_guarded_child_deleted_by_another_client_stays_until_the_cleanup() {
    let (world, log) = start().await;
    world.cluster.delete::<ConfigMap>("guarded").await;
    world.condition("demo", "Ready", "False", "ChildTerminating").await;
    assert!(world.cluster.get::<ConfigMap>("guarded").await.unwrap().has_finalizer(GUARD));
    world.cluster.delete::<Widget>("demo").await;
    gone(&world).await;
    world.cluster.expect::<ConfigMap>("guarded").to_be_gone().await;
    assert_eq!((log.last(), sent(&world, "delete")), ("Gone".to_owned(), 0));
    world.stop().await;
}

// FDEL-03
#[tokio::test]
async fn a_guarded_child_that_is_gone_when_its_guard_is_taken_off_is_no_failure() {
    let (world, log) = start().await;
    let absent = world.cluster.faults().on(Verb::Patch).of("", "configmaps").times(1).not_found();
    world.cluster.delete::<Widget>("demo").await;
    gone(&world).await;
    assert_eq!((absent.hits(), log.last(), sent(&world, "delete")), (1, "Gone".to_owned(), 0));
    world.cluster.patch::<ConfigMap>("guarded", json!({ "metadata": { "finalizers": null } })).await;
    world.stop().await;
}
