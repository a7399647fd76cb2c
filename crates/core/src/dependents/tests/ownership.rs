//! The ownership of the objects that are written.

use kubewright_machinery::object::ObjectExt;
use serde_json::{Value, json};

use super::super::*;
use super::chance::{Event, settle};
use super::world::{Annotate, End, OPERATOR, World, blocked, definition, object};

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
fn unowned_objects_are_adopted_and_objects_of_another_owner_are_left_unchanged() {
    let mut world = World::new();
    let set = existing(&mut world);
    let (reason, message) = blocked(world.apply(&set));
    assert_eq!(reason, BlockedReason::OwnerConflict);
    assert_eq!(message, "owner conflict; object Secret demo/s is owned by cluster/demo/other");
    assert_eq!(world.requests(), ["Create c", "ReadLive c", "Update c"]);
    assert_eq!(world.item("c").phase, Phase::Ready);
    // The other owner releases the object.
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
    assert!(message.contains("found existing object ConfigMap demo/c without owner"), "{message}");
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

// WATCH-8
#[test]
fn an_object_that_a_create_has_met_is_read_by_the_next_pass_instead_of_created_again() {
    let mut world = World::new();
    world.cluster.put(object("ConfigMap", "c"));
    let never = [object("ConfigMap", "c").with("adoption-policy", "never")];
    assert_eq!(blocked(world.apply(&never)).0, BlockedReason::OwnerConflict);
    assert_eq!(world.requests(), ["Create c", "ReadLive c"]);
    assert_eq!(blocked(world.apply(&never)).0, BlockedReason::OwnerConflict);
    assert_eq!(world.requests(), ["ReadLive c"]);
    world.cluster.remove("ConfigMap", "c");
    assert!(world.apply(&never).is_complete());
    assert_eq!(world.requests(), ["ReadLive c", "Create c"]);
    world.cluster.remove("ConfigMap", "c");
    world.apply(&never);
    assert_eq!(world.requests(), ["Create c"], "what is ours is not asked for");
}

// OWN-3, TRG-3
#[test]
fn a_terminating_object_without_owner_is_watched_until_it_is_deleted() {
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
fn an_object_that_loses_its_owner_label_before_the_purge_is_purged_only_if_adoptable() {
    for (policy, stays) in [("never", true), ("if-unowned", false)] {
        let mut world = World::new();
        let set = [object("ConfigMap", "c").with("purge-order", "0").with("adoption-policy", policy)];
        world.between = vec![Event::UNMARKED, Event::READY];
        assert!(world.apply(&set).is_complete());
        let marked = world.requests().contains(&"TakeOwnership c".to_owned());
        assert_eq!((marked, world.cluster.get("ConfigMap", "c").is_some()), (!stays, stays), "{policy}");
    }
}

const OTHER: &str = "other.example.com";

/// Returns an object with the marks of an owner under another name.
fn marked(mut object: Value, operator: &str, hash: &str, id: &str) -> Value {
    object.set_label(format!("{operator}/owner-id"), hash);
    object.set_annotation(format!("{operator}/owner-id"), id);
    object.set_annotation(format!("{operator}/digest"), "digest");
    object
}

/// Returns an object of a component with the same namespace and name, but of another type.
fn foreign_object(world: &World, object: Value) -> Value {
    marked(object, OTHER, world.engine.owner.hash(), world.engine.owner.id())
}

// OWN-3a
#[test]
fn an_owner_mark_under_another_name_is_an_owner_whatever_hash_it_has() {
    for policy in ["if-unowned", "never"] {
        let mut world = World::new();
        let taken = foreign_object(&world, object("ConfigMap", "c"));
        world.cluster.put(taken);
        let before = world.cluster.get("ConfigMap", "c").cloned();
        let set = [object("ConfigMap", "c").value("ours").with("adoption-policy", policy)];
        let (reason, message) = blocked(world.apply(&set));
        assert_eq!(reason, BlockedReason::OwnerConflict);
        assert_eq!(
            message,
            "owner conflict; object ConfigMap demo/c is owned by cluster/demo/component of operator other.example.com"
        );
        assert_eq!(world.requests(), ["Create c", "ReadLive c"]);
        assert_eq!(world.cluster.get("ConfigMap", "c").cloned(), before);
        // Watches by our label do not show the object.
        assert_eq!(world.watched, [("ConfigMap".to_owned(), "c".to_owned())]);
        assert!(world.delete().is_complete());
        assert_eq!(world.cluster.get("ConfigMap", "c").cloned(), before);
    }
}

// OWN-3a
#[test]
fn owner_marks_are_distinguished_from_other_labels_by_their_form() {
    let hash = crate::manifest::OwnerId::new("a/b/c").hash().to_owned();
    for (key, hash, id, is_owner) in [
        ("other.example.com/owner-id", hash.as_str(), "", true),
        ("other.example.com/owner-id", "17", "cluster/demo/other", true),
        ("other.example.com/owner-id", "17", "cluster//other", true),
        ("other.example.com/owner-id", "17", "demo/other", false),
        ("other.example.com/owner-id", "17", "a/b/c/d", false),
        ("other.example.com/owner-id", &hash.to_uppercase(), "", false),
        ("owner-id", hash.as_str(), "cluster/demo/other", false),
        ("other.example.com/team", hash.as_str(), "", false),
    ] {
        let mut world = World::new();
        let mut found = object("ConfigMap", "c");
        found.set_label(key, hash);
        found.set_annotation(key, id);
        world.cluster.put(found);
        let end = world.apply(&[object("ConfigMap", "c")]);
        assert_eq!(!end.is_complete(), is_owner, "{key}: {hash}, {id}");
    }
}

// OWN-3a
#[test]
fn the_own_owner_label_takes_precedence_over_foreign_owner_labels() {
    let mut world = World::new();
    let set = [object("ConfigMap", "c")];
    world.apply(&set);
    let (hash, id) = (world.engine.owner.hash().to_owned(), world.engine.owner.id().to_owned());
    world.cluster.edit("ConfigMap", "c", |live| *live = marked(live.clone(), OTHER, &hash, &id));
    world.requests();
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.requests(), Vec::<String>::new());
    let changed = [object("ConfigMap", "c").value("new")];
    assert!(world.apply(&changed).is_complete());
    assert!(world.delete().is_complete());
    assert!(world.cluster.get("ConfigMap", "c").is_none());
}

// OWN-3a
#[test]
fn with_adoption_always_the_marks_of_another_operator_are_replaced() {
    let label = format!("{OTHER}/owner-id");
    for (policy, expected) in [
        ("replace", &["Create c", "ReadLive c", "Update c"][..]),
        ("recreate", &["Create c", "ReadLive c", "TakeOwnership c", "Recreate c", "Create c"]),
        ("ssa-merge", &["Create c", "ReadLive c", "TakeOwnership c", "Update c"]),
        ("ssa-override", &["Create c", "ReadLive c", "TakeOwnership c", "Update c"]),
    ] {
        let mut world = World::new();
        let taken = foreign_object(&world, object("ConfigMap", "c"));
        world.cluster.put(taken);
        let set = [object("ConfigMap", "c").with("adoption-policy", "always").with("update-policy", policy)];
        assert!(world.apply(&set).is_complete(), "{policy}");
        assert_eq!(world.requests(), expected, "{policy}");
        let live = world.cluster.get("ConfigMap", "c").unwrap();
        assert_eq!(live.label(&label), None, "{policy}");
        assert_eq!((live.annotation(&label), live.annotation(&format!("{OTHER}/digest"))), (None, None), "{policy}");
        assert_eq!(live.label(&format!("{OPERATOR}/owner-id")), Some(world.engine.owner.hash()), "{policy}");
    }
}

// OWN-3a, WRITE-10
#[test]
fn the_patch_that_takes_ownership_removes_the_marks_of_another_operator() {
    let mut world = World::new();
    let taken = foreign_object(&world, object("ConfigMap", "c"));
    world.cluster.put(taken);
    let live = world.cluster.get("ConfigMap", "c").unwrap().clone();
    let projection = Projection::of(&live, &world.engine.context);
    assert_eq!((projection.owner_hash(), projection.other_operator()), (None, Some(OTHER)));
    assert!(!projection.is_owned_by(world.engine.owner.hash()));
    let item = json!({
        "group": "", "version": "v1", "kind": "ConfigMap", "namespace": "demo", "name": "c", "adoptionPolicy": "IfUnowned",
        "reconcilePolicy": "OnObjectChange", "updatePolicy": "Replace", "deletePolicy": "Delete", "applyOrder": 0, "deleteOrder": 0,
    });
    let observed = Observed::default();
    let mut planner = planner::Planner::new(&world.engine, &observed, &world.memory, world.now);
    let index = planner.add(live.key().unwrap(), serde_json::from_value(item).unwrap());
    let action = planner.dependents[index].take_ownership(&live.gvk().unwrap(), &projection, &world.engine);
    let (label, ours) = (format!("{OTHER}/owner-id"), format!("{OPERATOR}/owner-id"));
    let Request::MergePatch(patch) = action.request else { panic!("{action:?}") };
    assert_eq!(patch["metadata"]["labels"], json!({ ours.as_str(): world.engine.owner.hash(), label.as_str(): null }));
    let annotations = json!({ ours: world.engine.owner.id(), label: null, format!("{OTHER}/digest"): null });
    assert_eq!(patch["metadata"]["annotations"], annotations);
}

// OWN-3a, WRITE-8
#[test]
fn a_type_that_another_operator_took_is_left_without_our_finalizer() {
    for wanted in [true, false] {
        let mut world = World::new();
        let set = [definition()];
        assert!(world.apply(&set).is_complete());
        let name = "bazs.testing.kubewright.dev";
        let (owner, finalizer) = (world.engine.owner.clone(), world.engine.finalizer.clone());
        world.cluster.edit("CustomResourceDefinition", name, |live| {
            live.remove_label(&format!("{OPERATOR}/owner-id"));
            *live = marked(live.clone(), OTHER, owner.hash(), owner.id());
            assert!(live.has_finalizer(finalizer.as_str()));
        });
        if wanted {
            assert_eq!(blocked(world.apply(&set)).0, BlockedReason::OwnerConflict);
        }
        // Instances of the other owner do not block a deletion that leaves the type alone.
        world.cluster.put(object("Baz", "theirs"));
        assert!(world.delete().is_complete());
        let live = world.cluster.get("CustomResourceDefinition", name).unwrap();
        assert!(live.deletion_timestamp().is_none() && !live.has_finalizer(finalizer.as_str()), "{live}");
        assert!(world.cluster.get("Baz", "theirs").is_some());
    }
}

// GATE-1, OPT-1a
#[test]
fn instances_of_a_component_with_our_hash_under_another_name_hold_up_the_deletion() {
    let mut world = World::new();
    world.apply(&[definition()]);
    let theirs = foreign_object(&world, object("Baz", "theirs"));
    world.cluster.put(theirs);
    assert_eq!(blocked(world.delete()).0, BlockedReason::DeletionBlocked);
    assert_eq!(world.engine.foreign_selector(), format!("{OPERATOR}/owner-id!={}", world.engine.owner.hash()));
    world.cluster.remove("Baz", "theirs");
    settle(&mut world);
    world.delete();
    settle(&mut world);
    assert!(world.delete().is_complete());
    assert!(world.cluster.get("CustomResourceDefinition", "bazs.testing.kubewright.dev").is_none());
}

// OWN-1, OWN-3a
#[test]
fn an_object_that_another_operator_took_is_neither_purged_nor_corrected() {
    let mut world = World::new();
    let purged = object("ConfigMap", "purged").with("purge-order", "5");
    let set = [object("ConfigMap", "c"), purged, object("Foo", "foo").with("apply-order", "5")];
    world.apply(&set);
    world.cluster.observe("Foo", "foo");
    let owner = world.engine.owner.clone();
    for name in ["c", "purged"] {
        world.cluster.edit("ConfigMap", name, |live| {
            live.remove_label(&format!("{OPERATOR}/owner-id"));
            *live = marked(live.clone(), OTHER, owner.hash(), owner.id()).value("theirs");
        });
    }
    let before = [world.cluster.get("ConfigMap", "c").cloned(), world.cluster.get("ConfigMap", "purged").cloned()];
    for _ in 0..3 {
        let (reason, message) = blocked(world.apply(&set));
        assert_eq!(reason, BlockedReason::OwnerConflict);
        assert!(message.contains("of operator other.example.com"), "{message}");
        world.advance(700);
    }
    assert_eq!([world.cluster.get("ConfigMap", "c").cloned(), world.cluster.get("ConfigMap", "purged").cloned()], before);
}
