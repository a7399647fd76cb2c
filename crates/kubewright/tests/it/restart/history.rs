//! The number of finished requests that are kept.

use kubewright_testing::fixtures::restart::{HistoryLimits, RestartRequest};

use super::world::RestartWorld;

// FLOW-06
#[tokio::test]
async fn the_newest_finished_requests_of_each_kind_are_kept() {
    let world = RestartWorld::without_package(HistoryLimits { successful: Some(3), failed: Some(2) }).await;
    for number in 0..4 {
        let name = format!("lost{number}");
        world.request(&name, "absent").await;
        world.phase(&name, "failed").await;
        world.packages.cluster.pass(std::time::Duration::from_millis(1100)).await;
    }
    for name in ["lost0", "lost1"] {
        world.packages.cluster.expect::<RestartRequest>(name).to_be_gone().await;
    }
    assert_eq!(world.names().await, ["lost2", "lost3"]);
    world.stop().await;
}

// FLOW-06
#[tokio::test]
async fn without_limits_all_requests_are_kept() {
    let world = RestartWorld::without_package(HistoryLimits::OFF).await;
    for number in 0..5 {
        let name = format!("lost{number}");
        world.request(&name, "absent").await;
        world.phase(&name, "failed").await;
    }
    world.packages.idle(std::time::Duration::from_secs(10)).await;
    assert_eq!(world.names().await.len(), 5);
    world.stop().await;
}
