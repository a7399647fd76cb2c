use std::time::Duration;

use serde_json::json;

use super::*;
use crate::testing::{CapturedLog, Fault, Server};
use crate::watch::{Cause, WatchState};

// TCL-9
#[tokio::test(start_paused = true)]
async fn a_list_and_the_events_after_it_leave_no_gap() {
    let server = Server::new();
    server.put("demo", "a", "1");
    let cluster = server.cluster();
    let store = subscribe(&cluster);
    let mut changes = store.changes();
    server.hold();
    store.synced().await;
    // These changes happen between the list and the watch.
    server.put("demo", "b", "2");
    server.put("demo", "a", "3");
    server.delete("demo", "b");
    settle().await;
    server.release();
    settle().await;
    assert_eq!(told(&mut changes), ["a: - -> 1", "b: - -> 2", "a: 1 -> 3", "b: 2 -> -"]);
    assert_eq!(texts(&store), ["a=3"]);
}

#[tokio::test(start_paused = true)]
async fn changes_of_the_initial_list_are_distinguished_from_later_events() {
    let server = Server::new();
    server.put("demo", "a", "1");
    let cluster = server.cluster();
    let store = subscribe(&cluster);
    let mut changes = store.changes();
    store.synced().await;
    settle().await;
    server.put("demo", "b", "2");
    assert_eq!(changes.next().await.unwrap().cause, Cause::Initial);
    assert_eq!(changes.next().await.unwrap().cause, Cause::Event);
}

#[tokio::test(start_paused = true)]
async fn a_long_list_comes_in_pages_and_is_synced_with_the_last() {
    let server = Server::new();
    for n in 0..7 {
        server.put("demo", &format!("c{n}"), "x");
    }
    server.page_limit(3);
    let store = synced(&server.cluster()).await;
    assert_eq!(store.len(), 7);
    assert_eq!(server.requests("continue="), 2);
    assert!(server.journal().iter().any(|line| line.contains("limit=500")));
}

#[tokio::test(start_paused = true)]
async fn a_list_with_an_expired_continue_token_starts_again_and_loses_no_objects() {
    let server = Server::new();
    for n in 0..7 {
        server.put("demo", &format!("c{n}"), "x");
    }
    server.page_limit(3);
    server.fail_next("continue=", Fault::Status(410, "Expired"));
    let store = synced(&server.cluster()).await;
    assert_eq!(store.len(), 7);
}

// STORE-6
#[tokio::test(start_paused = true)]
async fn after_an_expired_resource_version_only_actual_differences_are_reported() {
    let server = Server::new();
    for name in ["a", "b", "c"] {
        server.put("demo", name, "1");
    }
    let store = synced(&server.cluster()).await;
    let mut changes = store.changes();
    told(&mut changes);
    server.hold();
    server.put("demo", "a", "2");
    server.delete("demo", "b");
    server.compact();
    server.release_nothing_and_drop();
    pass(5_000).await;
    assert_eq!(told(&mut changes), ["a: 1 -> 2", "b: 1 -> -"]);
    assert_eq!(store.status().state, WatchState::Watching);
}

// STORE-6
#[tokio::test(start_paused = true)]
async fn an_expiry_inside_the_stream_lists_again() {
    let server = Server::new();
    server.put("demo", "a", "1");
    let store = synced(&server.cluster()).await;
    let mut changes = store.changes();
    told(&mut changes);
    pass(1_000).await;
    server.hold();
    server.put("demo", "a", "2");
    server.send_line(&json!({"type": "ERROR", "object": {"kind": "Status", "code": 410, "reason": "Expired"}}));
    settle().await;
    assert_eq!(told(&mut changes), ["a: 1 -> 2"]);
    assert_eq!(server.requests("watch=true"), 2);
}

// STORE-5: a server that has forgotten its own list must not be asked for all pages at full speed.
#[tokio::test(start_paused = true)]
async fn a_fresh_version_that_has_expired_already_is_no_reason_to_hurry() {
    let server = Server::new();
    server.put("demo", "a", "1");
    server.fail_always("watch=true", Fault::Status(410, "Expired"));
    let store = synced(&server.cluster()).await;
    pass(10_000).await;
    let lists = server.requests("limit=");
    assert!((2..=5).contains(&lists), "{lists}");
    assert_eq!(store.status().state, WatchState::Retrying);
    server.heal();
    pass(30_000).await;
    assert_eq!(store.status().state, WatchState::Watching);
}

// STORE-5: if the watch always retried a version that the server cannot accept, the store would never change again.
#[tokio::test(start_paused = true)]
async fn a_version_that_the_server_refuses_is_given_up_for_a_list() {
    for (code, reason) in [(400, "BadRequest"), (500, "InternalError")] {
        let server = Server::new();
        server.bump(700);
        server.put("demo", "a", "1");
        let store = synced(&server.cluster()).await;
        pass(2_000).await;
        server.fail_always("resourceVersion=701", Fault::Status(code, reason));
        server.release_nothing_and_drop();
        server.put("demo", "a", "2");
        pass(10_000).await;
        assert_eq!(texts(&store), ["a=2"], "{code}");
        assert_eq!(store.status().state, WatchState::Watching, "{code}");
        assert_eq!(server.requests("limit="), 2, "{code}");
    }
}

// STORE-5: the same applies if the watch is opened first and then broken off.
#[tokio::test(start_paused = true)]
async fn an_error_in_the_stream_lists_again() {
    let server = Server::new();
    server.put("demo", "a", "1");
    let store = synced(&server.cluster()).await;
    pass(2_000).await;
    server.hold();
    server.put("demo", "a", "2");
    server.send_line(&json!({"type": "ERROR", "object": {"kind": "Status", "code": 500, "reason": "InternalError"}}));
    pass(10_000).await;
    assert_eq!((texts(&store), server.requests("limit=")), (vec!["a=2".to_owned()], 2));
}

// STORE-5: an overloaded server must not be asked for a list.
#[tokio::test(start_paused = true)]
async fn a_server_that_is_away_is_asked_for_no_list() {
    for fault in [Fault::Reset, Fault::Busy(1), Fault::Status(503, "ServiceUnavailable")] {
        let server = Server::new();
        server.put("demo", "a", "1");
        let store = synced(&server.cluster()).await;
        pass(2_000).await;
        server.fail_always("watch=true", fault.clone());
        server.drop_streams(true);
        pass(20_000).await;
        server.heal();
        server.put("demo", "a", "2");
        pass(40_000).await;
        assert_eq!((texts(&store), server.requests("limit=")), (vec!["a=2".to_owned()], 1), "{fault:?}");
    }
}

// STORE-5
#[tokio::test(start_paused = true)]
async fn the_delay_requested_by_a_busy_server_is_respected_up_to_five_minutes() {
    let server = Server::new();
    server.fail_next("limit=", Fault::Busy(30));
    let cluster = server.cluster();
    let before = cluster.clock().moment();
    let _store = synced(&cluster).await;
    assert_eq!(cluster.clock().moment().since(before).as_secs(), 30);
    // A wait of a day is limited to five minutes.
    let server = Server::new();
    server.fail_next("limit=", Fault::Busy(86_400));
    let cluster = server.cluster();
    let before = cluster.clock().moment();
    let _store = synced(&cluster).await;
    assert_eq!(cluster.clock().moment().since(before).as_secs(), 300);
}

// STORE-11: a connection that a load balancer has forgotten stays silent, without even an end.
#[tokio::test(start_paused = true)]
async fn a_connection_that_was_alive_and_falls_silent_is_given_up() {
    let server = Server::new();
    let store = synced(&server.cluster()).await;
    pass(60_000).await;
    server.bookmark();
    settle().await;
    server.hold();
    server.put("demo", "a", "1");
    pass(151_000).await;
    assert_eq!(server.requests("watch=true"), 2);
    server.release();
    settle().await;
    assert_eq!(texts(&store), ["a=1"]);
}

#[tokio::test(start_paused = true)]
async fn a_server_without_bookmarks_may_be_silent() {
    let server = Server::new();
    let _store = synced(&server.cluster()).await;
    pass(280_000).await;
    assert_eq!(server.requests("watch=true"), 1);
}

#[tokio::test(start_paused = true)]
async fn an_object_that_was_replaced_unseen_gives_a_deletion_and_an_addition() {
    let server = Server::new();
    server.put("demo", "a", "1");
    let store = synced(&server.cluster()).await;
    let mut changes = store.changes();
    told(&mut changes);
    server.hold();
    server.delete("demo", "a");
    server.put("demo", "a", "2");
    server.compact();
    server.release_nothing_and_drop();
    pass(5_000).await;
    assert_eq!(told(&mut changes), ["a: 1 -> -", "a: - -> 2"]);
}

#[tokio::test(start_paused = true)]
async fn a_broken_stream_is_resumed_at_once_and_without_a_list() {
    let server = Server::new();
    server.put("demo", "a", "1");
    let store = synced(&server.cluster()).await;
    pass(10_000).await;
    server.hold();
    server.put("demo", "a", "2");
    server.drop_streams(true);
    server.release();
    settle().await;
    assert_eq!(texts(&store), ["a=2"]);
    assert_eq!(server.requests("limit="), 1);
    assert_eq!(store.status().broken_since, None);
}

#[tokio::test(start_paused = true)]
async fn bookmarks_move_the_point_to_resume_from() {
    let server = Server::new();
    server.put("demo", "a", "1");
    let _store = synced(&server.cluster()).await;
    pass(10_000).await;
    server.bump(41);
    server.bookmark();
    server.compact();
    settle().await;
    server.drop_streams(false);
    settle().await;
    assert!(server.journal().last().unwrap().contains("resourceVersion=42"), "{:?}", server.journal());
    assert_eq!(server.requests("limit="), 1);
}

// An idle watch costs only its renewal, every 290 seconds.
#[tokio::test(start_paused = true)]
async fn a_quiet_hour_costs_nothing_but_renewals() {
    let server = Server::new();
    server.put("demo", "a", "1");
    let _store = synced(&server.cluster()).await;
    let before = server.journal().len();
    pass(3_600_000).await;
    let renewals = server.journal().len() - before;
    assert!((12..=13).contains(&renewals), "{renewals}");
    assert_eq!(server.requests("timeoutSeconds=290"), server.journal().len() - 3);
    assert_eq!(server.open_streams(), 1);
}

// STORE-5
#[tokio::test(start_paused = true)]
async fn a_failing_watch_does_not_slow_another() {
    let server = Server::new();
    server.serve_widgets(true);
    server.fail_always("widgets", Fault::Status(500, "InternalError"));
    let cluster = server.cluster();
    let broken = cluster.watches().subscribe(widgets(), Arc::new(Keeper));
    let store = synced(&cluster).await;
    let mut changes = store.changes();
    for second in 0..600 {
        server.put("demo", "a", &second.to_string());
        settle().await;
        assert_eq!(told(&mut changes).len(), 1, "second {second}");
        pass(999).await;
    }
    assert_eq!(broken.status().state, WatchState::Retrying);
    // The waits are 0.8 s, doubled up to 30 s.
    let attempts = server.requests("widgets");
    assert!((20..=30).contains(&attempts), "{attempts}");
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_ends_as_soon_as_it_opens_backs_off() {
    let server = Server::new();
    let cluster = server.cluster();
    let store = synced(&cluster).await;
    for _ in 0..10 {
        server.drop_streams(false);
        settle().await;
    }
    assert_eq!(store.status().state, WatchState::Retrying);
    assert!(server.requests("watch=true") <= 3, "{:?}", server.journal());
    pass(5_000).await;
    assert_eq!(store.status().state, WatchState::Watching);
}

#[tokio::test(start_paused = true)]
async fn the_status_of_a_broken_watch_has_the_start_and_the_error() {
    let server = Server::new();
    let cluster = server.cluster();
    let store = synced(&cluster).await;
    pass(10_000).await;
    server.fail_always("configmaps", Fault::Reset);
    server.drop_streams(true);
    let since = cluster.clock().moment();
    pass(60_000).await;
    let status = store.status();
    assert_eq!(status.state, WatchState::Retrying);
    assert!(status.broken_since.unwrap().since(since) < Duration::from_millis(10));
    assert!(status.error.unwrap().contains("connection reset"));
    assert!(!cluster.watches().health()[0].healthy(cluster.clock().moment()));
    server.heal();
    pass(40_000).await;
    assert_eq!(store.status(), crate::watch::WatchStatus::new(WatchState::Watching));
    assert!(cluster.watches().health()[0].healthy(cluster.clock().moment()));
}

// WATCH-6
#[tokio::test(start_paused = true)]
async fn a_forbidden_watch_shows_and_is_tried_again_in_growing_waits_of_at_most_a_minute() {
    let server = Server::new();
    server.put("demo", "a", "1");
    server.fail_always("configmaps", Fault::Status(403, "Forbidden"));
    let store = subscribe(&server.cluster());
    assert_eq!(store.settled().await, WatchState::Forbidden);
    assert!(store.status().error.unwrap().contains("Forbidden"));
    pass(1_200).await;
    assert_eq!(server.requests("configmaps"), 2);
    pass(600_000).await;
    let tries = server.requests("configmaps");
    assert!((15..=18).contains(&tries), "{tries} tries in ten minutes");
    server.heal();
    pass(60_000).await;
    assert_eq!(store.status().state, WatchState::Watching);
    assert_eq!(texts(&store), ["a=1"]);
}

// WATCH-6
#[tokio::test(start_paused = true)]
async fn a_forbidden_watch_is_retried_without_lists_and_the_kind_is_listed_again_once_allowed() {
    let server = Server::new();
    server.put("demo", "a", "1");
    server.fail_always("watch=true", Fault::Status(403, "Forbidden"));
    let store = subscribe(&server.cluster());
    store.synced().await;
    settle().await;
    assert_eq!(store.status().state, WatchState::Forbidden);
    pass(600_000).await;
    let lists = server.requests("configmaps") - server.requests("watch=true");
    assert_eq!(lists, 1, "{:?}", server.journal());
    server.put("demo", "b", "2");
    server.heal();
    pass(60_000).await;
    assert_eq!(store.status().state, WatchState::Watching);
    assert_eq!(texts(&store), ["a=1", "b=2"]);
    let lists = server.requests("configmaps") - server.requests("watch=true");
    assert_eq!(lists, 2, "{:?}", server.journal());
}

#[tokio::test(start_paused = true)]
async fn a_type_that_comes_later_is_watched_as_soon_as_types_change() {
    let server = Server::new();
    let cluster = server.cluster();
    let store = cluster.watches().subscribe(widgets(), Arc::new(Keeper));
    assert_eq!(store.settled().await, WatchState::NotServed);
    pass(100_000).await;
    let looks = server.requests("GET /apis");
    assert!(looks <= 8, "{looks}");
    server.serve_widgets(true);
    cluster.discovery().invalidate();
    settle().await;
    assert_eq!(store.settled().await, WatchState::Watching);
    assert!(store.is_synced());
}

#[tokio::test(start_paused = true)]
async fn a_type_that_comes_while_it_is_looked_for_in_vain_is_not_missed() {
    let server = Server::new();
    let cluster = server.cluster();
    let store = cluster.watches().subscribe(widgets(), Arc::new(Keeper));
    pass(100_000).await;
    let looks = server.requests("GET /apis");
    server.slow(1_000);
    while server.requests("GET /apis") == looks {
        tokio::time::advance(Duration::from_millis(10)).await;
    }
    // The answer under way does not contain the type.
    server.serve_widgets(true);
    cluster.discovery().invalidate();
    pass(5_000).await;
    assert!(store.is_synced(), "{:?}", store.status());
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_watch_because_its_type_went_away_is_no_warning() {
    let server = Server::new();
    server.put("demo", "a", "1");
    let store = synced(&server.cluster()).await;
    pass(10_000).await;
    let (log, _guard) = CapturedLog::start();
    server.fail_always("configmaps", Fault::Status(404, "NotFound"));
    server.unserve_config_maps(true);
    server.drop_streams(false);
    pass(5_000).await;
    assert_eq!(store.status().state, WatchState::NotServed);
    assert_eq!(log.text(), "");
}

#[tokio::test(start_paused = true)]
async fn a_path_that_stays_unknown_though_its_type_is_served_is_a_warning() {
    let server = Server::new();
    server.put("demo", "a", "1");
    let store = synced(&server.cluster()).await;
    pass(10_000).await;
    let (log, _guard) = CapturedLog::start();
    server.fail_always("configmaps", Fault::Status(404, "NotFound"));
    server.drop_streams(false);
    pass(20_000).await;
    assert_eq!(store.status().state, WatchState::Retrying);
    assert!(log.text().contains("watch failed") && log.text().contains("does not know the path"), "{}", log.text());
}

#[tokio::test(start_paused = true)]
async fn a_type_that_is_no_longer_served_removes_its_objects_from_the_store() {
    let server = Server::new();
    server.put("demo", "a", "1");
    let cluster = server.cluster();
    let store = synced(&cluster).await;
    let mut changes = store.changes();
    told(&mut changes);
    pass(10_000).await;
    server.fail_always("configmaps", Fault::Status(404, "NotFound"));
    server.unserve_config_maps(true);
    server.drop_streams(false);
    pass(5_000).await;
    assert_eq!(store.status().state, WatchState::NotServed);
    assert_eq!(told(&mut changes), ["a: 1 -> -"]);
    server.heal();
    server.unserve_config_maps(false);
    pass(120_000).await;
    assert_eq!(texts(&store), ["a=1"]);
}

// EF-5: the old side of a change is the entry that the store had; filters keep nothing besides the store
#[tokio::test(start_paused = true)]
async fn the_old_state_of_a_change_is_dropped_with_the_change() {
    let server = Server::new();
    server.put("demo", "a", "1");
    let cluster = server.cluster();
    let store = synced(&cluster).await;
    let mut changes = store.changes();
    server.put("demo", "a", "2");
    settle().await;
    assert_eq!(told(&mut changes), ["a: - -> 1", "a: 1 -> 2"]);
    server.put("demo", "a", "3");
    settle().await;
    let change = changes.try_next().unwrap();
    let (old, new) = (Arc::downgrade(change.old.as_ref().unwrap()), change.new.clone().unwrap());
    drop(change);
    assert!(old.upgrade().is_none(), "nobody holds the old state");
    assert!(Arc::ptr_eq(&new, &store.get(&key("a")).unwrap()), "the new state is the entry of the store");
}
