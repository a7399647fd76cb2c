//! Tests of the metrics and diagnostic figures of watches.

use serde_json::json;

use super::*;
use crate::metrics::Metrics;
use crate::testing::{Fault, Server};
use crate::watch::presence;

async fn checksum(cluster: &Cluster) -> u64 {
    let inspected = cluster.watched().inspect().await;
    let [watch] = inspected.as_slice() else { panic!("{inspected:?}") };
    watch.checksum
}

// 2.5: there are more objects than one portion.
#[tokio::test(start_paused = true)]
async fn stores_of_the_same_objects_have_the_same_checksum_however_they_came_by_them() {
    let server = Server::new();
    let (early, late) = (server.cluster(), server.cluster());
    let _texts = synced(&early).await;
    let empty = checksum(&early).await;
    for number in (0..2500).rev() {
        server.put("demo", &format!("c{number}"), "x");
    }
    settle().await;
    let _keys = late.watches().subscribe(config_maps(), presence());
    pass(100).await;
    let full = checksum(&early).await;
    assert_eq!(full, checksum(&late).await);
    assert_ne!(full, empty);
    server.put("demo", "c7", "y");
    settle().await;
    let changed = checksum(&early).await;
    assert_eq!(changed, checksum(&late).await);
    assert_ne!(changed, full, "another version");
    server.delete("demo", "c7");
    settle().await;
    assert!(![full, changed].contains(&checksum(&early).await));
}

/// Returns the value of a series.
fn value(metrics: &Metrics, series: &str) -> Option<f64> {
    let text = metrics.encode().unwrap();
    text.lines().find_map(|line| line.strip_prefix(&format!("{series} "))?.parse().ok())
}

// 8.2
#[tokio::test(start_paused = true)]
async fn watch_metrics_report_events_failures_ages_and_objects_by_kind_and_scope() {
    let server = Server::new();
    let (cluster, metrics) = (server.cluster(), Metrics::new("test"));
    cluster.watched().register(&metrics);
    server.put("demo", "a", "1");
    let store = synced(&cluster).await;
    let of = |name: &str| value(&metrics, &format!("test_{name}{{kind=\"ConfigMap\",scope=\"*\"}}"));
    assert_eq!((of("watch_events_total"), of("watch_failures_total"), of("store_objects")), (Some(0.0), Some(0.0), Some(1.0)));
    server.put("demo", "b", "1");
    server.put("demo", "b", "2");
    server.delete("demo", "a");
    server.put("demo", "c", "1");
    server.bookmark();
    settle().await;
    assert_eq!((of("watch_events_total"), of("store_objects")), (Some(4.0), Some(2.0)));
    pass(7000).await;
    let age = of("watch_last_event_age_seconds").unwrap();
    assert!((7.0..7.1).contains(&age), "{age}");
    server.fail_next("watch=true", Fault::Status(500, "InternalError"));
    server.fail_next("watch=true", Fault::Status(403, "Forbidden"));
    server.drop_streams(false);
    pass(10_000).await;
    assert_eq!(of("watch_failures_total"), Some(2.0));
    // Counters stay when their watch ends, and gauges are removed.
    drop(store);
    pass(61_000).await;
    assert_eq!((of("watch_events_total"), of("store_objects")), (Some(4.0), None));
}

// 8.2: watches of two users with different selectors are one series if the keys of the selectors are equal.
#[tokio::test(start_paused = true)]
async fn watches_with_equal_labels_are_one_series() {
    let server = Server::new();
    let (cluster, metrics) = (server.cluster(), Metrics::new("test"));
    cluster.watched().register(&metrics);
    server.put("demo", "a", "1");
    server.put("demo", "b", "1");
    let stores =
        ["a", "b"].map(|name| cluster.watches().subscribe(config_maps().fields(format!("metadata.name={name}")), presence()));
    pass(10).await;
    let objects: usize = stores.iter().map(ProjectedStore::len).sum();
    let series = "test_store_objects{kind=\"ConfigMap\",scope=\"* fields metadata.name\"}";
    assert_eq!(value(&metrics, series), Some(objects as f64));
}

// 2.5, CLU-4
#[tokio::test(start_paused = true)]
async fn the_watches_of_other_clusters_are_on_the_page_and_not_among_the_metrics() {
    let server = Server::new();
    let (cluster, metrics) = (server.cluster(), Metrics::new("test"));
    cluster.watched().register(&metrics);
    let elsewhere = server.cluster_with(|options| options.name = "target-1".to_owned()).reached_from(&cluster);
    let _store = synced(&elsewhere).await;
    let names: Vec<String> = cluster.watched().inspect().await.into_iter().map(|watch| watch.health.cluster).collect();
    assert_eq!(names, ["target-1"]);
    assert!(!metrics.encode().unwrap().contains("ConfigMap"), "{}", json!(metrics.encode().unwrap()));
}
