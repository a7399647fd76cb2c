//! Readiness, inventory and rules between objects.

use serde_json::{Value, json};

use super::super::*;
use super::world::{Annotate, End, World, blocked, definition, object, waiting};

// READY-4
#[test]
fn a_failed_dependent_blocks_the_pass_at_once_with_its_message() {
    let mut world = World::new();
    let set = [object("Foo", "foo")];
    world.apply(&set);
    world.cluster.fail("Foo", "foo", "out of luck");
    assert_eq!(
        blocked(world.apply(&set)),
        (BlockedReason::DependentFailed, "Foo.testing.kubewright.dev demo/foo: out of luck".to_owned())
    );
    world.cluster.observe("Foo", "foo");
    assert!(world.apply(&set).is_complete());
}

// READY-6
#[test]
fn an_unseen_generation_counts_after_half_a_minute() {
    let mut world = World::new();
    let set = [object("Foo", "foo")];
    world.apply(&set);
    world.cluster.observe("Foo", "foo");
    assert!(world.apply(&set).is_complete());
    world.cluster.edit("Foo", "foo", |live| live["metadata"]["generation"] = json!(7));
    assert!(world.apply(&set).is_complete());
    world.advance(29);
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.wake.map(|wake| wake.duration_since(world.now).as_secs()), Some(1));
    world.advance(2);
    assert_eq!(waiting(&world.apply(&set)), ["foo"]);
}

// WAVE-3
#[test]
fn an_object_recreated_in_the_second_of_its_creation_is_waited_for() {
    let mut world = World::new();
    let set = [object("Foo", "foo")];
    world.apply(&set);
    world.cluster.observe("Foo", "foo");
    assert!(world.apply(&set).is_complete());
    world.cluster.remove("Foo", "foo");
    assert_eq!(waiting(&world.apply(&set)), ["foo"]);
    assert_eq!(world.item("foo").phase, Phase::Creating);
    world.cluster.observe("Foo", "foo");
    assert!(world.apply(&set).is_complete());
}

// INV-2, INV-5, INV-6
#[test]
fn a_lost_inventory_heals() {
    let mut world = World::new();
    let set = [object("ConfigMap", "a").with("delete-order", "5"), object("Foo", "foo")];
    world.apply(&set);
    world.cluster.observe("Foo", "foo");
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.persisted.items()[1].name, "a");
    let mut twice = world.persisted.items().to_vec();
    twice.push(twice[0].clone());
    let (merged, dropped) = Inventory::new(twice);
    assert_eq!((merged == world.persisted, dropped.len()), (true, 1));

    world.persisted = Inventory::default();
    world.requests();
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.requests(), ["Update a", "Update foo"]);
}

// WAVE-3, DRIFT-6
#[test]
fn an_object_with_our_digest_of_which_no_write_is_known_is_not_recreated() {
    let mut world = World::new();
    let set = [object("ConfigMap", "a").with("update-policy", "recreate")];
    world.apply(&set);
    let first = world.persisted.clone();
    world.persisted = Inventory::default();
    world.memory = Memory::default();
    world.requests();
    assert!(world.apply(&set).is_complete());
    assert_eq!((world.requests(), &world.persisted), (vec![], &first));
    world.cluster.edit("ConfigMap", "a", |live| live["data"]["key"] = serde_json::json!("eA=="));
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.requests(), ["Recreate a", "Create a"]);
}

// VAL-1, VAL-2
#[test]
fn orders_that_contradict_each_other_are_refused_before_any_request() {
    let invalid = |set: &[Value], world: &mut World| match world.apply(set) {
        End::Verdict(Verdict::Invalid { errors }) => errors.to_string(),
        other => panic!("not invalid: {other:?}"),
    };
    let mut world = World::new();
    for (instance, problem) in [
        (
            object("Baz", "baz").with("apply-order", "-1"),
            "managed instance must not have an apply order lesser than the one of its type",
        ),
        (
            object("Baz", "baz").with("delete-order", "1"),
            "managed instance must not have a delete order greater than the one of its type",
        ),
    ] {
        let message = invalid(&[definition(), instance], &mut world);
        assert_eq!(message, format!("error validating object set (Baz.testing.kubewright.dev demo/baz): {problem}"));
    }
    for (inside, problem) in [
        (
            object("ConfigMap", "c").with("apply-order", "-1"),
            "namespaced object must not have an apply order lesser than the one of its namespace",
        ),
        (
            object("ConfigMap", "c").with("delete-order", "1"),
            "namespaced object must not have a delete order greater than the one of its namespace",
        ),
    ] {
        let message = invalid(&[object("Namespace", "inner"), inside.within("inner")], &mut world);
        assert_eq!(message, format!("error validating object set (ConfigMap inner/c): {problem}"));
    }
    assert_eq!(world.requests(), Vec::<String>::new());

    let set = [definition(), object("Baz", "baz"), object("Namespace", "inner"), object("ConfigMap", "c").within("inner")];
    world.apply(&set);
    world.cluster.observe("Baz", "baz");
    assert!(world.apply(&set).is_complete());
    world.requests();
    assert!(
        invalid(&[set[1].clone(), set[2].clone(), set[3].clone()], &mut world)
            .contains("managed instance is not being deleted, but the managing type is")
    );
    assert!(
        invalid(&[set[0].clone(), set[1].clone(), set[3].clone()], &mut world)
            .contains("namespaced object is not being deleted, but the namespace is")
    );
    assert_eq!(world.requests(), Vec::<String>::new());
}
