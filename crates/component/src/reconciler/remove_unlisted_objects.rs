//! Removal of objects that were created for a component while another process released it.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use kubewright_core::backoff::Transient;
use kubewright_core::dependents::{
    Action, Desired, Engine, Inventory, Item, Memory, ObjectAction, Observed, Phase, Plan, Response, plan_deletion,
};
use kubewright_machinery::object::{Key, ObjectExt as _, ObjectKey};
use kubewright_runtime::cluster::{ApiRequest, RequestRetries};
use serde_json::Value;

use super::SharedPassState;
use super::end::Step;
use super::execute_plans::{PlanSite, execute_plans};
use super::unlisted_objects::Leftover;
use crate::execute::{SentAction, refusal_of};
use crate::record::Persisted;
use crate::targets::DependentsTarget;

/// The maximum number of rounds. No object needs more to be read, deleted and released, including conflicts.
const ROUNDS: usize = 16;

impl SharedPassState {
    /// Returns an engine for the dependents of a component, with the settings that all components share.
    pub(super) fn engine(&self, key: &Key) -> Engine {
        let mut engine = Engine::new((*self.projection).clone(), self.owner(key));
        engine.finalizer.clone_from(self.finalizer());
        engine
    }

    /// Removes the objects that this process created for a component that another operator released. Returns true if an object is left to be
    /// removed.
    pub(crate) async fn sweep(&self, key: &Key) -> bool {
        if self.leftovers.is_empty(key) {
            return false;
        }
        let read = ApiRequest::get(&self.resource, key.namespace(), key.name());
        let component = match self.cluster.send(&read).await {
            Ok(component) => Some(component),
            Err(error) if error.is_not_found() => None,
            Err(error) => {
                tracing::info!(component = %key, %error, "failed to determine whether the component still exists");
                return true;
            }
        };
        let (mut kept, mut by_target) = (Vec::new(), Vec::<(Arc<DependentsTarget>, Vec<Leftover>)>::new());
        for leftover in self.leftovers.take(key) {
            match component.as_ref().map_or(UnlistedObjectFate::Removed, |component| self.fate(component, &leftover)) {
                UnlistedObjectFate::Removed => {
                    match by_target.iter_mut().find(|(target, _)| Arc::ptr_eq(target, &leftover.target)) {
                        Some((_, leftovers)) => leftovers.push(leftover),
                        None => by_target.push((Arc::clone(&leftover.target), vec![leftover])),
                    }
                }
                UnlistedObjectFate::Kept => kept.push(leftover),
                UnlistedObjectFate::Forgotten => {}
            }
        }
        self.leftovers.put_back(key, kept);
        let mut left = Vec::new();
        for (target, leftovers) in by_target {
            left.extend(self.remove_leftovers(key, &target, leftovers).await);
        }
        let any = !left.is_empty();
        self.leftovers.put_back(key, left);
        any
    }

    /// Returns the fate of an object for a component that exists under this name.
    fn fate(&self, component: &Value, leftover: &Leftover) -> UnlistedObjectFate {
        let is_let_go = component.deletion_timestamp().is_some()
            && !self.is_hosted
            && !component.finalizers().any(|name| name == self.finalizer.as_str());
        if component.uid() == leftover.component {
            // A component that is not released handles its object in the next pass.
            return if is_let_go { UnlistedObjectFate::Removed } else { UnlistedObjectFate::Kept };
        }
        // Another component of this name keeps the object if it lists it, or if it is not certain which process created it.
        let listed = Persisted::of(component).component().inventory.get(&leftover.item.key()).is_some();
        if leftover.uid.is_empty() || listed { UnlistedObjectFate::Forgotten } else { UnlistedObjectFate::Removed }
    }

    /// Removes these objects and returns those that are left. Each is read before it is deleted, because it may have been replaced or released.
    async fn remove_leftovers(&self, key: &Key, target: &DependentsTarget, leftovers: Vec<Leftover>) -> Vec<Leftover> {
        tracing::info!(component = %key, count = leftovers.len(), "the objects that were created for a deleted component are removed");
        let uids = leftovers.iter().map(|leftover| (leftover.item.key(), leftover.uid.clone())).collect();
        let (inventory, _) = Inventory::new(leftovers.iter().map(|leftover| unsure(leftover.item.clone())).collect());
        let observed = Observed::new(&inventory);
        let (engine, now) = (self.engine(key), self.cluster.clock().now());
        let mut removal = LeftoverRemoval { shared: self, engine, uids, memory: Memory::default(), now };
        let Ok(executed) = execute_plans(&mut removal, target, (inventory, observed), ROUNDS).await else {
            return leftovers;
        };
        let (inventory, observed) = (executed.inventory, executed.observed);
        let left: HashMap<ObjectKey, Phase> = inventory.items().iter().map(|item| (item.key(), item.phase)).collect();
        let waits = |leftover: &Leftover| {
            let key = leftover.item.key();
            // An object that is being deleted needs no further request, unless the operator's finalizer holds it.
            let held = observed.get(&key).is_some_and(|live| live.has_finalizer(self.finalizer().as_str()));
            left.get(&key).is_some_and(|phase| *phase != Phase::Deleting || held)
        };
        leftovers.into_iter().filter(waits).collect()
    }
}

/// The removal of objects whose component is gone, so nothing is written ahead.
struct LeftoverRemoval<'a> {
    shared: &'a SharedPassState,
    engine: Engine,
    /// The UIDs of the objects, as far as they are known.
    uids: HashMap<ObjectKey, String>,
    memory: Memory,
    now: Timestamp,
}

#[async_trait]
impl PlanSite for LeftoverRemoval<'_> {
    fn plan(&mut self, inventory: &Inventory, observed: &Observed) -> Plan {
        plan_deletion(&self.engine, &Desired::default(), inventory, observed, &self.memory, &[], self.now)
    }

    async fn render_manifests(&mut self) -> Step {
        Ok(())
    }

    fn planned(&mut self, memory: Memory, _: &[Action]) {
        self.memory = memory;
    }

    async fn persist(&mut self, _: &Inventory) -> Step {
        Ok(())
    }

    /// Has no effect: objects that are left are removed again later.
    fn note_transient(&mut self, _: Transient) {}

    fn unknown_action(&mut self, _: &Action) -> Step {
        Ok(())
    }

    fn sending(&mut self, _: &[ObjectAction], _: &Inventory) -> RequestRetries {
        RequestRetries::default()
    }

    fn record(&mut self, sent: &SentAction, observed: &mut Observed) {
        let error = sent.answer.as_ref().err();
        self.shared.metrics.sent(sent.action.purpose, false, error, false);
        let refusal = error.map(refusal_of);
        let response = match (&sent.answer, &refusal) {
            (Ok(answer), _) => Response::Success(&answer.object),
            (Err(_), Some(refusal)) => Response::Refused(refusal),
            (Err(_), None) => return,
        };
        drop(observed.record(&self.engine, &sent.action, response, &mut self.memory, self.now));
    }

    /// Drops objects that were replaced by others.
    fn executed(&mut self, inventory: &mut Inventory, observed: &Observed) {
        let is_another = |item: &Item| {
            let (key, uid) = (item.key(), self.uids.get(&item.key()));
            observed.get(&key).is_some_and(|live| uid.is_some_and(|uid| !uid.is_empty() && live.uid() != uid))
        };
        *inventory = Inventory::new(inventory.items().iter().filter(|item| !is_another(item)).cloned().collect()).0;
    }
}

/// The fate of an object that the status may not list.
enum UnlistedObjectFate {
    Removed,
    Kept,
    Forgotten,
}

/// Returns an item whose object must be read before any action on it.
pub(super) fn unsure(item: Item) -> Item {
    Item { phase: Phase::Creating, last_applied_at: None, lifecycle: None, ..item }
}
