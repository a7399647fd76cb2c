//! Children that are updated again and again.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kubewright::prelude::*;

use super::world::{child_of, ensuring, holds, start, told};

// FLOW-04, KID-18
#[tokio::test]
async fn a_child_that_is_updated_again_and_again_is_warned_of_once() {
    let (script, log) = ensuring(|cx, widget| cx.ensure(child_of(cx.key().name(), widget.spec.size)));
    let world = start(script).await;
    world.create("demo", 3).await;
    told(&world, "demo", 3).await;
    let hot = |world: &crate::reconcile::world::World| {
        world.metric("kubewright_child_hot_loop_updates_total", &[("controller", "widget")])
    };
    for round in 1..=10 {
        world.cluster.patch::<ConfigMap>("demo", json!({ "data": { "size": "9" } })).await;
        world.until("it is corrected", || log.count("Updated") >= round).await;
        holds(&world, "demo", 3).await;
    }
    assert_eq!(hot(&world), None);
    for round in 11..=13 {
        world.cluster.patch::<ConfigMap>("demo", json!({ "data": { "size": "9" } })).await;
        world.until("it is corrected", || log.count("Updated") >= round).await;
        holds(&world, "demo", 3).await;
    }
    world.until_told("demo", &format!("Warning HotLoop ConfigMap {}/demo was updated", world.cluster.namespace())).await;
    world.idle(Duration::from_secs(2)).await;
    let warnings = world.events("demo").await.into_iter().filter(|event| event.contains("HotLoop")).count();
    assert_eq!((warnings, hot(&world)), (1, Some(3.0)));
    world.stop().await;
}
