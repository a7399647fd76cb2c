use kubewright_machinery::object::ObjectExt as _;
use serde_json::{Value, json};

use super::{ChildOwner, LastWrite, Ownership, UpdateGate};

/// The way in which a child is written (`flow-and-contract.md`, 7.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Strategy {
    /// Server-side apply whenever the desired object or the live spec changed.
    #[default]
    Apply,
    /// Server-side apply whenever the hash in the annotation differs, or the live object drifted.
    HashGuarded,
    /// Creation when the child is absent, and no change afterwards: for generated content.
    CreateOnce,
    /// Deletion and creation when the desired object differs: for kinds with immutable fields.
    Replace,
}

/// The treatment of a live object without an owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Adopt {
    /// The next write makes the object a child.
    #[default]
    IfUnowned,
    /// The object is not changed, and the pass is blocked.
    Never,
}

/// The complete input of the decision about one child.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::exhaustive_structs)] // the runtime fills in every field
pub struct ChildSituation<'a> {
    /// The desired object with all its marks.
    pub desired: &'a Value,
    /// The digest of the desired object: the value of the hash annotation.
    pub digest: &'a str,
    /// The live object; `None` if the child is absent.
    pub live: Option<&'a Value>,
    /// The owner of the child.
    pub owner: &'a ChildOwner,
    /// The way in which the child is written.
    pub strategy: Strategy,
    /// The treatment of a live object without an owner.
    pub adopt: Adopt,
    /// The update gate.
    pub gate: UpdateGate,
    /// The last write of this process.
    pub last: Option<&'a LastWrite>,
    /// True if an absent child is not created, because the owner is being deleted.
    pub skips_absent: bool,
    /// The key of the annotation with the hash.
    pub hash_annotation: &'a str,
    /// The key of the label of objects that a user provided.
    pub orphan_label: &'a str,
}

/// The next step towards the desired state of a child: at most one request.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Decision {
    /// Create the desired object.
    Create,
    /// Apply the desired object with server-side apply.
    Apply,
    /// Mark an object as provided by a user with this merge patch.
    MarkOrphan(Value),
    /// Delete the child with this UID as precondition. A later pass creates it again.
    Recreate(String),
    /// No request: the live object is as desired.
    Unchanged,
    /// No request: the live object differs, but the update gate is closed.
    Held,
    /// No request: the child is absent and is not created.
    Skipped,
    /// No request: the live object is being deleted.
    Terminating,
    /// No request: the live object belongs to a former owner.
    FormerOwner,
    /// No request: the live object has this other owner, or `None` if it has no owner and must not be adopted.
    Conflict(Option<String>),
}

/// Decides about one child, in the order of `flow-and-contract.md`, 7.1.
pub fn decide(child: &ChildSituation<'_>) -> Decision {
    let Some(live) = child.live else {
        return if child.skips_absent { Decision::Skipped } else { Decision::Create };
    };
    match child.owner.ownership(live) {
        Ownership::Former => return Decision::FormerOwner,
        Ownership::Other(owner) => return Decision::Conflict(Some(owner)),
        // An object that a user provides for a CreateOnce child is only marked, never changed, so the adoption policy does not apply.
        Ownership::Unowned if child.adopt == Adopt::Never && child.strategy != Strategy::CreateOnce => {
            return Decision::Conflict(None);
        }
        Ownership::Ours | Ownership::Unowned => {}
    }
    if live.deletion_timestamp().is_some() {
        return Decision::Terminating;
    }
    if child.strategy == Strategy::CreateOnce {
        return once(child, live);
    }
    if is_as_desired(child, live) {
        return Decision::Unchanged;
    }
    match (child.gate, child.strategy) {
        (UpdateGate::Closed, _) => Decision::Held,
        (UpdateGate::Open, Strategy::Replace) if must_go(child, live) => Decision::Recreate(live.uid().to_owned()),
        (UpdateGate::Open, _) => Decision::Apply,
    }
}

/// Decides about a generated child, which is never changed. A child without our marks was provided by a user and is marked as such.
fn once(child: &ChildSituation<'_>, live: &Value) -> Decision {
    if child.owner.ownership(live) == Ownership::Ours {
        return Decision::Unchanged;
    }
    let mut marked = json!({});
    child.owner.label(&mut marked);
    marked.set_label(child.orphan_label, "true");
    Decision::MarkOrphan(marked)
}

fn is_as_desired(child: &ChildSituation<'_>, live: &Value) -> bool {
    if !is_marked(child, live) {
        return false;
    }
    let is_known = child.last.is_some_and(|last| last.is_state_of(live));
    let has_hash = live.annotation(child.hash_annotation) == Some(child.digest);
    let is_closed = child.gate == UpdateGate::Closed;
    match child.strategy {
        Strategy::HashGuarded if live.generation().is_none() => has_hash && holds(live, child.desired),
        // Behind a closed gate, no write may be sent to find out whether the child drifted; the equal hash has to suffice.
        Strategy::HashGuarded => has_hash && (is_known || (is_closed && child.last.is_none())),
        Strategy::Replace => has_hash,
        _ => {
            let was_written = is_known && child.last.is_some_and(|last| last.wrote(child.digest));
            let has_metadata = || ["labels", "annotations"].iter().all(|map| has_entries(live, child.desired, map));
            (was_written && has_metadata()) || (is_closed && holds(live, child.desired))
        }
    }
}

/// Returns true if a child with strategy Replace cannot be changed in place. A child without a hash was not written by this controller; if it differs
/// only in its marks, it is adopted in place.
fn must_go(child: &ChildSituation<'_>, live: &Value) -> bool {
    let is_content = |field: &str| field != "metadata";
    live.annotation(child.hash_annotation).is_some()
        || !child.desired.as_object().is_some_and(|desired| {
            desired.iter().filter(|(field, _)| is_content(field)).all(|(field, desired)| holds(&live[field], desired))
        })
}

/// Returns true if a live object has the marks of the desired one. The controller reference is compared only if the desired object has one; a helper
/// has none.
fn is_marked(child: &ChildSituation<'_>, live: &Value) -> bool {
    let refers = || live.controller().is_some_and(|controller| controller.uid == child.owner.uid);
    child.owner.is_labelled(live) && (child.desired.controller().is_none() || refers())
}

fn has_entries(live: &Value, desired: &Value, map: &str) -> bool {
    let pointer = format!("/metadata/{map}");
    desired.pointer(&pointer).is_none_or(|desired| live.pointer(&pointer).is_some_and(|live| holds(live, desired)))
}

/// Returns true if every leaf of the desired value has the same value in the live one. Lists are compared item by item; a null requires absence.
fn holds(live: &Value, desired: &Value) -> bool {
    match (live, desired) {
        (Value::Object(live), Value::Object(desired)) => desired.iter().all(|(field, desired)| match live.get(field) {
            Some(live) => holds(live, desired),
            None => desired.is_null(),
        }),
        (Value::Array(live), Value::Array(desired)) => {
            live.len() == desired.len() && live.iter().zip(desired).all(|(live, desired)| holds(live, desired))
        }
        (live, desired) => live == desired,
    }
}
