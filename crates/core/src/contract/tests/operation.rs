use super::*;

fn decided(found: Option<&str>, is_marked: bool, is_disabled: bool, asks: bool) -> OperationChange {
    let found = found.map(Operation::parse);
    OperationState { found, is_marked, is_disabled, asks, is_owner_deleting: false }.change()
}

// OP-05, OPA-7
#[test]
fn a_disabled_component_gets_ignore_and_the_mark_and_reconcile_when_it_is_enabled_again() {
    assert_eq!(decided(None, false, true, false), OperationChange::Disable);
    assert_eq!(decided(Some("ignore"), true, true, true), OperationChange::Keep);
    assert_eq!(decided(Some("ignore"), true, false, false), OperationChange::Reconcile);
    assert_eq!(decided(None, true, false, false), OperationChange::Unmark);
}

// OP-05, OPA-7, OPA-4
#[test]
fn an_ignore_that_was_set_by_hand_stays() {
    for (is_disabled, asks) in [(false, false), (false, true), (true, false), (true, true)] {
        assert_eq!(decided(Some("ignore"), false, is_disabled, asks), OperationChange::Keep);
    }
}

// OP-04, OPA-8
#[test]
fn reconcile_of_the_owner_is_put_where_no_other_value_stands() {
    assert_eq!(decided(None, false, false, true), OperationChange::Reconcile);
    assert_eq!(decided(Some("reconcile"), false, false, true), OperationChange::Keep);
    assert_eq!(decided(Some("custom"), false, false, true), OperationChange::Keep);
    assert_eq!(decided(None, false, false, false), OperationChange::Keep);
}

// OP-09, OPA-8
#[test]
fn a_disabled_component_is_freed_when_its_owner_is_deleted() {
    let state = OperationState {
        found: Some(Operation::Ignore),
        is_marked: true,
        is_disabled: true,
        asks: false,
        is_owner_deleting: true,
    };
    assert_eq!(state.change(), OperationChange::Reconcile);
    assert!(!state.is_ignored_by_hand());
}
