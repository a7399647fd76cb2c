//! A cluster with an operator of widgets, whose cleanup deletes children.

use std::sync::Arc;

use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::ConfigMap;
use kubewright::prelude::*;
use kubewright::runtime::ensure::ChildDeletion;
use kubewright::runtime::reconcile::Context;

use crate::ensure::world::{Log, child_of};
use crate::reconcile::widget::{FINALIZER, Script, Widget, Widgets};
use crate::reconcile::world::World;

/// Returns the names of the children of a widget.
pub(super) fn names(cx: &Context<Widget>) -> [String; 2] {
    ["first", "second"].map(|child| format!("{}-{child}", cx.key().name()))
}

/// Returns a reconciler with two children and the given cleanup.
pub(super) fn script(
    cleanup: impl for<'a> Fn(&'a Context<Widget>, &'a Widget) -> BoxFuture<'a, Flow<ChildDeletion>> + Send + Sync + 'static,
) -> (Script, Log) {
    let log = Log::default();
    let (noted, cleanup) = (log.clone(), Arc::new(cleanup));
    let script = Script::default()
        .reconcile(|cx, widget, status| {
            Box::pin(async move {
                for name in names(cx) {
                    cx.ensure(child_of(&name, widget.spec.size)).await?;
                }
                status.size = Some(widget.spec.size);
                status.conditions.mark_true("Sized");
                Ok(())
            })
        })
        .finalize(move |cx, widget, _| {
            let (log, cleanup) = (noted.clone(), Arc::clone(&cleanup));
            Box::pin(async move {
                let deleted = cleanup(cx, widget).await;
                log.note(&deleted);
                match deleted? {
                    ChildDeletion::Gone => Ok(()),
                    _ => Wait::for_event("ChildrenDeleting").into(),
                }
            })
        });
    (script, log)
}

/// Returns an operator whose widgets have a finalizer and own ConfigMaps, which are watched.
pub(super) fn watching(script: &Script) -> Operator {
    Widgets::operator_with(script, |controller| crate::ensure::world::owning(controller).finalizer(Some(FINALIZER)))
}

/// Returns the operator without the watch, so that children are read with GETs.
pub(super) fn reading(script: &Script) -> Operator {
    Widgets::operator_with(script, |controller| controller.creates::<ConfigMap>().finalizer(Some(FINALIZER)))
}

/// Starts a cluster with a widget that is ready.
pub(super) async fn brought_up(script: Script, operator: Operator) -> World {
    let world = World::start_operator(script, operator).await;
    world.create("demo", 3).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    world
}

pub(super) async fn gone(world: &World) {
    world.cluster.expect::<Widget>("demo").to_be_gone().await;
}

/// Returns the number of requests of this verb about ConfigMaps.
pub(super) fn sent(world: &World, verb: &str) -> usize {
    let requests = crate::ensure::world::requests(world, "configmaps");
    requests.into_iter().filter(|request| request.contains(&format!(" {verb} configmaps"))).count()
}
