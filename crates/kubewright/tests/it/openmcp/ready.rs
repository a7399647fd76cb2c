//! An owner from its creation until it is ready, without interruption.

use std::collections::BTreeMap;

use super::hand::acts;
use super::outside::Parts;
use super::play::Stage;
use super::recording::{RecordedScene, folder};
use super::scenes::{FIRST, OWNER_ALONE};

// 13.13, OL-3
#[tokio::test]
async fn an_owner_becomes_ready_with_no_more_requests_than_recorded() {
    let Some(folder) = folder() else { return };
    let scene = RecordedScene::read(&folder, "all-ready");
    let steps = scene.until(3);
    let mut stage = Stage::set(&folder, &[], "mcp").await;
    let mark = stage.cluster.journal().mark();
    for (number, step) in steps.iter().enumerate() {
        // The controllers of the original were started one after another.
        match number {
            0 => stage.start(OWNER_ALONE).await,
            1 => stage.start(FIRST).await,
            4 => stage.start(Parts::ALL).await,
            _ => {}
        }
        let before = number.checked_sub(1).map(|before| stage.here(steps[before]));
        for act in acts(before.as_ref(), &stage.here(step)) {
            stage.act(&act).await;
        }
        stage.outside_becomes(&steps[..=number]).await;
        stage.rest().await;
    }
    let ready = stage.here(steps[steps.len() - 1]);
    let ids = stage.comes_to(&ready).await.unwrap_or_else(|report| panic!("{}:\n{report}", ready.id));
    let (ours, mut theirs) = (stage.requests(mark), BTreeMap::<&str, usize>::new());
    for (resource, count) in steps.iter().flat_map(|step| &step.requests) {
        *theirs.entry(resource).or_default() += count;
    }
    let (sum, recorded) = (ours.values().sum::<usize>(), theirs.values().sum::<usize>());
    println!(
        "created to all-ready in one go: {sum} requests of ours, {recorded} recorded; by resource {ours:?}, recorded {theirs:?}; {ids:?}"
    );
    assert!(sum <= recorded, "{sum} requests, recorded {recorded}");
    stage.stop().await;
}
