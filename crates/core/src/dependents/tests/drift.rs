use kubewright_machinery::object::ObjectExt;
use serde_json::json;

use super::super::*;
use super::world::{Annotate, World, object};

pub(super) fn drifting(world: &mut World) {
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
fn a_due_reapply_of_an_object_in_sync_sends_and_records_nothing() {
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

/// Removes the field ownership of an object, as another program may do.
fn strip(world: &mut World) {
    world.cluster.edit("ConfigMap", "c", |live| {
        live.metadata_mut().remove("managedFields");
    });
}

// DRIFT-4
#[test]
fn an_object_without_managed_fields_is_written_when_a_reapply_is_due() {
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
    // The object is written once per interval, not in every pass.
    assert!(world.apply(&set).is_complete());
    world.advance(539);
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.requests(), Vec::<String>::new());
    // A changed manifest is detected by the digest at any time.
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
fn an_object_without_managed_fields_is_not_recreated() {
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
        assert_eq!((&world.transient, world.memory.pending().next().is_none()), (&outcome, true));
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
