use super::*;
use crate::backoff::Timing;
use crate::flow::{Failure, Flow, KeyMemory, Prior, Redactor, Wait, report};

fn ended(outcome: &Flow, is_deleting: bool, is_held: bool, before: &[OwnerCondition], format: &Format) -> OwnerReport {
    let conditions = [true_("ServerReconciliation"), true_("ServerHealthy")];
    let components = [Reported { type_: SERVER, conditions: &conditions, declared: &[] }];
    let aggregate = aggregate(&components, &OwnerPass { before, now: at(50), generation: 4 }, format);
    let report = report(outcome, &KeyMemory::default(), &Prior::Memory, &Timing::default());
    let pass = EndedOwnerPass {
        before,
        phase: Some("Ready"),
        message: Some("as before"),
        aggregate,
        now: at(50),
        generation: 4,
        inputs: EndConditionInputs { outcome, report: &report, is_deleting, is_held, redactor: &Redactor::default() },
    };
    pass.status(format)
}

fn types(report: &OwnerReport) -> Vec<&str> {
    report.conditions.iter().map(|one| one.condition.type_.as_str()).collect()
}

// OL-3, OL-4, AGG-5
#[test]
fn a_successful_owner_pass_is_reported_as_ready_and_applied() {
    let told = ended(&Ok(()), false, false, &[], &format());
    assert_eq!(types(&told), ["ServerHealthy", "Ready", "ComponentsSuccessful"]);
    assert_eq!((told.phase, told.message.as_deref(), told.applied), (OwnerPhase::Ready, None, Some(4)));
    assert!(told.conditions.iter().all(|one| one.condition.status == ConditionStatus::True));
}

// OL-3, OL-4
#[test]
fn a_failure_is_reported_and_keeps_the_applied_generation() {
    let told = ended(&Err(Failure::terminal("Broken", "no host").into()), false, false, &[], &format());
    assert_eq!(types(&told), ["ServerHealthy", "Ready", "Stalled", "ComponentsSuccessful"]);
    assert_eq!((told.phase, told.message.as_deref(), told.applied), (OwnerPhase::NotReady, Some("no host"), None));
}

// OL-5, FZ-14
#[test]
fn a_deletion_is_blocked_while_components_are_left() {
    let outcome = deletion_wait(&[SERVER, PORTAL], &[PORTAL]).into();
    let told = ended(&outcome, true, true, &[], &format());
    assert_eq!(types(&told), ["ServerHealthy", "DeletionBlocked", "Ready", "ComponentsSuccessful"]);
    let blocked = &told.conditions[1].condition;
    let message =
        "the deletion waits for components: Server, Portal; ignored by annotation: Portal, remove their operation annotation";
    assert_eq!((blocked.reason.as_str(), blocked.message.as_str()), ("DeletionWaitingForComponents", message));
    assert_eq!(told.phase, OwnerPhase::Deleting);
    let over = ended(&Ok(()), false, false, &told.conditions, &format());
    assert_eq!(types(&over), ["ServerHealthy", "Ready", "ComponentsSuccessful"]);
}

// PROV-02, 13.13
#[test]
fn the_preset_openmcp_has_no_ready_condition_of_the_owner_and_only_errors_as_message() {
    let format = Format::openmcp();
    let ready = OwnerCondition { condition: true_("Ready"), managed_by: String::new() };
    let waits = Wait::for_event("ComponentsNotReady").message("Server is not").into();
    let told = ended(&waits, false, false, &[ready], &format);
    assert_eq!(types(&told), ["ServerHealthy", "MCPSuccessful"]);
    assert_eq!((told.phase, told.message.as_deref(), told.applied), (OwnerPhase::NotReady, None, None));
    let failed = ended(&Err(Failure::msg("no host").into()), false, false, &[], &format);
    assert_eq!(failed.message.as_deref(), Some("no host"));
}
