//! Whose objects are written.

use serde_json::Value;

use super::super::*;
use super::chance::{Event, settle};
use super::world::{Annotate, End, OPERATOR, World, blocked, definition, object};
use kubewright_machinery::object::ObjectExt;

fn existing(world: &mut World) -> [Value; 2] {
    world.cluster.put(object("ConfigMap", "c"));
    let mut secret = object("Secret", "s");
    secret.set_label(format!("{OPERATOR}/owner-id"), "someone");
    secret.set_annotation(format!("{OPERATOR}/owner-id"), "cluster/demo/other");
    world.cluster.put(secret);
    [object("ConfigMap", "c"), object("Secret", "s")]
}

// A11, OWN-1, OWN-2
#[test]
fn unowned_objects_are_adopted_and_owned_ones_left_alone() {
    let mut world = World::new();
    let set = existing(&mut world);
    let (reason, message) = blocked(world.apply(&set));
    assert_eq!(reason, BlockedReason::OwnerConflict);
    assert_eq!(message, "owner conflict; object /v1, Kind=Secret demo/s is owned by cluster/demo/other");
    assert_eq!(world.requests(), ["Create c", "ReadLive c", "Update c"]);
    assert_eq!(world.item("c").phase, Phase::Ready);
    // The other owner lets go.
    world.cluster.remove("Secret", "s");
    assert!(world.apply(&set).is_complete());
}

// A12
#[test]
fn with_adoption_never_nothing_is_adopted() {
    let mut world = World::new();
    let set = existing(&mut world).map(|manifest| manifest.with("adoption-policy", "never"));
    let (reason, message) = blocked(world.apply(&set));
    assert_eq!(reason, BlockedReason::OwnerConflict);
    assert!(message.contains("found existing object /v1, Kind=ConfigMap demo/c without owner"), "{message}");
    assert!(message.contains("is owned by cluster/demo/other"), "{message}");
    assert_eq!(world.requests(), ["Create c", "ReadLive c"]);
}

// A13
#[test]
fn with_adoption_always_everything_is_adopted() {
    let mut world = World::new();
    let set = existing(&mut world).map(|manifest| manifest.with("adoption-policy", "always"));
    assert!(world.apply(&set).is_complete());
}

// OWN-1, OWN-4
#[test]
fn lost_and_changed_labels_are_noticed() {
    let mut world = World::new();
    let set = [object("ConfigMap", "c")];
    world.apply(&set);
    let label = format!("{OPERATOR}/owner-id");
    world.cluster.edit("ConfigMap", "c", |live| live.set_label(label.as_str(), "someone"));
    world.requests();
    assert_eq!(blocked(world.apply(&set)).0, BlockedReason::OwnerConflict);
    assert_eq!(world.requests(), Vec::<String>::new());
    world.cluster.edit("ConfigMap", "c", |live| _ = live.remove_label(&label));
    let never = [object("ConfigMap", "c").with("adoption-policy", "never")];
    assert_eq!(blocked(world.apply(&never)).0, BlockedReason::OwnerConflict);
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.cluster.get("ConfigMap", "c").unwrap().label(&label), Some(world.engine.owner.hash()));
}

// OWN-3, TRG-3
#[test]
fn an_object_of_nobody_that_is_on_its_way_out_is_watched_until_it_is_gone() {
    let mut world = World::new();
    world.cluster.put(object("ConfigMap", "c").finalizer());
    world.cluster.remove("ConfigMap", "c");
    let set = [object("ConfigMap", "c")];
    assert!(!world.apply(&set).is_complete());
    assert_eq!(world.watched, [("ConfigMap".to_owned(), "c".to_owned())]);
    world.cluster.finalize("ConfigMap", "c");
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.watched, []);
}

// NS-1, TRG-3
#[test]
fn a_namespace_that_is_missing_or_going_away_is_watched() {
    let mut world = World::new();
    world.engine.missing_namespaces = crate::manifest::MissingNamespacesPolicy::DoNotCreate;
    let set = [object("ConfigMap", "c").within("far")];
    assert!(matches!(world.apply(&set), End::Verdict(Verdict::Wait { .. })));
    assert_eq!(world.watched, [("Namespace".to_owned(), "far".to_owned())]);
    world.cluster.put(object("Namespace", "far").finalizer());
    world.cluster.remove("Namespace", "far");
    assert!(matches!(world.apply(&set), End::Verdict(Verdict::Wait { .. })));
    assert_eq!(world.watched, [("Namespace".to_owned(), "far".to_owned())]);
}

// PURGE-4
#[test]
fn an_adopted_object_is_marked_before_it_is_recreated() {
    let mut world = World::new();
    world.cluster.put(object("ConfigMap", "c"));
    assert!(world.apply(&[object("ConfigMap", "c").with("update-policy", "recreate")]).is_complete());
    assert_eq!(world.requests(), ["Create c", "ReadLive c", "TakeOwnership c", "Recreate c", "Create c"]);
}

// OWN-4, WAVE-5
#[test]
fn a_type_that_was_deleted_and_lost_our_label_comes_back() {
    let mut world = World::new();
    let set = [definition(), object("Baz", "baz")];
    world.apply(&set);
    settle(&mut world);
    assert!(world.apply(&set).is_complete());
    world.cluster.remove("CustomResourceDefinition", "bazs.testing.kubewright.dev");
    world.cluster.edit("CustomResourceDefinition", "bazs.testing.kubewright.dev", |live| {
        live["metadata"]["labels"].as_object_mut().unwrap().clear();
    });
    for _ in 0..6 {
        settle(&mut world);
        world.apply(&set);
        world.advance(20);
    }
    settle(&mut world);
    assert!(world.apply(&set).is_complete());
    assert!(world.cluster.get("Baz", "baz").is_some());
}

// PURGE-4, OWN-1, OWN-4
#[test]
fn what_loses_our_label_before_it_is_purged_is_not_taken_where_nothing_may_be_adopted() {
    for (policy, stays) in [("never", true), ("if-unowned", false)] {
        let mut world = World::new();
        let set = [object("ConfigMap", "c").with("purge-order", "0").with("adoption-policy", policy)];
        world.between = vec![Event::UNMARKED, Event::READY];
        assert!(world.apply(&set).is_complete());
        let marked = world.requests().contains(&"TakeOwnership c".to_owned());
        assert_eq!((marked, world.cluster.get("ConfigMap", "c").is_some()), (!stays, stays), "{policy}");
    }
}
