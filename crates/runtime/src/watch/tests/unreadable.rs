use serde_json::json;

use super::*;
use crate::testing::Server;
use crate::watch::WatchState;

// STORE-9
#[tokio::test(start_paused = true)]
async fn one_object_that_cannot_be_projected_does_not_stop_the_others() {
    let server = Server::new();
    for n in 0..100 {
        server.put("demo", &format!("c{n}"), if n == 50 { "poison" } else { "fine" });
    }
    let cluster = server.cluster();
    let store = synced(&cluster).await;
    assert_eq!(store.len(), 99);
    server.put("demo", "c50", "fine");
    settle().await;
    assert_eq!(store.len(), 100);
    assert_eq!(cluster.watches().health()[0].skipped, 1);
}

// STORE-9
#[tokio::test(start_paused = true)]
async fn a_state_that_a_projector_refuses_leaves_the_state_before_it() {
    let server = Server::new();
    server.put("demo", "a", "1");
    server.put("demo", "b", "refused");
    let cluster = server.cluster();
    let store = synced(&cluster).await;
    server.put("demo", "a", "refused");
    settle().await;
    assert_eq!(texts(&store), ["a=1"]);
    server.put("demo", "a", "2");
    server.put("demo", "b", "3");
    settle().await;
    assert_eq!(texts(&store), ["a=2", "b=3"]);
    assert_eq!(cluster.watches().health()[0].skipped, 2);
}

// STORE-9
#[tokio::test(start_paused = true)]
async fn one_object_that_cannot_be_decoded_does_not_stop_the_others() {
    let server = Server::new();
    server.put("demo", "a", "1");
    server.put("demo", "deep", "1");
    let cluster = server.cluster();
    let store = synced(&cluster).await;
    let object = |version: &str| {
        let identity = format!(r#"{{"namespace":"demo","name":"deep","uid":"uid-2","resourceVersion":"{version}"}}"#);
        format!(r#"{{"metadata":{identity},"x":{}{}}}"#, "[".repeat(500), "]".repeat(500))
    };
    server.send_text(&format!("{{\"type\":\"MODIFIED\",\"object\":{}}}\n", object("3")));
    server.put("demo", "b", "2");
    settle().await;
    assert_eq!(store.status().state, WatchState::Watching);
    assert_eq!(texts(&store), ["a=1", "b=2", "deep=1"]);
    assert_eq!(cluster.watches().health()[0].skipped, 1);
    server.send_text(&format!("{{\"type\":\"DELETED\",\"object\":{}}}\n", object("9")));
    settle().await;
    assert_eq!(texts(&store), ["a=1", "b=2"]);
}

#[tokio::test(start_paused = true)]
async fn a_line_that_is_no_event_is_a_failure_of_this_watch_only() {
    let server = Server::new();
    server.put("demo", "a", "1");
    let store = synced(&server.cluster()).await;
    pass(10_000).await;
    server.send_line(&json!("nonsense"));
    settle().await;
    assert_eq!(store.status().state, WatchState::Retrying);
    server.put("demo", "a", "2");
    pass(1_000).await;
    assert_eq!(texts(&store), ["a=2"]);
}
