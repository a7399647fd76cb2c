use super::*;
use crate::condition::ConditionPolarity;

const FINALIZER: &str = "dependency.example.com/portal";

fn requirement() -> Requirement<'static> {
    Requirement {
        type_: SERVER,
        revision: Revision::ReadyOnly,
        conditions: None,
        polarities: &[],
        own: Some(Provenance::new(2, None)),
        finalizer: FINALIZER,
    }
}

fn of(server: &Observation, requirement: &Requirement<'_>) -> Result<(), NotReady> {
    readiness(Some(server), requirement, &format())
}

fn bad(type_: &str, found: Option<Condition>) -> Result<(), NotReady> {
    Err(NotReady::Condition { type_: type_.to_owned(), found: found.map(Box::new) })
}

// RDY-1
#[test]
fn a_component_with_its_generations_applied_and_its_conditions_true_is_ready() {
    assert_eq!(of(&ready(SERVER), &requirement()), Ok(()));
    assert_eq!(readiness(None, &requirement(), &format()), Err(NotReady::Absent));
    let unlabelled = Observation { provenance: Err(broken()), ..ready(SERVER) };
    assert_eq!(of(&unlabelled, &requirement()), Err(NotReady::Provenance(broken())));
}

// DEP-02, RDY-1, RDY-2
#[test]
fn every_relevant_condition_has_to_be_true() {
    for status in [ConditionStatus::False, ConditionStatus::Unknown] {
        let unhealthy = condition("ServerHealthy", status);
        let server = Observation { conditions: vec![true_("ServerReconciliation"), unhealthy.clone()], ..ready(SERVER) };
        assert_eq!(of(&server, &requirement()), bad("ServerHealthy", Some(unhealthy)));
    }
    let server = Observation { conditions: vec![true_("ServerHealthy")], ..ready(SERVER) };
    assert_eq!(of(&server, &requirement()), bad("ServerReconciliation", None));
}

// DEP-02, RDY-2
#[test]
fn without_a_list_all_conditions_of_normal_polarity_count_and_none_of_the_framework() {
    let with = |type_: &str| {
        let mut server = ready(SERVER);
        server.conditions.push(condition(type_, ConditionStatus::False));
        server
    };
    for ignored in ["Ready", "Stalled", "ServerDeletionBlocked", "RequiresUpdate", "Paused", "Waiting"] {
        assert_eq!(of(&with(ignored), &requirement()), Ok(()), "{ignored}");
    }
    assert_eq!(of(&with("Scaled"), &requirement()), bad("Scaled", Some(condition("Scaled", ConditionStatus::False))));
    let polarities = [("Scaled".to_owned(), ConditionPolarity::Abnormal)];
    assert_eq!(of(&with("Scaled"), &Requirement { polarities: &polarities, ..requirement() }), Ok(()));
}

// DEP-02, RDY-2
#[test]
fn with_a_list_only_the_listed_conditions_count() {
    let mut server = ready(SERVER);
    server.conditions.push(condition("Scaled", ConditionStatus::False));
    assert_eq!(of(&server, &Requirement { conditions: Some(&[]), ..requirement() }), Ok(()));
    assert_eq!(of(&server, &Requirement { conditions: Some(&["Reachable"]), ..requirement() }), bad("Reachable", None));
    server.conditions.push(true_("Reachable"));
    assert_eq!(of(&server, &Requirement { conditions: Some(&["Reachable"]), ..requirement() }), Ok(()));
}

// DEP-03, RDY-1
#[test]
fn outdated_generations_are_a_lag() {
    let applied = |resource, owner, internal| {
        let provenance = Provenance { owner, internal };
        Observation { applied: Some(Generations { resource, provenance }), ..ready(SERVER) }
    };
    for lagging in [applied(2, 2, -1), applied(3, 1, -1), applied(3, 2, 1), Observation { applied: None, ..ready(SERVER) }] {
        assert_eq!(of(&lagging, &requirement()), Err(NotReady::Lags));
    }
    assert!(NotReady::Lags.is_lag() && NotReady::Ignored.is_lag() && !NotReady::Absent.is_lag());
    let seen = Observation { applied: None, ..ready(SERVER) };
    assert_eq!(readiness(Some(&seen), &requirement(), &Format::openmcp()), Ok(()));
}

// DEP-04, RDY-3, RDY-4
#[test]
fn the_same_revision_is_that_of_the_labels_of_the_depending_component() {
    let older = Requirement { own: Some(Provenance::new(1, None)), ..requirement() };
    let broken = Requirement { own: None, ..requirement() };
    for requirement in [older, broken] {
        assert_eq!(of(&ready(SERVER), &requirement), Ok(()));
        let same = Requirement { revision: Revision::SameRevision, ..requirement };
        assert_eq!(of(&ready(SERVER), &same), Err(NotReady::OtherRevision));
    }
    assert_eq!(of(&ready(SERVER), &Requirement { revision: Revision::SameRevision, ..requirement() }), Ok(()));
}

// DEP-05, RDY-2
#[test]
fn a_component_without_conditions_is_not_ready() {
    let silent = Observation { conditions: Vec::new(), ..ready(SERVER) };
    assert_eq!(of(&silent, &requirement()), bad("ServerReconciliation", None));
}

// FIN-07, RDY-5
#[test]
fn a_component_that_is_being_deleted_can_be_used_only_by_those_that_hold_it() {
    let deleting = Observation { is_deleting: true, ..ready(SERVER) };
    assert_eq!(of(&deleting, &requirement()), Err(NotReady::Deleting));
    let held = Observation { finalizers: vec![FINALIZER.to_owned()], ..deleting };
    assert_eq!(of(&held, &requirement()), Ok(()));
}

// OP-08, RDY-6
#[test]
fn an_ignored_component_counts_as_absent() {
    let ignored = Observation { operation: Some(Operation::Ignore), ..ready(SERVER) };
    assert_eq!(of(&ignored, &requirement()), Err(NotReady::Ignored));
    assert_eq!(usable(Some(&ignored), FINALIZER), Err(NotReady::Ignored));
    for other in [Operation::Reconcile, Operation::Other] {
        assert_eq!(of(&Observation { operation: Some(other), ..ready(SERVER) }, &requirement()), Ok(()));
    }
}
