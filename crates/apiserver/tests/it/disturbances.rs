//! Faults and disturbances that a test causes.

use std::time::Duration;

use futures::FutureExt as _;
use kubewright_apiserver::ApiServer;
use kubewright_apiserver::api::Writer;
use kubewright_apiserver::controllers::ServerController;
use kubewright_apiserver::store::StoreEvent;
use kubewright_middleware::Verb;
use kubewright_middleware::journal::{Outcome, Record};
use serde_json::{Value, json};

use crate::cluster::{Cluster, MAPS, map_path, pass};

const SECRETS: &str = "/api/v1/namespaces/default/secrets";

fn watch_path(cluster: &Cluster, path: &str) -> String {
    format!("{path}?watch=true&allowWatchBookmarks=true&resourceVersion={}", cluster.server.revision())
}

// FLT-4
#[tokio::test(start_paused = true)]
async fn events_of_one_kind_come_late_and_those_of_another_do_not() {
    let cluster = Cluster::start();
    let mut maps = cluster.watch(&watch_path(&cluster, MAPS)).await;
    let mut secrets = cluster.watch(&watch_path(&cluster, SECRETS)).await;
    cluster.server.delay_events("", "configmaps", Duration::from_secs(5));
    cluster.map("a", json!({})).await;
    cluster.merge(&map_path("a"), json!({"data": {"k": "v"}})).await;
    cluster.post(SECRETS, json!({"metadata": {"name": "s"}})).await;
    assert_eq!((maps.seen(), secrets.seen()), (Vec::<String>::new(), vec!["ADDED s".to_owned()]));
    pass(Duration::from_millis(4999)).await;
    assert!(maps.seen().is_empty());
    pass(Duration::from_millis(1)).await;
    assert_eq!(maps.seen(), ["ADDED a", "MODIFIED a"]);
    cluster.server.delay_events("", "configmaps", Duration::ZERO);
    cluster.map("b", json!({})).await;
    assert_eq!(maps.seen(), ["ADDED b"]);
}

// FLT-4, WCH-6
#[tokio::test(start_paused = true)]
async fn a_bookmark_does_not_overtake_an_event_that_is_held() {
    let cluster = Cluster::start();
    let mut watch = cluster.watch(&watch_path(&cluster, MAPS)).await;
    cluster.server.delay_events("", "configmaps", Duration::from_secs(90));
    cluster.map("a", json!({})).await;
    let start = tokio::time::Instant::now();
    let first = watch.next().await.unwrap();
    assert_eq!((first["type"].as_str(), start.elapsed().as_secs()), (Some("ADDED"), 90));
}

// FLT-4
#[tokio::test(start_paused = true)]
async fn shuffled_events_keep_the_order_of_their_kind_and_no_other() {
    let mut overtaken = false;
    for seed in 0..5 {
        let server = ApiServer::builder().epoch("2026-01-01T00:00:00Z".parse().unwrap()).seed(seed).build().unwrap();
        let cluster = Cluster::from(server);
        let mut maps = cluster.watch(&watch_path(&cluster, MAPS)).await;
        let mut secrets = cluster.watch(&watch_path(&cluster, SECRETS)).await;
        cluster.server.shuffle_events(Duration::from_secs(10));
        for n in 0..5 {
            cluster.map(&format!("m{n}"), json!({})).await;
            cluster.post(SECRETS, json!({"metadata": {"name": format!("s{n}")}})).await;
        }
        let (mut seen, mut maps_seen) = (Vec::new(), 0);
        for _ in 0..200 {
            seen.extend(maps.seen());
            maps_seen = seen.len();
            let secrets = secrets.seen();
            // Secret n was created after map n.
            overtaken |= secrets.iter().any(|name| name[7..].parse::<usize>().is_ok_and(|n| n >= maps_seen));
            pass(Duration::from_millis(100)).await;
        }
        assert_eq!((seen, maps_seen), ((0..5).map(|n| format!("ADDED m{n}")).collect(), 5));
    }
    assert!(overtaken);
}

// FLT-4
#[tokio::test(start_paused = true)]
async fn stale_lists_are_old_but_not_older_than_asked_for() {
    let cluster = Cluster::start();
    cluster.map("a", json!({})).await;
    let version = cluster.server.revision();
    cluster.map("b", json!({})).await;
    cluster.server.serve_stale_lists("", "configmaps", 1);
    let names = |query: String| {
        let cluster = &cluster;
        async move { cluster.get(&format!("{MAPS}?{query}")).await.names().into_iter().map(str::to_owned).collect::<Vec<_>>() }
    };
    assert_eq!(names("resourceVersion=0".into()).await, ["a", "kube-root-ca.crt"]);
    assert_eq!(names(format!("resourceVersion={version}&resourceVersionMatch=NotOlderThan")).await.len(), 2);
    assert_eq!(names(format!("resourceVersion={}&resourceVersionMatch=NotOlderThan", version + 1)).await.len(), 3);
    assert_eq!(names(String::new()).await.len(), 3);
    assert_eq!(cluster.get(&format!("{}?resourceVersion=0", map_path("b"))).await.code, 200);
    cluster.server.serve_stale_lists("", "configmaps", 0);
    assert_eq!(names("resourceVersion=0".into()).await.len(), 3);
}

// FLT-4
#[tokio::test(start_paused = true)]
async fn paused_controllers_process_missed_changes_after_they_resume() {
    let cluster = Cluster::start();
    let owner = cluster.map("owner", json!({})).await;
    let reference = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"]});
    cluster.map("dependent", json!({"metadata": {"ownerReferences": [reference]}})).await;
    cluster.server.pause_controllers();
    cluster.delete(&map_path("owner")).await;
    cluster.server.tick().await;
    assert_eq!(cluster.get(&map_path("dependent")).await.code, 200);
    cluster.server.resume_controllers().await;
    assert_eq!(cluster.get(&map_path("dependent")).await.code, 404);
}

// FLT-4
#[tokio::test(start_paused = true)]
async fn a_wrong_clock_shows_in_timestamps_and_the_date_and_nowhere_else() {
    let cluster = Cluster::start();
    cluster.server.set_clock_skew(jiff::SignedDuration::from_hours(-1));
    let created = cluster.map("a", json!({})).await;
    assert_eq!(created["metadata"]["creationTimestamp"], "2025-12-31T23:00:00Z");
    let answer = cluster.get("/version").await;
    assert_eq!(answer.headers["date"], "Wed, 31 Dec 2025 23:00:00 GMT");
    let start = tokio::time::Instant::now();
    let mut watch =
        cluster.watch(&format!("{MAPS}?watch=true&resourceVersion={}&timeoutSeconds=9", cluster.server.revision())).await;
    assert!(watch.next().await.is_none());
    assert_eq!(start.elapsed().as_secs(), 9);
}

// FLT-4
#[tokio::test(start_paused = true)]
async fn an_outage_takes_writes_first_and_then_everything() {
    let cluster = Cluster::start();
    let faults = cluster.server.faults();
    let writes = faults.write_outage();
    assert_eq!((cluster.post(MAPS, json!({"metadata": {"name": "a"}})).await.code, cluster.get(MAPS).await.code), (500, 200));
    writes.remove();
    let all = faults.outage();
    assert_eq!((cluster.get(MAPS).await.code, cluster.get("/readyz").await.code), (504, 200));
    all.remove();
    assert_eq!(cluster.get(MAPS).await.code, 200);
}

// FLT-3
#[tokio::test(start_paused = true)]
async fn a_conflict_storm_meets_each_object() {
    let cluster = Cluster::start();
    cluster.map("a", json!({})).await;
    cluster.map("b", json!({})).await;
    let storm = cluster.server.faults().conflict_storm(2);
    let mut codes = Vec::new();
    for name in ["a", "b", "a", "a", "b", "b"] {
        codes.push(cluster.merge(&map_path(name), json!({"data": {"k": "v"}})).await.code);
    }
    assert_eq!(codes, [409, 409, 409, 200, 409, 200]);
    assert_eq!(storm.hits(), 4);
}

// FLT-7
#[tokio::test(start_paused = true)]
async fn a_storage_that_fails_once_is_a_500_and_changes_nothing() {
    let cluster = Cluster::start();
    let revision = cluster.server.revision();
    cluster.server.fail_next_commit();
    assert_eq!(cluster.post(MAPS, json!({"metadata": {"name": "a"}})).await.code, 500);
    assert_eq!(cluster.server.revision(), revision);
    cluster.map("a", json!({})).await;
    cluster.server.fail_next_commit();
    assert_eq!(cluster.merge(&map_path("a"), json!({"data": {"k": "v"}})).await.code, 500);
    cluster.server.fail_next_commit();
    assert_eq!(cluster.delete(&map_path("a")).await.code, 500);
    assert_eq!(cluster.get(&map_path("a")).await.code, 200);
}

// 6.12, JRN-1
#[tokio::test(start_paused = true)]
async fn writes_of_controllers_are_in_the_journal_and_rules_can_name_them() {
    let cluster = Cluster::start();
    let collector = "system:serviceaccount:kube-system:generic-garbage-collector";
    let owner = cluster.map("owner", json!({})).await;
    let reference = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"]});
    cluster.map("dependent", json!({"metadata": {"ownerReferences": [reference]}})).await;
    cluster.server.faults().on_any().times(1).unavailable();
    assert_eq!(cluster.get(MAPS).await.code, 503);
    let refusal = cluster.server.faults().on(Verb::Delete).by_user(collector).times(1).forbidden();
    let mark = cluster.server.journal().mark();
    cluster.delete(&map_path("owner")).await;
    assert_eq!((cluster.get(&map_path("dependent")).await.code, refusal.hits()), (200, 1));
    pass(Duration::from_secs(2)).await;
    assert_eq!(cluster.get(&map_path("dependent")).await.code, 404);
    let writes = cluster.server.journal().since(mark).by_user(collector);
    let shown: Vec<_> = writes.iter().map(|record| (record.target.to_string(), record.outcome)).collect();
    let delete = "delete configmaps default/dependent".to_owned();
    assert_eq!(shown, [(delete, Outcome::Answered(200))]);
    assert!(writes.iter().all(|record| record.effect.is_some_and(|effect| effect.stored)));
}

// JRN-1
#[tokio::test(start_paused = true)]
async fn the_journal_keeps_object_differences_on_demand_and_masks_secrets() {
    let cluster = Cluster::start();
    cluster.post(SECRETS, json!({"metadata": {"name": "s"}, "stringData": {"password": "hidden"}})).await;
    cluster.server.journal().keep_bodies(true);
    let mark = cluster.server.journal().mark();
    cluster
        .merge(&format!("{SECRETS}/s"), json!({"stringData": {"password": "other"}, "metadata": {"labels": {"x": "1"}}}))
        .await;
    cluster.delete(&format!("{SECRETS}/s")).await;
    let records = cluster.server.journal().since(mark);
    let change = &records[0].changes[0];
    assert_eq!((change.to_string(), &change.difference["data"]["password"]), ("secrets default/s".into(), &json!("***")));
    assert_eq!(change.difference["metadata"]["labels"], json!({"x": "1"}));
    assert_eq!(records[1].changes[0].difference, Value::Null);
    assert!(!format!("{records:?}").contains("b3RoZXI"), "the value of a Secret");
}

// JRN-2
#[tokio::test(start_paused = true)]
async fn a_former_field_manager_of_a_field_is_found() {
    let cluster = Cluster::start();
    cluster.map("a", json!({"data": {"k": "v"}})).await;
    let apply = |manager: &str, body: Value| {
        let path = format!("{}?fieldManager={manager}", map_path("a"));
        let cluster = &cluster;
        async move { cluster.send("PATCH", &path, Some(body), &[("content-type", "application/apply-patch+yaml")]).await.code }
    };
    let body = |data: Value| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data});
    assert_eq!(apply("m", body(json!({"x": "1"}))).await, 200);
    assert_eq!(apply("m", body(json!({}))).await, 200);
    let server = &cluster.server;
    server.never_owned("", "configmaps", "m", &["data", "k"]).unwrap();
    server.never_owned("", "configmaps", "other", &["data"]).unwrap();
    let owned = server.never_owned("", "configmaps", "m", &["data", "x"]).unwrap_err();
    assert!(owned.to_string().contains("configmaps default/a"), "{owned}");
}

/// A controller that panics when it sees the ConfigMap `boom`.
#[derive(Debug)]
struct Fragile;

impl ServerController for Fragile {
    fn name(&self) -> &'static str {
        "fragile"
    }

    fn observe(&self, event: &StoreEvent) {
        assert_ne!(&*event.object.name.name, "boom", "it went boom");
    }

    fn run<'a>(&'a self, _: &'a Writer) -> futures::future::BoxFuture<'a, Result<bool, kubewright_apiserver::Status>> {
        async { Ok(false) }.boxed()
    }

    fn fork(&self) -> Box<dyn ServerController> {
        Box::new(Self)
    }
}

// SRV-7
#[tokio::test(start_paused = true)]
async fn a_panic_is_a_500_with_its_message_in_the_journal() {
    let cluster = Cluster::from(ApiServer::builder().controller(Fragile).build().unwrap());
    let answer = cluster.post(MAPS, json!({"metadata": {"name": "boom"}})).await;
    assert_eq!((answer.code, answer.reason()), (500, "InternalError"));
    let records = cluster.server.journal().all();
    assert!(records[0].note.as_ref().is_some_and(|note| note.contains("it went boom")), "{:?}", records[0]);
    cluster.map("a", json!({})).await;
}

// WCH-4, SWATCH-15
#[tokio::test(start_paused = true)]
async fn a_watch_that_is_read_too_slowly_ends_and_the_journal_names_the_reason() {
    let cluster = Cluster::from(ApiServer::builder().seed(1).watch_queue(3).build().unwrap());
    let mark = cluster.server.journal().mark();
    let mut watch = cluster.watch(&watch_path(&cluster, MAPS)).await;
    assert!(watch.ready().is_empty());
    for n in 0..4 {
        cluster.map(&format!("m{n}"), json!({})).await;
    }
    assert!(watch.next().await.is_none());
    let records = cluster.server.journal().since(mark);
    let ended: Vec<&Record> = records.iter().map(|record| &**record).filter(|record| record.note.is_some()).collect();
    assert_eq!(ended.len(), 1);
    assert!(ended[0].to_string().ends_with("(the watch was ended: its client reads too slowly)"), "{}", ended[0]);
}

// FLT-3
#[tokio::test(start_paused = true)]
async fn a_fault_rule_for_a_controller_skips_the_given_number_of_writes() {
    let cluster = Cluster::start();
    let collector = "system:serviceaccount:kube-system:generic-garbage-collector";
    let rule = cluster.server.faults().on(Verb::Delete).by_user(collector).after(1).times(1).forbidden();
    let owner = cluster.map("owner", json!({})).await;
    for name in ["a", "b"] {
        let reference = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"]});
        cluster.map(name, json!({"metadata": {"ownerReferences": [reference]}})).await;
    }
    cluster.delete(&map_path("owner")).await;
    assert_eq!(rule.hits(), 1);
    let left = [cluster.get(&map_path("a")).await.code, cluster.get(&map_path("b")).await.code];
    assert_eq!(left, [404, 200], "the first went at once, the second waits for another try");
}

// FLT-3
#[tokio::test(start_paused = true)]
async fn seeds_that_the_storage_refuses_are_an_error() {
    let cluster = Cluster::start();
    cluster.server.fail_next_commit();
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}});
    let refused = cluster.server.seed([map.clone()]).unwrap_err();
    assert!(refused.to_string().contains("the storage failed"), "{refused}");
    cluster.server.seed([map]).unwrap();
    assert_eq!(cluster.get(&map_path("a")).await.code, 200);
}
