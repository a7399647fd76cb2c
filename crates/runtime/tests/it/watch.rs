use std::time::Duration;

use kubewright_machinery::object::{GroupKind, Key, ObjectExt as _};
use kubewright_runtime::cluster::{ApiRequest, PatchKind};
use kubewright_runtime::watch::{Cause, ProjectedStore, WatchSpec, WatchState, project_with};
use serde_json::{Value, json};

use super::{cluster, config_map, config_maps, create, server, settle, widgets};

fn demo() -> WatchSpec {
    WatchSpec::new(GroupKind::new("", "ConfigMap")).labels("app")
}

fn texts(store: &ProjectedStore<String>) -> Vec<String> {
    let mut texts: Vec<_> = store.list().iter().map(|(key, text)| format!("{}={text}", key.name())).collect();
    texts.sort();
    texts
}

fn text(object: &Value) -> String {
    object["data"]["text"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test(start_paused = true)]
async fn a_store_follows_the_server() {
    let server = server();
    let cluster = cluster(&server);
    create(&cluster, &config_map("a", "1")).await;
    let store = cluster.watches().subscribe(demo(), project_with(text));
    store.synced().await;
    settle().await;
    create(&cluster, &config_map("b", "2")).await;
    let patch = json!({"data": {"text": "3"}});
    cluster.send(&ApiRequest::patch(&config_maps(), "default", "a", PatchKind::Merge, &patch)).await.unwrap();
    settle().await;
    assert_eq!(texts(&store), ["a=3", "b=2"]);
    cluster.send(&ApiRequest::delete(&config_maps(), "default", "b")).await.unwrap();
    settle().await;
    assert_eq!(texts(&store), ["a=3"]);
    // An object that loses the label leaves like a deleted one (WATCH-8).
    let unlabel = json!({"metadata": {"labels": {"app": null}}});
    cluster.send(&ApiRequest::patch(&config_maps(), "default", "a", PatchKind::Merge, &unlabel)).await.unwrap();
    settle().await;
    assert!(store.is_empty());
}

// WATCH-7: the versions of answers and events are the same, so each write is reported once.
#[tokio::test(start_paused = true)]
async fn own_writes_are_reported_once() {
    let server = server();
    let cluster = cluster(&server);
    let store = cluster.watches().subscribe(demo(), project_with(text));
    store.synced().await;
    settle().await;
    let mut changes = store.changes();
    for n in 0..20 {
        store.record_write(&create(&cluster, &config_map(&format!("c{n}"), "x")).await);
    }
    settle().await;
    let causes: Vec<_> = std::iter::from_fn(|| changes.try_next()).map(|change| change.cause).collect();
    assert_eq!(causes, [Cause::OwnWrite; 20]);
}

#[tokio::test(start_paused = true)]
async fn a_deletion_that_we_recorded_is_not_undone() {
    let server = server();
    let cluster = cluster(&server);
    let made = create(&cluster, &config_map("a", "1")).await;
    let store = cluster.watches().subscribe(demo(), project_with(text));
    store.synced().await;
    settle().await;
    let mut changes = store.changes();
    cluster.send(&ApiRequest::delete(&config_maps(), "default", "a")).await.unwrap();
    store.record_delete(&Key::new("default", "a"), made.uid());
    assert!(store.is_empty());
    settle().await;
    let told = std::iter::from_fn(|| changes.try_next()).count();
    assert_eq!(told, 2, "that it was there, and that it went");
}

// STORE-6
#[tokio::test(start_paused = true)]
async fn a_restarted_server_is_followed_on() {
    let server = server();
    let cluster = cluster(&server);
    create(&cluster, &config_map("a", "1")).await;
    create(&cluster, &config_map("b", "1")).await;
    let store = cluster.watches().subscribe(demo(), project_with(text));
    store.synced().await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    let mut changes = store.changes();
    while changes.try_next().is_some() {}
    server.restart();
    cluster.send(&ApiRequest::delete(&config_maps(), "default", "b")).await.unwrap();
    tokio::time::sleep(Duration::from_secs(10)).await;
    let told: Vec<_> = std::iter::from_fn(|| changes.try_next()).map(|change| change.key.name().to_owned()).collect();
    assert_eq!(told, ["b"]);
    assert_eq!(store.status().state, WatchState::Watching);
}

// WATCH-10
#[tokio::test(start_paused = true)]
async fn a_type_is_watched_as_soon_as_it_is_defined_and_gone_with_its_definition() {
    let server = server();
    let cluster = cluster(&server);
    cluster.follow_types();
    let kind = GroupKind::new("example.dev", "Widget");
    let store = cluster.watches().subscribe(WatchSpec::new(kind), project_with(|object: &Value| object.name().to_owned()));
    assert_eq!(store.settled().await, WatchState::NotServed);
    tokio::time::sleep(Duration::from_secs(100)).await;
    server.create(widgets()).await.unwrap();
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(store.settled().await, WatchState::Watching);
    let widget = json!({"apiVersion": "example.dev/v1", "kind": "Widget", "metadata": {"namespace": "default", "name": "w"}});
    server.create(widget).await.unwrap();
    settle().await;
    assert_eq!(store.len(), 1);
    let definitions = GroupKind::new("apiextensions.k8s.io", "CustomResourceDefinition");
    let definitions = cluster.discovery().resolve(&definitions).await.unwrap().unwrap();
    cluster.send(&ApiRequest::delete(&definitions, "", "widgets.example.dev")).await.unwrap();
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert!(store.is_empty());
    assert_eq!(store.status().state, WatchState::NotServed);
}

// An idle watch costs only its renewals on this server, too.
#[tokio::test(start_paused = true)]
async fn ten_quiet_minutes_cost_renewals_only() {
    let server = server();
    let cluster = cluster(&server);
    create(&cluster, &config_map("a", "1")).await;
    let store = cluster.watches().subscribe(demo(), project_with(text));
    store.synced().await;
    settle().await;
    let before = cluster.request_counts();
    tokio::time::sleep(Duration::from_secs(600)).await;
    let after = cluster.request_counts();
    assert_eq!(after.watches - before.watches, 2);
    assert_eq!((after.reads, after.lists, after.writes), (before.reads, before.lists, before.writes));
    assert!(cluster.watches().health()[0].healthy(cluster.clock().moment()));
}
