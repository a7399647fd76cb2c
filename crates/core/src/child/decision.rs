use kubewright_machinery::object::ObjectExt as _;
use serde_json::{Value, json};

use super::{ChildOwner, LastWrite, Ownership, UpdateGate};

/// How a child is written (`flow-and-contract.md`, 7.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Strategy {
    /// Server-side apply whenever the desired object or the live spec changed.
    #[default]
    Apply,
    /// Server-side apply whenever the hash in the annotation differs, or the live object drifted.
    HashGuarded,
    /// Created when absent, then never changed: generated content.
    CreateOnce,
    /// Deleted and created anew when the desired object differs: kinds with immutable fields.
    Replace,
}

/// Whether an object without an owner becomes a child by the next write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Adopt {
    /// It does.
    #[default]
    IfUnowned,
    /// It is left alone, and the pass is blocked.
    Never,
}

/// All that the decision about one child depends on.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::exhaustive_structs)] // the shell fills in all of it
pub struct ChildSituation<'a> {
    /// The desired object with all its marks.
    pub desired: &'a Value,
    /// Its digest: the value of the hash annotation.
    pub digest: &'a str,
    /// The live object.
    pub live: Option<&'a Value>,
    /// The owner.
    pub owner: &'a ChildOwner,
    /// The way of writing.
    pub strategy: Strategy,
    /// The handling of unowned objects.
    pub adopt: Adopt,
    /// The update gate.
    pub gate: UpdateGate,
    /// The last write of this process.
    pub last: Option<&'a LastWrite>,
    /// Whether an absent child is left absent, because the owner is being deleted.
    pub skips_absent: bool,
    /// The annotation with the hash.
    pub hash_annotation: &'a str,
    /// The label of objects that a user provided.
    pub orphan_label: &'a str,
}

/// The next step towards the desired state of a child: at most one request.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Decision {
    /// A creation of the desired object.
    Create,
    /// A server-side apply of the desired object.
    Apply,
    /// A merge patch that marks an object as provided by a user.
    MarkOrphan(Value),
    /// A deletion with this UID as precondition; the child is created in a later pass.
    Recreate(String),
    /// No request: the live object is as desired.
    Unchanged,
    /// No request: the gate is closed, and the live object differs.
    Held,
    /// No request: the child is absent and stays so.
    Skipped,
    /// No request: the live object is being deleted.
    Terminating,
    /// No request: the live object is one of a former owner.
    FormerOwner,
    /// No request: the live object has another owner, which is named; none if it has no owner and is not to be adopted.
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
        // What a user provides is never ours to change, so there is nothing to adopt.
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

/// A generated child stays as it is. One without our marks was provided by a user, and is marked so.
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
        // Behind a closed gate nothing is written to find out.
        Strategy::HashGuarded => has_hash && (is_known || (is_closed && child.last.is_none())),
        Strategy::Replace => has_hash,
        _ => {
            let was_written = is_known && child.last.is_some_and(|last| last.wrote(child.digest));
            let has_metadata = || ["labels", "annotations"].iter().all(|map| has_entries(live, child.desired, map));
            (was_written && has_metadata()) || (is_closed && holds(live, child.desired))
        }
    }
}

/// Whether a child that is to be replaced cannot be changed in place. One without a hash was not written by us: when it differs in its marks only, it
/// is adopted.
fn must_go(child: &ChildSituation<'_>, live: &Value) -> bool {
    let is_content = |field: &str| field != "metadata";
    live.annotation(child.hash_annotation).is_some()
        || !child.desired.as_object().is_some_and(|desired| {
            desired.iter().filter(|(field, _)| is_content(field)).all(|(field, desired)| holds(&live[field], desired))
        })
}

/// Whether a live object has the marks of the desired one. A helper has no controller reference.
fn is_marked(child: &ChildSituation<'_>, live: &Value) -> bool {
    let refers = || live.controller().is_some_and(|controller| controller.uid == child.owner.uid);
    child.owner.is_labelled(live) && (child.desired.controller().is_none() || refers())
}

fn has_entries(live: &Value, desired: &Value, map: &str) -> bool {
    let pointer = format!("/metadata/{map}");
    desired.pointer(&pointer).is_none_or(|desired| live.pointer(&pointer).is_some_and(|live| holds(live, desired)))
}

/// Whether every leaf of the desired value stands in the live one with the same value. Lists are equal item by item; nulls ask for absence.
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
