//! Lists and pages.

use super::*;

fn names(snapshot: &Snapshot, namespace: Option<&str>, after: Option<&ObjectName>) -> Vec<String> {
    snapshot.list_after(&maps(), namespace, after).map(|(name, _)| name.to_string()).collect()
}

// STO-6
#[test]
fn a_resource_without_objects_lists_nothing() {
    on_all(|bench| {
        let (objects, revision) = bench.list(None);
        assert_eq!((objects.len(), revision), (0, bench.start));
        assert_eq!(bench.store.snapshot().count(&maps()), 0);
    });
}

// LIST-1, VEC-1
#[test]
fn objects_are_ordered_bytewise_by_namespace_and_name() {
    on_all(|bench| {
        for (index, at) in ["b/p1", "b/p00", "b/p0", "a/z", "a-b/a", "b/P"].iter().enumerate() {
            bench.create(at, index as u64).unwrap();
        }
        assert_eq!(names(&bench.store.snapshot(), None, None), ["a/z", "a-b/a", "b/P", "b/p0", "b/p00", "b/p1"]);
    });
}

#[test]
fn a_list_of_a_namespace_shows_no_other() {
    on_all(|bench| {
        for at in ["a/x", "b/x", "b/y", "b-c/x", "c/x"] {
            bench.create(at, 1).unwrap();
        }
        let snapshot = bench.store.snapshot();
        assert_eq!(names(&snapshot, Some("b"), None), ["b/x", "b/y"]);
        assert_eq!(names(&snapshot, Some("nowhere"), None), Vec::<String>::new());
        assert_eq!(bench.list(Some("b")).0.len(), 2);
    });
}

#[test]
fn objects_of_the_cluster_have_no_namespace() {
    on_all(|bench| {
        for at in ["/a", "/b"] {
            bench.create(at, 1).unwrap();
        }
        assert_eq!(names(&bench.store.snapshot(), None, None), ["a", "b"]);
    });
}

// LIST-2
#[test]
fn a_page_begins_after_the_last_object_of_the_page_before() {
    on_all(|bench| {
        for at in ["a/x", "a/y", "b/x", "b/y"] {
            bench.create(at, 1).unwrap();
        }
        let snapshot = bench.store.snapshot();
        assert_eq!(names(&snapshot, None, Some(&name("a", "y"))), ["b/x", "b/y"]);
        assert_eq!(names(&snapshot, Some("a"), Some(&name("a", "x"))), ["a/y"]);
        // The object itself need not exist any more.
        assert_eq!(names(&snapshot, None, Some(&name("a", "z"))), ["b/x", "b/y"]);
        assert_eq!(names(&snapshot, None, Some(&name("b", "y"))), Vec::<String>::new());
    });
}

#[test]
fn pages_of_one_snapshot_make_up_the_list() {
    on_all(|bench| {
        for n in 0..20 {
            bench.create(&format!("m{n:02}"), n).unwrap();
        }
        let snapshot = bench.store.snapshot();
        for limit in [1, 3, 7, 20] {
            let (mut all, mut after) = (Vec::new(), None);
            loop {
                let page: Vec<_> = snapshot.list_after(&maps(), Some("n"), after.as_ref()).take(limit).collect();
                let Some((last, _)) = page.last() else { break };
                after = Some((*last).clone());
                all.extend(page.iter().map(|(name, _)| name.to_string()));
            }
            assert_eq!(all, names(&snapshot, None, None), "in pages of {limit}");
        }
    });
}

// STO-3
#[test]
fn a_snapshot_does_not_change() {
    on_all(|bench| {
        bench.create("a", 1).unwrap();
        bench.create("b", 1).unwrap();
        let before = bench.store.snapshot();
        bench.put("a", 2);
        bench.delete("b");
        bench.create("c", 3).unwrap();
        assert_eq!(shown(&before), ["n/a=1", "n/b=1"]);
        assert_eq!(before.revision(), bench.start + 2);
        assert_eq!(shown(&bench.store.snapshot()), ["n/a=2", "n/c=3"]);
    });
}

// LIST-7, META-7
#[test]
fn a_list_shows_the_revision_of_the_whole_store() {
    on_all(|bench| {
        bench.create("a", 1).unwrap();
        bench.one(StoreChange::create(secrets(), name("n", "s"), content(1))).unwrap();
        assert_eq!(bench.list(None).1, bench.start + 2);
    });
}

// STO-2: objects that were written long ago are kept in another form, which a reader cannot notice.
#[test]
fn objects_written_many_revisions_ago_are_read_like_recent_objects() {
    on_all(|bench| {
        for n in 0..1500 {
            bench.create(&format!("m{n:04}"), n).unwrap();
        }
        let (objects, _) = bench.list(None);
        for (n, stored) in objects.iter().enumerate() {
            assert_eq!((data(stored), stored.revision()), (n as u64, bench.start + n as u64 + 1));
            assert_eq!(stored.value()["metadata"]["resourceVersion"], stored.revision().to_string());
        }
        let seen = objects[0].revision();
        assert_eq!(bench.update("m0000", seen, 9).unwrap().previous.as_ref().map(|previous| data(previous)), Some(0));
    });
}
