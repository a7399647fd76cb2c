use std::time::Duration;

use kubewright::prelude::*;

use crate::types::{bundle, config_map};
use crate::world::World;

/// Returns the data of the objects in the scenario.
async fn data(world: &World) -> Vec<Option<Value>> {
    let mut data = Vec::new();
    for name in ["one", "two", "three"] {
        data.push(world.get(&config_map(name, "")).await.map(|object| object["data"].clone()));
    }
    data
}

/// Makes a change while the operator is cut off after a number of writes, and restarts it.
async fn cut_after(world: &mut World, writes: u64, change: impl AsyncFnOnce(&World)) {
    let cut = world.faults().cut_after(writes).writes_only().start();
    change(world).await;
    world.idle(Duration::from_secs(2)).await;
    world.kill().await;
    cut.resume();
    world.run(|builder| builder).await;
}

// PLAN-4, PLAN-7
#[tokio::test]
async fn a_cut_after_any_write_leads_to_the_same_end() {
    let before = bundle("demo", &[config_map("one", "a"), config_map("two", "a")]);
    let after = bundle("demo", &[config_map("one", "b"), config_map("three", "a")]);
    for writes in 0..8 {
        let mut world = World::start().await;
        cut_after(&mut world, writes, async |world| {
            drop(world.set(&before).await);
        })
        .await;
        world.until_ready("demo").await;
        assert_eq!(data(&world).await[..2], [Some(json!({ "value": "a" })), Some(json!({ "value": "a" }))]);

        cut_after(&mut world, writes, async |world| {
            drop(world.set(&after).await);
        })
        .await;
        let component = world.until_ready("demo").await;
        assert_eq!(component["status"]["inventory"].as_array().unwrap().len(), 2, "cut after {writes} writes");
        let expected = [Some(json!({ "value": "b" })), None, Some(json!({ "value": "a" }))];
        assert_eq!(data(&world).await, expected, "cut after {writes} writes");

        cut_after(&mut world, writes, async |world| world.delete(&after).await).await;
        world.until_gone(&after).await;
        assert_eq!(data(&world).await, [None, None, None], "cut after {writes} writes");
    }
}
