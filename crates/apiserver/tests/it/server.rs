//! The server as a value: its builder and its handle.

use std::time::Duration;

use futures::future::join_all;
use kubewright_apiserver::{ApiServer, Clock, Controllers};
use kubewright_middleware::Verb;
use serde_json::{Value, json};

use crate::cluster::{Cluster, MAPS, map_path, pass, widgets};

fn definition(scope: &str) -> Value {
    let mut definition = widgets(json!({"type": "object"}));
    definition["spec"]["scope"] = scope.into();
    definition
}

// SRV-3
#[tokio::test(start_paused = true)]
async fn definitions_of_the_builder_are_in_force_or_refused_by_name() {
    let cluster = Cluster::from(ApiServer::builder().crds([definition("Cluster")]).build().unwrap());
    assert_eq!(cluster.get("/apis/ex.io/v1/widgets").await.names(), Vec::<&str>::new());
    let error = ApiServer::builder().crds([definition("Elsewhere")]).build().unwrap_err();
    assert!(error.to_string().contains("widgets.ex.io"), "{error}");
}

/// Returns the group versions of a server, each as the path of its resources.
async fn group_versions(cluster: &Cluster) -> Vec<String> {
    let groups = cluster.get("/apis").await.body;
    let groups = groups["groups"].as_array().unwrap().iter().flat_map(|group| group["versions"].as_array().unwrap());
    let named = groups.map(|version| format!("/apis/{}", version["groupVersion"].as_str().unwrap()));
    std::iter::once("/api/v1".to_owned()).chain(named).collect()
}

// SARC-3
#[tokio::test(start_paused = true)]
async fn every_kind_is_listed_watched_shown_as_a_table_and_deleted_as_a_whole() {
    const TABLE: (&str, &str) = ("accept", "application/json;as=Table;g=meta.k8s.io;v=v1");
    let cluster = Cluster::from(ApiServer::builder().crds([definition("Namespaced")]).build().unwrap());
    let mut kinds = 0;
    for path in group_versions(&cluster).await {
        for resource in cluster.get(&path).await.body["resources"].as_array().unwrap() {
            let can = |verb: &str| resource["verbs"].as_array().unwrap().iter().any(|known| known == verb);
            if !can("list") {
                continue;
            }
            kinds += 1;
            let scope = if resource["namespaced"] == true { "/namespaces/default" } else { "" };
            let path = format!("{path}{scope}/{}", resource["name"].as_str().unwrap());
            let list = cluster.get(&path).await;
            let kind = format!("{}List", resource["kind"].as_str().unwrap());
            assert_eq!((list.code, list.body["kind"].as_str()), (200, Some(kind.as_str())), "{path}");
            let table = cluster.send("GET", &path, None, &[TABLE]).await;
            assert_eq!((table.code, &table.body["kind"]), (200, &json!("Table")), "{path}");
            if can("watch") {
                assert_eq!(cluster.watch(&format!("{path}?watch=true")).await.code, 200, "{path}");
            }
            if can("deletecollection") {
                assert_eq!(cluster.delete(&format!("{path}?dryRun=All")).await.code, 200, "{path}");
            }
        }
    }
    assert!(kinds > 60, "only {kinds} kinds");
}

// FRK-4
#[tokio::test(start_paused = true)]
async fn seeded_objects_are_stored_exactly_as_they_are() {
    let cluster = Cluster::start();
    let object = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "d", "namespace": "default", "generation": 7, "finalizers": ["x.io/f"], "deletionTimestamp": "2026-01-01T00:00:00Z"},
        "status": {"replicas": 3},
    });
    let mut watch = cluster.watch("/apis/apps/v1/namespaces/default/deployments?watch=true").await;
    assert!(watch.ready().is_empty());
    cluster.server.seed([object]).unwrap();
    let found = cluster.get("/apis/apps/v1/namespaces/default/deployments/d").await.body;
    assert_eq!(
        (&found["metadata"]["generation"], &found["status"], found.get("spec")),
        (&json!(7), &json!({"replicas": 3}), None)
    );
    assert_eq!(watch.seen(), ["ADDED d"]);
    let unknown = cluster.server.seed([json!({"apiVersion": "ex.io/v1", "kind": "Nothing", "metadata": {"name": "n"}})]);
    assert!(unknown.unwrap_err().to_string().contains("Nothing"));
}

// GC-4, DIF-4
#[tokio::test(start_paused = true)]
async fn without_controllers_a_foreground_delete_waits_until_they_run() {
    let cluster = Cluster::from(ApiServer::builder().controllers(Controllers::Ticked).build().unwrap());
    cluster.map("a", json!({})).await;
    cluster.delete(&format!("{}?propagationPolicy=Foreground", map_path("a"))).await;
    assert_eq!(cluster.get(&map_path("a")).await.code, 200);
    cluster.server.tick().await;
    assert_eq!(cluster.get(&map_path("a")).await.code, 404);
}

// UPD-2, UPD-8, SARC-4
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_patches_all_succeed_and_one_of_equal_updates_does() {
    let cluster = std::sync::Arc::new(Cluster::start());
    let map = cluster.map("a", json!({})).await;
    let patches = (0..50).map(|index| {
        let cluster = cluster.clone();
        tokio::spawn(async move { cluster.merge(&map_path("a"), json!({"data": {(format!("k{index}")): "v"}})).await.code })
    });
    let codes = join_all(patches).await;
    assert!(codes.into_iter().all(|code| code.unwrap() == 200));
    let present = cluster.get(&map_path("a")).await.body;
    assert_eq!(present["data"].as_object().unwrap().len(), 50);
    let updates = (0..50).map(|index| {
        let (cluster, mut object) = (cluster.clone(), present.clone());
        object["data"]["winner"] = index.to_string().into();
        tokio::spawn(async move { cluster.put(&map_path("a"), object).await.code })
    });
    let codes: Vec<_> = join_all(updates).await.into_iter().map(Result::unwrap).collect();
    assert_eq!((codes.iter().filter(|code| **code == 200).count(), codes.iter().filter(|code| **code == 409).count()), (1, 49));
    assert_eq!(map["kind"], "ConfigMap");
}

// DET-3
#[tokio::test(start_paused = true)]
async fn equal_seeds_and_requests_give_equal_answers() {
    let (one, other) = (Cluster::start(), Cluster::start());
    for cluster in [&one, &other] {
        cluster.post(MAPS, json!({"metadata": {"generateName": "g-"}})).await;
    }
    assert_eq!(one.get(MAPS).await.body, other.get(MAPS).await.body);
}

// DIF-4
#[tokio::test(start_paused = true)]
async fn a_server_that_is_ticked_does_nothing_in_between() {
    let ticked = ApiServer::builder().controllers(Controllers::Ticked).event_ttl(Duration::from_secs(60));
    let cluster = Cluster::from(ticked.build().unwrap());
    let events = "/api/v1/namespaces/default/events";
    let involved = json!({"kind": "ConfigMap", "namespace": "default", "name": "a"});
    let created = cluster.post(events, json!({"metadata": {"name": "e"}, "involvedObject": involved})).await;
    assert_eq!(created.code, 201, "{}", created.body);
    cluster.server.tick().await;
    pass(Duration::from_secs(120)).await;
    assert_eq!(cluster.get(&format!("{events}/e")).await.code, 200);
    cluster.server.tick().await;
    assert_eq!(cluster.get(&format!("{events}/e")).await.code, 404);
}

// DET-1, DET-2, META-1
#[tokio::test]
async fn every_time_is_the_clocks_and_every_id_the_seeds() {
    let server = |seed: u64| {
        let clock = Clock::manual("2026-01-01T00:00:00Z".parse().unwrap());
        Cluster::from(ApiServer::builder().clock(clock).seed(seed).build().unwrap())
    };
    let hour = Duration::from_secs(3600);
    let mut uids = Vec::new();
    for seed in [7, 7, 8] {
        let cluster = server(seed);
        cluster.server.clock().advance(hour);
        let map = json!({"metadata": {"generateName": "m-", "finalizers": ["x.io/hold"]}, "data": {"k": "v"}});
        let created = cluster.post(MAPS, map).await;
        let (body, one) = (&created.body, "2026-01-01T01:00:00Z");
        assert_eq!(
            (&body["metadata"]["creationTimestamp"], &body["metadata"]["managedFields"][0]["time"]),
            (&json!(one), &json!(one))
        );
        assert_eq!(created.headers["date"], "Thu, 01 Jan 2026 01:00:00 GMT");
        cluster.server.clock().advance(hour);
        let name = body["metadata"]["name"].as_str().unwrap();
        let deleted = cluster.delete(&format!("{MAPS}/{name}")).await;
        assert_eq!(deleted.body["metadata"]["deletionTimestamp"], "2026-01-01T02:00:00Z");
        cluster.server.clock().advance(hour);
        let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        cluster.post(definitions, definition("Cluster")).await;
        let definition = cluster.get(&format!("{definitions}/widgets.ex.io")).await.body;
        assert_eq!(definition["status"]["conditions"][0]["lastTransitionTime"], "2026-01-01T03:00:00Z");
        uids.push((body["metadata"]["uid"].clone(), name.to_owned(), definition["metadata"]["uid"].clone()));
    }
    assert_eq!(uids[0], uids[1]);
    assert!(uids[0].0 != uids[2].0 && uids[0].1 != uids[2].1 && uids[0].2 != uids[2].2, "{uids:?}");
}

// DET-5, CTL-1
#[tokio::test]
async fn a_failed_garbage_collection_is_not_retried_before_the_clock_advances() {
    let clock = Clock::manual("2026-01-01T00:00:00Z".parse().unwrap());
    let cluster = Cluster::from(ApiServer::builder().clock(clock).seed(7).build().unwrap());
    let owner = cluster.map("owner", json!({})).await;
    let reference = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"]});
    cluster.map("dependent", json!({"metadata": {"ownerReferences": [reference]}})).await;
    let collector = "system:serviceaccount:kube-system:generic-garbage-collector";
    cluster.server.faults().on(Verb::Delete).by_user(collector).times(1).forbidden();
    cluster.delete(&map_path("owner")).await;
    for _ in 0..50 {
        cluster.server.tick().await;
        tokio::task::yield_now().await;
    }
    assert_eq!(cluster.get(&map_path("dependent")).await.code, 200);
    cluster.server.clock().advance(Duration::from_secs(1));
    cluster.server.tick().await;
    assert_eq!(cluster.get(&map_path("dependent")).await.code, 404);
}
