//! Observation of the dependents through watches, or by reads where no watch is allowed.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use kubewright_core::backoff::Transient;
use kubewright_core::dependents::{Inventory, Observed, Projection};
use kubewright_core::flow::Failure;
use kubewright_machinery::object::{GroupKind, ObjectKey};

use super::end::{EnginePassEnd, Intervals, Step};
use super::finish::{ObservedDependents, PassFindings, PhaseResult, UnrecordedPass};
use super::goal::Goal;
use super::pass::EnginePass;
use super::render::RenderedPass;
use super::select_target::TargetedPass;
use crate::observe::{DependentWatches, NotObservable, Polled, Refusals, Residences, title};

/// The delay before a pass checks again for a kind that could not be observed.
const LOOK_AGAIN: Duration = Duration::from_secs(10);

/// A pass whose dependents can be read from memory.
pub(super) struct WatchedPass<'a> {
    pub(super) targeted: TargetedPass<'a>,
    pub(super) goal: Goal,
    /// The watches on the dependents.
    pub(super) watches: DependentWatches,
    /// The dependents of kinds that may not be watched, as they were read.
    polled: HashMap<GroupKind, Polled>,
    /// The types of dependents and blockers that may not be watched, as far as this pass needs them.
    pub(super) unwatched: BTreeSet<String>,
}

impl<'a> RenderedPass<'a> {
    /// Ensures that these dependents can be read from memory: watched with the operator's own identity, or, if that is forbidden, with the
    /// identity that writes dependents (WATCH-4). Kinds that neither may watch are read now (WATCH-6).
    pub(super) async fn watch_dependents(self, inventory: &Inventory) -> PhaseResult<'a, WatchedPass<'a>> {
        let Self { mut targeted, goal } = self;
        let residences = goal.residences(&targeted.pass.memory, inventory);
        let (watches, refused) = match targeted.settle_watches(&residences).await {
            Ok(settled) => settled,
            Err(end) => return Err(targeted.end(*end)),
        };
        let unwatched = refused.keys().map(title).collect();
        let mut watched = WatchedPass { targeted, goal, watches, polled: HashMap::new(), unwatched };
        watched.use_kinds(&residences);
        match watched.poll(&refused, inventory).await {
            Ok(()) => Ok(watched),
            Err(end) => Err(watched.end(*end, None)),
        }
    }
}

impl TargetedPass<'_> {
    /// Waits for the watches. Returns those of the identity that may watch more kinds, and the kinds that it may not watch.
    async fn settle_watches(&mut self, residences: &Residences) -> Step<(DependentWatches, Refusals)> {
        let (target, intervals) = (Arc::clone(&self.target), self.inputs.intervals());
        let refused = self.pass.settle(&target.dependents, residences, intervals).await?;
        if let (false, Some(fallback)) = (refused.is_empty(), &target.fallback) {
            fallback.register(self.pass.key, self.pass.shared.owner(self.pass.key).hash());
            let still = self.pass.settle(fallback, residences, intervals).await?;
            if still.len() < refused.len() {
                return Ok((fallback.clone(), still));
            }
        }
        Ok((target.dependents.clone(), refused))
    }
}

impl<'a> WatchedPass<'a> {
    /// Ends the pass. `wake` is the time of the next check by the last plan.
    pub(super) fn end(self, end: EnginePassEnd, wake: Option<Timestamp>) -> Box<UnrecordedPass<'a>> {
        let TargetedPass { pass, inputs, target } = self.targeted;
        let observation =
            Some(ObservedDependents { target, watches: self.watches, polled: self.polled, unwatched: self.unwatched });
        pass.end(end, PassFindings { observation, wake, ..inputs.reached() })
    }

    /// Reads the dependents of kinds that may not be watched. An identity that may not watch may still read.
    async fn poll(&mut self, refused: &Refusals, inventory: &Inventory) -> Step {
        let TargetedPass { pass, inputs, target } = &mut self.targeted;
        let owner = pass.shared.owner(pass.key);
        for kind in refused.keys() {
            let of_kind: BTreeSet<ObjectKey> =
                self.goal.keys(&pass.memory, inventory).filter(|key| key.group_kind() == *kind).collect();
            let mut read = target.dependents.poll(kind, owner.hash(), &of_kind).await;
            if let (Err(NotObservable::Forbidden { .. }), Some(fallback)) = (&read, &target.fallback) {
                read = fallback.poll(kind, owner.hash(), &of_kind).await;
            }
            let read = read.map_err(|error| pass.unobservable(error, inputs.intervals()))?;
            self.polled.insert(kind.clone(), read);
        }
        Ok(())
    }

    /// Returns an object of the target as observed.
    pub(super) fn seen(&self, key: &ObjectKey) -> Option<Arc<Projection>> {
        if !self.polled.is_empty()
            && let Some(polled) = self.polled.get(&key.group_kind())
        {
            return polled.get(key).cloned();
        }
        self.watches.get(key)
    }

    /// Returns the dependents of the inventory and of the goal as observed.
    pub(super) fn observe(&self, inventory: &Inventory) -> Observed {
        let TargetedPass { pass, inputs, .. } = &self.targeted;
        let mut observed = Observed::new(inventory);
        let mut see = |key: ObjectKey| {
            if let Some(live) = self.seen(&key) {
                observed.observe(key, live);
            }
        };
        self.goal.keys(&pass.memory, inventory).for_each(&mut see);
        if matches!(self.goal, Goal::Delete { .. }) {
            return observed;
        }
        let persisted = pass.persisted.marks();
        let component = &pass.draft.component;
        if persisted.processing_digest != component.processing_digest || persisted.revision != component.revision {
            observed.require_persist();
        }
        if inputs.succeeds {
            observed.continue_from_predecessor();
        }
        observed
    }

    /// Watches exactly these dependents for the component from now on.
    pub(super) fn use_kinds(&self, residences: &Residences) {
        let (target, key) = (&self.targeted.target, self.targeted.pass.key);
        target.dependents.use_kinds(key, residences);
        if let Some(fallback) = &target.fallback {
            // Kinds that neither identity may watch are kept in both, which try again from time to time.
            if fallback.is(&self.watches) || !self.unwatched.is_empty() {
                fallback.use_kinds(key, residences);
            } else {
                fallback.forget(key);
            }
        }
    }
}

impl EnginePass<'_> {
    async fn settle(&mut self, watches: &DependentWatches, residences: &Residences, intervals: Intervals) -> Step<Refusals> {
        let settled = watches.settled(self.key, residences).await;
        let settled = settled.and_then(|refused| match watches.broken_for(self.key, intervals.requeue) {
            Some(broken) => Err(broken),
            None => Ok(refused),
        });
        settled.map_err(|error| Box::new(self.unobservable(error, intervals)))
    }

    fn unobservable(&mut self, error: NotObservable, intervals: Intervals) -> EnginePassEnd {
        match error {
            NotObservable::Forbidden { .. } => EnginePassEnd::failed(Failure::backoff(error).slow(), None, intervals),
            // No event reports a first list that arrives later.
            NotObservable::Silent { .. } => {
                self.note_transient(Transient::default());
                self.start_countdown();
                EnginePassEnd::waiting(error.to_string(), Some(LOOK_AGAIN), intervals)
            }
        }
    }
}
