use kubewright_machinery::object::{ObjectExt as _, applied_hash};
use serde_json::{Value, json};

use super::{HASH, desired, live, owner};
use crate::child::{Adopt, ChildSituation, Decision, LastWrite, Strategy, UpdateGate, decide, gate_of};

const STRATEGIES: [Strategy; 4] = [Strategy::Apply, Strategy::HashGuarded, Strategy::CreateOnce, Strategy::Replace];

#[derive(Clone, Copy, Default)]
struct Options {
    strategy: Strategy,
    adopt: Adopt,
    is_closed: bool,
    skips_absent: bool,
}

fn decision(desired: &Value, live: Option<&Value>, last: Option<&LastWrite>, options: Options) -> Decision {
    let digest = applied_hash(desired, HASH);
    decide(&ChildSituation {
        desired,
        digest: &digest,
        live,
        owner: &owner(),
        strategy: options.strategy,
        adopt: options.adopt,
        gate: if options.is_closed { UpdateGate::Closed } else { UpdateGate::Open },
        last,
        skips_absent: options.skips_absent,
        hash_annotation: HASH,
        orphan_label: "shop.example/orphan",
    })
}

fn by(strategy: Strategy) -> Options {
    Options { strategy, ..Options::default() }
}

fn wrote(size: i64, generation: i64) -> LastWrite {
    LastWrite::new(applied_hash(&desired(size), HASH), &live(size, generation))
}

/// KID-6
#[test]
fn an_absent_child_is_created_unless_absent_children_are_skipped() {
    for strategy in STRATEGIES {
        for is_closed in [false, true] {
            let options = Options { is_closed, ..by(strategy) };
            assert_eq!(decision(&desired(1), None, None, options), Decision::Create);
            assert_eq!(decision(&desired(1), None, None, Options { skips_absent: true, ..options }), Decision::Skipped);
        }
    }
}

/// ENS-08, ENS-15: ownership is checked before everything else.
#[test]
fn a_child_of_another_owner_is_never_written_and_an_unowned_one_only_by_adoption() {
    let (mut former, mut other, mut unowned) = (live(2, 1), live(2, 1), live(2, 1));
    former["metadata"]["ownerReferences"][0]["uid"] = "u-before".into();
    other["metadata"]["ownerReferences"][0]["name"] = "else".into();
    other["metadata"]["ownerReferences"][0]["uid"] = "u-else".into();
    unowned["metadata"].as_object_mut().map(|metadata| (metadata.remove("ownerReferences"), metadata.remove("labels")));
    for strategy in STRATEGIES {
        for deleting in [false, true] {
            for object in [&mut former, &mut other] {
                object["metadata"]["deletionTimestamp"] = if deleting { "2026-01-01T00:00:00Z".into() } else { Value::Null };
            }
            assert_eq!(decision(&desired(1), Some(&former), None, by(strategy)), Decision::FormerOwner);
            assert_eq!(decision(&desired(1), Some(&other), None, by(strategy)), Decision::Conflict(Some("Shop else".to_owned())));
        }
        let never = Options { adopt: Adopt::Never, ..by(strategy) };
        let refused = decision(&desired(1), Some(&unowned), None, never);
        assert_eq!(refused == Decision::Conflict(None), strategy != Strategy::CreateOnce, "{strategy:?}: {refused:?}");
    }
    assert_eq!(decision(&desired(1), Some(&unowned), None, Options::default()), Decision::Apply);
}

/// ENS-15
#[test]
fn a_child_that_is_being_deleted_is_waited_for() {
    let mut going = live(1, 1);
    going["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
    for strategy in STRATEGIES {
        assert_eq!(decision(&desired(1), Some(&going), Some(&wrote(1, 1)), by(strategy)), Decision::Terminating);
    }
}

/// ENS-16: a change of the status alone does not change the generation.
#[test]
fn an_applied_child_is_unchanged_until_its_spec_or_the_desired_one_changes() {
    let last = wrote(1, 1);
    assert_eq!(decision(&desired(1), Some(&live(1, 1)), None, Options::default()), Decision::Apply);
    let mut told = live(1, 1);
    told["status"] = json!({ "ready": 3 });
    told["metadata"]["resourceVersion"] = "8".into();
    assert_eq!(decision(&desired(1), Some(&told), Some(&last), Options::default()), Decision::Unchanged);
    assert_eq!(decision(&desired(1), Some(&live(1, 2)), Some(&last), Options::default()), Decision::Apply);
    assert_eq!(decision(&desired(2), Some(&live(1, 1)), Some(&last), Options::default()), Decision::Apply);
}

#[test]
fn a_kind_without_generation_is_followed_by_its_version() {
    let mut object = live(1, 1);
    object.metadata_mut().remove("generation");
    let last = LastWrite::new(applied_hash(&desired(1), HASH), &object);
    assert_eq!(decision(&desired(1), Some(&object), Some(&last), Options::default()), Decision::Unchanged);
    object["metadata"]["resourceVersion"] = "8".into();
    assert_eq!(decision(&desired(1), Some(&object), Some(&last), Options::default()), Decision::Apply);
}

#[test]
fn a_removed_mark_is_set_again_although_it_changes_no_generation() {
    let last = wrote(1, 1);
    for strategy in [Strategy::Apply, Strategy::HashGuarded] {
        let mut unlabelled = live(1, 1);
        unlabelled.remove_label("shop.example/owner-name");
        let mut unreferenced = live(1, 1);
        unreferenced.metadata_mut().remove("ownerReferences");
        for object in [unlabelled, unreferenced] {
            assert_eq!(decision(&desired(1), Some(&object), Some(&last), by(strategy)), Decision::Apply);
        }
    }
}

/// KID-12
#[test]
fn a_child_of_another_uid_than_remembered_is_written() {
    let mut another = live(1, 1);
    another["metadata"]["uid"] = "u-another".into();
    for strategy in [Strategy::Apply, Strategy::HashGuarded] {
        assert_eq!(decision(&desired(1), Some(&another), Some(&wrote(1, 1)), by(strategy)), Decision::Apply);
    }
}

/// KID-11
#[test]
fn a_guarded_child_is_written_when_its_hash_differs_or_it_drifted() {
    let options = by(Strategy::HashGuarded);
    assert_eq!(decision(&desired(1), Some(&live(1, 1)), Some(&wrote(1, 1)), options), Decision::Unchanged);
    assert_eq!(decision(&desired(1), Some(&live(1, 2)), Some(&wrote(1, 1)), options), Decision::Apply);
    assert_eq!(decision(&desired(2), Some(&live(1, 1)), Some(&wrote(1, 1)), options), Decision::Apply);
    // After a restart the child is written once; behind a closed gate an equal hash is enough.
    assert_eq!(decision(&desired(1), Some(&live(1, 1)), None, options), Decision::Apply);
    let closed = Options { is_closed: true, ..options };
    assert_eq!(decision(&desired(1), Some(&live(1, 1)), None, closed), Decision::Unchanged);
}

/// KID-11
#[test]
fn drift_of_a_guarded_kind_without_generation_shows_in_its_leaves() {
    let mut object = live(1, 1);
    object.metadata_mut().remove("generation");
    let options = by(Strategy::HashGuarded);
    assert_eq!(decision(&desired(1), Some(&object), None, options), Decision::Unchanged);
    object["spec"]["size"] = 3.into();
    assert_eq!(decision(&desired(1), Some(&object), None, options), Decision::Apply);
}

/// ENS-12
#[test]
fn a_closed_gate_holds_differences_back_and_only_those() {
    for strategy in [Strategy::Apply, Strategy::HashGuarded, Strategy::Replace] {
        let closed = Options { is_closed: true, ..by(strategy) };
        assert_eq!(decision(&desired(2), Some(&live(1, 1)), Some(&wrote(1, 1)), closed), Decision::Held);
        assert_eq!(decision(&desired(1), Some(&live(1, 1)), None, closed), Decision::Unchanged);
    }
}

/// ENS-12, KID-15
#[test]
fn the_gate_is_open_after_changes_of_the_owner_and_by_annotation() {
    let open = |applied, annotation| gate_of(2, applied, annotation) == UpdateGate::Open;
    assert!(open(None, None) && open(Some(0), None) && open(Some(1), None));
    assert!(!open(Some(2), None) && !open(Some(2), Some("never")));
    assert!(open(Some(2), Some("once")) && open(Some(2), Some("always")));
}

/// ENS-13
#[test]
fn a_child_that_is_created_once_stays_and_one_of_a_user_is_marked() {
    let options = by(Strategy::CreateOnce);
    assert_eq!(decision(&desired(2), Some(&live(1, 5)), None, options), Decision::Unchanged);
    let provided = json!({ "metadata": { "name": "front", "namespace": "default", "uid": "u" }, "data": { "a": "b" } });
    let Decision::MarkOrphan(patch) = decision(&desired(2), Some(&provided), None, options) else {
        panic!("an object of a user is marked");
    };
    let labels = ["shop.example/orphan", "shop.example/owner-kind", "shop.example/owner-name", "shop.example/owner-namespace"];
    assert_eq!(patch.labels().keys().collect::<Vec<_>>(), labels);
    assert_eq!(patch.as_object().map(|fields| fields.keys().cloned().collect()), Some(vec!["metadata".to_owned()]));
}

/// ENS-14
#[test]
fn a_replaced_child_is_recreated_unless_only_its_marks_are_missing() {
    let options = by(Strategy::Replace);
    assert_eq!(decision(&desired(1), Some(&live(1, 4)), None, options), Decision::Unchanged);
    assert_eq!(decision(&desired(2), Some(&live(1, 4)), None, options), Decision::Recreate("u-child".to_owned()));
    let mut unowned = live(1, 1);
    for field in ["ownerReferences", "labels", "annotations"] {
        unowned.metadata_mut().remove(field);
    }
    assert_eq!(decision(&desired(1), Some(&unowned), None, options), Decision::Apply);
    assert_eq!(decision(&desired(2), Some(&unowned), None, options), Decision::Recreate("u-child".to_owned()));
}
