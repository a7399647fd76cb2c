use super::*;
use crate::clock::Clock;
use crate::testing::{Fault, Server};
use crate::watch::{Cause, WatchState, presence, project_with};

// STORE-10: apply a, delete a, subscribe, apply b.
#[tokio::test(start_paused = true)]
async fn a_late_subscriber_gets_the_existing_objects_and_later_events() {
    let server = Server::new();
    let store = synced(&server.cluster()).await;
    server.put("demo", "gone", "0");
    server.put("demo", "a", "1");
    settle().await;
    server.delete("demo", "gone");
    settle().await;
    let mut late = store.changes();
    server.put("demo", "b", "2");
    let first = late.next().await.unwrap();
    assert_eq!((line(&first).as_str(), first.cause), ("a: - -> 1", Cause::Initial));
    let second = late.next().await.unwrap();
    assert_eq!((line(&second).as_str(), second.cause), ("b: - -> 2", Cause::Event));
}

#[tokio::test(start_paused = true)]
async fn equal_specs_share_one_watch_and_one_projector_one_store() {
    let server = Server::new();
    server.put("demo", "a", "1");
    let cluster = server.cluster();
    let keeper: Arc<dyn Project<Output = Kept>> = Arc::new(Keeper);
    let one = cluster.watches().subscribe(config_maps(), keeper.clone());
    let two = cluster.watches().subscribe(config_maps(), keeper.clone());
    one.synced().await;
    settle().await;
    assert!(two.is_synced());
    let (a, b) = (one.get(&key("a")).unwrap(), two.get(&key("a")).unwrap());
    assert!(Arc::ptr_eq(&a, &b));
    assert_eq!(server.requests("watch=true"), 1);
    assert_eq!(cluster.watches().health()[0].users, 2);
}

// WATCH-11
#[tokio::test(start_paused = true)]
async fn health_shows_every_watch() {
    let server = Server::new();
    server.put("demo", "a", "1");
    let cluster = server.cluster();
    let _all = synced(&cluster).await;
    let _also = subscribe(&cluster);
    let _one = cluster.watches().subscribe(config_maps().in_namespace("demo"), Arc::new(Keeper));
    let _missing = cluster.watches().subscribe(widgets(), Arc::new(Keeper));
    pass(10_000).await;
    server.put("demo", "b", "2");
    settle().await;
    let now = cluster.clock().moment();
    let mut shown: Vec<_> = cluster
        .watches()
        .health()
        .into_iter()
        .map(|watch| {
            let seconds = now.since(watch.last_activity).as_secs();
            (watch.cluster, watch.spec.to_string(), watch.status.state, watch.users, watch.objects, seconds < 1)
        })
        .collect();
    shown.sort_by(|a, b| a.1.cmp(&b.1));
    let watching =
        |spec: &WatchSpec, users, objects| ("local".to_owned(), spec.to_string(), WatchState::Watching, users, objects, true);
    assert_eq!(shown[..2], [watching(&config_maps(), 2, 2), watching(&config_maps().in_namespace("demo"), 1, 2)]);
    assert_eq!((shown[2].1.as_str(), shown[2].2), (widgets().to_string().as_str(), WatchState::NotServed));
}

#[tokio::test(start_paused = true)]
async fn another_projection_joins_the_running_watch() {
    let server = Server::new();
    server.put("demo", "a", "1");
    let cluster = server.cluster();
    let store = synced(&cluster).await;
    let mut changes = store.changes();
    told(&mut changes);
    let names = cluster.watches().subscribe(config_maps(), project_with(|object| object["metadata"]["name"].clone()));
    names.synced().await;
    settle().await;
    assert_eq!(*names.get(&key("a")).unwrap(), "a");
    assert!(told(&mut changes).is_empty(), "the list that the new one needs is no news for the other");
    server.put("demo", "b", "2");
    settle().await;
    assert_eq!((store.len(), names.len()), (2, 2));
    assert_eq!(server.open_streams(), 1);
}

#[tokio::test(start_paused = true)]
async fn scopes_are_watched_apart() {
    let server = Server::new();
    server.put("demo", "a", "1");
    server.put("other", "a", "2");
    let cluster = server.cluster();
    let one = cluster.watches().subscribe(config_maps().in_namespace("demo"), Arc::new(Keeper));
    one.synced().await;
    assert_eq!(one.len(), 1);
    assert_eq!(server.requests("/namespaces/demo/configmaps?limit"), 1);
}

// STORE-3
#[tokio::test(start_paused = true)]
async fn a_scope_of_several_namespaces_is_one_store() {
    let server = Server::new();
    server.put("one", "a", "x");
    server.put("two", "b", "x");
    server.put("three", "c", "x");
    let cluster = server.cluster();
    let namespaces = ["one", "two", "four", "one"].map(str::to_owned);
    let store = cluster.watches().subscribe_within(&namespaces, config_maps(), Arc::new(Keeper));
    let mut changes = store.changes();
    store.synced().await;
    settle().await;
    assert_eq!(texts(&store), ["a=x", "b=x"]);
    assert_eq!((store.len(), store.count_indexed("text", "x"), store.indexed("word", "x").len()), (2, 2, 2));
    let mut first = told(&mut changes);
    first.sort();
    assert_eq!(first, ["a: - -> x", "b: - -> x"]);
    server.put("three", "c", "y");
    server.put("four", "d", "y");
    server.delete("two", "b");
    settle().await;
    let mut later = told(&mut changes);
    later.sort();
    assert_eq!(later, ["b: x -> -", "d: - -> y"]);
    assert_eq!(store.find("four", "d").unwrap().text, "y");
    assert_eq!(store.to_string(), "ConfigMap in one, ConfigMap in two, ConfigMap in four");
    server.hold();
    store.record_write(&server.put("one", "a", "own"));
    store.record_write(&server.put("three", "c", "own"));
    assert_eq!(texts(&store), ["a=own", "d=y"]);
}

// STORE-3
#[tokio::test(start_paused = true)]
async fn a_store_of_several_namespaces_is_as_well_as_the_worst_of_them() {
    let server = Server::new();
    server.put("one", "a", "x");
    let cluster = server.cluster();
    server.fail_always("/namespaces/two/configmaps", Fault::Status(403, "Forbidden"));
    let namespaces = ["one", "two"].map(str::to_owned);
    let store = cluster.watches().subscribe_within(&namespaces, config_maps(), Arc::new(Keeper));
    let mut statuses = store.status_changes();
    assert_eq!(store.settled().await, WatchState::Forbidden);
    assert!(!store.is_synced());
    assert_eq!(texts(&store), ["a=x"]);
    server.heal();
    while statuses.status().state != WatchState::Watching {
        statuses.changed().await;
    }
    assert!(store.is_synced());
}

#[tokio::test(start_paused = true)]
async fn objects_are_found_by_their_index() {
    let server = Server::new();
    server.put("demo", "a", "x");
    server.put("demo", "b", "x");
    server.put("demo", "c", "y");
    let store = synced(&server.cluster()).await;
    let names = |text: &str| {
        let mut names: Vec<_> = store.indexed("text", text).iter().map(|(key, _)| key.name().to_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(names("x"), ["a", "b"]);
    server.put("demo", "a", "y");
    server.delete("demo", "b");
    settle().await;
    assert!(names("x").is_empty());
    assert_eq!(names("y"), ["a", "c"]);
}

#[tokio::test(start_paused = true)]
async fn objects_of_one_index_text_come_and_go_in_any_order() {
    let server = Server::new();
    let store = synced(&server.cluster()).await;
    for step in 0..200 {
        let (name, text) = (format!("c{}", step * 7 % 13), if step % 2 == 0 { "x" } else { "y" });
        if step % 3 == 0 {
            server.delete("demo", &name);
        } else {
            server.put("demo", &name, text);
        }
        settle().await;
        for text in ["x", "y"] {
            let mut found: Vec<_> =
                store.indexed("text", text).iter().map(|(key, kept)| format!("{}={}", key.name(), kept.text)).collect();
            found.sort();
            let expected: Vec<_> = texts(&store).into_iter().filter(|line| line.ends_with(&format!("={text}"))).collect();
            assert_eq!(found, expected, "after step {step}");
            assert_eq!(store.count_indexed("text", text), expected.len(), "after step {step}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_object_stands_in_an_index_under_each_of_its_texts() {
    const WORDS: [&str; 4] = ["red", "green", "blue", "white"];
    let server = Server::new();
    let store = synced(&server.cluster()).await;
    for step in 0..300 {
        let name = format!("c{}", step * 5 % 11);
        // The text has one to three words, some of them twice.
        let words: Vec<_> = (0..=step % 3).map(|nth| WORDS[(step * 7 + nth * step) % WORDS.len()]).collect();
        if step % 4 == 0 {
            server.delete("demo", &name);
        } else {
            server.put("demo", &name, &words.join(" "));
        }
        settle().await;
        for word in WORDS {
            let mut found: Vec<_> = store.indexed("word", word).iter().map(|(key, _)| key.name().to_owned()).collect();
            found.sort();
            let has = |text: &str| text.split(' ').any(|own| own == word);
            let mut expected: Vec<_> =
                store.list().iter().filter(|(_, kept)| has(&kept.text)).map(|(key, _)| key.name().to_owned()).collect();
            expected.sort();
            assert_eq!(found, expected, "{word} after step {step}");
        }
    }
    assert!(store.indexed("no such index", "red").is_empty());
}

// INJ-5
#[tokio::test(start_paused = true)]
async fn projectors_that_keep_the_same_share_their_objects() {
    let server = Server::new();
    server.put("demo", "a", "1");
    let cluster = server.cluster();
    let store = || cluster.watches().subscribe(config_maps(), presence());
    let (one, other) = (store(), store());
    one.synced().await;
    other.synced().await;
    assert!(Arc::ptr_eq(&one.find("demo", "a").unwrap(), &other.find("demo", "a").unwrap()));
}

// STORE-10, WATCH-1
#[tokio::test(start_paused = true)]
async fn a_watch_ends_a_minute_after_its_last_user_unless_one_comes_back() {
    let server = Server::new();
    server.put("demo", "a", "1");
    let cluster = server.cluster();
    let keeper: Arc<dyn Project<Output = Kept>> = Arc::new(Keeper);
    let subscribe = || cluster.watches().subscribe(config_maps(), keeper.clone());
    let (store, clone) = {
        let store = subscribe();
        (store.clone(), store)
    };
    store.synced().await;
    drop(store);
    pass(120_000).await;
    assert_eq!(server.open_streams(), 1, "a clone is a user");
    drop(clone);
    pass(59_000).await;
    let again = subscribe();
    assert_eq!(texts(&again), ["a=1"], "the objects are still there");
    pass(120_000).await;
    assert_eq!(server.requests("limit="), 1);
    drop(again);
    pass(61_000).await;
    assert_eq!(server.open_streams(), 0);
    assert!(cluster.watches().health().is_empty());
    assert_eq!(synced(&cluster).await.len(), 1, "a new one starts from the beginning");
}

#[tokio::test(start_paused = true)]
async fn a_stream_of_changes_keeps_the_watch_alive() {
    let server = Server::new();
    let cluster = server.cluster();
    let mut changes = { subscribe(&cluster).changes() };
    pass(300_000).await;
    server.put("demo", "a", "1");
    assert_eq!(line(&changes.next().await.unwrap()), "a: - -> 1");
}

#[tokio::test(start_paused = true)]
async fn stopping_the_tasks_ends_all_watches() {
    let server = Server::new();
    let tasks = crate::task::Tasks::new();
    let cluster = server.cluster_with(|options| options.tasks = tasks.clone());
    let _store = synced(&cluster).await;
    assert_eq!(tasks.running(), ["watch ConfigMap in local"]);
    assert!(tasks.stop(Duration::from_secs(1)).await.is_empty());
    assert_eq!(server.open_streams(), 0);
    let _: &Clock = cluster.clock();
}
