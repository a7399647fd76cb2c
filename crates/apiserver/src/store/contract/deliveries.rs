//! The delivery of events to followers.

use std::time::Duration;

use futures::FutureExt as _;

use super::*;

// SWATCH-3
#[test]
fn a_follower_from_the_current_revision_gets_later_events_only() {
    on_all(|bench| {
        bench.create("a", 1).unwrap();
        let mut watch = bench.subscribe(bench.store.revision());
        assert!(found(&mut watch, bench.start).is_empty());
        bench.create("b", 2).unwrap();
        assert_eq!(found(&mut watch, bench.start), ["+b=2@2"]);
    });
}

// SWATCH-3
#[test]
fn a_follower_from_an_older_version_sees_everything_since() {
    on_all(|bench| {
        bench.create("a", 1).unwrap();
        bench.put("a", 2);
        bench.delete("a");
        let mut watch = bench.subscribe(bench.start + 1);
        assert_eq!(found(&mut watch, bench.start), ["~a=2@2", "-a=2@3"]);
    });
}

// WCH-1
#[test]
fn a_subscription_neither_loses_nor_repeats_events_between_history_and_live_changes() {
    on_all(|bench| {
        bench.create("a", 1).unwrap();
        let mut watch = bench.subscribe(bench.start);
        bench.put("a", 2);
        assert_eq!(found(&mut watch, bench.start), ["+a=1@1", "~a=2@2"]);
        bench.put("a", 3);
        assert_eq!(found(&mut watch, bench.start), ["~a=3@3"]);
        assert!(found(&mut watch, bench.start).is_empty());
    });
}

// SWATCH-11
#[test]
fn a_deletion_shows_the_last_content_under_its_own_revision() {
    on_all(|bench| {
        bench.create("a", 1).unwrap();
        let mut watch = bench.subscribe(bench.store.revision());
        bench.delete("a");
        let SubscriptionNews::Events(events) = watch.poll() else { panic!("no events") };
        let departed = events[0].departed().unwrap();
        assert_eq!((data(departed), departed.revision()), (1, bench.start + 2));
        assert_eq!(departed.value()["metadata"]["resourceVersion"], (bench.start + 2).to_string());
        // The stored object is not changed.
        assert_eq!(events[0].previous.as_ref().unwrap().revision(), bench.start + 1);
    });
}

// SWATCH-10
#[test]
fn an_event_shows_the_object_before_and_after() {
    on_all(|bench| {
        bench.create("a", 1).unwrap();
        let mut watch = bench.subscribe(bench.store.revision());
        bench.put("a", 2);
        let SubscriptionNews::Events(events) = watch.poll() else { panic!("no events") };
        let sides = (events[0].previous.as_deref().map(data), events[0].current.as_deref().map(data));
        assert_eq!(sides, (Some(1), Some(2)));
    });
}

#[test]
fn a_follower_sees_no_other_resource() {
    on_all(|bench| {
        let mut watch = bench.subscribe(bench.start);
        bench.one(StoreChange::create(secrets(), name("n", "a"), content(1))).unwrap();
        assert!(found(&mut watch, bench.start).is_empty());
    });
}

#[test]
fn all_namespaces_come_in_the_order_of_their_revisions() {
    on_all(|bench| {
        let mut watch = bench.subscribe(bench.start);
        for (n, at) in ["b/x", "a/x", "b/y", "/c"].iter().enumerate() {
            bench.create(at, n as u64).unwrap();
        }
        assert_eq!(found(&mut watch, bench.start), ["+x=0@1", "+x=1@2", "+y=2@3", "+c=3@4"]);
    });
}

#[test]
fn the_changes_of_one_commit_are_delivered_together_and_in_order() {
    on_all(|bench| {
        let mut watch = bench.subscribe(bench.start);
        let changes = (1..=3).map(|n| StoreChange::create(maps(), name("n", &format!("m{n}")), content(n))).collect();
        bench.store.commit(changes).unwrap();
        assert_eq!(found(&mut watch, bench.start), ["+m1=1@1", "+m2=2@2", "+m3=3@3"]);
    });
}

#[test]
fn followers_do_not_take_events_from_each_other() {
    on_all(|bench| {
        let (mut one, mut other) = (bench.subscribe(bench.start), bench.subscribe(bench.start));
        bench.create("a", 1).unwrap();
        assert_eq!(found(&mut one, bench.start), found(&mut other, bench.start));
    });
}

// SWATCH-5
#[test]
fn a_follower_from_the_future_is_silent_until_it_has_come() {
    on_all(|bench| {
        let mut watch = bench.subscribe(bench.start + 2);
        bench.create("a", 1).unwrap();
        bench.create("b", 1).unwrap();
        assert!(found(&mut watch, bench.start).is_empty());
        bench.create("c", 1).unwrap();
        assert_eq!(found(&mut watch, bench.start), ["+c=1@3"]);
    });
}

// WCH-6
#[test]
fn an_idle_follower_learns_how_far_the_store_is() {
    on_all(|bench| {
        let mut watch = bench.subscribe(bench.start);
        bench.create("a", 1).unwrap();
        found(&mut watch, bench.start);
        bench.one(StoreChange::create(secrets(), name("n", "s"), content(1))).unwrap();
        assert!(matches!(watch.poll(), SubscriptionNews::Idle(revision) if revision == bench.start + 2));
    });
}

#[tokio::test(start_paused = true)]
async fn a_waiting_follower_is_woken_by_a_change_of_its_resource() {
    for (_, store) in stores() {
        let bench = Bench { start: store.revision(), store };
        let mut watch = bench.subscribe(bench.start);
        assert!(found(&mut watch, bench.start).is_empty());
        assert!(tokio::time::timeout(Duration::from_secs(60), watch.wait()).await.is_err());
        bench.create("a", 1).unwrap();
        watch.wait().now_or_never().unwrap();
        assert_eq!(found(&mut watch, bench.start), ["+a=1@1"]);
    }
}

#[test]
fn a_change_before_the_wait_is_not_slept_through() {
    on_all(|bench| {
        let mut watch = bench.subscribe(bench.start);
        assert!(found(&mut watch, bench.start).is_empty());
        bench.create("a", 1).unwrap();
        assert!(watch.wait().now_or_never().is_some());
    });
}

// SWATCH-16, SWATCH-14
#[test]
fn the_end_of_a_subscription_is_delivered_after_earlier_events() {
    for (_, store) in stores() {
        let bench = Bench { start: store.revision(), store };
        let mut watch = bench.subscribe(bench.start);
        bench.create("a", 1).unwrap();
        bench.store.close(&maps());
        assert_eq!(found(&mut watch, bench.start), ["+a=1@1"]);
        assert_eq!(found(&mut watch, bench.start), ["Closed"]);
        let mut next = bench.subscribe(bench.start + 1);
        assert!(found(&mut next, bench.start).is_empty());
    }
}

// SWATCH-14
#[test]
fn a_restart_of_the_store_closes_subscriptions_drops_the_history_and_keeps_the_objects() {
    for (_, store) in stores() {
        let bench = Bench { start: store.revision(), store };
        bench.create("a", 1).unwrap();
        let mut watch = bench.subscribe(bench.start + 1);
        bench.store.restart();
        assert_eq!(found(&mut watch, bench.start), ["Closed"]);
        assert!(bench.store.subscribe(&maps(), bench.start).is_err());
        assert!(bench.store.subscribe(&maps(), bench.start + 1).is_ok());
        assert_eq!(shown(&bench.store.snapshot()), ["n/a=1"]);
    }
}

// WCH-4, SWATCH-15
#[test]
fn a_slow_follower_is_lost_and_lists_again_without_losing_anything() {
    on_all(|bench| {
        let mut watch = bench.subscribe(bench.start);
        for n in 0..=WINDOW as u64 {
            bench.put(&format!("m{}", n % 7), n);
        }
        assert_eq!(found(&mut watch, bench.start), ["Lost"]);
        let again = bench.store.snapshot();
        let mut seen = shown(&again);
        let mut watch = bench.subscribe(again.revision());
        bench.create("z", 1).unwrap();
        seen.extend(found(&mut watch, bench.start).iter().map(|_| "n/z=1".to_owned()));
        assert_eq!(seen, shown(&bench.store.snapshot()));
    });
}

// WCH-4
#[test]
fn a_queue_that_is_full_ends_a_follower_but_history_does_not_fill_it() {
    let store = Arc::new(ObjectStore::new(WINDOW).with_queue(3));
    let bench = Bench { start: 0, store };
    for n in 0..10 {
        bench.put("a", n);
    }
    let mut watch = bench.subscribe(2);
    for n in 0..3 {
        bench.put("b", n);
    }
    assert_eq!(found(&mut watch, 0).len(), 11);
    for n in 0..4 {
        bench.put("c", n);
    }
    assert_eq!(found(&mut watch, 0), ["Lost"]);
}

// DET-4
#[test]
fn a_follower_is_busy_until_it_looks_again() {
    for (_, store) in stores() {
        let bench = Bench { start: store.revision(), store };
        let mut watch = bench.subscribe(bench.start);
        assert!(bench.store.busy().is_empty());
        bench.create("a", 1).unwrap();
        assert_eq!(bench.store.busy(), [(maps(), 1)]);
        found(&mut watch, bench.start);
        assert_eq!(bench.store.busy(), [(maps(), 1)], "what was handed out may still be worked on");
        found(&mut watch, bench.start);
        assert!(bench.store.busy().is_empty());
        bench.create("b", 1).unwrap();
        drop(watch);
        assert!(bench.store.busy().is_empty());
    }
}
