//! Watches.

use std::time::Duration;

use kubewright_apiserver::ApiServer;
use serde_json::json;

use crate::cluster::{Cluster, MAPS, map_path, pass};

fn watch_path(cluster: &Cluster, query: &str) -> String {
    format!("{MAPS}?watch=true&resourceVersion={}{query}", cluster.server.revision())
}

// SWATCH-1, SWATCH-3, SWATCH-11
#[tokio::test(start_paused = true)]
async fn a_watch_sees_every_change_after_its_version_in_order() {
    let cluster = Cluster::start();
    let path = watch_path(&cluster, "");
    cluster.map("a", json!({})).await;
    let mut watch = cluster.watch(&path).await;
    cluster.merge(&map_path("a"), json!({"data": {"k": "1"}})).await;
    cluster.delete(&map_path("a")).await;
    let events = watch.ready();
    assert_eq!(events.iter().map(|event| event["type"].as_str().unwrap()).collect::<Vec<_>>(), ["ADDED", "MODIFIED", "DELETED"]);
    assert_eq!(events[2]["object"]["data"]["k"], "1");
    assert_eq!(events[2]["object"]["metadata"]["resourceVersion"], cluster.server.revision().to_string());
}

// SWATCH-2, SWATCH-8
#[tokio::test(start_paused = true)]
async fn a_watch_without_resource_version_starts_with_the_existing_objects() {
    let cluster = Cluster::start();
    cluster.map("a", json!({})).await;
    let mut plain = cluster.watch(&format!("{MAPS}?watch=true")).await;
    assert_eq!(plain.seen(), ["ADDED a", "ADDED kube-root-ca.crt"]);
    let query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    let mut streaming = cluster.watch(&format!("{MAPS}?{query}")).await;
    let events = streaming.ready();
    let marker = &events[2];
    assert_eq!(marker["type"], "BOOKMARK");
    assert_eq!(marker["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"], "true");
    assert_eq!(cluster.watch(&format!("{MAPS}?watch=true&sendInitialEvents=true")).await.code, 422);
}

// SWATCH-4, SWATCH-14
#[tokio::test(start_paused = true)]
async fn a_version_that_is_too_old_is_said_in_the_stream() {
    let cluster = Cluster::start();
    cluster.map("a", json!({})).await;
    cluster.server.restart();
    let mut watch = cluster.watch(&format!("{MAPS}?watch=true&resourceVersion=1")).await;
    assert_eq!(watch.code, 200);
    let event = watch.next().await.unwrap();
    assert_eq!(
        (&event["type"], &event["object"]["code"], &event["object"]["reason"]),
        (&json!("ERROR"), &json!(410), &json!("Expired"))
    );
    assert!(watch.next().await.is_none());
}

// SWATCH-5
#[tokio::test(start_paused = true)]
async fn a_watch_from_the_future_waits_silently() {
    let cluster = Cluster::start();
    let mut watch = cluster.watch(&format!("{MAPS}?watch=true&resourceVersion={}", cluster.server.revision() + 1)).await;
    cluster.map("a", json!({})).await;
    cluster.map("b", json!({})).await;
    assert_eq!(watch.seen(), ["ADDED b"]);
}

// SWATCH-10
#[tokio::test(start_paused = true)]
async fn objects_enter_and_leave_the_view_of_a_selector() {
    let cluster = Cluster::start();
    let mut watch = cluster.watch(&watch_path(&cluster, "&labelSelector=x%3D1")).await;
    cluster.map("a", json!({})).await;
    cluster.merge(&map_path("a"), json!({"metadata": {"labels": {"x": "1"}}})).await;
    cluster.merge(&map_path("a"), json!({"data": {"k": "1"}})).await;
    cluster.merge(&map_path("a"), json!({"metadata": {"labels": {"x": "2"}}})).await;
    let events = watch.ready();
    assert_eq!(events.iter().map(|event| event["type"].as_str().unwrap()).collect::<Vec<_>>(), ["ADDED", "MODIFIED", "DELETED"]);
    let left = &events[2]["object"]["metadata"];
    assert_eq!((&left["labels"]["x"], &left["resourceVersion"]), (&json!("1"), &json!(cluster.server.revision().to_string())));
}

// SWATCH-7, SWATCH-9, WCH-7, DIF-6
#[tokio::test(start_paused = true)]
async fn bookmarks_come_each_minute_and_before_the_end() {
    let cluster = Cluster::start();
    let start = tokio::time::Instant::now();
    let mut watch = cluster.watch(&watch_path(&cluster, "&allowWatchBookmarks=true&timeoutSeconds=150")).await;
    let mut times = Vec::new();
    while let Some(event) = watch.next().await {
        assert_eq!(event["type"], "BOOKMARK");
        times.push(start.elapsed().as_secs());
    }
    assert_eq!(times, [60, 120, 148]);
    assert_eq!(start.elapsed().as_secs(), 150);
}

// SWATCH-9
#[tokio::test(start_paused = true)]
async fn a_watch_ends_at_its_time_however_much_happens() {
    let cluster = Cluster::start();
    let mut watch = cluster.watch(&watch_path(&cluster, "&timeoutSeconds=5")).await;
    let mut seen = 0;
    for second in 0..20 {
        cluster.map(&format!("m{second}"), json!({})).await;
        if watch.next().await.is_none() {
            break;
        }
        seen += 1;
        pass(Duration::from_secs(1)).await;
    }
    assert_eq!(seen, 6);
}

// SWATCH-9
#[tokio::test(start_paused = true)]
async fn a_watch_without_timeout_ends_between_half_an_hour_and_an_hour() {
    let cluster = Cluster::start();
    let start = tokio::time::Instant::now();
    let mut watch = cluster.watch(&watch_path(&cluster, "")).await;
    assert!(watch.next().await.is_none());
    assert!((1800..3600).contains(&start.elapsed().as_secs()));
}

// SWATCH-13
#[tokio::test(start_paused = true)]
async fn events_are_shown_as_asked_for() {
    let cluster = Cluster::start();
    let path = watch_path(&cluster, "");
    let mut partial = cluster.watch_as(&path, "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1").await;
    let mut table = cluster.watch_as(&path, "application/json;as=Table;g=meta.k8s.io;v=v1").await;
    cluster.map("a", json!({"data": {"k": "1"}})).await;
    cluster.map("b", json!({})).await;
    assert!(
        partial
            .ready()
            .iter()
            .all(|event| event["object"]["kind"] == "PartialObjectMetadata" && event["object"].get("data").is_none())
    );
    let rows = table.ready();
    assert!(rows[0]["object"]["columnDefinitions"].is_array());
    assert!(rows[1]["object"]["columnDefinitions"].is_null());
}

// SWATCH-12
#[tokio::test(start_paused = true)]
async fn one_object_is_watched_by_selector_or_the_old_way() {
    let cluster = Cluster::start();
    let version = cluster.server.revision();
    let mut selector = cluster.watch(&watch_path(&cluster, "&fieldSelector=metadata.name%3Da")).await;
    let mut legacy = cluster.watch(&format!("/api/v1/watch/namespaces/default/configmaps/a?resourceVersion={version}")).await;
    cluster.map("a", json!({})).await;
    cluster.map("b", json!({})).await;
    assert_eq!(selector.seen(), ["ADDED a"]);
    assert_eq!(legacy.seen(), ["ADDED a"]);
}

// SRV-1, SARC-5
#[tokio::test(start_paused = true)]
async fn a_waiting_watch_is_woken_by_a_write() {
    let cluster = Cluster::start();
    let mut watch = cluster.watch(&watch_path(&cluster, "")).await;
    let waiting = tokio::spawn(async move { watch.next().await });
    pass(Duration::from_secs(1)).await;
    let before = tokio::time::Instant::now();
    cluster.map("a", json!({})).await;
    assert_eq!(waiting.await.unwrap().unwrap()["type"], "ADDED");
    assert_eq!(before.elapsed(), Duration::ZERO);
}

// CTL-6, BI-1
#[tokio::test(start_paused = true)]
async fn events_vanish_an_hour_after_their_last_write() {
    let cluster = Cluster::start();
    let events = "/api/v1/namespaces/default/events";
    let event = json!({"metadata": {"name": "e"}, "involvedObject": {"kind": "Pod", "name": "p", "namespace": "default"}, "reason": "R", "type": "Normal"});
    assert_eq!(cluster.post(events, event).await.code, 201);
    pass(Duration::from_secs(3599)).await;
    assert_eq!(cluster.get(events).await.names(), ["e"]);
    pass(Duration::from_secs(2)).await;
    assert_eq!(cluster.get(events).await.names(), Vec::<&str>::new());
}

// WCH-3, DIF-5
#[tokio::test(start_paused = true)]
async fn a_watch_from_before_the_event_window_of_its_kind_ends_with_an_expired_error() {
    let builder = ApiServer::builder().epoch("2026-01-01T00:00:00Z".parse().unwrap()).seed(7).watch_window(10);
    let cluster = Cluster::from(builder.build().unwrap());
    let start = cluster.map("a", json!({})).await["metadata"]["resourceVersion"].as_str().unwrap().parse::<u64>().unwrap();
    for n in 0..12 {
        cluster.merge(&map_path("a"), json!({"data": {"n": n.to_string()}})).await;
    }
    let from = |revision: u64| format!("{MAPS}?watch=true&resourceVersion={revision}");
    // The last ten events are remembered, so a watch from before them sees all ten.
    let mut within = cluster.watch(&from(start + 2)).await;
    assert_eq!(within.seen().len(), 10);
    let mut older = cluster.watch(&from(start + 1)).await;
    let event = older.next().await.unwrap();
    assert_eq!((&event["type"], &event["object"]["code"]), (&json!("ERROR"), &json!(410)));
    assert!(older.next().await.is_none());
}

// WCH-3, DIF-5
#[tokio::test(start_paused = true)]
async fn a_watch_from_before_the_byte_limit_of_the_history_ends_with_an_expired_error() {
    let builder = ApiServer::builder().epoch("2026-01-01T00:00:00Z".parse().unwrap()).seed(7).watch_window_bytes(100_000);
    let cluster = Cluster::from(builder.build().unwrap());
    let start = cluster.map("a", json!({})).await["metadata"]["resourceVersion"].as_str().unwrap().parse::<u64>().unwrap();
    for n in 0..800 {
        cluster.merge(&map_path("a"), json!({"data": {"n": format!("{n:01000}")}})).await;
    }
    let from = |revision: u64| format!("{MAPS}?watch=true&resourceVersion={revision}");
    let mut recent = cluster.watch(&from(start + 300)).await;
    assert_eq!(recent.seen().len(), 500);
    let mut older = cluster.watch(&from(start + 1)).await;
    let event = older.next().await.unwrap();
    assert_eq!((&event["type"], &event["object"]["code"]), (&json!("ERROR"), &json!(410)));
    assert!(older.next().await.is_none());
}

// WCH-2, WCH-5
#[tokio::test(start_paused = true)]
async fn an_event_is_printed_once_for_all_watches_of_its_form() {
    let cluster = Cluster::start();
    for accept in [
        "application/json",
        "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
        "application/json;as=Table;g=meta.k8s.io;v=v1",
    ] {
        let path = watch_path(&cluster, "");
        let (mut one, mut other) = (cluster.watch_as(&path, accept).await, cluster.watch_as(&path, accept).await);
        // The first event of a table has columns; the second one is like all later ones.
        cluster.map("a", json!({})).await;
        cluster.delete(&map_path("a")).await;
        for _ in 0..2 {
            let (first, second) = (one.bytes().await, other.bytes().await);
            assert_eq!(first.as_ptr(), second.as_ptr(), "{accept}: the same bytes, not equal ones");
        }
    }
}

// SWATCH-8
#[tokio::test(start_paused = true)]
async fn a_streaming_list_waits_for_its_version_but_not_long() {
    let cluster = Cluster::start();
    cluster.map("a", json!({})).await;
    let path = |version: u64| {
        let query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
        format!("{MAPS}?{query}&resourceVersion={version}")
    };
    let mut next = cluster.watch(&path(cluster.server.revision() + 1)).await;
    assert!(next.ready().is_empty());
    cluster.map("b", json!({})).await;
    pass(Duration::from_millis(100)).await;
    assert_eq!(next.seen()[..2], ["ADDED a", "ADDED b"]);
    let current = cluster.server.revision();
    let mut never = cluster.watch(&path(9_999_999_999)).await;
    let started = tokio::time::Instant::now();
    let event = never.next().await.unwrap();
    let waited = started.elapsed();
    assert!((Duration::from_secs(3)..Duration::from_millis(3_200)).contains(&waited), "{waited:?}");
    let text = format!("Timeout: Too large resource version: 9999999999, current: {current}");
    assert_eq!(
        (&event["type"], &event["object"]["message"], &event["object"]["code"]),
        (&json!("ERROR"), &json!(text), &json!(504))
    );
    assert_eq!(never.next().await, None);
}
