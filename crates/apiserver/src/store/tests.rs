use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn maps() -> Resource {
    Resource::new("", "configmaps")
}

fn named(name: &str) -> ObjectName {
    ObjectName::new("default", name)
}

fn put(store: &Store, name: &str, data: u32) -> Arc<Event> {
    let content = json!({"metadata": {"name": name}, "data": data});
    let change = Change { expect: Expect::Anything, ..Change::create(maps(), named(name), content) };
    store.commit(vec![change]).unwrap().remove(0)
}

fn remove(store: &Store, name: &str) {
    let change = Change { expect: Expect::Anything, ..Change::delete(maps(), named(name), 0) };
    store.commit(vec![change]).unwrap();
}

fn names(snapshot: &Snapshot) -> Vec<String> {
    snapshot.list(&maps(), None).map(|(name, _)| name.name.to_string()).collect()
}

// STO-1, DIF-9
#[test]
fn every_change_gets_the_next_revision_and_carries_it() {
    let store = Store::new(10);
    put(&store, "a", 1);
    let event = put(&store, "b", 1);
    assert_eq!(event.revision, 2);
    assert_eq!(event.current.as_ref().unwrap().value()["metadata"]["resourceVersion"], "2");
    assert_eq!(store.revision(), 2);
}

#[test]
fn a_commit_on_a_changed_object_makes_none_of_its_changes() {
    let store = Store::new(10);
    put(&store, "a", 1);
    let changes = vec![
        Change::create(maps(), named("b"), json!({"metadata": {}})),
        Change::update(maps(), named("a"), 7, json!({"metadata": {}})),
    ];
    assert!(matches!(store.commit(changes), Err(CommitError::Changed(_))));
    assert_eq!(names(&store.snapshot()), ["a"]);
}

// LIST-1, VEC-1
#[test]
fn objects_are_listed_bytewise_by_namespace_and_name() {
    let store = Store::new(10);
    for name in ["p1", "p00", "p0"] {
        put(&store, name, 1);
    }
    assert_eq!(names(&store.snapshot()), ["p0", "p00", "p1"]);
    let snapshot = store.snapshot();
    assert_eq!(snapshot.list_after(&maps(), Some("default"), Some(&named("p0"))).count(), 2);
    assert_eq!(snapshot.list(&maps(), Some("other")).count(), 0);
}

// STO-3
#[test]
fn an_older_revision_is_read_as_it_was() {
    let store = Store::new(10);
    put(&store, "a", 1);
    put(&store, "b", 1);
    put(&store, "a", 2);
    remove(&store, "b");
    let old = store.snapshot_at(&maps(), 2).unwrap();
    assert_eq!(names(&old), ["a", "b"]);
    assert_eq!(old.get(&maps(), &named("a")).unwrap().value()["data"], 1);
}

// STO-4, LIST-4
#[test]
fn a_compacted_revision_is_gone() {
    let store = Arc::new(Store::new(10));
    put(&store, "a", 1);
    put(&store, "a", 2);
    store.compact(2);
    assert_eq!(store.snapshot_at(&maps(), 1).unwrap_err(), Compacted { asked: 1, oldest: 2 });
    assert!(store.subscribe(&maps(), 1).is_err());
    assert!(store.subscribe(&maps(), 2).is_ok());
}

// WCH-1, WATCH-3
#[test]
fn a_subscription_sees_each_event_once_and_in_order() {
    let store = Arc::new(Store::new(10));
    put(&store, "a", 1);
    put(&store, "a", 2);
    let mut subscription = store.subscribe(&maps(), 1).unwrap();
    put(&store, "b", 1);
    let Progress::Events(events) = subscription.poll() else { panic!("no events") };
    assert_eq!(events.iter().map(|event| event.revision).collect::<Vec<_>>(), [2, 3]);
    assert!(matches!(subscription.poll(), Progress::Idle(3)));
}

// WCH-3, WCH-4, WATCH-15
#[test]
fn a_subscriber_that_falls_behind_the_window_is_lost() {
    let store = Arc::new(Store::new(2));
    let mut subscription = store.subscribe(&maps(), 0).unwrap();
    for data in 0..4 {
        put(&store, "a", data);
    }
    assert!(matches!(subscription.poll(), Progress::Lost));
}

// WATCH-16
#[test]
fn closing_lets_subscribers_read_what_was_before_it() {
    let store = Arc::new(Store::new(10));
    let mut subscription = store.subscribe(&maps(), 0).unwrap();
    put(&store, "a", 1);
    store.close(&maps());
    assert!(matches!(subscription.poll(), Progress::Events(_)));
    assert!(matches!(subscription.poll(), Progress::Closed));
}

// WATCH-11
#[test]
fn a_deleted_object_departs_with_its_last_content_and_the_revision_of_the_deletion() {
    let store = Arc::new(Store::new(10));
    put(&store, "a", 5);
    let mut subscription = store.subscribe(&maps(), 1).unwrap();
    remove(&store, "a");
    let Progress::Events(events) = subscription.poll() else { panic!("no events") };
    let departed = events[0].departed().unwrap();
    assert_eq!(departed.value(), &json!({"metadata": {"name": "a", "resourceVersion": "2"}, "data": 5}));
}

#[test]
fn dependents_are_found_by_the_uid_of_their_owner() {
    let store = Store::new(10);
    let content = json!({"metadata": {"ownerReferences": [{"uid": "u1"}]}});
    store.commit(vec![Change::create(maps(), named("a"), content)]).unwrap();
    assert_eq!(store.dependents("u1").len(), 1);
    put(&store, "a", 1);
    assert!(store.dependents("u1").is_empty());
}

proptest! {
    // STO-3: undoing history gives exactly the states that were.
    #[test]
    fn any_remembered_revision_reads_as_it_was(steps in prop::collection::vec((0u8..4, prop::option::of(0u32..3)), 1..30)) {
        let store = Store::new(100);
        let mut states = vec![(0, Vec::new())];
        for (name, data) in steps {
            match data {
                Some(data) => { put(&store, &name.to_string(), data); }
                None => remove(&store, &name.to_string()),
            }
            let content = |snapshot: Snapshot| snapshot.list(&maps(), None).map(|(_, stored)| stored.value().clone()).collect::<Vec<_>>();
            states.push((store.revision(), content(store.snapshot())));
        }
        for (revision, expected) in states {
            let found: Vec<_> = store.snapshot_at(&maps(), revision).unwrap().list(&maps(), None).map(|(_, stored)| stored.value().clone()).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
