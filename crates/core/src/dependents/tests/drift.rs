use kubewright_machinery::object::ObjectExt;
use serde_json::json;

use super::super::*;
use super::cluster::Drops;
use super::world::{Annotate, World, object};

fn drifting(world: &mut World) {
    world.cluster.edit("ConfigMap", "c", |live| live["data"]["key"] = json!("eA=="));
}

// DRIFT-1, DRIFT-7
#[test]
fn an_edited_field_of_ours_is_restored_at_once() {
    let mut world = World::new();
    let set = [object("ConfigMap", "c")];
    world.apply(&set);
    world.requests();
    drifting(&mut world);
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.requests(), ["Update c"]);
    assert_eq!(world.cluster.get("ConfigMap", "c").unwrap()["data"]["key"], "dmFsdWU=");
    assert_eq!(world.item("c").phase, Phase::Ready);
    world.cluster.edit("ConfigMap", "c", |live| live.set_label("foreign", "x"));
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.requests(), Vec::<String>::new());
}

// DRIFT-2
#[test]
fn a_due_reapply_of_what_is_in_sync_sends_and_records_nothing() {
    let mut world = World::new();
    let set = [object("ConfigMap", "c")];
    world.apply(&set);
    let (before, writes) = (world.persisted.clone(), world.status_writes);
    world.requests();
    world.advance(3600);
    assert!(world.apply(&set).is_complete());
    assert_eq!((world.requests(), &world.persisted, world.status_writes), (vec![], &before, writes));
}

fn forget_the_fingerprint(world: &mut World) {
    let mut item = world.item("c").clone();
    item.fingerprint.clear();
    world.persisted = Inventory::new(vec![item]).0;
    world.requests();
}

// DRIFT-4
#[test]
fn an_unknown_fingerprint_is_supplied_when_a_reapply_is_due() {
    let mut world = World::new();
    let set = [object("ConfigMap", "c")];
    world.apply(&set);
    forget_the_fingerprint(&mut world);
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.requests(), Vec::<String>::new());
    world.advance(540);
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.requests(), ["ReadLive c"]);
    assert!(!world.item("c").fingerprint.is_empty());
}

// DRIFT-4
#[test]
fn an_object_of_unknown_fingerprint_that_differs_is_written_when_a_reapply_is_due() {
    let mut world = World::new();
    let set = [object("ConfigMap", "c")];
    world.apply(&set);
    forget_the_fingerprint(&mut world);
    drifting(&mut world);
    world.advance(540);
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.requests(), ["ReadLive c", "Compare c", "Update c"]);
    assert!(!world.item("c").fingerprint.is_empty());
}

/// Another program makes the server forget who owns the fields of an object.
fn strip(world: &mut World) {
    world.cluster.edit("ConfigMap", "c", |live| {
        live.metadata_mut().remove("managedFields");
    });
}

// DRIFT-4
#[test]
fn an_object_of_whose_fields_nothing_is_known_is_written_when_a_reapply_is_due() {
    let mut world = World::new();
    let set = [object("ConfigMap", "c")];
    world.apply(&set);
    world.requests();
    strip(&mut world);
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.requests(), ["Update c"], "that the fields are gone is drift");
    drifting(&mut world);
    world.advance(539);
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.requests(), Vec::<String>::new());
    world.advance(1);
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.requests(), ["Update c"]);
    assert_eq!(world.cluster.get("ConfigMap", "c").unwrap()["data"]["key"], "dmFsdWU=");
    // Once an interval, not in every pass.
    assert!(world.apply(&set).is_complete());
    world.advance(539);
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.requests(), Vec::<String>::new());
    // Its digest tells what another manifest wants at any time.
    assert!(world.apply(&[object("ConfigMap", "c").value("Yg==")]).is_complete());
    assert_eq!(world.requests(), ["Update c"]);
}

// DRIFT-4
#[test]
fn an_apply_makes_the_fields_of_an_object_known_again() {
    let mut world = World::new();
    let set = [object("ConfigMap", "c").with("update-policy", "ssa-merge")];
    world.apply(&set);
    strip(&mut world);
    world.apply(&set);
    world.requests();
    drifting(&mut world);
    assert!(world.apply(&set).is_complete());
    assert!(!world.requests().is_empty() || world.wake.is_some());
    world.advance(10);
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.cluster.get("ConfigMap", "c").unwrap()["data"]["key"], "dmFsdWU=");
}

// DRIFT-4, DRIFT-6
#[test]
fn an_object_of_whose_fields_nothing_is_known_is_not_recreated() {
    let mut world = World::new();
    let set = [object("ConfigMap", "c").with("update-policy", "recreate")];
    world.apply(&set);
    let mut item = world.item("c").clone();
    item.fingerprint = FINGERPRINT_NONE.to_owned();
    world.persisted = Inventory::new(vec![item]).0;
    strip(&mut world);
    world.requests();
    world.advance(540);
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.requests(), Vec::<String>::new());
}

// DRIFT-5
#[test]
fn corrections_are_spaced_and_people_are_told() {
    let mut world = World::new();
    let set = [object("ConfigMap", "c")];
    world.apply(&set);
    world.requests();
    let start = world.now;
    let mut corrections = Vec::new();
    for _ in 0..700 {
        drifting(&mut world);
        assert!(world.apply(&set).is_complete());
        if !world.requests().is_empty() {
            corrections.push(world.now.duration_since(start).as_secs());
        }
        world.advance(1);
    }
    assert_eq!(corrections, [0, 10, 70, 610]);
    assert_eq!(world.notes.len(), 1);
    assert!(matches!(&world.notes[0], Note::DriftRepeated { .. }));
    // Peace for ten minutes, and the next one is corrected at once again.
    world.advance(540);
    world.apply(&set);
    world.requests();
    world.apply(&set);
    world.advance(601);
    world.apply(&set);
    assert!(world.memory.is_empty());
    drifting(&mut world);
    world.apply(&set);
    assert_eq!(world.requests(), ["Update c"]);
}

/// A ConfigMap with two fields.
fn of_two_fields() -> [serde_json::Value; 1] {
    let mut object = object("ConfigMap", "c");
    object["data"]["other"] = json!("dmFsdWU=");
    [object]
}

// DRIFT-5
#[test]
fn a_first_edit_of_one_field_is_not_held_back_by_that_of_another() {
    for policy in ["replace", "ssa-override"] {
        let mut world = World::new();
        let set = of_two_fields().map(|object| object.with("update-policy", policy));
        world.apply(&set);
        world.requests();
        for (manager, field) in [("one", "key"), ("two", "other"), ("three", "key")] {
            world.cluster.take(manager, "c", field, "eA==");
            assert!(world.apply(&set).is_complete());
            assert_eq!(world.requests(), ["Update c"], "{policy}: {manager} changes {field}");
            assert_eq!(world.memory.pending().count(), 0);
        }
        world.cluster.take("two", "c", "other", "eA==");
        assert!(world.apply(&set).is_complete());
        assert_eq!(world.requests(), Vec::<String>::new(), "{policy}: the same manager changes the same field");
    }
}

// DRIFT-5
#[test]
fn a_drift_that_waits_is_told_with_object_field_manager_and_time() {
    let mut world = World::new();
    let set = of_two_fields();
    world.apply(&set);
    for _ in 0..2 {
        world.cluster.take("fighter", "c", "key", "eA==");
        assert!(world.apply(&set).is_complete());
    }
    let pending: Vec<String> = world.memory.pending().map(str::to_owned).collect();
    assert_eq!(pending, ["ConfigMap demo/c: fighter changed .data.key, which is corrected at 2026-01-01T00:00:10Z"]);
    assert_eq!(world.wake.unwrap().to_string(), "2026-01-01T00:00:10Z");
    world.advance(10);
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.memory.pending().count(), 0);
}

// DRIFT-5
#[test]
fn a_fight_about_one_field_keeps_its_pace_while_others_are_edited() {
    let mut world = World::new();
    let mut set = of_two_fields();
    for number in 0..30 {
        set[0]["data"][format!("field{number}")] = json!("dmFsdWU=");
    }
    world.apply(&set);
    world.requests();
    let start = world.now;
    let mut corrections = Vec::new();
    for second in 0..100 {
        world.cluster.take("fighter", "c", "key", "eA==");
        if second == 30 {
            world.cluster.take("person", "c", "field7", "eA==");
        }
        assert!(world.apply(&set).is_complete());
        if world.requests().iter().any(|request| request == "Update c") {
            corrections.push(world.now.duration_since(start).as_secs());
        }
        world.advance(1);
    }
    assert_eq!(corrections, [0, 10, 30, 90]);
    let [Note::DriftRepeated { managers, fields, .. }] = world.notes.as_slice() else { panic!("{:?}", world.notes) };
    assert_eq!((managers.as_str(), fields.as_str()), ("fighter", ".data.key"));
}

// DRIFT-5
#[test]
fn fields_of_others_that_are_new_each_time_do_not_make_a_fight_faster() {
    let mut world = World::new();
    let set = of_two_fields();
    world.apply(&set);
    world.requests();
    let mut corrections = 0;
    for second in 0..9 {
        world.cluster.take("fighter", "c", "key", "eA==");
        world.cluster.take("fighter", "c", &format!("theirs{second}"), "eA==");
        assert!(world.apply(&set).is_complete());
        corrections += world.requests().len();
        world.advance(1);
    }
    assert_eq!(corrections, 1);
}

// DRIFT-5
#[test]
fn corrections_are_forgotten_after_five_minutes_in_sync() {
    let mut world = World::new();
    let set = of_two_fields();
    world.apply(&set);
    for seconds in [0, 10, 301] {
        world.advance(seconds);
        world.cluster.take("person", "c", "key", "eA==");
        world.requests();
        assert!(world.apply(&set).is_complete());
        assert_eq!(world.requests(), ["Update c"]);
    }
    assert_eq!(world.notes, []);
    world.cluster.take("person", "c", "key", "eA==");
    world.advance(10);
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.notes, [], "the count started again");
}

// DRIFT-5
#[test]
fn corrections_are_forgotten_with_the_object() {
    let mut world = World::new();
    let set = of_two_fields();
    world.apply(&set);
    for _ in 0..2 {
        world.cluster.take("person", "c", "key", "eA==");
        assert!(world.apply(&set).is_complete());
        world.advance(10);
    }
    world.cluster.remove("ConfigMap", "c");
    assert!(world.apply(&set).is_complete());
    world.requests();
    for seconds in [0, 10] {
        world.advance(seconds);
        world.cluster.take("person", "c", "key", "eA==");
        assert!(world.apply(&set).is_complete());
        assert_eq!(world.requests(), ["Update c"]);
    }
    assert_eq!(world.notes, []);
}

// DRIFT-5, DRIFT-6
#[test]
fn a_fight_outlives_our_own_recreations_of_the_object() {
    let mut world = World::new();
    let set = of_two_fields().map(|object| object.with("update-policy", "recreate"));
    world.apply(&set);
    world.requests();
    let start = world.now;
    let mut corrections = Vec::new();
    for _ in 0..100 {
        world.cluster.take("fighter", "c", "key", "eA==");
        assert!(world.apply(&set).is_complete());
        if world.requests().iter().any(|request| request == "Recreate c") {
            corrections.push(world.now.duration_since(start).as_secs());
        }
        world.advance(1);
    }
    assert_eq!(corrections, [0, 10, 70]);
}

// DRIFT-5, DRIFT-6: the other replica's recreation changes the UID between two of ours.
#[test]
fn a_fight_of_two_replicas_that_recreate_an_object_is_spaced() {
    let mut world = World::new();
    let set = of_two_fields().map(|object| object.with("update-policy", "recreate"));
    world.apply(&set);
    world.requests();
    let start = world.now;
    let mut corrections = Vec::new();
    for _ in 0..100 {
        let live = world.cluster.get("ConfigMap", "c").unwrap().clone();
        world.cluster.remove("ConfigMap", "c");
        world.cluster.put(live);
        world.cluster.take("fighter", "c", "key", "eA==");
        assert!(world.apply(&set).is_complete());
        if world.requests().iter().any(|request| request == "Recreate c") {
            corrections.push(world.now.duration_since(start).as_secs());
        }
        world.advance(1);
    }
    assert_eq!(corrections, [0, 10, 70]);
}

// DRIFT-6
#[test]
fn drift_of_a_recreated_object_recreates_it() {
    let mut world = World::new();
    let set = [object("ConfigMap", "c").with("update-policy", "recreate")];
    world.apply(&set);
    world.requests();
    drifting(&mut world);
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.requests(), ["Recreate c", "Create c"]);
}

// DRIFT-7, DRIFT-8
#[test]
fn a_refused_correction_leaves_the_component_ready() {
    let mut world = World::new();
    let set = [object("ConfigMap", "c")];
    world.apply(&set);
    drifting(&mut world);
    let key = world.item("c").key();
    world.cluster.refusals.insert(key, vec![Refusal { code: 422, ..Refusal::default() }; 3]);
    world.requests();
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.requests(), ["Update c"]);
    assert_eq!(world.item("c").phase, Phase::Ready);
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.requests(), Vec::<String>::new());
}

// DRIFT-5, DRIFT-8
#[test]
fn a_refused_correction_is_tried_again_on_a_timer() {
    let mut world = World::new();
    let set = [object("ConfigMap", "c")];
    world.apply(&set);
    drifting(&mut world);
    let key = world.item("c").key();
    world.cluster.refusals.insert(key, vec![Refusal { code: 422, ..Refusal::default() }; 3]);
    let start = world.now;
    let mut tried = Vec::new();
    world.requests();
    for _ in 0..3 {
        assert!(world.apply(&set).is_complete());
        tried.push((world.requests().len(), world.now.duration_since(start).as_secs()));
        world.now = world.wake.unwrap();
    }
    assert_eq!(tried, [(1, 0), (1, 10), (2, 70)]);
}

// WRITE-9, DRIFT-5
#[test]
fn a_correction_that_meets_conflicts_without_end_is_tried_again_without_the_pauses_of_a_fight() {
    let mut world = World::new();
    let set = [object("ConfigMap", "c")];
    world.apply(&set);
    drifting(&mut world);
    let key = world.item("c").key();
    let conflict = Refusal { code: 409, reason: "Conflict".to_owned(), ..Refusal::default() };
    world.cluster.refusals.insert(key, vec![conflict; 9]);
    for outcome in [Some(crate::backoff::Transient::default()), None] {
        assert!(world.apply(&set).is_complete());
        assert_eq!((&world.transient, world.memory.pending.is_empty()), (&outcome, true));
    }
    assert_eq!(world.cluster.get("ConfigMap", "c").unwrap()["data"]["key"], "dmFsdWU=");
}

// OUT-3, DRIFT-7
#[test]
fn a_correction_that_meets_a_transient_error_is_tried_again_without_the_pauses_of_a_fight() {
    let mut world = World::new();
    let set = [object("ConfigMap", "c")];
    world.apply(&set);
    drifting(&mut world);
    let key = world.item("c").key();
    world.cluster.refusals.insert(key, vec![Refusal { code: 503, ..Refusal::default() }; 2]);
    world.requests();
    for _ in 0..2 {
        assert!(world.apply(&set).is_complete());
        assert_eq!((world.transient, world.requests().len()), (Some(crate::backoff::Transient::default()), 1));
        world.advance(1);
    }
    assert!(world.apply(&set).is_complete());
    assert_eq!((world.transient, world.cluster.get("ConfigMap", "c").unwrap()["data"]["key"].clone()), (None, "dmFsdWU=".into()));
}

// WAVE-4
#[test]
fn drift_is_corrected_in_waves_that_wait() {
    let mut world = World::new();
    let set = [object("Foo", "foo"), object("ConfigMap", "c").with("apply-order", "1")];
    world.apply(&set);
    world.cluster.observe("Foo", "foo");
    assert!(world.apply(&set).is_complete());
    world.cluster.fail("Foo", "foo", "no");
    drifting(&mut world);
    world.requests();
    assert!(!world.apply(&set).is_complete());
    assert_eq!(world.requests(), ["Update c"]);
}

// DIG-3
#[test]
fn below_empty_paths_only_presence_counts() {
    let mut world = World::new();
    let mut foo = object("Foo", "foo");
    foo["spec"]["options"] = json!({});
    let set = [foo];
    world.apply(&set);
    world.cluster.observe("Foo", "foo");
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.item("foo").empty_paths, [["f:spec", "f:options"]]);
    world.requests();
    world.cluster.edit("Foo", "foo", |live| live["spec"]["options"]["defaulted"] = json!(1));
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.requests(), Vec::<String>::new());
    world.cluster.edit("Foo", "foo", |live| _ = live["spec"].as_object_mut().unwrap().remove("options"));
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.requests(), ["Update foo"]);
    assert!(world.cluster.get("Foo", "foo").unwrap().label("op.example.com/owner-id").is_some());
}

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

// OWN-4, DRIFT-5
#[test]
fn an_object_that_does_not_keep_our_label_is_written_in_growing_pauses() {
    let mut world = World::new();
    world.cluster.drops = Some(Drops::Label("op.example.com/owner-id"));
    let set = [object("ConfigMap", "c")];
    let start = world.now;
    let mut written = Vec::new();
    for _ in 0..700 {
        assert!(!world.apply(&set).is_complete());
        let writes = world.requests().into_iter().filter(|request| request == "Create c" || request == "Update c").count();
        written.extend(std::iter::repeat_n(world.now.duration_since(start).as_secs(), writes));
        world.advance(1);
    }
    assert_eq!(written, [0, 10, 70, 610]);
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
    let start = world.now;
    let mut written = Vec::new();
    for _ in 0..700 {
        assert!(!world.apply(&set).is_complete());
        let writes = world.requests().into_iter().filter(|request| request == "Create c" || request == "Update c").count();
        written.extend(std::iter::repeat_n(world.now.duration_since(start).as_secs(), writes));
        world.advance(1);
    }
    assert_eq!(written, [0, 10, 70, 610]);
    let set = [object("ConfigMap", "c").value("eA==")];
    world.apply(&set);
    assert!(world.requests().contains(&"Update c".to_owned()), "another manifest does not wait");
    world.cluster.drops = None;
    world.advance(10);
    assert!(world.apply(&set).is_complete());
}

// DRIFT-8
#[test]
fn a_refused_correction_is_spaced_after_the_reapply_interval_too() {
    let mut world = World::new();
    let set = [object("ConfigMap", "c")];
    world.apply(&set);
    drifting(&mut world);
    let key = world.item("c").key();
    world.cluster.refusals.insert(key, vec![Refusal { code: 422, ..Refusal::default() }; 40]);
    world.advance(600);
    world.requests();
    let start = world.now;
    let mut tried = Vec::new();
    for _ in 0..700 {
        assert!(world.apply(&set).is_complete());
        if world.requests().iter().any(|request| request == "Update c") {
            tried.push(world.now.duration_since(start).as_secs());
        }
        world.advance(1);
    }
    assert_eq!(tried, [0, 10, 70, 610]);
}

// STA-3, DRIFT-4
#[test]
fn where_fingerprints_are_pruned_an_object_is_read_once_and_not_in_each_pass() {
    let mut world = World::new();
    let set = [object("ConfigMap", "c")];
    world.apply(&set);
    forget_the_fingerprint(&mut world);
    world.advance(540);
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.requests(), ["ReadLive c"]);
    for _ in 0..3 {
        forget_the_fingerprint(&mut world);
        world.advance(1);
        let writes = world.status_writes;
        assert!(world.apply(&set).is_complete());
        assert_eq!((world.requests(), world.status_writes), (vec![], writes));
    }
    drifting(&mut world);
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.requests(), ["Update c"]);
}
