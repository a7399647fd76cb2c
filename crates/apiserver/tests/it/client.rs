//! The kube client in the same process.

use futures::{StreamExt as _, TryStreamExt as _};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use kube::runtime::watcher::{self, watcher};
use kubewright_apiserver::Identity;
use serde_json::json;

use crate::cluster::Cluster;

fn map(name: &str) -> ConfigMap {
    serde_json::from_value(json!({"metadata": {"name": name}, "data": {"k": "v"}})).unwrap()
}

// CON-1
#[tokio::test(start_paused = true)]
async fn a_kube_client_creates_reads_changes_and_deletes() {
    let cluster = Cluster::start();
    let maps: Api<ConfigMap> = Api::default_namespaced(cluster.server.client(Identity::admin()));
    maps.create(&PostParams::default(), &map("a")).await.unwrap();
    assert_eq!(maps.get("a").await.unwrap().data.unwrap()["k"], "v");
    let patch = Patch::Merge(json!({"data": {"k": "w"}}));
    assert_eq!(maps.patch("a", &PatchParams::default(), &patch).await.unwrap().data.unwrap()["k"], "w");
    assert_eq!(maps.list(&ListParams::default().fields("metadata.name=a")).await.unwrap().items.len(), 1);
    maps.delete("a", &DeleteParams::default()).await.unwrap();
    assert!(maps.get_opt("a").await.unwrap().is_none());
}

// CON-2
#[tokio::test(start_paused = true)]
async fn a_kube_client_watches() {
    let cluster = Cluster::start();
    let maps: Api<ConfigMap> = Api::default_namespaced(cluster.server.client(Identity::admin()));
    let version = cluster.server.revision().to_string();
    let mut events = maps.watch(&WatchParams::default(), &version).await.unwrap().boxed();
    maps.create(&PostParams::default(), &map("a")).await.unwrap();
    let event = events.try_next().await.unwrap().unwrap();
    assert!(matches!(event, WatchEvent::Added(map) if map.metadata.name.as_deref() == Some("a")));
}

// SCLI-21, SWATCH-8
#[tokio::test(start_paused = true)]
async fn the_watcher_of_kube_runtime_lists_and_streams() {
    let cluster = Cluster::start();
    let maps: Api<ConfigMap> = Api::default_namespaced(cluster.server.client(Identity::admin()));
    maps.create(&PostParams::default(), &map("a")).await.unwrap();
    for config in [watcher::Config::default(), watcher::Config::default().streaming_lists()] {
        let mut names = Vec::new();
        let mut events = watcher(maps.clone(), config).boxed();
        while let Some(event) = events.try_next().await.unwrap() {
            match event {
                watcher::Event::InitApply(map) => names.push(map.metadata.name.unwrap()),
                watcher::Event::InitDone => break,
                _ => {}
            }
        }
        assert_eq!(names, ["a", "kube-root-ca.crt"]);
    }
}
