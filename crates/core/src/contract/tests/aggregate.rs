use super::*;
use crate::condition::{ConditionPolarity, ConditionVisibility};

fn declared(type_: &'static str, visibility: ConditionVisibility, polarity: ConditionPolarity) -> DeclaredCondition {
    DeclaredCondition { type_, visibility, polarity }
}

fn reported(type_: ComponentType, conditions: &[Condition]) -> Reported<'_> {
    Reported { type_, conditions, declared: &[] }
}

fn pass(before: &[OwnerCondition]) -> OwnerPass<'_> {
    OwnerPass { before, now: at(100), generation: 4 }
}

fn of(components: &[Reported<'_>]) -> Aggregate {
    aggregate(components, &pass(&[]), &format())
}

fn types(conditions: &[OwnerCondition]) -> Vec<(&str, &str)> {
    conditions.iter().map(|found| (found.managed_by.as_str(), found.condition.type_.as_str())).collect()
}

fn failed(type_: &str, message: &str) -> Condition {
    Condition::new(type_, ConditionStatus::False, "Broken", message)
}

// PAR-02, AGG-1, AGG-3, AGG-4, AGG-5
#[test]
fn conditions_are_exported_in_order_with_their_component() {
    let server = [true_("ServerReconciliation"), true_("ServerHealthy"), true_("Reachable")];
    let database = [true_("DatabaseReconciliation"), true_("DatabaseHealthy")];
    let aggregate = of(&[reported(SERVER, &server), reported(DATABASE, &database), reported(PORTAL, &[])]);
    let list = aggregate.with_own(vec![true_("Stalled"), true_("Ready")]);
    let expected = [
        ("Database", "DatabaseHealthy"),
        ("Portal", "Portal"),
        ("Server", "Reachable"),
        ("Server", "ServerHealthy"),
        ("", "Ready"),
        ("", "Stalled"),
        ("", "ComponentsSuccessful"),
    ];
    assert_eq!(types(&list), expected);
    let silent = &list[1].condition;
    assert_eq!(
        (silent.status, silent.reason.as_str(), silent.last_transition_time),
        (ConditionStatus::Unknown, "NoConditions", at(100))
    );
}

// PAR-02, AGG-2
#[test]
fn internal_conditions_stay_on_the_component() {
    let conditions = [true_("ServerHealthy"), true_("Cached"), true_("Ready"), true_("Waiting"), true_("ServerDeletionBlocked")];
    let cached = [declared("Cached", ConditionVisibility::Internal, ConditionPolarity::Normal)];
    let server = Reported { declared: &cached, ..reported(SERVER, &conditions) };
    assert_eq!(types(&of(&[server]).exported), [("Server", "ServerDeletionBlocked"), ("Server", "ServerHealthy")]);
}

// PROV-02, AGG-2
#[test]
fn under_the_preset_openmcp_ready_is_a_condition_of_the_author_and_lower_case_ones_are_internal() {
    let conditions = [true_("Ready"), true_("cached"), true_("ServerReconciliation")];
    let aggregate = aggregate(&[reported(SERVER, &conditions)], &pass(&[]), &Format::openmcp());
    assert_eq!(types(&aggregate.exported), [("Server", "Ready")]);
    assert_eq!(aggregate.summary.condition.type_, "MCPSuccessful");
}

// PAR-03, AGG-6
#[test]
fn the_summary_lists_the_components_that_did_not_succeed() {
    let (server, database) = ([failed("ServerReconciliation", "no disk")], [failed("DatabaseReconciliation", "no host")]);
    let aggregate = of(&[reported(SERVER, &server), reported(PORTAL, &[]), reported(DATABASE, &database)]);
    let summary = &aggregate.summary.condition;
    assert_eq!((summary.status, summary.reason.as_str()), (ConditionStatus::False, "NotAllComponentsReconciledSuccessfully"));
    let lines = "Database: [Broken] no host
Portal: [NotReconciledYet] condition PortalReconciliation is missing
Server: [Broken] no disk";
    assert_eq!(summary.message, lines);
    let successful = of(&[reported(SERVER, &[true_("ServerReconciliation")])]).summary.condition;
    assert_eq!((successful.status, successful.message.as_str()), (ConditionStatus::True, ""));
    assert_eq!(successful.reason, "AllComponentsReconciledSuccessfully");
}

// AGG-6, 13.13
#[test]
fn the_summary_of_the_preset_openmcp_has_its_texts() {
    let (server, database) = ([failed("ServerReconciliation", "no disk")], [true_("DatabaseReconciliation")]);
    let told = |components: &[Reported<'_>]| aggregate(components, &pass(&[]), &Format::openmcp()).summary.condition.message;
    let expected = "The following components could not be reconciled successfully:\n\tServer: [Broken] no disk";
    assert_eq!(told(&[reported(SERVER, &server), reported(DATABASE, &database)]), expected);
    assert_eq!(told(&[reported(DATABASE, &database)]), "Database: as the test says");
}

// PAR-04, AGG-7
#[test]
fn the_time_of_the_summary_moves_only_with_its_status() {
    let (good, bad) = ([true_("ServerReconciliation")], [failed("ServerReconciliation", "no disk")]);
    let first = of(&[reported(SERVER, &good)]).with_own(Vec::new());
    let later = OwnerPass { before: &first, now: at(200), generation: 5 };
    let since = |conditions| aggregate(&[reported(SERVER, conditions)], &later, &format()).summary.condition.last_transition_time;
    assert_eq!((since(&good), since(&bad)), (at(100), at(200)));
    let exported = Condition { last_transition_time: at(7), ..true_("ServerHealthy") };
    let kept = aggregate(&[reported(SERVER, &[exported])], &later, &format());
    assert_eq!(kept.exported[0].condition.last_transition_time, at(7));
}

// OL-4
#[test]
fn normal_conditions_that_are_not_true_keep_the_owner_from_being_ready() {
    let conditions = [
        true_("ServerReconciliation"),
        failed("ServerHealthy", "down"),
        failed("Degraded", ""),
        failed("ServerDeletionBlocked", ""),
    ];
    let degraded = [declared("Degraded", ConditionVisibility::Public, ConditionPolarity::Abnormal)];
    let server = Reported { declared: &degraded, ..reported(SERVER, &conditions) };
    assert_eq!(of(&[server]).offending, ["Server: ServerHealthy is False [Broken] down"]);
    let summary = of(&[reported(PORTAL, &[])]).offending;
    assert_eq!(summary.len(), 2, "{summary:?}");
}

// OL-3, OL-4, PAR-10
#[test]
fn the_phase_is_that_of_the_deletion_or_follows_ready() {
    let phases =
        [(false, true), (false, false), (true, true), (true, false)].map(|(going, ready)| OwnerPhase::of(going, ready).as_str());
    assert_eq!(phases, ["Ready", "Not Ready", "Deleting", "Deleting"]);
}
