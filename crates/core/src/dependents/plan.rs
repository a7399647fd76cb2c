//! The entry points of the engine: the plan of an apply and the plan of a deletion.

use jiff::Timestamp;
use kubewright_machinery::object::{GroupVersionKind, ObjectKey};

use super::planner::Planner;
use super::{Action, Desired, Engine, ForeignCheck, Inventory, Memory, Observed, Verdict};

/// One batch of independent actions, and the state of the dependents.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The actions to send now, in parallel if wanted. An empty list ends the pass.
    pub actions: Vec<Action>,
    /// The present inventory, which is the input of the next plan.
    pub inventory: Inventory,
    /// The state of the dependents. It counts only when there are no actions.
    pub verdict: Verdict,
    /// The memory to keep until the next plan, across passes.
    pub memory: Memory,
    /// The time at which to plan again even without an event.
    pub wake: Option<Timestamp>,
    /// True if an object must be written whose manifest is only known as a summary: render the manifests, and plan again.
    pub needs_manifests: bool,
    /// The objects without our label that block this component, and the namespaces that are missing or being deleted. Each must be watched alone
    /// (OWN-3, TRG-3).
    pub watch_objects: Vec<BlockingObject>,
    /// The checks with a hit. Their types must be watched with the selector of the check (GATE-3).
    pub watch_foreign: Vec<ForeignCheck>,
}

/// A blocker: an object that no watch on dependents shows, and for which a component waits.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers take it apart")]
pub struct BlockingObject {
    /// The type of the object.
    pub gvk: GroupVersionKind,
    /// The identity of the object.
    pub key: ObjectKey,
    /// The state that this pass observed. Any other state is a change.
    pub seen: BlockingObjectState,
}

/// The state of a blocker, as a pass observed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "there is no other way")]
pub enum BlockingObjectState {
    /// The object does not exist.
    Absent,
    /// The object exists and has no owner.
    Unowned,
    /// The object has the marks of another operator or component type, and not ours.
    Foreign,
    /// The object is being deleted.
    Terminating,
}

/// Plans the requests that turn the live objects into the wanted set.
///
/// `inventory` is the one in the component's status at the start of a pass, and afterwards that of the previous plan. The function is pure and total:
/// equal input gives an equal plan, and no input panics.
pub fn plan(
    engine: &Engine,
    desired: &Desired,
    inventory: &Inventory,
    observed: &Observed,
    memory: &Memory,
    now: Timestamp,
) -> Plan {
    let mut planner = Planner::new(engine, observed, memory, now);
    let wanted = planner.merge(desired, inventory);
    if let Some(errors) = planner.validate(desired) {
        return planner.invalid(inventory, errors);
    }
    // Nothing is written before it is known for all items whether they must be written.
    let complete = !planner.undecided && planner.apply(&wanted);
    planner.finish(complete, true)
}

/// Plans the requests that delete all dependents of a component (component.md, 10.11). The deletion gate cannot be bypassed (component.md, 10.12).
///
/// Of `desired` only the objects of deletion stages count: they are applied before and after the deletion of the others (DEL-5). `foreign_finalizers`
/// are the finalizers on the component that are not ours; dependents are only deleted when there are none.
pub fn plan_deletion(
    engine: &Engine,
    desired: &Desired,
    inventory: &Inventory,
    observed: &Observed,
    memory: &Memory,
    foreign_finalizers: &[String],
    now: Timestamp,
) -> Plan {
    let mut planner = Planner::new(engine, observed, memory, now);
    planner.adopt_inventory(inventory);
    let complete = planner.delete(desired, foreign_finalizers);
    let staged = planner.dependents.iter().any(|dependent| dependent.item.lifecycle.is_some());
    planner.finish(complete, staged)
}
