//! Execution of the plans of a pass: the observation of its dependents, and the work left for later passes.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use kubewright_core::backoff::Transient;
use kubewright_core::component::RecordedEnd;
use kubewright_core::dependents::{
    Action, BlockingObject, CheckedTypes, Engine, ForeignCheck, Inventory, Item, Memory, ObjectAction, Observed, Plan,
    Projection, Verdict, plan, plan_deletion,
};
use kubewright_core::flow::Failure;
use kubewright_machinery::object::{GroupKind, ObjectExt as _, ObjectKey};
use kubewright_runtime::cluster::RequestRetries;
use kubewright_runtime::watch::WatchSpec;

use super::end::{EnginePassEnd, Step};
use super::execute_plans::{ExecutedPlans, PlanSite, execute_plans};
use super::finish::{PhaseResult, UnrecordedPass};
use super::goal::Goal;
use super::pass::EnginePass;
use super::remove_unlisted_objects::unsure;
use super::render::RenderedPass;
use super::select_target::TargetedPass;
use super::unlisted_objects::Leftover;
use super::watch_dependents::WatchedPass;
use crate::execute::SentAction;
use crate::observe::Obstacle;

/// The number of batches per dependent beyond which the plan counts as not converging.
const BATCHES_PER_DEPENDENT: usize = 16;
const BATCHES: usize = 64;

/// A pass whose plans are executed, up to one without actions.
pub(super) struct ExecutedPass<'a> {
    pub(super) watched: WatchedPass<'a>,
    /// The time of the next check if no event comes before.
    wake: Option<Timestamp>,
}

/// The plans of a pass while they are executed.
struct PassPlans<'a> {
    watched: WatchedPass<'a>,
    engine: Engine,
    /// The time of the next check by the last plan. `None` also before the first plan.
    wake: Option<Timestamp>,
}

impl<'a> RenderedPass<'a> {
    /// Observes, plans and executes until the goal is reached as far as it can be now.
    pub(super) async fn reach_goal(self) -> PhaseResult<'a, (ExecutedPass<'a>, Verdict)> {
        let mut inventory = self.targeted.pass.draft.component.inventory.clone();
        let leftovers = self.targeted.unlisted(&inventory);
        if !leftovers.is_empty() {
            inventory = joined(&inventory, leftovers.iter().map(|leftover| leftover.item.clone()));
        }
        let watched = self.watch_dependents(&inventory).await?;
        let _look = watched.watches.look(watched.targeted.pass.key);
        if !leftovers.is_empty() {
            let still_there = leftovers
                .iter()
                .filter(|leftover| watched.seen(&leftover.item.key()).is_some_and(|live| live.uid() == leftover.uid));
            let listed = &watched.targeted.pass.draft.component.inventory;
            inventory = joined(listed, still_there.map(|leftover| leftover.item.clone()));
        }
        let observed = watched.observe(&inventory);
        let wanted = watched.goal.wanted(&watched.targeted.pass.memory).len();
        let limit = BATCHES + BATCHES_PER_DEPENDENT * (inventory.len() + wanted);
        let target = Arc::clone(&watched.targeted.target);
        let mut plans = PassPlans { engine: watched.targeted.engine(), watched, wake: None };
        let settled = match execute_plans(&mut plans, &target, (inventory, observed), limit).await {
            Ok(executed) => plans.settle(executed),
            Err(end) => Err(end),
        };
        match settled {
            Ok(verdict) => Ok((ExecutedPass { watched: plans.watched, wake: plans.wake }, verdict)),
            Err(end) => Err(plans.watched.end(*end, plans.wake)),
        }
    }
}

impl<'a> ExecutedPass<'a> {
    pub(super) fn end(self, end: EnginePassEnd) -> Box<UnrecordedPass<'a>> {
        self.watched.end(end, self.wake)
    }
}

#[async_trait]
impl PlanSite for PassPlans<'_> {
    fn plan(&mut self, inventory: &Inventory, observed: &Observed) -> Plan {
        let WatchedPass { targeted: TargetedPass { pass, .. }, goal, .. } = &self.watched;
        let (wanted, memory) = (goal.wanted(&pass.memory), &pass.memory.engine);
        let plan = match goal {
            Goal::Apply => plan(&self.engine, wanted, inventory, observed, memory, pass.now),
            Goal::Delete { foreign, .. } => plan_deletion(&self.engine, wanted, inventory, observed, memory, foreign, pass.now),
        };
        self.wake = plan.wake;
        plan
    }

    async fn render_manifests(&mut self) -> Step {
        self.watched.targeted.ensure_rendering(true).await
    }

    fn planned(&mut self, memory: Memory, actions: &[Action]) {
        let pass = &mut self.watched.targeted.pass;
        pass.memory.engine = memory;
        if wants_to_write(actions) {
            pass.start_countdown();
        }
    }

    /// Writes the status ahead of the requests (PASS-6).
    async fn persist(&mut self, inventory: &Inventory) -> Step {
        let TargetedPass { pass, inputs, .. } = &mut self.watched.targeted;
        let before = std::mem::replace(&mut pass.draft.component.inventory, inventory.clone());
        let end = match () {
            () if pass.draft.component.observed_generation <= 0 => RecordedEnd::FirstSeen,
            () if inputs.restarted => RecordedEnd::Restarting,
            () => RecordedEnd::Kept,
        };
        let at = pass.end_context(inputs.intervals());
        pass.draft.component.show(&end, &at);
        let written = pass.write_status_with_room(inventory.growth(), inputs.intervals()).await;
        if written.is_err() {
            // None of the requests was sent, so the inventory must not list them.
            pass.draft.component.inventory = before;
        }
        written
    }

    fn note_transient(&mut self, error: Transient) {
        self.watched.targeted.pass.note_transient(error);
    }

    fn unknown_action(&mut self, action: &Action) -> Step {
        let failure = Failure::backoff(format!("the plan asks for something that is not known here: {action:?}"));
        Err(Box::new(EnginePassEnd::failed(failure, None, self.watched.targeted.inputs.intervals())))
    }

    fn sending(&mut self, batch: &[ObjectAction], inventory: &Inventory) -> RequestRetries {
        let TargetedPass { pass, target, .. } = &self.watched.targeted;
        pass.shared.leftovers.expect(pass.key, pass.object.uid(), target, batch, inventory);
        pass.retry()
    }

    fn record(&mut self, sent: &SentAction, observed: &mut Observed) {
        self.watched.record_answer(&self.engine, sent, observed);
    }

    fn executed(&mut self, inventory: &mut Inventory, observed: &Observed) {
        let pass = &mut self.watched.targeted.pass;
        pass.note_namespaces(observed);
        // A crash from here on must not lose the progress, so the inventory is recorded at the end of the pass.
        pass.draft.component.inventory.clone_from(inventory);
    }
}

impl PassPlans<'_> {
    /// Records the result of the last plan, and watches the objects that the component waits for.
    fn settle(&mut self, executed: ExecutedPlans) -> Step<Verdict> {
        let ExecutedPlans { inventory, observed, found, last } = executed;
        let watched = &mut self.watched;
        let Some(Plan { verdict, watch_objects, watch_foreign, .. }) = last else {
            let failure = Failure::backoff("the plan of the dependents does not come to an end");
            return Err(Box::new(EnginePassEnd::failed(failure, None, watched.targeted.inputs.intervals())));
        };
        let pass = &mut watched.targeted.pass;
        if let Some(error) = observed.transient() {
            pass.note_transient(error);
        }
        if matches!(verdict, Verdict::Wait { .. } | Verdict::Failed { .. }) {
            pass.start_countdown();
        }
        // Kinds whose last object was removed in this pass are no longer watched.
        let residences = watched.goal.residences(&watched.targeted.pass.memory, &inventory);
        watched.use_kinds(&residences);
        let pass = &mut watched.targeted.pass;
        pass.note_namespaces(&observed);
        pass.draft.component.inventory = inventory;
        watched.await_obstacles(watch_objects, watch_foreign, &found);
        watched.await_owners(self.engine.owner.hash(), &observed, &verdict);
        let pass = &watched.targeted.pass;
        pass.shared.leftovers.looked_at(pass.key, &pass.draft.component.inventory);
        Ok(verdict)
    }
}

impl TargetedPass<'_> {
    /// Returns the objects that this process created and that the status does not list, because another process had a newer view. They are
    /// listed from now on, or removed.
    fn unlisted(&self, inventory: &Inventory) -> Vec<Leftover> {
        let mut leftovers = self.pass.shared.leftovers.known(self.pass.key, &self.target);
        if !leftovers.is_empty() {
            let listed: HashSet<ObjectKey> = inventory.items().iter().map(Item::key).collect();
            leftovers.retain(|leftover| !listed.contains(&leftover.item.key()));
        }
        leftovers.into_iter().map(|leftover| Leftover { item: unsure(leftover.item), ..leftover }).collect()
    }
}

impl EnginePass<'_> {
    fn note_namespaces(&mut self, observed: &Observed) {
        let known = &mut self.draft.component.created_namespaces;
        for namespace in observed.created_namespaces() {
            if !known.iter().any(|known| known == namespace) {
                known.push(namespace.to_owned());
            }
        }
    }
}

impl WatchedPass<'_> {
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
        self.targeted.target.awaited.set(self.targeted.pass.key, obstacles);
        self.unwatched.extend(self.targeted.target.awaited.refused(self.targeted.pass.key));
    }

    /// Waits for the owners of objects that this component renders, too, so that an owner that releases one queues the next pass.
    fn await_owners(&self, own: &str, observed: &Observed, verdict: &Verdict) {
        let taken = |key: &ObjectKey| observed.get(key).and_then(Projection::owner_hash).is_some_and(|hash| hash != own);
        let wanted = match verdict {
            Verdict::Complete => HashSet::new(),
            _ => Goal::Apply
                .objects(&self.targeted.pass.memory)
                .iter()
                .map(|object| &object.key)
                .filter(|key| taken(key))
                .cloned()
                .collect(),
        };
        self.watches.want(self.targeted.pass.key, wanted);
    }
}

fn joined(inventory: &Inventory, more: impl Iterator<Item = Item>) -> Inventory {
    Inventory::new(inventory.items().iter().cloned().chain(more).collect()).0
}

/// Returns true if dependents must be written because of the component. A correction of drift is no work in progress (TIME-1, DRIFT-7).
fn wants_to_write(actions: &[Action]) -> bool {
    actions.iter().any(|action| match action {
        Action::Persist(_) => true,
        Action::Send(action) => action.purpose.is_write() && !action.corrective,
        _ => false,
    })
}
