//! Operations that are asked for by annotation (flow-and-contract.md, 13.7).

use kubewright_machinery::object::ObjectExt as _;
use serde_json::Value;

use super::format::Format;

/// The value that asks for a pass.
pub const RECONCILE: &str = "reconcile";
/// The value that keeps a controller away.
pub const IGNORE: &str = "ignore";
/// The value of the mark of disabled components.
pub(super) const DISABLED: &str = "true";

/// The value of the annotation `<domain>/operation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// A pass is asked for; the annotation is consumed (OPA-1).
    Reconcile,
    /// The controller sends no request for this object (OPA-2).
    Ignore,
    /// Another value, without effect (OPA-5).
    Other,
}

impl Operation {
    /// The operation of a value.
    pub fn parse(value: &str) -> Self {
        match value {
            RECONCILE => Self::Reconcile,
            IGNORE => Self::Ignore,
            _ => Self::Other,
        }
    }
}

/// What the owner loop makes of the operation annotation of a component, and of the mark of disabled ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OperationChange {
    /// Both stay.
    Keep,
    /// The component is disabled: `ignore` with the mark.
    Disable,
    /// A pass is asked for, and the mark goes.
    Reconcile,
    /// The mark goes, which has no `ignore` beside it; the annotation stays.
    Unmark,
}

impl OperationChange {
    /// Makes the change to the annotations of a component.
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

/// The operation annotation of a component as the owner loop finds it, and what the owner asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // an argument
pub struct OperationState {
    /// The operation that stands on the component.
    pub found: Option<Operation>,
    /// Whether the mark of disabled components stands there.
    pub is_marked: bool,
    /// Whether the internal configuration lists the type as disabled.
    pub is_disabled: bool,
    /// Whether a pass of the component is asked for: by `reconcile` on the owner, or because the component is deleted with its owner.
    pub asks: bool,
    /// Whether the owner is being deleted: then a disabled component, too, has to be worked on.
    pub is_owner_deleting: bool,
}

impl OperationState {
    /// Whether `ignore` was set by hand, so that everybody leaves the component alone (OPA-4).
    pub fn is_ignored_by_hand(&self) -> bool {
        self.found == Some(Operation::Ignore) && !self.is_marked
    }

    /// Decides (OPA-7, OPA-8).
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
