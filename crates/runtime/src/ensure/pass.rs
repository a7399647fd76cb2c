use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use kubewright_core::child::{ChildOwner, UpdateGate, gate_of};
use kubewright_core::flow::{Failure, Halt, Wait};
use kubewright_machinery::object::{GroupVersionKind, Key, ObjectExt as _, ObjectKey, ObjectReference};
use parking_lot::Mutex;
use serde_json::Value;

use super::Children;
use super::request::ChildTarget;
use crate::cluster::ApiRequest;
use crate::controller::PassContext;
use crate::watch::StoredObject;

/// The children of the object of one pass.
pub(crate) struct ChildPass {
    pub(super) children: Arc<Children>,
    pub(super) pass: Arc<PassContext>,
    pub(super) owner: ChildOwner,
    pub(super) reference: ObjectReference,
    pub(super) generation: Option<i64>,
    pub(super) is_deleting: bool,
    gate: UpdateGate,
    seen: Mutex<SeenChildren>,
}

/// The children that a pass has used.
#[derive(Default)]
struct SeenChildren {
    used: BTreeSet<ObjectKey>,
    asked_gate: bool,
    held: BTreeSet<String>,
}

impl ChildPass {
    /// Creates the children of an owner with this head and status.
    pub(crate) fn new(
        children: Arc<Children>,
        pass: Arc<PassContext>,
        gvk: &GroupVersionKind,
        head: &Value,
        status: Option<&Value>,
    ) -> Self {
        let applied = status.and_then(applied_generation);
        let autoupdate = children.marks.autoupdate();
        let gate = gate_of(head.generation().unwrap_or_default(), applied, head.annotation(&autoupdate));
        Self {
            owner: children.marks.owner(gvk.clone(), (head.namespace(), head.name()), head.uid()),
            children,
            pass,
            reference: ObjectReference::of(head),
            generation: head.generation(),
            is_deleting: head.deletion_timestamp().is_some(),
            gate,
            seen: Mutex::default(),
        }
    }

    /// Returns the update gate of the children (KID-15).
    pub(crate) fn gate(&self) -> UpdateGate {
        self.seen.lock().asked_gate = true;
        self.gate
    }

    /// Returns true if the pass used the update gate.
    pub(crate) fn has_gate(&self) -> bool {
        self.seen.lock().asked_gate
    }

    /// Returns the children that the gate held back, by their names in messages.
    pub(crate) fn held(&self) -> Vec<String> {
        self.seen.lock().held.iter().cloned().collect()
    }

    /// Returns the children that the pass has used.
    pub(crate) fn used(&self) -> BTreeSet<ObjectKey> {
        self.seen.lock().used.clone()
    }

    pub(super) fn uses(&self, child: ObjectKey) {
        self.seen.lock().used.insert(child);
    }

    pub(super) fn holds_back(&self, child: String) {
        self.seen.lock().held.insert(child);
    }

    pub(super) fn key(&self) -> &Key {
        self.pass.key()
    }

    /// Returns the current child: from the store of its kind, which shows own writes at once, or else from the server (KID-3).
    pub(super) async fn live(&self, child: &ChildTarget) -> Result<Option<Value>, Failure> {
        let (cluster, resource) = (&self.children.cluster, &child.resource);
        match cluster.watches().whole(&resource.gvk(), &child.key) {
            Some(StoredObject::Present(known)) => return Ok(Some(known)),
            Some(StoredObject::Absent) if !self.children.memory.of(self.key(), &child.object_key(), |memory| memory.was_met) => {
                return Ok(None);
            }
            _ => {}
        }
        match cluster.send(&ApiRequest::get(resource, child.key.namespace(), child.key.name())).await {
            Ok(live) => Ok(Some(live)),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(Failure::unclassified(error)),
        }
    }

    /// Returns the wait for a child that is being deleted. If the changes of the child start no pass, the wait ends with a recheck.
    pub(super) fn wait(&self, reason: &'static str, message: String, child: &ChildTarget, live: &Value) -> Halt {
        let wait = Wait::for_event(reason).message(message);
        let is_followed = self.is_followed(child, live);
        if is_followed { wait.into() } else { wait.recheck(self.children.timing.get().unwatched).into() }
    }

    /// Returns true if the changes of a child can start passes of its owner: its kind is watched, and it names the owner as its controller.
    pub(super) fn is_followed(&self, child: &ChildTarget, live: &Value) -> bool {
        let names_owner = live.controller().is_some_and(|controller| controller.name == self.owner.identity.name);
        names_owner && self.children.cluster.watches().whole(&child.resource.gvk(), &child.key).is_some()
    }
}

/// Returns the generation of the last success from a status. The status of a component lists it as `resource` among its applied generations.
fn applied_generation(status: &Value) -> Option<i64> {
    let of_component = || status.get("appliedGenerations")?.get("resource");
    status.get("appliedGeneration").or_else(of_component)?.as_i64()
}

impl fmt::Debug for ChildPass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChildPass").field("owner", &self.owner.identity).finish_non_exhaustive()
    }
}
