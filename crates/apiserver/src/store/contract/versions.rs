//! Reads of older versions.

use super::*;

// STO-3, LIST-5
#[test]
fn every_remembered_revision_reads_as_it_was() {
    on_all(|bench| {
        let mut states = vec![shown(&bench.store.snapshot())];
        let mut step = |change: &dyn Fn()| {
            change();
            states.push(shown(&bench.store.snapshot()));
        };
        step(&|| drop(bench.create("a", 1).unwrap()));
        step(&|| drop(bench.create("b", 1).unwrap()));
        step(&|| drop(bench.put("a", 2)));
        step(&|| drop(bench.delete("b")));
        step(&|| drop(bench.create("b", 3).unwrap()));
        for (n, expected) in states.iter().enumerate() {
            let old = bench.store.snapshot_at(&maps(), bench.start + n as u64).unwrap();
            assert_eq!((&shown(&old), old.revision()), (expected, bench.start + n as u64));
        }
    });
}

#[test]
fn an_older_version_of_an_untouched_resource_is_the_present_one() {
    on_all(|bench| {
        bench.create("a", 1).unwrap();
        let then = bench.store.revision();
        for n in 0..3 {
            bench.one(StoreChange::create(secrets(), name("n", &format!("s{n}")), content(n))).unwrap();
        }
        assert_eq!(shown(&bench.store.snapshot_at(&maps(), then + 1).unwrap()), ["n/a=1"]);
    });
}

#[test]
fn old_objects_keep_their_own_revision() {
    on_all(|bench| {
        bench.create("a", 1).unwrap();
        bench.create("b", 1).unwrap();
        bench.put("a", 2);
        let old = bench.store.snapshot_at(&maps(), bench.start + 2).unwrap();
        assert_eq!(old.get(&maps(), &name("n", "a")).unwrap().revision(), bench.start + 1);
    });
}

#[test]
fn a_page_of_an_old_revision_continues_after_the_last_name() {
    on_all(|bench| {
        for at in ["a", "b", "c", "d"] {
            bench.create(at, 1).unwrap();
        }
        let first = bench.store.revision();
        bench.delete("c");
        bench.create("bb", 2).unwrap();
        let old = bench.store.snapshot_at(&maps(), first).unwrap();
        let rest: Vec<_> =
            old.list_after(&maps(), Some("n"), Some(&name("n", "b"))).map(|(name, _)| name.name.to_string()).collect();
        assert_eq!(rest, ["c", "d"]);
    });
}

#[test]
fn a_version_before_the_window_is_forgotten() {
    on_all(|bench| {
        for n in 0..=WINDOW as u64 + 5 {
            bench.put("a", n);
        }
        let now = bench.store.revision();
        let oldest = now - WINDOW as u64;
        assert_eq!(shown(&bench.store.snapshot_at(&maps(), oldest).unwrap()), ["n/a=5"]);
        assert_eq!(bench.store.snapshot_at(&maps(), oldest - 1).unwrap_err(), Compacted { asked: oldest - 1, oldest });
    });
}

#[test]
fn a_resource_does_not_push_another_out_of_its_window() {
    on_all(|bench| {
        bench.create("a", 1).unwrap();
        bench.put("a", 2);
        for n in 0..3 * WINDOW {
            bench.one(StoreChange::create(secrets(), name("n", &format!("s{n}")), content(1))).unwrap();
        }
        assert_eq!(shown(&bench.store.snapshot_at(&maps(), bench.start + 1).unwrap()), ["n/a=1"]);
        assert_eq!(found(&mut bench.subscribe(bench.start + 1), bench.start), ["~a=2@2"]);
    });
}
