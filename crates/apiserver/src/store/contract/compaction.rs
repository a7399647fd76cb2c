//! Compaction and its effect on snapshots and subscriptions.

use super::*;

// STO-4, LIST-4, LIST-5
#[test]
fn a_revision_before_a_compaction_cannot_be_read() {
    on_all(|bench| {
        bench.create("a", 1).unwrap();
        bench.put("a", 2);
        bench.put("a", 3);
        let revision = bench.start + 2;
        bench.store.compact(revision);
        assert_eq!(
            bench.store.snapshot_at(&maps(), revision - 1).unwrap_err(),
            Compacted { asked: revision - 1, oldest: revision }
        );
        assert_eq!(shown(&bench.store.snapshot_at(&maps(), revision).unwrap()), ["n/a=2"]);
    });
}

// SWATCH-4
#[test]
fn a_subscription_from_a_compacted_revision_is_refused() {
    on_all(|bench| {
        bench.create("a", 1).unwrap();
        bench.put("a", 2);
        bench.store.compact(bench.start + 2);
        assert!(bench.store.subscribe(&maps(), bench.start + 1).is_err());
        assert!(bench.store.subscribe(&maps(), bench.start + 2).is_ok());
    });
}

#[test]
fn a_compaction_is_of_all_resources() {
    on_all(|bench| {
        bench.create("a", 1).unwrap();
        bench.one(StoreChange::create(secrets(), name("n", "s"), content(1))).unwrap();
        bench.store.compact(bench.start + 2);
        for resource in [maps(), secrets(), Resource::new("ex.io", "new")] {
            assert!(bench.store.snapshot_at(&resource, bench.start + 1).is_err(), "{resource}");
            assert!(bench.store.snapshot_at(&resource, bench.start + 2).is_ok(), "{resource}");
        }
    });
}

#[test]
fn a_compaction_keeps_the_present() {
    on_all(|bench| {
        bench.create("a", 1).unwrap();
        bench.store.compact(bench.store.revision());
        assert_eq!(shown(&bench.store.snapshot()), ["n/a=1"]);
        assert_eq!(shown(&bench.store.snapshot_at(&maps(), bench.store.revision()).unwrap()), ["n/a=1"]);
    });
}

#[test]
fn a_compaction_up_to_the_future_is_one_up_to_now() {
    on_all(|bench| {
        bench.create("a", 1).unwrap();
        bench.store.compact(u64::MAX);
        let mut watch = bench.subscribe(bench.start + 1);
        bench.create("b", 1).unwrap();
        assert_eq!(found(&mut watch, bench.start), ["+b=1@2"]);
    });
}

#[test]
fn an_older_compaction_changes_nothing() {
    on_all(|bench| {
        for n in 0..4 {
            bench.put("a", n);
        }
        bench.store.compact(bench.start + 3);
        bench.store.compact(bench.start + 1);
        assert!(bench.store.snapshot_at(&maps(), bench.start + 2).is_err());
    });
}

// WCH-1: a follower that has read all events loses none.
#[test]
fn a_follower_that_has_read_all_events_survives_a_compaction() {
    on_all(|bench| {
        bench.create("a", 1).unwrap();
        let mut watch = bench.subscribe(bench.start);
        assert_eq!(found(&mut watch, bench.start), ["+a=1@1"]);
        for n in 0..5 {
            bench.one(StoreChange::create(secrets(), name("n", &format!("s{n}")), content(1))).unwrap();
        }
        bench.store.compact(bench.store.revision());
        bench.put("a", 2);
        assert_eq!(found(&mut watch, bench.start), ["~a=2@7"]);
    });
}

// SWATCH-15
#[test]
fn a_follower_whose_events_are_compacted_away_is_lost() {
    on_all(|bench| {
        let mut watch = bench.subscribe(bench.start);
        bench.create("a", 1).unwrap();
        bench.put("a", 2);
        bench.store.compact(bench.start + 1);
        assert_eq!(found(&mut watch, bench.start), ["Lost"]);
    });
}
