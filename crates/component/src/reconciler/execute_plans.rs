use std::collections::{HashMap, HashSet};
use std::pin::pin;
use std::sync::Arc;

use futures::StreamExt as _;
use kubewright_core::component::Ending;
use kubewright_core::dependents::{
    Action, BlockingObject, CheckedTypes, Desired, DesiredObject, Foreign, ForeignCheck, Inventory, Item, ObjectAction, Observed,
    Plan, Projection, Refusal, Request, Response, Verb, Verdict, plan, plan_deletion,
};
use kubewright_core::flow::Failure;
use kubewright_machinery::object::{GroupKind, ObjectExt as _, ObjectKey};
use kubewright_runtime::watch::WatchSpec;
use serde_json::Value;

use super::end::{EnginePassEnd, Step};
use super::pass::EnginePass;
use super::remove_unlisted_objects::unsure;
use super::unlisted_objects::Leftover;
use crate::erased::Instance;
use crate::execute::{SentAction, check_foreign, refusal_of};
use crate::observe::{Obstacle, Residences};

/// The number of batches per dependent beyond which the plan counts as not converging.
const BATCHES_PER_DEPENDENT: usize = 16;
const BATCHES: usize = 64;

/// The goal of the engine's run.
#[derive(Clone, Debug)]
pub(super) enum Goal {
    /// Apply the rendered set.
    Apply,
    /// Delete all dependents.
    Delete {
        /// The foreign finalizers of the component.
        foreign: Vec<String>,
        /// True if the rendered set has objects of deletion stages that are to be applied.
        hooks: bool,
    },
}

impl EnginePass<'_> {
    /// Observes, plans and executes until there is nothing more to send (component.md, 10.5).
    pub(super) async fn drive(&mut self, instance: &dyn Instance, goal: &Goal) -> Step<Verdict> {
        let engine = self.engine();
        let mut inventory = self.inventory();
        let leftovers = self.unlisted(&inventory);
        if !leftovers.is_empty() {
            inventory = joined(&inventory, leftovers.iter().map(|leftover| leftover.item.clone()));
        }
        self.watch(&inventory, goal).await?;
        let _look = self.watches.look(self.key);
        if !leftovers.is_empty() {
            let still_there = leftovers
                .iter()
                .filter(|leftover| self.seen(&leftover.item.key()).is_some_and(|live| live.uid() == leftover.uid));
            inventory = joined(&self.inventory(), still_there.map(|leftover| leftover.item.clone()));
        }
        let mut observed = self.observe(&inventory, goal);
        let mut found = HashMap::new();
        let limit = BATCHES + BATCHES_PER_DEPENDENT * (inventory.len() + self.wanted(goal).len());
        for _ in 0..limit {
            let plan = match goal {
                Goal::Apply => plan(&engine, self.wanted(goal), &inventory, &observed, &self.memory.engine, self.now),
                Goal::Delete { foreign, .. } => {
                    plan_deletion(&engine, self.wanted(goal), &inventory, &observed, &self.memory.engine, foreign, self.now)
                }
            };
            let Plan {
                actions, inventory: planned, verdict, memory, wake, needs_manifests, watch_objects, watch_foreign, ..
            } = plan;
            self.wake = wake;
            if needs_manifests {
                self.render(instance, true).await?;
                continue;
            }
            inventory = planned;
            self.memory.engine = memory;
            if wants_to_write(&actions) {
                self.start_countdown();
            }
            if actions.is_empty() {
                if let Some(error) = observed.transient() {
                    self.note_transient(error);
                }
                if matches!(verdict, Verdict::Wait { .. } | Verdict::Failed { .. }) {
                    self.start_countdown();
                }
                // Kinds whose last object was removed in this pass are no longer watched.
                self.use_kinds(&self.residences(&inventory, goal));
                self.note_namespaces(&observed);
                self.draft.component.inventory = inventory;
                self.await_obstacles(watch_objects, watch_foreign, &found);
                self.await_owners(engine.owner.hash(), &observed, &verdict);
                self.shared.leftovers.looked_at(self.key, &self.draft.component.inventory);
                return Ok(verdict);
            }
            let mut batch = Vec::with_capacity(actions.len());
            for action in actions {
                match action {
                    Action::Persist(inventory) => {
                        self.persist(&inventory).await?;
                        observed.record_persisted(&inventory);
                    }
                    Action::CheckForeign(check) => {
                        let (answer, transient) = check_foreign(self.target.cluster(), &check).await;
                        if let Some(error) = transient {
                            self.note_transient(error);
                        }
                        if let Foreign::Found(instances) = &answer {
                            found.insert(check.clone(), instances.kind.clone());
                        }
                        observed.record_foreign(check, answer);
                    }
                    Action::Send(action) => batch.push(action),
                    other => {
                        let failure = Failure::backoff(format!("the plan asks for something that is not known here: {other:?}"));
                        return Err(Box::new(EnginePassEnd::failed(failure, None, self.intervals())));
                    }
                }
            }
            let target = Arc::clone(&self.target);
            self.shared.leftovers.expect(self.key, self.object.uid(), &target, &batch, &inventory);
            let retry = self.retry();
            let mut answers = pin!(target.sender.send(batch, &retry));
            while let Some(sent) = answers.next().await {
                self.record_sent(&engine, &sent, &mut observed);
            }
            self.note_namespaces(&observed);
            // A crash from here on must not lose the progress, so the inventory is recorded at the end of the pass.
            self.draft.component.inventory.clone_from(&inventory);
        }
        let failure = Failure::backoff("the plan of the dependents does not come to an end");
        Err(Box::new(EnginePassEnd::failed(failure, None, self.intervals())))
    }

    /// Returns the objects that this process created and that the status does not list, because another process had a newer view. They are
    /// listed from now on, or removed.
    fn unlisted(&self, inventory: &Inventory) -> Vec<Leftover> {
        let mut leftovers = self.shared.leftovers.known(self.key, &self.target);
        if !leftovers.is_empty() {
            let listed: HashSet<ObjectKey> = inventory.items().iter().map(Item::key).collect();
            leftovers.retain(|leftover| !listed.contains(&leftover.item.key()));
        }
        leftovers.into_iter().map(|leftover| Leftover { item: unsure(leftover.item), ..leftover }).collect()
    }

    /// Returns the part of the rendered set that is relevant to the goal.
    fn wanted(&self, goal: &Goal) -> &Desired {
        static NOTHING: std::sync::OnceLock<Desired> = std::sync::OnceLock::new();
        match &self.memory.rendered {
            Some(rendered) if !matches!(goal, Goal::Delete { hooks: false, .. }) => &rendered.desired,
            _ => NOTHING.get_or_init(Desired::default),
        }
    }

    /// Returns the objects of the rendered set that the goal applies to.
    fn objects(&self, goal: &Goal) -> &[DesiredObject] {
        match goal {
            Goal::Apply => self.wanted(goal).objects(),
            Goal::Delete { .. } => self.wanted(goal).deletion_stage(),
        }
    }

    /// Returns the objects that this pass must observe.
    pub(super) fn keys<'a>(&'a self, inventory: &'a Inventory, goal: &Goal) -> impl Iterator<Item = ObjectKey> + 'a {
        let wanted = self.objects(goal).iter().map(|object| object.key.clone());
        inventory.items().iter().map(Item::key).chain(wanted)
    }

    /// Returns the kinds and namespaces whose objects this pass must observe.
    pub(super) fn residences(&self, inventory: &Inventory, goal: &Goal) -> Residences {
        let mut residences = Residences::new();
        let mut add = |key: &ObjectKey| {
            let namespaces = residences.entry(key.group_kind()).or_default();
            if !namespaces.contains(&key.namespace) {
                namespaces.insert(key.namespace.clone());
            }
        };
        self.keys(inventory, goal).for_each(|key| add(&key));
        residences
    }

    fn observe(&self, inventory: &Inventory, goal: &Goal) -> Observed {
        let mut observed = Observed::new(inventory);
        let mut see = |key: ObjectKey| {
            if let Some(live) = self.seen(&key) {
                observed.observe(key, live);
            }
        };
        self.keys(inventory, goal).for_each(&mut see);
        if matches!(goal, Goal::Delete { .. }) {
            return observed;
        }
        let persisted = self.persisted.marks();
        let component = &self.draft.component;
        if persisted.processing_digest != component.processing_digest || persisted.revision != component.revision {
            observed.require_persist();
        }
        if self.succeeds {
            observed.continue_from_predecessor();
        }
        observed
    }

    /// Writes the status ahead of the requests (PASS-6).
    async fn persist(&mut self, inventory: &Inventory) -> Step {
        let before = std::mem::replace(&mut self.draft.component.inventory, inventory.clone());
        let ending = match () {
            () if self.draft.component.observed_generation <= 0 => Ending::FirstSeen,
            () if self.restarted => Ending::Restarting,
            () => Ending::Kept,
        };
        let at = self.ending_context();
        self.draft.component.show(&ending, &at);
        let written = self.write_status_with_room(inventory.growth()).await;
        if written.is_err() {
            // None of the requests was sent, so the inventory must not list them.
            self.draft.component.inventory = before;
        }
        written
    }

    /// Records an answer in memory, caches, events and counters.
    fn record_sent(&mut self, engine: &kubewright_core::dependents::Engine, sent: &SentAction, observed: &mut Observed) {
        let (shared, action) = (self.shared, &sent.action);
        let version_before = observed.get(&action.key).map(|live| live.resource_version().to_owned());
        let now = self.now;
        let refusal = sent.answer.as_ref().err().map(refusal_of);
        let lost = refusal.as_ref().is_some_and(|refusal| lost_race(action.verb, refusal));
        let failed = shared.metrics.sent(action.verb, action.corrective, sent.answer.as_ref().err(), lost);
        self.error_counted |= failed;
        match (&sent.answer, refusal) {
            (Ok(answer), _) => {
                let body = &answer.object;
                if !matches!(action.verb, Verb::CreateNamespace | Verb::ReadLive | Verb::Compare) {
                    self.remember(action, body);
                }
                if action.verb == Verb::Create {
                    shared.leftovers.created(self.key, &action.key, body.uid());
                }
                let changed = version_before.is_none_or(|before| before != body.resource_version());
                if action.verb.is_write() && changed {
                    self.tally.count(action.verb);
                    self.wrote_dependent(action);
                    shared.events.dependent_written(&self.object, action, &self.target.recorder);
                }
                if let Some(note) = &action.note {
                    shared.events.note(&self.object, note);
                }
                observed.note_warnings(action, &answer.warnings);
                let told = observed.record(engine, action, Response::Success(body), &mut self.memory.engine, now);
                if let Some(note) = &told {
                    shared.events.note(&self.object, note);
                }
            }
            (Err(_), None) => {}
            (Err(_), Some(refusal)) => {
                if action.verb == Verb::Create {
                    shared.leftovers.refused(self.key, &action.key, &refusal);
                }
                let told = observed.record(engine, action, Response::Refused(&refusal), &mut self.memory.engine, now);
                if let Some(note) = &told {
                    shared.events.note(&self.object, note);
                }
                let goes_on = observed.goes_on(&action.key);
                let silent = goes_on || told.is_some() || lost;
                if action.verb.is_write() && !silent && !refusal.is_transient() && !refusal.is_absent() {
                    let there = &self.target.recorder;
                    shared.events.dependent_failed(&self.object, action, &refusal.to_string(), there);
                }
            }
        }
    }

    /// Records an own write in the watches, so that it is visible at once.
    fn remember(&self, action: &ObjectAction, body: &Value) {
        let gone = match action.verb {
            Verb::Delete | Verb::Recreate => body.kind() == "Status" || body.deletion_timestamp().is_none(),
            _ => body.deletion_timestamp().is_some() && body.finalizers().next().is_none(),
        };
        if !gone {
            self.watches.record_write(body);
            return;
        }
        let uid = match &action.request {
            Request::Delete { uid, .. } => uid.as_str(),
            _ => body.uid(),
        };
        self.watches.record_delete(&action.key, uid);
    }

    fn note_namespaces(&mut self, observed: &Observed) {
        let known = &mut self.draft.component.created_namespaces;
        for namespace in observed.created_namespaces() {
            if !known.iter().any(|known| known == namespace) {
                known.push(namespace.to_owned());
            }
        }
    }

    /// Watches the blockers, so that their disappearance queues the next pass.
    fn await_obstacles(
        &mut self,
        objects: Vec<BlockingObject>,
        checks: Vec<ForeignCheck>,
        found: &HashMap<ForeignCheck, GroupKind>,
    ) {
        let object = |BlockingObject { gvk, key, seen }: BlockingObject| {
            let spec = WatchSpec::of_version(&gvk).fields(format!("metadata.name={}", key.name)).metadata_only();
            Obstacle::Object(if key.namespace.is_empty() { spec } else { spec.in_namespace(key.namespace) }, seen)
        };
        let instances = |check: ForeignCheck| {
            let kind = found.get(&check).cloned().or(match check.types {
                CheckedTypes::Definition { kind, .. } => Some(kind),
                _ => None,
            })?;
            Some(Obstacle::Instances(WatchSpec::new(kind).labels(check.selector).metadata_only()))
        };
        let obstacles = objects.into_iter().map(object).chain(checks.into_iter().filter_map(instances)).collect();
        self.target.awaited.set(self.key, obstacles);
        self.unwatched.extend(self.target.awaited.refused(self.key));
    }

    /// Waits for the owners of objects that this component renders, too, so that an owner that releases one queues the next pass.
    fn await_owners(&self, own: &str, observed: &Observed, verdict: &Verdict) {
        let taken = |key: &ObjectKey| observed.get(key).and_then(Projection::owner_hash).is_some_and(|hash| hash != own);
        let wanted = match verdict {
            Verdict::Complete => HashSet::new(),
            _ => self.objects(&Goal::Apply).iter().map(|object| &object.key).filter(|key| taken(key)).cloned().collect(),
        };
        self.watches.want(self.key, wanted);
    }
}

fn joined(inventory: &Inventory, more: impl Iterator<Item = Item>) -> Inventory {
    Inventory::new(inventory.items().iter().cloned().chain(more).collect()).0
}

/// Returns true if dependents must be written because of the component. A correction of drift is no work in progress (TIME-1, DRIFT-7).
fn wants_to_write(actions: &[Action]) -> bool {
    actions.iter().any(|action| match action {
        Action::Persist(_) => true,
        Action::Send(action) => action.verb.is_write() && !action.corrective,
        _ => false,
    })
}

/// Returns true if a write lost a race. A failed test of a JSON patch has the same code as an invalid object.
fn lost_race(verb: Verb, refusal: &Refusal) -> bool {
    refusal.is_conflict() || (matches!(verb, Verb::ReleaseFinalizer | Verb::Reclaim) && refusal.code == 422)
}

#[cfg(test)]
mod tests {
    use super::*;

    // EVT-3
    #[test]
    fn a_failed_test_of_a_finalizer_patch_is_a_lost_race_and_no_error() {
        let invalid = Refusal { code: 422, ..Refusal::default() };
        assert!(lost_race(Verb::ReleaseFinalizer, &invalid));
        assert!(!lost_race(Verb::Update, &invalid));
        assert!(lost_race(Verb::Update, &Refusal { code: 409, ..Refusal::default() }));
    }
}
