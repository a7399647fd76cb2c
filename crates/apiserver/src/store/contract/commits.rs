//! Commits.

use super::*;

// STO-1, META-7
// STO-6
#[test]
fn each_change_takes_the_next_revision_and_shows_it() {
    on_all(|bench| {
        for n in 1..=3 {
            let event = bench.create(&format!("m{n}"), n).unwrap();
            assert_eq!(event.revision, bench.start + n);
            let shown = &event.current.as_ref().unwrap().value()["metadata"]["resourceVersion"];
            assert_eq!(*shown, event.revision.to_string());
        }
        assert_eq!(bench.store.revision(), bench.start + 3);
    });
}

#[test]
fn a_created_object_is_read_as_it_was_given() {
    on_all(|bench| {
        bench.create("a", 7).unwrap();
        let stored = bench.store.get(&maps(), &name("n", "a")).unwrap();
        assert_eq!((data(&stored), stored.revision()), (7, bench.start + 1));
        let mut expected = content(7);
        expected["metadata"]["resourceVersion"] = (bench.start + 1).to_string().into();
        assert_eq!(stored.value(), &expected);
        assert_eq!(serde_json::from_slice::<Value>(&stored.bytes()).unwrap(), expected);
    });
}

#[test]
fn an_object_that_exists_is_not_created_again() {
    on_all(|bench| {
        bench.create("a", 1).unwrap();
        assert!(matches!(bench.create("a", 2), Err(CommitError::Exists(object)) if object.name == name("n", "a")));
        assert_eq!(shown(&bench.store.snapshot()), ["n/a=1"]);
        assert_eq!(bench.store.revision(), bench.start + 1);
    });
}

#[test]
fn a_deleted_object_can_be_created_again() {
    on_all(|bench| {
        bench.create("a", 1).unwrap();
        bench.delete("a");
        let again = bench.create("a", 2).unwrap();
        assert!(again.previous.is_none() && again.current.is_some());
    });
}

#[test]
fn an_update_with_the_current_revision_replaces_the_object() {
    on_all(|bench| {
        let seen = bench.create("a", 1).unwrap().revision;
        let event = bench.update("a", seen, 2).unwrap();
        assert_eq!([&event.previous, &event.current].map(|stored| data(stored.as_ref().unwrap())), [1, 2]);
        assert_eq!(shown(&bench.store.snapshot()), ["n/a=2"]);
    });
}

// UPD-2
#[test]
fn an_update_with_an_outdated_revision_is_refused() {
    on_all(|bench| {
        let seen = bench.create("a", 1).unwrap().revision;
        bench.update("a", seen, 2).unwrap();
        assert!(matches!(bench.update("a", seen, 3), Err(CommitError::Changed(_))));
        assert_eq!(shown(&bench.store.snapshot()), ["n/a=2"]);
    });
}

#[test]
fn an_update_of_a_deleted_or_absent_object_is_refused() {
    on_all(|bench| {
        let seen = bench.create("a", 1).unwrap().revision;
        bench.delete("a");
        assert!(matches!(bench.update("a", seen, 2), Err(CommitError::Gone(_))));
        assert!(matches!(bench.update("never", 1, 2), Err(CommitError::Gone(_))));
    });
}

#[test]
fn an_object_that_was_made_anew_is_not_the_one_that_its_writer_saw() {
    on_all(|bench| {
        let seen = bench.create("a", 1).unwrap().revision;
        bench.delete("a");
        bench.create("a", 1).unwrap();
        assert!(matches!(bench.update("a", seen, 2), Err(CommitError::Changed(_))));
    });
}

#[test]
fn a_delete_of_a_changed_object_is_refused() {
    on_all(|bench| {
        let seen = bench.create("a", 1).unwrap().revision;
        bench.update("a", seen, 2).unwrap();
        let refused = bench.one(StoreChange::delete(maps(), name("n", "a"), seen));
        assert!(matches!(refused, Err(CommitError::Changed(_))));
        assert_eq!(shown(&bench.store.snapshot()), ["n/a=2"]);
    });
}

#[test]
fn a_delete_of_a_missing_object_is_refused() {
    on_all(|bench| {
        assert!(matches!(bench.one(StoreChange::delete(maps(), name("n", "a"), 1)), Err(CommitError::Gone(_))));
    });
}

#[test]
fn a_deleted_object_is_read_no_more() {
    on_all(|bench| {
        bench.create("a", 1).unwrap();
        bench.delete("a");
        assert!(bench.store.get(&maps(), &name("n", "a")).is_none());
        assert_eq!(bench.list(None).0.len(), 0);
    });
}

#[test]
fn the_changes_of_a_commit_are_made_in_order() {
    on_all(|bench| {
        let changes = (1..=3).map(|n| StoreChange::create(maps(), name("n", &format!("m{n}")), content(n))).collect();
        let events = bench.store.commit(changes).unwrap();
        let revisions: Vec<_> = events.iter().map(|event| event.revision - bench.start).collect();
        assert_eq!(revisions, [1, 2, 3]);
    });
}

#[test]
fn a_commit_that_is_refused_makes_none_of_its_changes() {
    on_all(|bench| {
        bench.create("a", 1).unwrap();
        let mut watch = bench.subscribe(bench.start + 1);
        let changes = vec![
            StoreChange::create(maps(), name("n", "b"), content(2)),
            StoreChange::update(maps(), name("n", "a"), 99_999, content(3)),
        ];
        assert!(matches!(bench.store.commit(changes), Err(CommitError::Changed(_))));
        assert_eq!(shown(&bench.store.snapshot()), ["n/a=1"]);
        assert_eq!(bench.store.revision(), bench.start + 1);
        assert!(found(&mut watch, bench.start).is_empty());
    });
}

#[test]
fn a_delete_of_whatever_is_there_makes_no_event_of_nothing() {
    on_all(|bench| {
        let delete = StoreChange { expect: Expect::Anything, ..StoreChange::delete(maps(), name("n", "a"), 0) };
        assert!(bench.store.commit(vec![delete]).unwrap().is_empty());
        assert_eq!(bench.store.revision(), bench.start);
    });
}

#[test]
fn equal_names_of_other_resources_and_namespaces_are_other_objects() {
    on_all(|bench| {
        bench.create("n/a", 1).unwrap();
        bench.create("m/a", 2).unwrap();
        bench.one(StoreChange::create(secrets(), name("n", "a"), content(3))).unwrap();
        bench.delete("n/a");
        assert_eq!(shown(&bench.store.snapshot()), ["m/a=2"]);
        assert_eq!(data(&bench.store.get(&secrets(), &name("n", "a")).unwrap()), 3);
    });
}

// FLT-7
#[test]
fn a_storage_that_fails_once_makes_no_change_and_recovers() {
    for (_, store) in stores() {
        let bench = Bench { start: store.revision(), store };
        bench.store.fail_next_commit();
        assert!(matches!(bench.create("a", 1), Err(CommitError::Failed(_))));
        assert_eq!(bench.store.revision(), bench.start);
        bench.create("a", 1).unwrap();
    }
}
