//! Labels and digests of ours that other programs change, or that objects do not keep.

use kubewright_machinery::object::ObjectExt;

use super::super::*;
use super::cluster::Drops;
use super::world::{Annotate, World, object};

// OWN-4, DRIFT-5
#[test]
fn marks_that_another_program_changes_are_restored_in_growing_pauses() {
    let undo: [fn(&mut serde_json::Value); 3] = [
        |live| live.set_label("op.example.com/owner-id", "someone"),
        |live| live.set_annotation("op.example.com/digest", "other"),
        |live| _ = live.remove_label("op.example.com/owner-id"),
    ];
    for (case, undo) in undo.into_iter().enumerate() {
        for policy in ["replace", "recreate"] {
            let mut world = World::new();
            let set = [object("ConfigMap", "c").with("adoption-policy", "always").with("update-policy", policy)];
            world.apply(&set);
            world.requests();
            let start = world.now;
            let mut written = Vec::new();
            for _ in 0..700 {
                world.cluster.edit("ConfigMap", "c", undo);
                assert!(world.apply(&set).is_complete(), "the component stays ready");
                let requests = world.requests();
                if requests.iter().any(|request| ["Create c", "Update c", "Recreate c"].contains(&request.as_str())) {
                    written.push(world.now.duration_since(start).as_secs());
                }
                world.advance(1);
            }
            assert_eq!(written, [0, 10, 70, 610], "{case} {policy}");
            assert!(matches!(world.notes.as_slice(), [Note::DriftRepeated { .. }]), "{:?}", world.notes);
        }
    }
}

// OWN-3, OWN-4, WAVE-3
#[test]
fn an_object_that_waits_for_its_label_is_watched_and_comes_back_at_once_when_it_is_deleted() {
    let mut world = World::new();
    let set = [object("ConfigMap", "c")];
    world.apply(&set);
    let strip = |world: &mut World| world.cluster.edit("ConfigMap", "c", |live| _ = live.remove_label("op.example.com/owner-id"));
    strip(&mut world);
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.watched, []);
    strip(&mut world);
    world.requests();
    assert!(world.apply(&set).is_complete());
    assert_eq!(
        (world.requests(), &world.watched),
        (vec!["ReadLive c".to_owned()], &vec![("ConfigMap".to_owned(), "c".to_owned())])
    );
    assert_eq!(world.wake.unwrap().duration_since(world.now).as_secs(), 10);
    world.cluster.remove("ConfigMap", "c");
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.requests(), ["ReadLive c", "Create c"]);
    assert_eq!(world.watched, []);
}

/// Returns the seconds at which the object `c`, which never keeps our marks, is written.
fn vain_writes(world: &mut World, set: &[serde_json::Value]) -> Vec<i64> {
    let start = world.now;
    let mut written = Vec::new();
    for _ in 0..700 {
        assert!(!world.apply(set).is_complete());
        let writes = world.requests().into_iter().filter(|request| request == "Create c" || request == "Update c").count();
        written.extend(std::iter::repeat_n(world.now.duration_since(start).as_secs(), writes));
        world.advance(1);
    }
    written
}

// OWN-4, DRIFT-5
#[test]
fn an_object_that_does_not_keep_our_label_is_written_in_growing_pauses() {
    let mut world = World::new();
    world.cluster.drops = Some(Drops::Label("op.example.com/owner-id"));
    let set = [object("ConfigMap", "c")];
    assert_eq!(vain_writes(&mut world, &set), [0, 10, 70, 610]);
    world.cluster.drops = None;
    world.advance(600);
    assert!(world.apply(&set).is_complete());
}

// OWN-4
#[test]
fn a_change_of_the_manifest_does_not_wait_for_a_fight_about_marks() {
    let mut world = World::new();
    let set = [object("ConfigMap", "c")];
    world.apply(&set);
    for _ in 0..3 {
        world.cluster.edit("ConfigMap", "c", |live| live.set_annotation("op.example.com/digest", "other"));
        world.apply(&set);
    }
    world.requests();
    world.apply(&[object("ConfigMap", "c").value("eA==")]);
    assert_eq!(world.requests(), ["Update c"]);
}

// DRIFT-5, WAVE-3
#[test]
fn an_object_that_does_not_keep_our_digest_is_written_in_growing_pauses() {
    let mut world = World::new();
    world.cluster.drops = Some(Drops::Annotation("op.example.com/digest"));
    let set = [object("ConfigMap", "c")];
    assert_eq!(vain_writes(&mut world, &set), [0, 10, 70, 610]);
    let set = [object("ConfigMap", "c").value("eA==")];
    world.apply(&set);
    assert!(world.requests().contains(&"Update c".to_owned()), "another manifest does not wait");
    world.cluster.drops = None;
    world.advance(10);
    assert!(world.apply(&set).is_complete());
}
