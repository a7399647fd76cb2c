//! The two questions that the engine answers.

use jiff::Timestamp;
use kubewright_machinery::object::{GroupVersionKind, ObjectKey};

use super::planner::Planner;
use super::{Action, Desired, Engine, ForeignCheck, Inventory, Memory, Observed, Verdict};

/// One batch of independent actions, and how things stand.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What to send now, all at once if one likes. Empty: the pass is over.
    pub actions: Vec<Action>,
    /// The inventory as it is now; the input of the next plan.
    pub inventory: Inventory,
    /// How things stand. Counts when there are no actions.
    pub verdict: Verdict,
    /// What to remember until the next plan, also over passes.
    pub memory: Memory,
    /// When to plan again though no event came.
    pub wake: Option<Timestamp>,
    /// Whether something must be written whose manifest is only known as a summary: render, and plan again.
    pub needs_manifests: bool,
    /// Objects without our label that are in the way, and namespaces that are missing or going away: watch each alone (OWN-3, TRG-3).
    pub watch_objects: Vec<InTheWay>,
    /// Checks with a hit: watch these types with the check's selector (GATE-3).
    pub watch_foreign: Vec<ForeignCheck>,
}

/// An object that no watch on dependents shows, and for which a component waits.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers take it apart")]
pub struct InTheWay {
    /// The type.
    pub gvk: GroupVersionKind,
    /// The object.
    pub key: ObjectKey,
    /// How this pass saw it: whoever sees it otherwise has news.
    pub seen: Sight,
}

/// How an object was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "there is no other way")]
pub enum Sight {
    /// Not there.
    Absent,
    /// There, without an owner.
    Nobodys,
    /// There, with the marks of another operator or component type, and without ours.
    Anothers,
    /// Being deleted.
    Leaving,
}

/// What to do so that the wanted set becomes true.
///
/// `inventory` is the one in the component's status at the start of a pass, afterwards that of the plan before. The function is
/// pure and total: equal input gives an equal plan, and no input panics.
pub fn plan(
    engine: &Engine,
    desired: &Desired,
    inventory: &Inventory,
    observed: &Observed,
    memory: &Memory,
    now: Timestamp,
) -> Plan {
    let mut planner = Planner::new(engine, observed, memory, now);
    planner.merge(desired, inventory);
    if let Some(errors) = planner.validate(desired) {
        return planner.invalid(inventory, errors);
    }
    // Before it is known what is to be written at all, nothing is.
    let complete = !planner.undecided && planner.apply(desired);
    planner.finish(complete, true)
}

/// What to do so that all dependents of a component go away (component.md, 10.11). There is no way around the gate (component.md, 10.12).
///
/// Of `desired` only the objects of deletion stages count: they are applied before and after the others go (DEL-5).
/// `foreign_finalizers` are the finalizers on the component that are not ours: dependents are touched only when there is none.
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
    let staged = planner.items.iter().any(|item| item.lifecycle.is_some());
    planner.finish(complete, staged)
}
