//! Processes that end after each of their requests in turn.

use kubewright::prelude::*;
use kubewright_testing::TestCluster;
use kubewright_testing::fixtures::package::{Package, Scripts, operator};

use super::world::{condition, descriptor, shop};

/// Returns the final objects of an installation that is cut off after a number of requests. `None` if it sends fewer.
async fn installed(requests: u64) -> Option<Value> {
    let cluster = TestCluster::start().await;
    let operators = || operator(Scripts::default());
    cluster.apply(descriptor("shop", "1.0.0").to_map()).await;
    let first = cluster.run(operators()).await;
    let cut = cluster.cut_after(requests);
    cluster.apply(Package::new("shop", shop())).await;
    let next = cut.restarted(first, operators()).await?;
    let package = cluster.expect::<Package>("shop").ready().await;
    let healthy = condition(&package, "Healthy");
    let end = json!([
        package["status"]["phase"],
        package["status"]["installedVersion"],
        healthy["status"],
        cluster_left(&cluster).await
    ]);
    next.stop().await;
    cluster.stop().await;
    Some(end)
}

async fn cluster_left(cluster: &TestCluster) -> Vec<String> {
    use k8s_openapi::api::apps::v1::Deployment;
    use k8s_openapi::api::core::v1::{ConfigMap, Pod, Service};

    cluster.expect::<Pod>("shop-helper").to_be_gone().await;
    cluster.expect::<ConfigMap>("health-shop").to_exist().await;
    let mut left = cluster.list::<ConfigMap>().await;
    left.extend(cluster.list::<Deployment>().await);
    left.extend(cluster.list::<Service>().await);
    let mut names: Vec<String> = left.iter().map(|object| object["metadata"]["name"].to_string()).collect();
    names.sort_unstable();
    names
}

// TS-5, FLOW-03
#[tokio::test]
async fn the_next_process_ends_an_installation_that_was_cut_off_as_it_would_have_ended() {
    let probe = TestCluster::start().await;
    let is_embedded = probe.is_embedded();
    probe.stop().await;
    let stride = if is_embedded { 1 } else { 9 };
    let mut ends = Vec::new();
    for requests in (0..).step_by(stride) {
        let Some(end) = installed(requests).await else { break };
        ends.push(end);
    }
    assert!(ends.len() > 20 / stride, "{} cuts", ends.len());
    assert!(ends.iter().all(|end| *end == ends[0]), "{ends:#?}");
}
