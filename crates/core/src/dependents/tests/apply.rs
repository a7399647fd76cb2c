use serde_json::{Value, json};

use super::super::*;
use super::cluster::GROUP;
use super::world::{Annotate, End, OPERATOR, World, definition, object};
use kubewright_machinery::object::{ObjectExt, ObjectKey};

fn waiting(end: &End) -> Vec<String> {
    match end {
        End::Verdict(Verdict::Incomplete { waiting }) => waiting
            .iter()
            .map(|waiting| waiting.key.name.clone())
            .collect(),
        other => panic!("not waiting: {other:?}"),
    }
}

// A1
#[test]
fn a_config_map_is_ready_in_the_pass_that_creates_it() {
    let mut world = World::new();
    let set = [object("ConfigMap", "c")];
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.phases(), ["c Ready Current"]);
    assert_eq!(world.requests(), ["Create c"]);
    let ahead = &world.write_aheads[0].items()[0];
    assert_eq!(
        (ahead.phase, ahead.status),
        (
            Phase::ScheduledForApplication,
            Some(crate::health::Status::InProgress)
        )
    );
    let live = world.cluster.get("ConfigMap", "c").unwrap();
    assert_eq!(
        live.label(&format!("{OPERATOR}/owner-id")),
        Some(world.engine.owner.hash())
    );
    assert_eq!(
        live.annotation(&format!("{OPERATOR}/owner-id")),
        Some(world.engine.owner.id())
    );
    assert_eq!(
        live.annotation(&format!("{OPERATOR}/digest")),
        Some(world.item("c").digest.as_str())
    );
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
        object("Foo", "foo")
            .with("apply-order", "1")
            .with("purge-order", "1")
            .finalizer(),
        object("Secret", "s").with("apply-order", "2"),
    ];
    world.apply(&set);
    assert_eq!(
        world.phases(),
        [
            "c Ready Current",
            "foo Creating InProgress",
            "s ScheduledForApplication InProgress"
        ]
    );
    world.cluster.observe("Foo", "foo");
    world.write_aheads.clear();
    waiting(&world.apply(&set));
    let ahead: Vec<Phase> = world.write_aheads[0]
        .items()
        .iter()
        .map(|item| item.phase)
        .collect();
    assert_eq!(
        ahead
            .iter()
            .filter(|phase| **phase == Phase::ScheduledForCompletion)
            .count(),
        2
    );
    assert_eq!(
        world.phases(),
        [
            "c Completed -",
            "foo Completing Terminating",
            "s ScheduledForApplication InProgress"
        ]
    );
    assert_eq!(world.cluster.get("ConfigMap", "c"), None);
    world.cluster.finalize("Foo", "foo");
    assert!(world.apply(&set).is_complete());
    assert_eq!(
        world.phases(),
        ["c Completed -", "foo Completed -", "s Ready Current"]
    );
    world.requests();
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.requests(), Vec::<String>::new());
}

// A4, WAVE-2
#[test]
fn managed_instances_wait_for_the_rest_of_their_wave() {
    let mut world = World::new();
    let set = [
        object("Foo", "foo"),
        object("Bar", "bar"),
        object("Baz", "baz"),
        definition(),
    ];
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
            .has_finalizer(&world.engine.finalizer)
    );
    world.cluster.observe("Foo", "foo");
    world.apply(&set);
    assert_eq!(
        world.phases(),
        [
            "bar Creating InProgress",
            "baz Creating InProgress",
            "bazs.testing.kubewright.dev Ready Current",
            "foo Ready Current",
        ]
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
    assert_eq!(
        world.phases(),
        [
            "1 Ready Current",
            "2 Ready Current",
            "3 Creating InProgress"
        ]
    );
    world.requests();
    let changed = [
        object("Foo", "1"),
        object("Foo", "2").value("b"),
        object("Foo", "3").value("b"),
    ];
    waiting(&world.apply(&changed));
    assert_eq!(
        world.phases(),
        [
            "1 Ready Current",
            "2 Updating InProgress",
            "3 Updating InProgress"
        ]
    );
    assert_eq!(world.requests(), ["Update 2", "Update 3"]);
    world.cluster.observe("Foo", "2");
    world.cluster.observe("Foo", "3");
    assert!(world.apply(&changed).is_complete());
    let values = ["1", "2", "3"]
        .map(|name| world.cluster.get("Foo", name).unwrap()["spec"]["value"].clone());
    assert_eq!(values, [json!("a"), json!("b"), json!("b")]);
}

// A6, DRIFT-6
#[test]
fn recreate_changes_the_uid_with_the_content_only() {
    let mut world = World::new();
    let set = [object("ConfigMap", "c").with("update-policy", "recreate")];
    world.apply(&set);
    let uid = world
        .cluster
        .get("ConfigMap", "c")
        .unwrap()
        .uid()
        .to_owned();
    world.requests();
    world.advance(600);
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.requests(), Vec::<String>::new());
    let changed = [object("ConfigMap", "c")
        .with("update-policy", "recreate")
        .value("Yg==")];
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
    let once = |value: &str| {
        [object("ConfigMap", "c")
            .with("reconcile-policy", "once")
            .value(value)]
    };
    world.apply(&once("YQ=="));
    world.requests();
    assert!(world.apply(&once("Yg==")).is_complete());
    world
        .cluster
        .edit("ConfigMap", "c", |live| live["data"]["key"] = json!("Yw=="));
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
        object("ConfigMap", "c1")
            .with("delete-policy", "orphan")
            .with("delete-order", "2"),
        object("ConfigMap", "c2")
            .with("delete-policy", "orphan-on-apply")
            .with("delete-order", "2"),
        object("ConfigMap", "c3")
            .with("delete-policy", "orphan-on-delete")
            .with("delete-order", "2"),
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
            (
                live.annotation(&format!("{OPERATOR}/owner-id")),
                live.annotation(&format!("{OPERATOR}/digest"))
            ),
            (None, None)
        );
    }
}

// A10
#[test]
fn redundant_managed_instances_go_before_their_type() {
    let mut world = World::new();
    let set = [
        object("Foo", "foo").finalizer(),
        object("Bar", "bar").finalizer(),
        object("Baz", "baz").finalizer(),
        definition(),
    ];
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

fn existing(world: &mut World) -> [Value; 2] {
    world.cluster.put(object("ConfigMap", "c"));
    let mut secret = object("Secret", "s");
    secret.set_label(format!("{OPERATOR}/owner-id"), "someone");
    secret.set_annotation(format!("{OPERATOR}/owner-id"), "cluster/demo/other");
    world.cluster.put(secret);
    [object("ConfigMap", "c"), object("Secret", "s")]
}

fn blocked(end: End) -> (BlockedReason, String) {
    match end {
        End::Verdict(Verdict::Blocked { reason, message }) => (reason, message),
        other => panic!("not blocked: {other:?}"),
    }
}

// A11, OWN-1, OWN-2
#[test]
fn unowned_objects_are_adopted_and_owned_ones_left_alone() {
    let mut world = World::new();
    let set = existing(&mut world);
    let (reason, message) = blocked(world.apply(&set));
    assert_eq!(reason, BlockedReason::OwnerConflict);
    assert_eq!(
        message,
        "owner conflict; object /v1, Kind=Secret demo/s is owned by cluster/demo/other"
    );
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
    assert!(
        message.contains("found existing object /v1, Kind=ConfigMap demo/c without owner"),
        "{message}"
    );
    assert!(
        message.contains("is owned by cluster/demo/other"),
        "{message}"
    );
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
    world.cluster.edit("ConfigMap", "c", |live| {
        live.set_label(label.as_str(), "someone")
    });
    world.requests();
    assert_eq!(blocked(world.apply(&set)).0, BlockedReason::OwnerConflict);
    assert_eq!(world.requests(), Vec::<String>::new());
    world
        .cluster
        .edit("ConfigMap", "c", |live| _ = live.remove_label(&label));
    let never = [object("ConfigMap", "c").with("adoption-policy", "never")];
    assert_eq!(blocked(world.apply(&never)).0, BlockedReason::OwnerConflict);
    assert!(world.apply(&set).is_complete());
    assert_eq!(
        world.cluster.get("ConfigMap", "c").unwrap().label(&label),
        Some(world.engine.owner.hash())
    );
}

// PERF-1, N = 1, 10, 100
#[test]
fn an_install_without_waiting_costs_one_create_per_object_and_two_status_writes() {
    for count in [1, 10, 100] {
        let mut world = World::new();
        let set: Vec<Value> = (0..count)
            .map(|index| object("ConfigMap", &format!("c{index}")))
            .collect();
        assert!(world.apply(&set).is_complete());
        assert_eq!((world.requests().len(), world.status_writes), (count, 2));
    }
}

// WAVE-1, WAVE-3
#[test]
fn a_deleted_dependent_is_back_after_one_write() {
    let mut world = World::new();
    let set = [
        object("ConfigMap", "a"),
        object("ConfigMap", "b").with("apply-order", "1"),
    ];
    world.apply(&set);
    world.requests();
    world.cluster.remove("ConfigMap", "b");
    assert!(world.apply(&set).is_complete());
    assert_eq!(world.requests(), ["Create b"]);
}

// WAVE-5
#[test]
fn a_type_deleted_by_hand_is_let_go_and_created_again() {
    let mut world = World::new();
    let set = [object("Baz", "baz"), definition()];
    world.apply(&set);
    world.cluster.observe("Baz", "baz");
    assert!(world.apply(&set).is_complete());
    world
        .cluster
        .remove("CustomResourceDefinition", "bazs.testing.kubewright.dev");
    world.requests();
    waiting(&world.apply(&set));
    assert_eq!(
        world.requests(),
        ["ReleaseFinalizer bazs.testing.kubewright.dev"]
    );
    assert!(matches!(
        world.notes.last(),
        Some(Note::DependentDeleted { .. })
    ));
    world.cluster.tick();
    world.apply(&set);
    assert_eq!(
        world.requests(),
        ["Create bazs.testing.kubewright.dev", "Create baz"]
    );
    world.cluster.observe("Baz", "baz");
    assert!(world.apply(&set).is_complete());
}

// WAVE-8
#[test]
fn a_type_that_is_not_served_yet_is_tried_again() {
    let mut world = World::new();
    let set = [object("Bar", "bar")];
    let key = ObjectKey::new(GROUP, "Bar", "demo", "bar");
    world
        .cluster
        .refusals
        .insert(key.clone(), vec![Refusal::unknown_type("no such type"); 3]);
    waiting(&world.apply(&set));
    assert_eq!(world.requests(), ["Create bar"; 4]);
    world.cluster.remove("Bar", "bar");
    world
        .cluster
        .refusals
        .insert(key, vec![Refusal::unknown_type("no such type"); 50]);
    let end = world.apply(&set);
    assert!(
        matches!(&end, End::Verdict(Verdict::Wait { after: Some(after), .. }) if after.as_secs() == 5),
        "{end:?}"
    );
    assert_eq!(world.requests().len(), 7);
}

// ORD-1
#[test]
fn kinds_have_their_order_within_a_wave() {
    let mut world = World::new();
    let named = |api_version: &str, kind: &str| json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": kind.to_lowercase()}});
    let set = [
        named(
            "admissionregistration.k8s.io/v1",
            "ValidatingWebhookConfiguration",
        ),
        json!({"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": "apiservice"}, "spec": {"group": "x.example.com", "version": "v1"}}),
        object("Foo", "foo"),
        object("ConfigMap", "configmap"),
        named("rbac.authorization.k8s.io/v1", "ClusterRole"),
        object("Namespace", "namespace"),
    ];
    assert_eq!(waiting(&world.apply(&set)), ["apiservice", "foo"]);
    assert_eq!(
        world.requests(),
        [
            "Create namespace",
            "Create clusterrole",
            "Create configmap",
            "Create foo",
            "Create validatingwebhookconfiguration"
        ]
    );
    world.cluster.observe("Foo", "foo");
    assert_eq!(waiting(&world.apply(&set)), ["apiservice"]);
    assert_eq!(world.requests(), ["Create apiservice"]);
}

// NS-1
#[test]
fn missing_namespaces_are_created_unless_forbidden() {
    let set = [
        object("ConfigMap", "a").within("one"),
        object("ConfigMap", "b").within("one"),
        object("ConfigMap", "c").within("two"),
    ];
    let mut world = World::new();
    assert!(world.apply(&set).is_complete());
    assert!(
        world.cluster.get("Namespace", "one").is_some()
            && world.cluster.get("Namespace", "two").is_some()
    );
    assert_eq!(world.notes.len(), 2);
    assert!(!world.phases().iter().any(|phase| phase.starts_with("one")));

    let mut world = World::new();
    world.engine.missing_namespaces = crate::manifest::MissingNamespacesPolicy::DoNotCreate;
    assert!(matches!(
        world.apply(&set),
        End::Verdict(Verdict::Wait { .. })
    ));
    assert_eq!(world.cluster.get("Namespace", "one"), None);
}

// WRITE-9
#[test]
fn conflicts_are_retried_and_others_go_on() {
    let mut world = World::new();
    let set = [object("ConfigMap", "a"), object("ConfigMap", "b")];
    world.apply(&set);
    world.requests();
    let changed = set.map(|manifest| manifest.value("Yg=="));
    let conflict = Refusal {
        code: 409,
        reason: "Conflict".to_owned(),
        ..Refusal::default()
    };
    let key = ObjectKey::new("", "ConfigMap", "demo", "a");
    world
        .cluster
        .refusals
        .insert(key.clone(), vec![conflict.clone(); 3]);
    assert!(world.apply(&changed).is_complete());
    assert_eq!(
        world
            .requests()
            .iter()
            .filter(|request| *request == "Update a")
            .count(),
        4
    );

    let again = changed.map(|manifest| manifest.value("Yw=="));
    world.cluster.refusals.insert(key, vec![conflict; 100]);
    let end = world.apply(&again);
    let End::Verdict(Verdict::Wait { message, after }) = end else {
        panic!("{end:?}")
    };
    assert_eq!(message, "conflict while writing /v1, Kind=ConfigMap demo/a");
    assert_eq!(after.map(|after| after.as_secs()), Some(1));
    assert_eq!(
        world
            .requests()
            .iter()
            .filter(|request| *request == "Update a")
            .count(),
        6
    );
    assert_eq!(world.item("b").phase, Phase::Ready);
}

// WRITE-14, PLAN-5
#[test]
fn an_immutable_field_is_named_with_the_remedies() {
    let mut world = World::new();
    let set = [
        object("ConfigMap", "a"),
        object("ConfigMap", "b"),
        object("Foo", "late").with("apply-order", "1"),
    ];
    let refusal = Refusal {
        code: 422,
        message: "invalid".to_owned(),
        causes: vec![RefusalCause {
            field: "spec.selector".to_owned(),
            message: "field is immutable".to_owned(),
            ..RefusalCause::default()
        }],
        ..Refusal::default()
    };
    world.apply(&set[..2]);
    world.requests();
    world
        .cluster
        .refusals
        .insert(ObjectKey::new("", "ConfigMap", "demo", "a"), vec![refusal]);
    let changed = set.map(|manifest| manifest.value("Yg=="));
    let end = world.apply(&changed);
    let End::Verdict(Verdict::Failed { message, code }) = end else {
        panic!("{end:?}")
    };
    assert_eq!(code, Some(422));
    for part in ["ConfigMap demo/a", "spec.selector", "Recreate"] {
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(world.requests(), ["Update a", "Update b"]);
    assert!(world.apply(&changed[..2]).is_complete());
}

// PURGE-4
#[test]
fn an_adopted_object_is_marked_before_it_is_recreated() {
    let mut world = World::new();
    world.cluster.put(object("ConfigMap", "c"));
    assert!(
        world
            .apply(&[object("ConfigMap", "c").with("update-policy", "recreate")])
            .is_complete()
    );
    assert_eq!(
        world.requests(),
        [
            "Create c",
            "ReadLive c",
            "TakeOwnership c",
            "Recreate c",
            "Create c"
        ]
    );
}

// READY-4
#[test]
fn a_failed_dependent_is_told_at_once() {
    let mut world = World::new();
    let set = [object("Foo", "foo")];
    world.apply(&set);
    world.cluster.fail("Foo", "foo", "out of luck");
    assert_eq!(
        blocked(world.apply(&set)),
        (
            BlockedReason::DependentFailed,
            "Foo demo/foo: out of luck".to_owned()
        )
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
    world.cluster.edit("Foo", "foo", |live| {
        live["metadata"]["generation"] = json!(7)
    });
    assert!(world.apply(&set).is_complete());
    world.advance(29);
    assert!(world.apply(&set).is_complete());
    assert_eq!(
        world
            .wake
            .map(|wake| wake.duration_since(world.now).as_secs()),
        Some(1)
    );
    world.advance(2);
    assert_eq!(waiting(&world.apply(&set)), ["foo"]);
}

// INV-2, INV-5, INV-6
#[test]
fn a_lost_inventory_heals() {
    let mut world = World::new();
    let set = [
        object("ConfigMap", "a").with("delete-order", "5"),
        object("Foo", "foo"),
    ];
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
        assert_eq!(
            message,
            format!(
                "error validating object set (testing.kubewright.dev/v1alpha1, Kind=Baz demo/baz): {problem}"
            )
        );
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
        let message = invalid(
            &[object("Namespace", "inner"), inside.within("inner")],
            &mut world,
        );
        assert_eq!(
            message,
            format!("error validating object set (/v1, Kind=ConfigMap inner/c): {problem}")
        );
    }
    assert_eq!(world.requests(), Vec::<String>::new());

    let set = [
        definition(),
        object("Baz", "baz"),
        object("Namespace", "inner"),
        object("ConfigMap", "c").within("inner"),
    ];
    world.apply(&set);
    world.cluster.observe("Baz", "baz");
    assert!(world.apply(&set).is_complete());
    world.requests();
    assert!(
        invalid(
            &[set[1].clone(), set[2].clone(), set[3].clone()],
            &mut world
        )
        .contains("managed instance is not being deleted, but the managing type is")
    );
    assert!(
        invalid(
            &[set[0].clone(), set[1].clone(), set[3].clone()],
            &mut world
        )
        .contains("namespaced object is not being deleted, but the namespace is")
    );
    assert_eq!(world.requests(), Vec::<String>::new());
}
