use kubewright_machinery::object::ObjectExt;
use serde_json::Value;

use super::super::*;
use super::world::{Annotate, End, OPERATOR, World, definition, object};

pub(super) fn installed(world: &mut World, set: &[Value]) {
    for _ in 0..4 {
        world.apply(set);
        for manifest in set {
            if matches!(manifest.kind(), "Foo" | "Bar" | "Baz") && world.cluster.get(manifest.kind(), manifest.name()).is_some() {
                world.cluster.observe(manifest.kind(), manifest.name());
            }
        }
    }
    assert!(world.apply(set).is_complete());
    world.requests();
    world.status_writes = 0;
}

pub(super) fn in_use(end: End) -> String {
    match end {
        End::Verdict(Verdict::Blocked { reason: BlockedReason::DeletionBlocked, message }) => message,
        other => panic!("not blocked: {other:?}"),
    }
}

// D1
#[test]
fn orphans_stay_without_marks() {
    let mut world = World::new();
    let set = [
        object("ConfigMap", "c1").with("delete-policy", "orphan").with("delete-order", "2"),
        object("ConfigMap", "c2").with("delete-policy", "orphan-on-apply").with("delete-order", "2"),
        object("ConfigMap", "c3").with("delete-policy", "orphan-on-delete").with("delete-order", "2"),
        object("Secret", "s").with("delete-order", "1"),
        object("Foo", "foo").finalizer(),
    ];
    installed(&mut world, &set);
    assert!(!world.delete().is_complete());
    assert_eq!(world.item("foo").phase, Phase::Deleting);
    world.cluster.finalize("Foo", "foo");
    assert!(world.delete().is_complete());
    assert!(world.persisted.is_empty());
    for (kind, name, stays) in
        [("Secret", "s", false), ("ConfigMap", "c2", false), ("ConfigMap", "c1", true), ("ConfigMap", "c3", true)]
    {
        let live = world.cluster.get(kind, name);
        assert_eq!(live.is_some(), stays, "{name}");
        if let Some(live) = live {
            assert_eq!(live.label(&format!("{OPERATOR}/owner-id")), None);
        }
    }
}

// D2
#[test]
fn managed_instances_go_first_and_the_rest_in_the_same_pass() {
    let mut world = World::new();
    let set =
        [object("Foo", "foo").finalizer(), object("Bar", "bar").finalizer(), object("Baz", "baz").finalizer(), definition()];
    installed(&mut world, &set);
    assert!(!world.delete().is_complete());
    assert_eq!(
        world.phases(),
        [
            "bar Deleting Terminating",
            "baz Deleting Terminating",
            "bazs.testing.kubewright.dev Ready Current",
            "foo Ready Current",
        ]
    );
    world.cluster.finalize("Bar", "bar");
    world.cluster.finalize("Baz", "baz");
    assert!(!world.delete().is_complete());
    assert_eq!(world.phases(), ["bazs.testing.kubewright.dev Deleting Terminating", "foo Deleting Terminating"]);
    world.cluster.finalize("Foo", "foo");
    world.cluster.tick();
    assert!(world.delete().is_complete());
    assert_eq!(world.cluster.objects.len(), 1);
}

// I1
#[test]
fn own_instances_do_not_block() {
    let mut world = World::new();
    installed(&mut world, &[object("Baz", "baz"), definition()]);
    assert!(!world.delete().is_complete());
    world.cluster.tick();
    assert!(world.delete().is_complete());
}

// I2
#[test]
fn a_foreign_instance_of_a_declared_type_blocks_even_without_items() {
    let mut world = World::new();
    world.cluster.put(object("Bar", "foreign"));
    assert_eq!(
        in_use(world.delete()),
        "Deletion blocked: type Bar.testing.kubewright.dev is still in use (instances exist): demo/foreign"
    );
    world.cluster.remove("Bar", "foreign");
    assert!(world.delete().is_complete());
}

// STA-10
#[test]
fn three_of_many_foreign_instances_are_named() {
    let mut world = World::new();
    for number in 0..5 {
        world.cluster.put(object("Bar", &format!("bar-{number}")));
    }
    let told = in_use(world.delete());
    assert!(told.ends_with("(instances exist): demo/bar-0, demo/bar-1, demo/bar-2 and more"), "{told}");
}

// I3, PASS-22
#[test]
fn a_foreign_instance_of_a_type_of_ours_blocks() {
    let mut world = World::new();
    installed(&mut world, &[definition(), object("ConfigMap", "c")]);
    world.cluster.put(object("Baz", "foreign"));
    let expected = "Deletion blocked: crd bazs.testing.kubewright.dev is still in use (instances exist): demo/";
    let told = in_use(world.delete());
    assert!(told.starts_with(expected), "{told}");
    assert_eq!(world.requests(), Vec::<String>::new());
    world.cluster.remove("Baz", "foreign");
    world.delete();
    world.cluster.tick();
    assert!(world.delete().is_complete());
}

// GATE-2
#[test]
fn a_type_that_is_orphaned_or_serves_nothing_is_not_in_use() {
    let mut world = World::new();
    installed(&mut world, &[definition().with("delete-policy", "orphan")]);
    world.cluster.put(object("Baz", "foreign"));
    assert!(world.delete().is_complete());
    let crd = world.cluster.get("CustomResourceDefinition", "bazs.testing.kubewright.dev").unwrap();
    assert!(!crd.has_finalizer(world.engine.finalizer.as_str()));

    let mut world = World::new();
    let mut unserved = definition();
    unserved["spec"]["versions"][0]["served"] = false.into();
    installed(&mut world, &[unserved]);
    world.delete();
    world.cluster.tick();
    assert!(world.delete().is_complete());
}

// PASS-23
#[test]
fn foreign_finalizers_keep_dependents_untouched() {
    let mut world = World::new();
    installed(&mut world, &[object("ConfigMap", "c")]);
    world.foreign_finalizers = vec!["other".to_owned()];
    assert_eq!(in_use(world.delete()), "Deletion blocked due to existing foreign finalizers");
    assert_eq!(world.requests(), Vec::<String>::new());
    world.foreign_finalizers.clear();
    assert!(world.delete().is_complete());
}

// DEL-2
#[test]
fn plain_dependents_cost_one_delete_each_and_no_status_write() {
    let mut world = World::new();
    let set: Vec<Value> = (0..50).map(|index| object("ConfigMap", &format!("c{index}"))).collect();
    installed(&mut world, &set);
    assert!(world.delete().is_complete());
    assert_eq!(world.requests().len(), 50);
}

// DEL-3
#[test]
fn a_namespace_is_kept_while_it_contains_orphaned_objects() {
    let mut world = World::new();
    let set = [
        object("Namespace", "inner"),
        object("ConfigMap", "kept").within("inner").with("delete-policy", "orphan"),
        object("ConfigMap", "gone").within("inner"),
    ];
    installed(&mut world, &set);
    assert!(world.delete().is_complete());
    assert!(world.cluster.get("Namespace", "inner").unwrap().deletion_timestamp().is_none());
    assert!(world.cluster.get("ConfigMap", "kept").is_some() && world.cluster.get("ConfigMap", "gone").is_none());
    assert!(matches!(world.notes.as_slice(), [Note::NamespaceKept { .. }]));
}

// RED-3
#[test]
fn a_redundant_namespace_is_deleted_after_the_dependents_in_it() {
    let mut world = World::new();
    let set = [object("Namespace", "inner"), object("Foo", "foo").within("inner").finalizer()];
    installed(&mut world, &set);
    world.apply(&[]);
    assert_eq!(world.requests(), ["Delete foo"]);
    world.cluster.finalize("Foo", "foo");
    world.apply(&[]);
    assert_eq!(world.requests(), ["Delete inner"]);
    world.cluster.tick();
    assert!(world.apply(&[]).is_complete());
}

// RED-2
#[test]
fn a_redundant_type_in_use_keeps_everything_alive() {
    let mut world = World::new();
    installed(&mut world, &[definition(), object("ConfigMap", "c"), object("Baz", "baz")]);
    world.cluster.put(object("Baz", "foreign"));
    assert!(in_use(world.apply(&[])).contains("crd bazs.testing.kubewright.dev is still in use"));
    assert_eq!(world.requests(), Vec::<String>::new());
    world.cluster.remove("Baz", "foreign");
    world.apply(&[]);
    world.cluster.tick();
    assert!(world.apply(&[]).is_complete());
    assert_eq!(world.cluster.objects.len(), 1);
}

// RED-4
#[test]
fn an_object_that_comes_back_is_deleted_again_in_growing_pauses() {
    let mut world = World::new();
    installed(&mut world, &[object("Foo", "foo").finalizer()]);
    let marked = world.cluster.get("Foo", "foo").unwrap().clone();
    world.apply(&[]);
    let mut pauses = Vec::new();
    let mut last = world.now;
    let mut told = String::new();
    for _ in 0..6 {
        world.cluster.finalize("Foo", "foo");
        world.cluster.put(marked.clone());
        world.cluster.edit("Foo", "foo", |live| {
            live["metadata"]["managedFields"] = serde_json::json!([{"manager": "rival", "operation": "Update", "fieldsV1": {}}]);
        });
        world.requests();
        while world.requests().is_empty() {
            if let End::Verdict(Verdict::Incomplete { waiting }) = world.apply(&[])
                && waiting[0].message.contains("re-created")
            {
                told.clone_from(&waiting[0].message);
            }
            if world.cluster.journal.is_empty() {
                world.now = world.wake.unwrap();
            } else {
                break;
            }
        }
        pauses.push(world.now.duration_since(last).as_secs());
        last = world.now;
    }
    assert_eq!(pauses, [0, 1, 2, 4, 8, 16]);
    assert_eq!(told, "object is re-created by rival");
    world.cluster.finalize("Foo", "foo");
    assert!(world.apply(&[]).is_complete());
    assert!(world.memory.is_empty());
}

// RED-4, DEL-1
#[test]
fn a_dependent_with_another_owner_id_is_not_deleted() {
    let mut world = World::new();
    installed(&mut world, &[object("ConfigMap", "c")]);
    world.cluster.edit("ConfigMap", "c", |live| live.set_label(format!("{OPERATOR}/owner-id"), "someone"));
    assert!(world.delete().is_complete());
    assert_eq!(world.requests(), Vec::<String>::new());
    assert!(world.cluster.get("ConfigMap", "c").is_some());
}

// WRITE-7
#[test]
fn a_create_of_a_dead_process_that_landed_late_is_found() {
    let mut world = World::new();
    let set = [object("ConfigMap", "c")];
    world.dies_after = Some(1);
    assert_eq!(world.apply(&set), End::Died);
    assert_eq!(world.item("c").phase, Phase::ScheduledForApplication);
    assert!(world.delete().is_complete());
    assert_eq!(world.requests(), ["ReadLive c"]);
}

// GATE-2, DEL-1
#[test]
fn an_orphaned_instance_keeps_its_type() {
    for redundant in [true, false] {
        let mut world = World::new();
        installed(&mut world, &[definition(), object("Baz", "kept").with("delete-policy", "orphan")]);
        let end = if redundant { world.apply(&[]) } else { world.delete() };
        assert!(in_use(end).contains("crd bazs.testing.kubewright.dev is still in use"));
        assert_eq!(world.requests(), ["Orphan kept"]);
        assert!(world.cluster.get("Baz", "kept").is_some());
    }
}

// READY-4, OUT-1
#[test]
fn a_dependent_that_failed_before_its_turn_does_not_fail_the_deletion() {
    let mut world = World::new();
    let set = [object("Foo", "first").finalizer(), object("Foo", "last").with("delete-order", "1")];
    installed(&mut world, &set);
    world.cluster.fail("Foo", "last", "no");
    world.apply(&set);
    let end = world.delete();
    assert_eq!(super::world::waiting(&end), ["first", "last"]);
}

// WRITE-7, DEL-1
#[test]
fn an_object_absent_from_the_watch_is_read_before_it_counts_as_deleted() {
    let mut world = World::new();
    installed(&mut world, &[object("ConfigMap", "c")]);
    world.is_blind = true;
    assert!(world.delete().is_complete());
    assert_eq!(world.requests(), ["ReadLive c", "Delete c"]);
    assert!(world.cluster.get("ConfigMap", "c").is_none());
}

// WRITE-8, DEL-1
#[test]
fn a_type_that_lost_our_label_is_not_held_by_our_finalizer_for_ever() {
    let name = "bazs.testing.kubewright.dev";
    for redundant in [true, false] {
        let mut world = World::new();
        installed(&mut world, &[definition()]);
        world.cluster.edit("CustomResourceDefinition", name, |live| {
            live["metadata"]["labels"].as_object_mut().unwrap().remove(&format!("{OPERATOR}/owner-id"));
        });
        let end = if redundant { world.apply(&[]) } else { world.delete() };
        assert!(end.is_complete());
        let live = world.cluster.get("CustomResourceDefinition", name).unwrap();
        assert!(!live.has_finalizer(world.engine.finalizer.as_str()) && live.deletion_timestamp().is_none());
    }
}

// WRITE-8, OWN-1
#[test]
fn a_type_that_another_component_took_keeps_its_finalizer() {
    let name = "bazs.testing.kubewright.dev";
    let mut world = World::new();
    installed(&mut world, &[definition()]);
    world.cluster.edit("CustomResourceDefinition", name, |live| live.set_label(format!("{OPERATOR}/owner-id"), "someone"));
    assert!(world.delete().is_complete());
    assert!(world.cluster.get("CustomResourceDefinition", name).unwrap().has_finalizer(world.engine.finalizer.as_str()));
}

// DEL-1, DEL-3
#[test]
fn a_namespace_is_kept_while_it_contains_objects_of_another_owner_or_without_owner() {
    let set = |kept: Value| [object("Namespace", "inner"), kept.within("inner")];
    let taken = set(object("ConfigMap", "kept"));
    let hidden = set(object("ConfigMap", "kept").with("delete-policy", "orphan"));
    for (set, owner) in [(taken, Some("someone")), (hidden, None)] {
        let mut world = World::new();
        installed(&mut world, &set);
        let label = format!("{OPERATOR}/owner-id");
        world.cluster.edit("ConfigMap", "kept", |live| match owner {
            Some(owner) => live.set_label(label, owner),
            None => drop(live["metadata"]["labels"].as_object_mut().unwrap().remove(&label)),
        });
        assert!(world.delete().is_complete());
        assert!(world.cluster.get("Namespace", "inner").unwrap().deletion_timestamp().is_none(), "{owner:?}");
        assert!(world.cluster.get("ConfigMap", "kept").is_some());
        assert!(matches!(world.notes.as_slice(), [Note::NamespaceKept { .. }]));
    }
}
