//! The plan of the owner loop: one action for each component of an owner (flow-and-contract.md, 13.10).

use super::ComponentType;
use super::observation::Observation;
use super::operation::{OperationChange, OperationState};
use super::provenance::Provenance;

/// The owner as a pass finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // callers build it as an argument
pub struct OwnerState {
    /// The current generations, from which components are generated.
    pub provenance: Provenance,
    /// True if the owner is being deleted.
    pub is_deleting: bool,
    /// True if `reconcile` was set on the owner; every component gets it in this pass (OPA-8).
    pub asks: bool,
}

/// A component of the contract, as the owner loop sees it.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::exhaustive_structs)] // callers build it as an argument
pub struct ComponentView<'a> {
    /// The type of the component.
    pub type_: ComponentType,
    /// True if the owner switches the component on.
    pub is_configured: bool,
    /// True if the internal configuration lists the type as disabled (OPA-7).
    pub is_disabled: bool,
    /// The component; none if it does not exist.
    pub existing: Option<&'a Observation>,
}

/// The action of the owner loop on one component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OwnerAction {
    /// Creates the component, with this operation.
    Create(OperationChange),
    /// Updates the spec, labels and generations of the component if they differ, with this operation.
    Update(OperationChange),
    /// Refreshes the provenance labels of the component if they are outdated, with this operation. The spec is kept.
    Refresh(OperationChange),
    /// Sets this operation on the component, and deletes it.
    Delete(OperationChange),
    /// Changes only the operation of the component.
    Operate(OperationChange),
    /// No action.
    Nothing,
    /// Ignores the component, because a user set `ignore` on it (OPA-4).
    LeaveAlone,
}

/// Decides on the action for each component, in the given order.
pub fn plan(owner: &OwnerState, components: &[ComponentView<'_>]) -> Vec<(ComponentType, OwnerAction)> {
    components.iter().map(|component| (component.type_, component.action(owner))).collect()
}

impl ComponentView<'_> {
    fn action(&self, owner: &OwnerState) -> OwnerAction {
        let Some(existing) = self.existing else {
            let is_wanted = self.is_configured && !owner.is_deleting;
            return if is_wanted { OwnerAction::Create(self.operation(None, owner, owner.asks)) } else { OwnerAction::Nothing };
        };
        let state = self.operation_state(Some(existing), owner, owner.asks);
        if state.is_ignored_by_hand() {
            return OwnerAction::LeaveAlone;
        }
        if owner.is_deleting {
            // The pass that deletes a component also requests a pass of its controller; a later pass only enables a disabled component.
            let change = self.operation(Some(existing), owner, !existing.is_deleting || owner.asks);
            return match (existing.is_deleting, change) {
                (false, change) => OwnerAction::Delete(change),
                (true, OperationChange::Keep) => OwnerAction::Nothing,
                (true, change) => OwnerAction::Operate(change),
            };
        }
        let change = state.change();
        let is_outdated = existing.provenance.as_ref() != Ok(&owner.provenance);
        match (self.is_configured, existing.is_deleting) {
            (true, false) => OwnerAction::Update(change),
            (false, false) => OwnerAction::Delete(change),
            (_, true) if is_outdated => OwnerAction::Refresh(change),
            (_, true) if change == OperationChange::Keep => OwnerAction::Nothing,
            (_, true) => OwnerAction::Operate(change),
        }
    }

    fn operation(&self, existing: Option<&Observation>, owner: &OwnerState, asks: bool) -> OperationChange {
        self.operation_state(existing, owner, asks).change()
    }

    fn operation_state(&self, existing: Option<&Observation>, owner: &OwnerState, asks: bool) -> OperationState {
        OperationState {
            found: existing.and_then(|existing| existing.operation),
            is_marked: existing.is_some_and(|existing| existing.is_disabled),
            is_disabled: self.is_disabled,
            asks,
            is_owner_deleting: owner.is_deleting,
        }
    }
}
