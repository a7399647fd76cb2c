//! Tests of the discovery of types.

use std::time::Duration;

use kubewright_machinery::object::{GroupKind, GroupVersionKind};

use crate::cluster::{ApiResource, ApiSubresource};
use crate::testing::{Fault, Server};

fn widgets() -> GroupKind {
    GroupKind::new("example.dev", "Widget")
}

async fn pass(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

// WATCH-10
#[tokio::test(start_paused = true)]
async fn all_types_are_known_after_two_requests() {
    let server = Server::new();
    server.serve_widgets(true);
    let discovery = server.cluster().discovery().clone();
    let resource = discovery.resolve(&widgets()).await.unwrap().unwrap();
    assert_eq!((resource.version.as_str(), resource.plural.as_str(), resource.namespaced), ("v2", "widgets", true));
    assert!(resource.has_subresource("status") && resource.supports("watch"));
    let older = discovery.resolve_gvk(&GroupVersionKind::new("example.dev", "v1", "Widget")).await.unwrap().unwrap();
    assert_eq!(older.version, "v1");
    assert!(discovery.cached(&GroupKind::new("", "ConfigMap"), Some("v1")).is_some());
    assert_eq!(server.journal(), ["GET /api", "GET /apis"]);
}

// WATCH-10
#[tokio::test(start_paused = true)]
async fn an_older_server_is_asked_group_by_group() {
    let server = Server::new();
    server.serve_widgets(true);
    server.without_aggregated_discovery();
    let discovery = server.cluster().discovery().clone();
    let resource = discovery.resolve(&widgets()).await.unwrap().unwrap();
    assert_eq!(resource.version, "v2", "the preferred version comes first");
    let pods = discovery.cached(&GroupKind::new("", "Pod"), None).unwrap();
    assert_eq!(names_of(&pods), ("pod", "po", "all"));
    let subresources = [
        subresource("status", GroupVersionKind::new("", "v1", "Pod"), &["get", "patch"]),
        subresource("eviction", GroupVersionKind::new("policy", "v1", "Eviction"), &["create"]),
    ];
    assert_eq!(pods.subresources, subresources);
}

// KUS-10
#[tokio::test(start_paused = true)]
async fn names_and_subresources_of_types_are_known() {
    let server = Server::new();
    server.serve_widgets(true);
    let discovery = server.cluster().discovery().clone();
    let resource = discovery.resolve(&widgets()).await.unwrap().unwrap();
    assert_eq!(names_of(&resource), ("widget", "sh", "all"));
    let subresources = [
        subresource("status", resource.gvk(), &["get", "patch"]),
        subresource("scale", GroupVersionKind::new("autoscaling", "v1", "Scale"), &["get"]),
    ];
    assert_eq!(resource.subresources, subresources);
}

/// Returns the singular name, the short name and the category of a type that has one of each.
fn names_of(resource: &ApiResource) -> (&str, &str, &str) {
    let only = |names: &'static str, list: &[String]| assert_eq!(list.len(), 1, "{names}");
    only("short names", &resource.short_names);
    only("categories", &resource.categories);
    (&resource.singular, &resource.short_names[0], &resource.categories[0])
}

fn subresource(name: &str, gvk: GroupVersionKind, verbs: &[&str]) -> ApiSubresource {
    ApiSubresource { name: name.to_owned(), gvk, verbs: verbs.iter().map(|verb| (*verb).to_owned()).collect() }
}

// WATCH-10
#[tokio::test(start_paused = true)]
async fn an_unknown_type_is_looked_for_again_but_only_once_per_second() {
    let server = Server::new();
    let cluster = server.cluster();
    let discovery = cluster.discovery();
    assert!(discovery.resolve(&GroupKind::new("", "ConfigMap")).await.unwrap().is_some());
    server.serve_widgets(true);
    let before = cluster.clock().moment();
    assert!(discovery.resolve(&widgets()).await.unwrap().is_some());
    assert_eq!(cluster.clock().moment().since(before), Duration::from_secs(1));
    assert_eq!(server.requests("GET /apis"), 2);
}

#[tokio::test(start_paused = true)]
async fn concurrent_type_lookups_at_startup_share_one_discovery() {
    let server = Server::new();
    let cluster = server.cluster();
    let kind = GroupKind::new("", "ConfigMap");
    let asks = (0..10).map(|_| async { cluster.discovery().resolve(&kind).await.unwrap() });
    assert!(futures::future::join_all(asks).await.iter().all(Option::is_some));
    assert_eq!(server.requests("GET /apis"), 1);
}

#[tokio::test(start_paused = true)]
async fn concurrent_lookups_of_a_missing_type_share_one_new_discovery() {
    let server = Server::new();
    let discovery = server.cluster().discovery().clone();
    let asks = (0..10).map(|_| async { discovery.resolve(&widgets()).await.unwrap() });
    assert!(futures::future::join_all(asks).await.iter().all(Option::is_none));
    assert_eq!(server.requests("GET /apis"), 2);
}

// WATCH-10
#[tokio::test(start_paused = true)]
async fn unwatched_types_are_read_again_after_ten_minutes_when_used() {
    let server = Server::new();
    let cluster = server.cluster();
    let config_maps = GroupKind::new("", "ConfigMap");
    cluster.discovery().resolve(&config_maps).await.unwrap();
    cluster.clock().sleep(Duration::from_secs(599)).await;
    cluster.discovery().resolve(&config_maps).await.unwrap();
    assert_eq!(server.requests("GET /apis"), 1);
    cluster.clock().sleep(Duration::from_secs(1)).await;
    cluster.discovery().resolve(&config_maps).await.unwrap();
    assert_eq!(server.requests("GET /apis"), 2);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_discovery_leaves_the_types_invalidated() {
    let server = Server::new();
    let cluster = server.cluster();
    let discovery = cluster.discovery();
    discovery.all().await.unwrap();
    discovery.invalidate();
    server.fail_next("GET /apis", Fault::Hang);
    assert!(cluster.clock().limit(Duration::from_secs(5), discovery.all()).await.is_err());
    let before = server.requests("GET /apis");
    discovery.all().await.unwrap();
    assert_eq!(server.requests("GET /apis"), before + 1);
}

#[tokio::test(start_paused = true)]
async fn a_known_type_stays_known_while_the_server_is_away() {
    let server = Server::new();
    let discovery = server.cluster().discovery().clone();
    let config_maps = GroupKind::new("", "ConfigMap");
    discovery.resolve(&config_maps).await.unwrap();
    discovery.invalidate();
    server.fail_always("GET", Fault::Status(503, "ServiceUnavailable"));
    pass(2).await;
    assert!(discovery.resolve(&config_maps).await.unwrap().is_some());
    assert!(discovery.resolve(&widgets()).await.is_err());
}

// WATCH-10: a task that knows a type waits a second at most for a newer table, and no task waits for another's turn.
#[tokio::test(start_paused = true)]
async fn a_known_type_does_not_wait_for_a_server_that_hangs() {
    let server = Server::new();
    let cluster = server.cluster();
    let config_maps = GroupKind::new("", "ConfigMap");
    cluster.discovery().resolve(&config_maps).await.unwrap();
    pass(10).await;
    server.fail_always("GET /apis", Fault::Hang);
    cluster.discovery().invalidate();
    let before = cluster.clock().moment();
    for _ in 0..2 {
        let asks = (0..10).map(|_| async { cluster.discovery().resolve(&config_maps).await.unwrap() });
        assert!(futures::future::join_all(asks).await.iter().all(Option::is_some));
        assert_eq!(cluster.clock().moment().since(before), Duration::from_secs(1));
    }
    assert_eq!(server.requests("GET /apis"), 2);
}

// WATCH-10
#[tokio::test(start_paused = true)]
async fn new_types_are_discovered_when_a_slow_server_answers() {
    let server = Server::new();
    let cluster = server.cluster();
    let config_maps = GroupKind::new("", "ConfigMap");
    cluster.discovery().resolve(&config_maps).await.unwrap();
    pass(10).await;
    server.fail_always("GET /apis", Fault::Late(5));
    server.serve_widgets(true);
    cluster.discovery().invalidate();
    cluster.discovery().resolve(&config_maps).await.unwrap();
    pass(5).await;
    assert!(cluster.discovery().cached(&widgets(), None).is_some());
}

// WATCH-10
#[tokio::test(start_paused = true)]
async fn concurrent_resolutions_share_one_failed_discovery_request() {
    for (fault, seconds) in [(Fault::Hang, 30), (Fault::Status(503, "ServiceUnavailable"), 0)] {
        let server = Server::new();
        server.fail_always("GET /apis", fault);
        let cluster = server.cluster();
        let before = cluster.clock().moment();
        let config_maps = GroupKind::new("", "ConfigMap");
        let asks = (0..10).map(|_| cluster.discovery().resolve(&config_maps));
        for answer in futures::future::join_all(asks).await {
            assert!(answer.unwrap_err().is_transient());
        }
        assert_eq!(cluster.clock().moment().since(before), Duration::from_secs(seconds));
        assert_eq!(server.requests("GET /apis"), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_version_that_is_not_served_names_those_that_are() {
    let server = Server::new();
    server.serve_widgets(true);
    let error = server.cluster().discovery().require(&GroupVersionKind::new("example.dev", "v3", "Widget")).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "find type example.dev/v3 Widget: the cluster does not serve it in this version, but in v2, v1"
    );
}
