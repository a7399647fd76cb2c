//! Waves, stages and policies.

use kubewright_machinery::object::ObjectExt;
use serde_json::json;

use super::super::*;
use super::world::{Annotate, OPERATOR, World, definition, object, waiting};

// A1
#[test]
fn a_config_map_is_ready_in_the_pass_that_creates_it() {
    let mut world = World::new();
    let set = [object("ConfigMap", "c")];
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.phases(), ["c Ready Current"]);
    assert_eq!(world.requests(), ["Create c"]);
    let ahead = &world.write_aheads[0].items()[0];
    assert_eq!((ahead.phase, ahead.status), (Phase::ScheduledForApplication, Some(crate::health::Health::InProgress)));
    let live = world.cluster.get("ConfigMap", "c").unwrap();
    assert_eq!(live.label(&format!("{OPERATOR}/owner-id")), Some(world.engine.owner.hash()));
    assert_eq!(live.annotation(&format!("{OPERATOR}/owner-id")), Some(world.engine.owner.id()));
    assert_eq!(live.annotation(&format!("{OPERATOR}/digest")), Some(world.item("c").digest.as_str()));
    assert!(world.apply(&set).is_complete());
    assert_eq!((world.requests(), world.status_writes), (vec![], 2));
}

// A2
#[test]
fn an_object_without_health_is_waited_for_without_requests() {
    let mut world = World::new();
    let set = [object("Foo", "foo")];
    assert_eq!(waiting(&world.apply(&set)), ["foo"]);
    assert_eq!(world.phases(), ["foo Creating InProgress"]);
    world.requests();
    let before = world.persisted.clone();
    assert_eq!(waiting(&world.apply(&set)), ["foo"]);
    assert_eq!((world.requests(), &world.persisted), (vec![], &before));
    world.cluster.observe("Foo", "foo");
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.phases(), ["foo Ready Current"]);
}

// A3
#[test]
fn purged_objects_make_way_for_the_next_wave() {
    let mut world = World::new();
    let set = [
        object("ConfigMap", "c").with("purge-order", "1"),
        object("Foo", "foo").with("apply-order", "1").with("purge-order", "1").finalizer(),
        object("Secret", "s").with("apply-order", "2"),
    ];
    world.apply(&set);
    assert_eq!(world.phases(), ["c Ready Current", "foo Creating InProgress", "s ScheduledForApplication InProgress"]);
    world.cluster.observe("Foo", "foo");
    world.write_aheads.clear();
    waiting(&world.apply(&set));
    let ahead: Vec<Phase> = world.write_aheads[0].items().iter().map(|item| item.phase).collect();
    assert_eq!(ahead.iter().filter(|phase| **phase == Phase::ScheduledForCompletion).count(), 2);
    assert_eq!(world.phases(), ["c Completed -", "foo Completing Terminating", "s ScheduledForApplication InProgress"]);
    assert_eq!(world.cluster.get("ConfigMap", "c"), None);
    world.cluster.finalize("Foo", "foo");
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.phases(), ["c Completed -", "foo Completed -", "s Ready Current"]);
    world.requests();
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.requests(), Vec::<String>::new());
}

// A4, WAVE-2
#[test]
fn managed_instances_wait_for_the_rest_of_their_wave() {
    let mut world = World::new();
    let set = [object("Foo", "foo"), object("Bar", "bar"), object("Baz", "baz"), definition()];
    world.apply(&set);
    assert_eq!(
        world.phases(),
        [
            "bar ScheduledForApplication InProgress",
            "baz ScheduledForApplication InProgress",
            "bazs.testing.kubewright.dev Ready Current",
            "foo Creating InProgress",
        ]
    );
    assert!(
        world
            .cluster
            .get("CustomResourceDefinition", "bazs.testing.kubewright.dev")
            .unwrap()
            .has_finalizer(world.engine.finalizer.as_str())
    );
    world.cluster.observe("Foo", "foo");
    world.apply(&set);
    assert_eq!(
        world.phases(),
        ["bar Creating InProgress", "baz Creating InProgress", "bazs.testing.kubewright.dev Ready Current", "foo Ready Current",]
    );
    world.cluster.observe("Bar", "bar");
    world.cluster.observe("Baz", "baz");
    assert!(world.apply(&set).is_complete());
}

// A5
#[test]
fn only_changed_objects_are_updated() {
    let mut world = World::new();
    let set = ["1", "2", "3"].map(|name| object("Foo", name));
    world.apply(&set);
    world.cluster.observe("Foo", "1");
    world.cluster.observe("Foo", "2");
    world.apply(&set);
    assert_eq!(world.phases(), ["1 Ready Current", "2 Ready Current", "3 Creating InProgress"]);
    world.requests();
    let changed = [object("Foo", "1"), object("Foo", "2").value("b"), object("Foo", "3").value("b")];
    waiting(&world.apply(&changed));
    assert_eq!(world.phases(), ["1 Ready Current", "2 Updating InProgress", "3 Updating InProgress"]);
    assert_eq!(world.requests(), ["Update 2", "Update 3"]);
    world.cluster.observe("Foo", "2");
    world.cluster.observe("Foo", "3");
    assert!(world.apply(&changed).is_complete());
    let values = ["1", "2", "3"].map(|name| world.cluster.get("Foo", name).unwrap()["spec"]["value"].clone());
    assert_eq!(values, [json!("a"), json!("b"), json!("b")]);
}

// A6, DRIFT-6
#[test]
fn recreate_changes_the_uid_with_the_content_only() {
    let mut world = World::new();
    let set = [object("ConfigMap", "c").with("update-policy", "recreate")];
    world.apply(&set);
    let uid = world.cluster.get("ConfigMap", "c").unwrap().uid().to_owned();
    world.requests();
    world.advance(600);
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.requests(), Vec::<String>::new());
    let changed = [object("ConfigMap", "c").with("update-policy", "recreate").value("Yg==")];
    assert!(world.apply(&changed).is_complete());
    assert_eq!(world.requests(), ["Recreate c", "Create c"]);
    let live = world.cluster.get("ConfigMap", "c").unwrap();
    assert_eq!(live["data"]["key"], "Yg==");
    assert_ne!(live.uid(), uid);
}

// A8, WAVE-6
#[test]
fn an_object_with_policy_once_is_never_written_again() {
    let mut world = World::new();
    let once = |value: &str| [object("ConfigMap", "c").with("reconcile-policy", "once").value(value)];
    world.apply(&once("YQ=="));
    world.requests();
    assert!(world.apply(&once("Yg==")).is_complete());
    world.cluster.edit("ConfigMap", "c", |live| live["data"]["key"] = json!("Yw=="));
    world.advance(3600);
    assert!(world.apply(&once("Yg==")).is_complete());
    assert_eq!(world.requests(), Vec::<String>::new());
    world.cluster.remove("ConfigMap", "c");
    assert!(world.apply(&once("Yg==")).is_complete());
    assert_eq!(world.requests(), ["Create c"]);
}

// A9, WRITE-10
#[test]
fn redundant_objects_are_deleted_or_orphaned_in_order() {
    let mut world = World::new();
    let secret = object("Secret", "s").with("delete-order", "1");
    let set = [
        object("ConfigMap", "c1").with("delete-policy", "orphan").with("delete-order", "2"),
        object("ConfigMap", "c2").with("delete-policy", "orphan-on-apply").with("delete-order", "2"),
        object("ConfigMap", "c3").with("delete-policy", "orphan-on-delete").with("delete-order", "2"),
        secret.clone(),
        object("Foo", "foo").finalizer(),
    ];
    world.apply(&set);
    world.cluster.observe("Foo", "foo");
    assert!(world.apply(&set).is_complete());
    waiting(&world.apply(std::slice::from_ref(&secret)));
    assert_eq!(
        world.phases(),
        [
            "c1 ScheduledForDeletion Terminating",
            "c2 ScheduledForDeletion Terminating",
            "c3 ScheduledForDeletion Terminating",
            "foo Deleting Terminating",
            "s Ready Current",
        ]
    );
    assert!(world.item("c1").digest.is_empty());
    world.cluster.finalize("Foo", "foo");
    assert!(world.apply(&[secret]).is_complete());
    assert_eq!(world.phases(), ["s Ready Current"]);
    assert_eq!(world.cluster.get("ConfigMap", "c3"), None);
    for name in ["c1", "c2"] {
        let live = world.cluster.get("ConfigMap", name).unwrap();
        assert_eq!(live.label(&format!("{OPERATOR}/owner-id")), None);
        assert_eq!(
            (live.annotation(&format!("{OPERATOR}/owner-id")), live.annotation(&format!("{OPERATOR}/digest"))),
            (None, None)
        );
    }
}

// A10
#[test]
fn redundant_managed_instances_go_before_their_type() {
    let mut world = World::new();
    let set =
        [object("Foo", "foo").finalizer(), object("Bar", "bar").finalizer(), object("Baz", "baz").finalizer(), definition()];
    world.apply(&set);
    world.cluster.observe("Foo", "foo");
    world.apply(&set);
    world.cluster.observe("Bar", "bar");
    world.cluster.observe("Baz", "baz");
    assert!(world.apply(&set).is_complete());
    waiting(&world.apply(&[]));
    assert_eq!(
        world.phases(),
        [
            "bar Deleting Terminating",
            "baz Deleting Terminating",
            "bazs.testing.kubewright.dev ScheduledForDeletion Terminating",
            "foo ScheduledForDeletion Terminating",
        ]
    );
    world.cluster.finalize("Bar", "bar");
    world.cluster.finalize("Baz", "baz");
    waiting(&world.apply(&[]));
    assert_eq!(world.item("foo").phase, Phase::Deleting);
    world.cluster.finalize("Foo", "foo");
    world.cluster.tick();
    assert!(world.apply(&[]).is_complete());
    assert!(world.persisted.is_empty());
    assert_eq!(world.cluster.objects.len(), 1);
}

// ORD-1
#[test]
fn kinds_have_their_order_within_a_wave() {
    let mut world = World::new();
    let named = |api_version: &str, kind: &str| json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": kind.to_lowercase()}});
    let set = [
        named("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
        json!({"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": "apiservice"}, "spec": {"group": "x.example.com", "version": "v1"}}),
        object("Foo", "foo"),
        object("ConfigMap", "configmap"),
        named("rbac.authorization.k8s.io/v1", "ClusterRole"),
        object("Namespace", "namespace"),
    ];
    assert_eq!(waiting(&world.apply(&set)), ["apiservice", "foo"]);
    assert_eq!(
        world.requests(),
        ["Create namespace", "Create clusterrole", "Create configmap", "Create foo", "Create validatingwebhookconfiguration"]
    );
    world.cluster.observe("Foo", "foo");
    assert_eq!(waiting(&world.apply(&set)), ["apiservice"]);
    assert_eq!(world.requests(), ["Create apiservice"]);
}
