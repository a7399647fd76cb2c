use super::*;

const NOW: Provenance = Provenance { owner: 2, internal: -1 };

fn owner() -> OwnerState {
    OwnerState { provenance: NOW, is_deleting: false, asks: false }
}

fn action(owner: &OwnerState, is_configured: bool, existing: Option<&Observation>) -> OwnerAction {
    let view = ComponentView { type_: SERVER, is_configured, is_disabled: false, existing };
    let planned = plan(owner, &[view]);
    assert_eq!(planned.len(), 1);
    planned[0].1
}

fn deleting() -> Observation {
    Observation { is_deleting: true, ..ready(SERVER) }
}

// Table of 13.10; PAR-01, PAR-07
#[test]
fn components_follow_the_configuration() {
    use OperationChange::Keep;
    let (server, going) = (ready(SERVER), deleting());
    assert_eq!(action(&owner(), true, None), OwnerAction::Create(Keep));
    assert_eq!(action(&owner(), true, Some(&server)), OwnerAction::Update(Keep));
    assert_eq!(action(&owner(), false, Some(&server)), OwnerAction::Delete(Keep));
    assert_eq!(action(&owner(), false, None), OwnerAction::Nothing);
    let newer = OwnerState { provenance: Provenance::new(3, None), ..owner() };
    for is_configured in [true, false] {
        assert_eq!(action(&owner(), is_configured, Some(&going)), OwnerAction::Nothing);
        assert_eq!(action(&newer, is_configured, Some(&going)), OwnerAction::Refresh(Keep));
    }
}

// PAR-07
#[test]
fn broken_labels_of_a_component_that_is_being_deleted_are_repaired() {
    let unlabelled = Observation { provenance: Err(broken()), ..deleting() };
    assert_eq!(action(&owner(), false, Some(&unlabelled)), OwnerAction::Refresh(OperationChange::Keep));
}

// OPA-4
#[test]
fn a_component_with_the_ignore_operation_is_left_alone() {
    for is_deleting in [true, false] {
        let ignored = Observation { operation: Some(Operation::Ignore), is_deleting, ..ready(SERVER) };
        for (is_configured, is_owner_deleting) in [(true, false), (false, false), (true, true), (false, true)] {
            let owner = OwnerState { is_deleting: is_owner_deleting, asks: true, ..owner() };
            assert_eq!(action(&owner, is_configured, Some(&ignored)), OwnerAction::LeaveAlone);
        }
    }
}

// OL-5, OPA-8, OP-09
#[test]
fn an_owner_that_is_being_deleted_deletes_every_component_once() {
    let owner = OwnerState { is_deleting: true, ..owner() };
    for is_configured in [true, false] {
        assert_eq!(action(&owner, is_configured, None), OwnerAction::Nothing);
        assert_eq!(action(&owner, is_configured, Some(&ready(SERVER))), OwnerAction::Delete(OperationChange::Reconcile));
        assert_eq!(action(&owner, is_configured, Some(&deleting())), OwnerAction::Nothing);
    }
    let disabled = Observation { operation: Some(Operation::Ignore), is_disabled: true, ..deleting() };
    assert_eq!(action(&owner, true, Some(&disabled)), OwnerAction::Operate(OperationChange::Reconcile));
}

// OP-04, OPA-8
#[test]
fn a_reconcile_request_of_the_owner_is_passed_to_every_component() {
    let owner = OwnerState { asks: true, ..owner() };
    assert_eq!(action(&owner, true, Some(&ready(SERVER))), OwnerAction::Update(OperationChange::Reconcile));
    assert_eq!(action(&owner, false, Some(&deleting())), OwnerAction::Operate(OperationChange::Reconcile));
}
