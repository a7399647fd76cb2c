//! Delays and limits that are replaced by a ConfigMap.

use k8s_openapi::api::core::v1::ConfigMap;
use kubewright::core::flow::Classified;
use kubewright::prelude::*;

use super::widget::{Script, Widgets};
use super::world::World;

async fn put(world: &World, conflict: &str) {
    let map =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "config-timing"}, "data": {"conflict": conflict}});
    world.cluster.apply(map).await;
}

async fn until_again(world: &World, delay: &str) {
    let end = format!("again in {delay}");
    world.until(&end, || world.why("demo").last().is_some_and(|line| line.ends_with(&end))).await;
}

// RTY-22, 14: the next pass uses the replaced values; an invalid value changes nothing; without the ConfigMap the default applies again
#[tokio::test]
async fn the_next_pass_uses_a_replaced_timing() {
    let script =
        Script::default().reconcile(|_, _, _| Box::pin(async { Err(Classified::conflict("somebody was faster").into()) }));
    let operator = Widgets::operator_with(&script, |controller| controller).timing_from_config();
    let world = World::start_operator(script, operator).await;
    world.create("demo", 1).await;
    until_again(&world, "1s").await;
    put(&world, "3s").await;
    until_again(&world, "3s").await;
    put(&world, "never").await;
    world.until_reload("config-timing", 0.0).await;
    let passes = world.script.count("reconcile");
    world.until("another pass", || world.script.count("reconcile") > passes).await;
    until_again(&world, "3s").await;
    world.cluster.delete::<ConfigMap>("config-timing").await;
    until_again(&world, "1s").await;
    world.stop().await;
}
