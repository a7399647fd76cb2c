//! What the owner loop does with each component of an owner (flow-and-contract.md, 13.10).

use super::ComponentType;
use super::observation::Observation;
use super::operation::{OperationChange, OperationState};
use super::provenance::Provenance;

/// The owner as a pass finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // an argument
pub struct OwnerState {
    /// The generations that components are generated from now.
    pub provenance: Provenance,
    /// Whether the owner is being deleted.
    pub is_deleting: bool,
    /// Whether `reconcile` was on the owner, which every component gets in this pass (OPA-8).
    pub asks: bool,
}

/// A component of the contract beside the owner.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::exhaustive_structs)] // an argument
pub struct ComponentView<'a> {
    /// The type.
    pub type_: ComponentType,
    /// Whether the owner switches the component on.
    pub is_configured: bool,
    /// Whether the internal configuration lists the type as disabled (OPA-7).
    pub is_disabled: bool,
    /// The component. None when it does not exist.
    pub existing: Option<&'a Observation>,
}

/// What becomes of one component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OwnerAction {
    /// It is created, with this operation.
    Create(OperationChange),
    /// Its spec, labels and generations are written anew where they differ, with this operation.
    Update(OperationChange),
    /// Its provenance labels are refreshed if they are outdated, with this operation. Its spec stays.
    Refresh(OperationChange),
    /// It gets this operation and is deleted.
    Delete(OperationChange),
    /// Only its operation is changed.
    Operate(OperationChange),
    /// Nothing is to be done.
    Nothing,
    /// It carries an `ignore` that was set by hand, and is left alone (OPA-4).
    LeaveAlone,
}

/// Decides for each component, in the given order.
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
            // The pass that deletes a component also asks for its pass; a later one only frees it from being disabled.
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
