//! Operations that are requested by annotation (flow-and-contract.md, 13.7).

use kubewright_machinery::object::ObjectExt as _;
use serde_json::Value;

use super::format::Format;

/// The value that requests a pass.
pub const RECONCILE: &str = "reconcile";
/// The value that makes controllers ignore the object.
pub const IGNORE: &str = "ignore";
/// The value of the mark of disabled components.
pub(super) const DISABLED: &str = "true";

/// The value of the annotation `<domain>/operation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// A pass is requested; the annotation is consumed (OPA-1).
    Reconcile,
    /// The controller sends no request for this object (OPA-2).
    Ignore,
    /// Any other value, which has no effect (OPA-5).
    Other,
}

impl Operation {
    /// Parses the value of the annotation.
    pub fn parse(value: &str) -> Self {
        match value {
            RECONCILE => Self::Reconcile,
            IGNORE => Self::Ignore,
            _ => Self::Other,
        }
    }
}

/// The change of the owner loop to the operation annotation of a component and to its mark of disabled components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OperationChange {
    /// Keeps the annotation and the mark.
    Keep,
    /// Disables the component: sets `ignore` with the mark.
    Disable,
    /// Requests a pass, and removes the mark.
    Reconcile,
    /// Removes a mark without `ignore` beside it; keeps the annotation.
    Unmark,
}

impl OperationChange {
    /// Applies the change to the annotations of a component.
    pub fn put(self, component: &mut Value, format: &Format) {
        match self {
            Self::Keep => {}
            Self::Disable => {
                component.set_annotation(format.operation(), IGNORE);
                component.set_annotation(format.disabled(), DISABLED);
            }
            Self::Reconcile => {
                component.set_annotation(format.operation(), RECONCILE);
                component.remove_annotation(format.disabled());
            }
            Self::Unmark => {
                component.remove_annotation(format.disabled());
            }
        }
    }
}

/// The operation annotation of a component as the owner loop finds it, and the request of the owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // callers build it as an argument
pub struct OperationState {
    /// The operation in the annotation of the component.
    pub found: Option<Operation>,
    /// True if the component has the mark of disabled components.
    pub is_marked: bool,
    /// True if the internal configuration lists the type as disabled.
    pub is_disabled: bool,
    /// True if a pass of the component is requested: by `reconcile` on the owner, or because the component is deleted with its owner.
    pub asks: bool,
    /// True if the owner is being deleted: then disabled components must also be reconciled.
    pub is_owner_deleting: bool,
}

impl OperationState {
    /// Returns true if a user set `ignore`, so that all controllers ignore the component (OPA-4).
    pub fn is_ignored_by_hand(&self) -> bool {
        self.found == Some(Operation::Ignore) && !self.is_marked
    }

    /// Decides on the change (OPA-7, OPA-8).
    pub fn change(&self) -> OperationChange {
        let is_disabled = self.is_disabled && !self.is_owner_deleting;
        match self.found {
            _ if self.is_ignored_by_hand() => OperationChange::Keep,
            Some(Operation::Ignore) if is_disabled => OperationChange::Keep,
            Some(Operation::Ignore) => OperationChange::Reconcile,
            _ if is_disabled => OperationChange::Disable,
            None if self.asks => OperationChange::Reconcile,
            _ if self.is_marked => OperationChange::Unmark,
            _ => OperationChange::Keep,
        }
    }
}
