use kubewright_machinery::object::GroupVersionKind;
use serde_json::json;

use super::*;
use crate::testing::{Fault, Server};
use crate::watch::Cause;

// WATCH-7, STORE-8
#[tokio::test(start_paused = true)]
async fn an_own_write_is_visible_at_once_and_reported_once() {
    let server = Server::new();
    let store = synced(&server.cluster()).await;
    let mut changes = store.changes();
    server.hold();
    store.record_write(&server.put("demo", "a", "1"));
    assert_eq!(texts(&store), ["a=1"]);
    let change = changes.next().await.unwrap();
    assert_eq!((line(&change).as_str(), change.cause), ("a: - -> 1", Cause::OwnWrite));
    server.release();
    settle().await;
    assert!(told(&mut changes).is_empty());
}

// STORE-8
#[tokio::test(start_paused = true)]
async fn an_own_write_is_visible_in_all_stores_of_the_cluster_that_could_hold_it() {
    let server = Server::new();
    let cluster = server.cluster();
    let own = synced(&cluster).await;
    let others = [
        config_maps().in_namespace("demo"),
        config_maps().fields("metadata.name=a"),
        config_maps().metadata_only(),
        config_maps().in_namespace("elsewhere"),
        config_maps().fields("metadata.name=b"),
        config_maps().fields("immutable=true"),
        config_maps().labels("a=b"),
        WatchSpec::of_version(&GroupVersionKind::new("", "v2", "ConfigMap")),
    ];
    let others = others.map(|spec| (spec.to_string(), cluster.watches().subscribe(spec, Arc::new(Keeper))));
    settle().await;
    let mut changes = others[0].1.changes();
    server.hold();
    let written = server.put("demo", "a", "1");
    own.record_write(&written);
    let shown: Vec<_> =
        others.iter().filter(|(_, store)| !store.is_empty()).map(|(spec, store)| (spec.as_str(), texts(store))).collect();
    let [all, metadata] = [vec!["a=1".to_owned()], vec!["a=".to_owned()]];
    let expected =
        [("ConfigMap in demo", all.clone()), ("ConfigMap with metadata.name=a", all), ("ConfigMap (metadata)", metadata)];
    assert_eq!(shown, expected);
    let change = changes.next().await.unwrap();
    assert_eq!((line(&change).as_str(), change.cause), ("a: - -> 1", Cause::Event), "its users did not write it");
    own.record_delete(&key("a"), written["metadata"]["uid"].as_str().unwrap());
    assert!(own.is_empty() && others.iter().all(|(_, store)| store.is_empty()));
    assert_eq!(changes.next().await.unwrap().cause, Cause::Event);
    server.release();
    settle().await;
    assert!(told(&mut changes).is_empty(), "the event of the write is old news");
}

// STORE-8
#[tokio::test(start_paused = true)]
async fn an_own_write_in_a_store_of_metadata_is_its_metadata() {
    let server = Server::new();
    let store = server.cluster().watches().subscribe(config_maps().metadata_only(), Arc::new(Keeper));
    store.synced().await;
    server.hold();
    store.record_write(&server.put("demo", "a", "1"));
    assert_eq!(texts(&store), ["a="]);
}

// STORE-8
#[tokio::test(start_paused = true)]
async fn a_refused_watch_takes_no_writes_of_others() {
    let server = Server::new();
    let cluster = server.cluster();
    let own = cluster.watches().subscribe(config_maps().in_namespace("demo"), Arc::new(Keeper));
    own.synced().await;
    server.fail_always("/api/v1/configmaps", Fault::Status(403, "Forbidden"));
    let refused = subscribe(&cluster);
    refused.settled().await;
    own.record_write(&server.put("demo", "a", "1"));
    assert_eq!((own.len(), refused.len()), (1, 0), "nothing would take it away again");
}

// WATCH-7: otherwise its writer would wait for ever for the next change.
#[tokio::test(start_paused = true)]
async fn a_change_of_an_own_write_that_the_first_list_shows_is_an_event() {
    let server = Server::new();
    let store = subscribe(&server.cluster());
    let mut changes = store.changes();
    store.record_write(&server.put("demo", "a", "1"));
    server.put("demo", "a", "2");
    server.put("demo", "b", "1");
    store.synced().await;
    let causes: Vec<_> = std::iter::from_fn(|| changes.try_next()).map(|change| (line(&change), change.cause)).collect();
    let expected = [("a: - -> 1", Cause::OwnWrite), ("a: 1 -> 2", Cause::Event), ("b: - -> 1", Cause::Initial)]
        .map(|(line, cause)| (line.to_owned(), cause));
    assert_eq!(causes, expected);
}

// REF-2
#[tokio::test(start_paused = true)]
async fn a_read_object_is_projected_again_even_if_its_version_is_known() {
    let server = Server::new();
    let object = server.put("demo", "a", "1");
    let needed = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let asked = Arc::clone(&needed);
    let keep = crate::watch::project_with(move |_: &Value| asked.load(std::sync::atomic::Ordering::SeqCst));
    let store = server.cluster().watches().subscribe(config_maps(), keep);
    store.synced().await;
    settle().await;
    needed.store(true, std::sync::atomic::Ordering::SeqCst);
    store.record_write(&object);
    assert_eq!(store.find("demo", "a").as_deref(), Some(&false), "an own write of that version is no news");
    store.record_read(&object);
    assert_eq!(store.find("demo", "a").as_deref(), Some(&true));
    store.record_read(&server.put("demo", "b", "1"));
    assert_eq!(store.find("demo", "b").as_deref(), Some(&true));
}

// WATCH-7
#[tokio::test(start_paused = true)]
async fn older_events_do_not_throw_an_own_write_back() {
    let server = Server::new();
    server.put("demo", "a", "1");
    let store = synced(&server.cluster()).await;
    let mut changes = store.changes();
    server.hold();
    server.put("demo", "a", "2");
    store.record_write(&server.put("demo", "a", "3"));
    server.put("demo", "a", "4");
    server.deliver(2);
    settle().await;
    assert_eq!(texts(&store), ["a=3"]);
    server.release();
    settle().await;
    assert_eq!(told(&mut changes), ["a: - -> 1", "a: 1 -> 3", "a: 3 -> 4"]);
}

// WATCH-7: a deletion is never ignored.
#[tokio::test(start_paused = true)]
async fn a_deletion_after_an_own_write_is_reported() {
    let server = Server::new();
    let store = synced(&server.cluster()).await;
    let mut changes = store.changes();
    server.hold();
    store.record_write(&server.put("demo", "a", "1"));
    server.delete("demo", "a");
    server.release();
    settle().await;
    assert_eq!(told(&mut changes), ["a: - -> 1", "a: 1 -> -"]);
}

// WATCH-7: the object must not be created twice.
#[tokio::test(start_paused = true)]
async fn the_events_of_a_predecessor_do_not_hide_an_object_that_we_recreated() {
    let server = Server::new();
    let old = server.put("demo", "a", "old");
    let store = synced(&server.cluster()).await;
    let mut changes = store.changes();
    server.hold();
    server.put("demo", "a", "late");
    server.delete("demo", "a");
    store.record_delete(&key("a"), old["metadata"]["uid"].as_str().unwrap());
    store.record_write(&server.put("demo", "a", "new"));
    for _ in 0..3 {
        server.deliver(1);
        settle().await;
        assert_eq!(texts(&store), ["a=new"]);
    }
    assert_eq!(told(&mut changes), ["a: - -> old", "a: old -> -", "a: - -> new"]);
}

#[tokio::test(start_paused = true)]
async fn an_own_deletion_hides_the_object_until_another_object_of_its_name_is_created() {
    let server = Server::new();
    let old = server.put("demo", "a", "1");
    let store = synced(&server.cluster()).await;
    server.hold();
    server.put("demo", "a", "2");
    server.delete("demo", "a");
    store.record_delete(&key("a"), old["metadata"]["uid"].as_str().unwrap());
    server.deliver(1);
    settle().await;
    assert!(store.is_empty());
    server.put("demo", "a", "3");
    server.release();
    settle().await;
    assert_eq!(texts(&store), ["a=3"]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_after_its_own_deletion_changes_nothing() {
    let server = Server::new();
    let store = synced(&server.cluster()).await;
    let answer = server.put("demo", "a", "1");
    server.delete("demo", "a");
    settle().await;
    store.record_write(&answer);
    assert!(store.is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_after_our_own_deletion_changes_nothing() {
    let server = Server::new();
    let first = server.put("demo", "a", "1");
    let store = synced(&server.cluster()).await;
    server.hold();
    let late = server.put("demo", "a", "2");
    server.delete("demo", "a");
    store.record_delete(&key("a"), first["metadata"]["uid"].as_str().unwrap());
    store.record_write(&late);
    assert!(store.is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_own_write_during_a_list_survives_the_list() {
    let server = Server::new();
    for n in 0..4 {
        server.put("demo", &format!("c{n}"), "1");
    }
    server.page_limit(2);
    let cluster = server.cluster();
    let store = subscribe(&cluster);
    // The first page has been applied, and the second one is under way.
    while store.is_empty() {
        tokio::task::yield_now().await;
    }
    store.record_write(&server.put("demo", "new", "2"));
    store.record_write(&server.put("demo", "c3", "2"));
    store.synced().await;
    settle().await;
    assert_eq!(texts(&store), ["c0=1", "c1=1", "c2=1", "c3=2", "new=2"]);
}

#[tokio::test(start_paused = true)]
async fn after_the_server_was_set_back_a_list_is_believed() {
    let server = Server::new();
    server.put("demo", "a", "1");
    let store = synced(&server.cluster()).await;
    pass(5_000).await;
    server.hold();
    let mut future = server.put("demo", "a", "future");
    future["metadata"]["resourceVersion"] = "900".into();
    store.record_write(&future);
    assert_eq!(texts(&store), ["a=future"]);
    server.compact();
    server.release_nothing_and_drop();
    server.put("demo", "a", "restored");
    pass(5_000).await;
    assert_eq!(texts(&store), ["a=restored"]);
}

#[tokio::test(start_paused = true)]
async fn an_own_write_that_leaves_the_selector_leaves_the_store() {
    let server = Server::new();
    let first = server.put("demo", "a", "1");
    let cluster = server.cluster();
    let store = cluster.watches().subscribe(config_maps().labels("owner"), Arc::new(Keeper));
    store.synced().await;
    settle().await;
    server.hold();
    server.put("demo", "a", "2");
    let mut orphaned = server.put("demo", "a", "3");
    orphaned["metadata"]["labels"] = json!({});
    store.record_write(&orphaned);
    assert!(store.is_empty());
    server.deliver(1);
    settle().await;
    assert!(store.is_empty(), "the event is older than the write");
    drop(first);
}

#[tokio::test(start_paused = true)]
async fn objects_of_other_kinds_and_namespaces_are_not_taken() {
    let server = Server::new();
    let cluster = server.cluster();
    let store = cluster.watches().subscribe(config_maps().in_namespace("demo"), Arc::new(Keeper));
    store.synced().await;
    store.record_write(&server.put("other", "a", "1"));
    let mut secret = server.put("demo", "b", "1");
    secret["kind"] = "Secret".into();
    store.record_write(&secret);
    assert!(store.find("other", "a").is_none() && store.find("demo", "b").is_none() || store.len() == 1);
}

// WATCH-7: opaque versions have no order.
#[tokio::test(start_paused = true)]
async fn an_own_write_with_an_opaque_version_stands_for_thirty_seconds() {
    let server = Server::new();
    server.put("demo", "a", "1");
    let store = synced(&server.cluster()).await;
    server.hold();
    let mut opaque = server.put("demo", "a", "ours");
    opaque["metadata"]["resourceVersion"] = "x7".into();
    store.record_write(&opaque);
    server.put("demo", "a", "theirs");
    server.deliver(2);
    settle().await;
    assert_eq!(texts(&store), ["a=ours"]);
    pass(30_000).await;
    server.put("demo", "a", "later");
    server.deliver(1);
    settle().await;
    assert_eq!(texts(&store), ["a=later"]);
}
