//! Forks, checkpoints, manifests, and settling.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kubewright_apiserver::api::Names;
use kubewright_apiserver::server::Dump;
use kubewright_apiserver::workloads::{StageDelays, Workloads};
use kubewright_apiserver::{ApiServer, Controllers};
use kubewright_machinery::yaml;
use serde_json::{Value, json};

use crate::cluster::{self, Cluster, MAPS, map_path, pass};

fn epoch() -> jiff::Timestamp {
    "2026-01-01T00:00:00Z".parse().unwrap()
}

fn widgets() -> Value {
    cluster::widgets(json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}))
}

const WIDGETS: &str = "/apis/ex.io/v1/namespaces/default/widgets";

// FRK-1
#[tokio::test(start_paused = true)]
async fn a_fork_has_all_objects_and_changes_independently() {
    let cluster = Cluster::start();
    cluster.server.create(widgets()).await.unwrap();
    let owner = cluster.map("owner", json!({})).await;
    let fork = Cluster::from(cluster.server.fork());
    assert_eq!(fork.get(MAPS).await.body, cluster.get(MAPS).await.body);
    assert_eq!(
        fork.post(WIDGETS, json!({"apiVersion": "ex.io/v1", "kind": "Widget", "metadata": {"name": "w"}})).await.code,
        201
    );
    assert_eq!(cluster.get(WIDGETS).await.names(), Vec::<&str>::new());
    let reference = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"]});
    fork.map("dependent", json!({"metadata": {"ownerReferences": [reference]}})).await;
    let mut watch = cluster.watch(&format!("{MAPS}?watch=true&resourceVersion={}", cluster.server.revision())).await;
    fork.delete(&map_path("owner")).await;
    assert_eq!((fork.get(&map_path("dependent")).await.code, cluster.get(&map_path("owner")).await.code), (404, 200));
    assert!(watch.ready().is_empty());
    assert!(!fork.server.journal().all().is_empty());
    cluster.server.faults().on_any().unavailable();
    assert_eq!((fork.get(MAPS).await.code, cluster.get(MAPS).await.code), (200, 503));
}

// FRK-1, DET-3
#[tokio::test(start_paused = true)]
async fn forks_of_equal_servers_are_equal_and_forks_of_one_are_not() {
    let uid = async |cluster: &Cluster| {
        Cluster::from(cluster.server.fork()).map("a", json!({})).await["metadata"]["uid"].as_str().unwrap().to_owned()
    };
    let (one, other) = (Cluster::start(), Cluster::start());
    let (a, b) = (uid(&one).await, uid(&other).await);
    assert_eq!(a, b);
    assert_ne!(uid(&one).await, a);
}

async fn with_a_pod_that_is_ready_in_half_a_minute() -> Cluster {
    let mut delays = StageDelays::NONE;
    delays.ready = Duration::from_secs(30);
    let server = ApiServer::builder().epoch(epoch()).seed(7).workloads(Workloads::Pods).stage_delays(delays).build().unwrap();
    let cluster = Cluster::from(server);
    let pod = json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    assert_eq!(cluster.post("/api/v1/namespaces/default/pods", pod).await.code, 201);
    cluster
}

// FRK-1, STG-2: the planned work of controllers is part of a fork.
#[tokio::test(start_paused = true)]
async fn a_fork_continues_with_the_planned_work() {
    let cluster = with_a_pod_that_is_ready_in_half_a_minute().await;
    pass(Duration::from_secs(10)).await;
    let fork = Cluster::from(cluster.server.fork());
    let phase = async |cluster: &Cluster| cluster.get("/api/v1/namespaces/default/pods/p").await.body["status"]["phase"].clone();
    assert_eq!(phase(&fork).await, "Pending");
    pass(Duration::from_secs(21)).await;
    assert_eq!((phase(&fork).await, phase(&cluster).await), (json!("Running"), json!("Running")));
}

// FRK-2, SRV-2
#[tokio::test(start_paused = true)]
async fn a_thousand_forks_live_in_one_process() {
    let cluster = Cluster::start();
    let objects = (0..1000)
        .map(|n| json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": format!("s{n}"), "namespace": "default"}}));
    cluster.server.seed(objects).unwrap();
    let forks: Vec<_> = (0..1000).map(|_| Cluster::from(cluster.server.fork())).collect();
    for (n, fork) in forks.iter().enumerate() {
        fork.map(&format!("m{n}"), json!({})).await;
    }
    for (n, fork) in forks.iter().enumerate().step_by(97) {
        assert_eq!(fork.get(MAPS).await.names(), ["kube-root-ca.crt".to_owned(), format!("m{n}")]);
        assert_eq!(fork.get("/api/v1/secrets?limit=1").await.body["metadata"]["remainingItemCount"], 999);
    }
}

// FRK-3
#[tokio::test(start_paused = true)]
async fn a_server_restores_the_state_of_a_checkpoint() {
    let cluster = Cluster::start();
    cluster.map("kept", json!({"data": {"k": "1"}})).await;
    let checkpoint = cluster.server.snapshot();
    cluster.merge(&map_path("kept"), json!({"data": {"k": "2"}})).await;
    cluster.map("lost", json!({})).await;
    cluster.server.create(widgets()).await.unwrap();
    let mut watch = cluster.watch(&format!("{MAPS}?watch=true&resourceVersion={}", cluster.server.revision())).await;
    let before = cluster.server.revision();
    cluster.server.restore(&checkpoint);
    assert_eq!(cluster.get(MAPS).await.names(), ["kept", "kube-root-ca.crt"]);
    assert_eq!(cluster.get(&map_path("kept")).await.body["data"]["k"], "1");
    assert_eq!(cluster.get(WIDGETS).await.code, 404);
    assert!(cluster.server.revision() > before && watch.next().await.is_none());
    assert_eq!(cluster.merge(&map_path("kept"), json!({"data": {"k": "3"}})).await.code, 200);
    cluster.server.restore(&checkpoint);
    assert_eq!(cluster.get(&map_path("kept")).await.body["data"]["k"], "1");
}

// FRK-5
#[tokio::test(start_paused = true)]
async fn dumped_manifests_load_into_another_server_and_loading_them_again_changes_nothing() {
    let cluster = Cluster::start();
    cluster.server.create(widgets()).await.unwrap();
    cluster.post("/api/v1/namespaces", json!({"metadata": {"name": "n"}})).await;
    cluster.post(WIDGETS, json!({"apiVersion": "ex.io/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"x": 1}})).await;
    cluster.map("a", json!({"data": {"k": "v"}})).await;
    let manifests = cluster.server.dump(Dump::Manifests);
    assert!(!manifests.contains("resourceVersion") && !manifests.contains("managedFields"), "{manifests}");
    let other = Cluster::start();
    let count = yaml::documents(&manifests).unwrap().len();
    assert_eq!(other.server.load(&manifests).await.unwrap(), count);
    assert_eq!(other.server.dump(Dump::Manifests), manifests);
    let revision = other.server.revision();
    other.server.load(&manifests).await.unwrap();
    assert_eq!(other.server.revision(), revision, "loading what is there changes nothing");
}

// FRK-4, FRK-5
#[tokio::test(start_paused = true)]
async fn a_complete_dump_can_be_seeded() {
    let cluster = Cluster::start();
    cluster.server.create(widgets()).await.unwrap();
    cluster.post(WIDGETS, json!({"apiVersion": "ex.io/v1", "kind": "Widget", "metadata": {"name": "w"}})).await;
    let dump = cluster.server.dump(Dump::Complete);
    let other = Cluster::start();
    other.server.seed(yaml::documents(&dump).unwrap()).unwrap();
    let uid = async |cluster: &Cluster| cluster.get(&format!("{WIDGETS}/w")).await.body["metadata"]["uid"].clone();
    assert_eq!(uid(&cluster).await, uid(&other).await);
}

// FRK-5
#[tokio::test(start_paused = true)]
async fn an_object_that_cannot_be_loaded_is_an_error_that_names_its_kind_or_field() {
    let cluster = Cluster::start();
    let unknown = cluster.server.load("apiVersion: ex.io/v1\nkind: Widget\nmetadata: {name: w}").await.unwrap_err();
    assert!(unknown.to_string().contains("Widget") && unknown.to_string().contains("CustomResourceDefinition"), "{unknown}");
    let refused = cluster.server.load("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: A}").await.unwrap_err();
    assert!(refused.to_string().contains("metadata.name"), "{refused}");
}

// DET-4
#[tokio::test(start_paused = true)]
async fn settling_lets_controllers_and_readers_finish() {
    let server = ApiServer::builder().epoch(epoch()).seed(7).controllers(Controllers::Ticked).build().unwrap();
    let cluster = Arc::new(Cluster::from(server));
    let mut watch = cluster.watch(&format!("{MAPS}?watch=true&resourceVersion={}", cluster.server.revision())).await;
    let seen = Arc::new(AtomicUsize::new(0));
    let counter = seen.clone();
    let reader = tokio::spawn(async move {
        while watch.next().await.is_some() {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    });
    cluster.post("/api/v1/namespaces", json!({"metadata": {"name": "n"}})).await;
    for n in 0..5 {
        cluster.map(&format!("m{n}"), json!({})).await;
    }
    cluster.server.settle().await.unwrap();
    assert_eq!(seen.load(Ordering::Relaxed), 5 + 1, "five and the root certificate of default");
    assert_eq!(cluster.get("/api/v1/namespaces/n/configmaps").await.names(), ["kube-root-ca.crt"]);
    reader.abort();
}

// DET-4
#[tokio::test(start_paused = true)]
async fn settling_fails_with_the_names_of_unfinished_watches_and_loops() {
    let cluster = Cluster::start();
    let mut unread = cluster.watch(&format!("{MAPS}?watch=true&resourceVersion={}", cluster.server.revision())).await;
    assert!(unread.ready().is_empty());
    cluster.map("a", json!({})).await;
    let restless = cluster.server.settle_with("the loop of an operator", || false);
    let unsettled = cluster.server.settle().await.unwrap_err();
    assert_eq!(unsettled.busy, ["1 watches of configmaps with unread events", "the loop of an operator"]);
    drop(restless);
    unread.ready();
    cluster.server.settle().await.unwrap();
}

// DIF-7
#[tokio::test(start_paused = true)]
async fn a_strict_server_refuses_fields_that_only_a_server_sets() {
    let create = |field: &str| json!({"metadata": {"name": "a", field: if field == "generation" { json!(1) } else { json!("2026-01-01T00:00:00Z") }}});
    let strict = Cluster::from(ApiServer::builder().strict(true).build().unwrap());
    for field in ["generation", "uid", "creationTimestamp", "deletionTimestamp"] {
        let refused = strict.post(MAPS, create(field)).await;
        assert_eq!(refused.code, 422, "{field}");
        assert!(refused.message().starts_with("strict mode: "), "{}", refused.message());
        assert_eq!(refused.body["details"]["causes"][0]["field"], format!("metadata.{field}"));
        assert_eq!(Cluster::start().post(MAPS, create(field)).await.code, 201, "{field}");
    }
    strict.map("a", json!({"metadata": {"creationTimestamp": null}})).await;
}

// DIF-1
#[tokio::test(start_paused = true)]
async fn the_first_custom_objects_can_be_made_to_wait() {
    let delay = Duration::from_secs(2);
    let cluster = Cluster::from(ApiServer::builder().epoch(epoch()).cr_create_delay(delay).build().unwrap());
    cluster.server.create(widgets()).await.unwrap();
    let start = tokio::time::Instant::now();
    let mut waits = Vec::new();
    for name in ["a", "b"] {
        let widget = json!({"apiVersion": "ex.io/v1", "kind": "Widget", "metadata": {"name": name}});
        assert_eq!(cluster.post(WIDGETS, widget).await.code, 201);
        waits.push(start.elapsed());
    }
    assert_eq!(waits, [delay, delay]);
}

// DIF-10, OPS-1
#[tokio::test(start_paused = true)]
async fn requests_above_the_in_flight_limit_are_refused_with_a_retry_after_header() {
    let cluster = Arc::new(Cluster::from(ApiServer::builder().epoch(epoch()).max_in_flight(2).build().unwrap()));
    let future = cluster.server.revision() + 100;
    let waiting: Vec<_> = (0..2)
        .map(|_| {
            let cluster = cluster.clone();
            tokio::spawn(async move { cluster.get(&format!("{MAPS}?resourceVersion={future}")).await.code })
        })
        .collect();
    pass(Duration::from_millis(10)).await;
    let refused = cluster.get(MAPS).await;
    assert_eq!((refused.code, refused.headers["retry-after"].to_str().unwrap()), (429, "1"));
    assert_eq!(refused.body, json!("Too many requests, please try again later.\n"));
    assert_eq!(cluster.watch(&format!("{MAPS}?watch=true")).await.code, 200, "watches do not count");
    for waiting in waiting {
        assert_eq!(waiting.await.unwrap(), 504);
    }
    assert_eq!(cluster.get(MAPS).await.code, 200);
}

// DET-6
#[tokio::test(start_paused = true)]
async fn generated_names_can_count() {
    let cluster = Cluster::from(ApiServer::builder().names(Names::Counter).build().unwrap());
    cluster.map("g-00002", json!({})).await;
    for name in ["g-00001", "g-00003"] {
        let created = cluster.post(MAPS, json!({"metadata": {"generateName": "g-"}})).await;
        assert_eq!(created.body["metadata"]["name"], name);
    }
}

// FRK-1
#[tokio::test(start_paused = true)]
async fn time_does_not_move_a_fork_at_rest() {
    let cluster = with_a_pod_that_is_ready_in_half_a_minute().await;
    let origin = cluster.server.fork_at_rest();
    let revision = origin.revision();
    pass(Duration::from_secs(60)).await;
    assert_eq!(origin.revision(), revision);
    let fork = Cluster::from(origin.fork());
    pass(Duration::from_secs(1)).await;
    assert_eq!(fork.get("/api/v1/namespaces/default/pods/p").await.body["status"]["phase"], "Running");
}

// SRV-6
#[tokio::test(start_paused = true)]
async fn manifest_dumps_omit_only_the_api_services_that_each_server_creates_itself() {
    let cluster = Cluster::start();
    let label = "kube-aggregator.kubernetes.io/automanaged";
    cluster.map("labelled", json!({"metadata": {"labels": {label: "true"}}})).await;
    let service = |value: &str| {
        let group = format!("{value}.ex.io");
        let spec = json!({
            "group": group, "version": "v1", "groupPriorityMinimum": 1, "versionPriority": 1,
            "service": {"name": "s", "namespace": "default"}, "insecureSkipTLSVerify": true,
        });
        json!({"metadata": {"name": format!("v1.{group}"), "labels": {label: value}}, "spec": spec})
    };
    for value in ["true", "onstart", "false"] {
        let answer = cluster.post("/apis/apiregistration.k8s.io/v1/apiservices", service(value)).await;
        assert_eq!(answer.code, 201, "{}", answer.body);
    }
    let text = cluster.server.dump(Dump::Manifests);
    let has = |name: &str| text.contains(&format!("name: {name}\n"));
    assert!(has("labelled") && has("v1.false.ex.io") && !has("v1.true.ex.io") && !has("v1.onstart.ex.io"), "{text}");
}
