//! Corrections that other programs undo again and again.

use serde_json::json;

use super::super::*;
use super::drift::drifting;
use super::world::{Annotate, World, object};

// DRIFT-5
#[test]
fn repeated_corrections_are_spaced_and_reported_once() {
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
    // After ten minutes without a change, the next correction is sent at once again.
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

/// Returns a ConfigMap with two fields.
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
fn a_delayed_drift_correction_is_reported_with_object_field_manager_and_time() {
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

/// Returns the seconds at which an object with policy Recreate is recreated while another manager takes its field each second. `before` runs before
/// each pass.
fn recreations(before: impl Fn(&mut World)) -> Vec<i64> {
    let mut world = World::new();
    let set = of_two_fields().map(|object| object.with("update-policy", "recreate"));
    world.apply(&set);
    world.requests();
    let start = world.now;
    let mut recreations = Vec::new();
    for _ in 0..100 {
        before(&mut world);
        world.cluster.take("fighter", "c", "key", "eA==");
        assert!(world.apply(&set).is_complete());
        if world.requests().iter().any(|request| request == "Recreate c") {
            recreations.push(world.now.duration_since(start).as_secs());
        }
        world.advance(1);
    }
    recreations
}

// DRIFT-5, DRIFT-6
#[test]
fn a_fight_outlives_our_own_recreations_of_the_object() {
    assert_eq!(recreations(|_| {}), [0, 10, 70]);
}

// DRIFT-5, DRIFT-6: the recreation by the other replica changes the UID between two of ours.
#[test]
fn a_fight_of_two_replicas_that_recreate_an_object_is_spaced() {
    let other_replica = |world: &mut World| {
        let live = world.cluster.get("ConfigMap", "c").unwrap().clone();
        world.cluster.remove("ConfigMap", "c");
        world.cluster.put(live);
    };
    assert_eq!(recreations(other_replica), [0, 10, 70]);
}
