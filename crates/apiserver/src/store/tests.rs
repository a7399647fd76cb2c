//! Behaviour of this store that the contract does not cover.

use std::sync::Arc;

use serde_json::{Value, json};

use super::*;

fn maps() -> Resource {
    Resource::new("", "configmaps")
}

fn put(store: &ObjectStore, name: &str, content: Value) -> Arc<StoreEvent> {
    let change = StoreChange::create(maps(), ObjectName::new("n", name), content);
    store.commit(vec![StoreChange { expect: Expect::Anything, ..change }]).unwrap().remove(0)
}

fn names(store: &ObjectStore) -> Vec<String> {
    store.snapshot().list(&maps(), None).map(|(name, _)| name.name.to_string()).collect()
}

#[test]
fn dependents_are_found_by_the_uid_of_their_owner() {
    let store = ObjectStore::new(10);
    let owned = |uids: &[&str]| {
        let references: Vec<_> = uids.iter().map(|uid| json!({"uid": uid})).collect();
        json!({"metadata": {"ownerReferences": references}})
    };
    put(&store, "a", owned(&["u1"]));
    put(&store, "b", owned(&["u1", "u2"]));
    put(&store, "c", owned(&["u11"]));
    assert_eq!((store.dependents("u1").len(), store.dependents("u2").len(), store.dependents("u").len()), (2, 1, 0));
    put(&store, "a", json!({"metadata": {}}));
    put(&store, "b", owned(&["u2"]));
    assert!(store.dependents("u1").is_empty());
}

// FRK-1
#[test]
fn a_forked_store_has_the_content_and_changes_independently() {
    let store = Arc::new(ObjectStore::new(10));
    put(&store, "a", json!({"metadata": {"ownerReferences": [{"uid": "u1"}]}}));
    store.take_outbox();
    let fork = Arc::new(store.fork());
    let mut watch = store.subscribe(&maps(), 1).unwrap();
    assert_eq!(put(&fork, "b", json!({"metadata": {}})).revision, 2);
    put(&store, "c", json!({"metadata": {}}));
    assert_eq!((names(&store), names(&fork)), (vec!["a".to_owned(), "c".into()], vec!["a".to_owned(), "b".into()]));
    let SubscriptionNews::Events(events) = watch.poll() else { panic!("no events") };
    assert_eq!(events.len(), 1);
    assert_eq!((fork.dependents("u1").len(), fork.take_outbox().len()), (1, 1));
    put(&fork, "a", json!({"metadata": {}}));
    assert_eq!((fork.dependents("u1").len(), store.dependents("u1").len()), (0, 1));
}

// FRK-3
#[test]
fn going_back_brings_the_content_back_under_a_new_revision() {
    let store = Arc::new(ObjectStore::new(10));
    put(&store, "a", json!({"metadata": {}}));
    let saved = store.save();
    put(&store, "b", json!({"metadata": {}}));
    let mut watch = store.subscribe(&maps(), 2).unwrap();
    store.restore(&saved);
    assert_eq!((names(&store), store.revision()), (vec!["a".to_owned()], 3));
    assert!(matches!(watch.poll(), SubscriptionNews::Closed));
    assert!(store.subscribe(&maps(), 2).is_err());
    assert_eq!(put(&store, "c", json!({"metadata": {}})).revision, 4);
}

#[test]
fn the_histories_of_all_resources_are_one_order() {
    let store = ObjectStore::new(10);
    for n in 0..4 {
        let resource = Resource::new("", ["a", "b"][n % 2]);
        let change = StoreChange::create(resource, ObjectName::new("n", &n.to_string()), json!({"metadata": {}}));
        store.commit(vec![change]).unwrap();
    }
    let revisions: Vec<_> = store.history_between(1, 3).iter().map(|event| event.revision).collect();
    assert_eq!(revisions, [2, 3]);
}

// BDF-13
#[test]
fn addresses_and_node_ports_of_a_service_are_claimed_while_the_service_exists() {
    let store = ObjectStore::new(100);
    let services = Resource::new("", "services");
    let [a, b] = ["a", "b"].map(|name| ObjectName::new("n", name));
    let service =
        |address: &str, port: u64| json!({"metadata": {}, "spec": {"clusterIPs": [address], "ports": [{"nodePort": port}, {}]}});
    let is_held = |address: &str, port: u64, except: Option<&ObjectName>| {
        let snapshot = store.snapshot();
        let address = Claim::Address(address.parse().unwrap());
        (snapshot.is_claimed(address, except), snapshot.is_claimed(Claim::Port(port), except))
    };
    store.commit(vec![StoreChange::create(services.clone(), a.clone(), service("10.0.0.9", 30_000))]).unwrap();
    let before = store.snapshot();
    assert_eq!(is_held("10.0.0.9", 30_000, None), (true, true));
    assert_eq!((is_held("10.0.0.9", 30_000, Some(&a)), is_held("10.0.0.9", 30_000, Some(&b))), ((false, false), (true, true)));
    store.commit(vec![StoreChange::create(services.clone(), b.clone(), service("None", 30_000))]).unwrap();
    let change = StoreChange { object: ObjectRef { resource: services, name: a }, expect: Expect::Anything, content: None };
    store.commit(vec![change]).unwrap();
    assert_eq!(is_held("10.0.0.9", 30_000, None), (false, true));
    assert_eq!(is_held("10.0.0.9", 30_000, Some(&b)), (false, false));
    assert!(before.is_claimed(Claim::Address("10.0.0.9".parse().unwrap()), None));
    assert!(!before.is_claimed(Claim::Port(30_001), None));
}

// DIF-5
#[test]
fn the_history_of_all_resources_together_is_bounded() {
    const LIMIT: usize = 400_000;
    let store = Arc::new(ObjectStore::new(10_000).with_history_bytes(LIMIT).without_outbox());
    let write = |plural: &str, number: usize| {
        let content = json!({"metadata": {}, "data": {"k": "x".repeat(1_000), "n": number}});
        let object = ObjectName::new("n", &format!("o{}", number % 100));
        let change = StoreChange::create(Resource::new("", plural), object, content);
        store.commit(vec![StoreChange { expect: Expect::Anything, ..change }]).unwrap();
        assert!(store.history_bytes() <= LIMIT);
    };
    // No more events of a removed resource are written.
    (0..300).for_each(|number| write("removed", number));
    assert_eq!(store.history(&Resource::new("", "removed")).len(), 300);
    for number in 0..1_500 {
        write("configmaps", number);
        write("secrets", number);
    }
    assert!(store.history_bytes() > LIMIT / 2);
    assert!(store.history(&Resource::new("", "removed")).is_empty());
    assert_eq!(store.snapshot().list(&maps(), None).count(), 100);
    // The latest changes can be followed; a subscription from the first ones is refused.
    let latest = store.revision() - 500;
    let SubscriptionNews::Events(events) = store.subscribe(&maps(), latest).unwrap().poll() else { panic!("no events") };
    assert_eq!(events.len(), 250);
    let refused = store.subscribe(&maps(), 301).unwrap_err();
    assert!(refused.oldest > 301 && refused.oldest < latest, "{refused}");
    store.compact(store.revision());
    assert_eq!(store.history_bytes(), 0);
}

// WCH-2, DIF-5
#[test]
fn an_old_event_is_encoded_for_a_late_reader_and_not_kept_so() {
    let event = put(&ObjectStore::new(10), "a", json!({"metadata": {}}));
    let encodings = |event: &StoreEvent| {
        let mut count = 0;
        for _ in 0..2 {
            let _ = event.encoded(&"form", || {
                count += 1;
                Some(bytes::Bytes::from_static(b"text"))
            });
        }
        count
    };
    assert_eq!((encodings(&event), encodings(&event.cold())), (1, 2));
}
