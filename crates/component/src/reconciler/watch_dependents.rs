use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use kubewright_core::backoff::Transient;
use kubewright_core::dependents::{Inventory, Projection};
use kubewright_core::flow::Failure;
use kubewright_machinery::object::ObjectKey;

use super::end::{EnginePassEnd, Step};
use super::execute_plans::Goal;
use super::pass::EnginePass;
use crate::observe::{DependentWatches, NotObservable, Refusals, Residences, title};

/// The delay before a pass checks again for a kind that could not be observed.
const LOOK_AGAIN: Duration = Duration::from_secs(10);

impl EnginePass<'_> {
    /// Ensures that these dependents can be read from memory: watched with the operator's own identity, or, if that is forbidden, with the
    /// identity that writes dependents (WATCH-4). Kinds that neither may watch are read now (WATCH-6).
    pub(super) async fn watch(&mut self, inventory: &Inventory, goal: &Goal) -> Step {
        let residences = self.residences(inventory, goal);
        let target = Arc::clone(&self.target);
        let mut refused = self.settle(&target.dependents, &residences).await?;
        self.watches = target.dependents.clone();
        if let (false, Some(fallback)) = (refused.is_empty(), &target.fallback) {
            fallback.register(self.key, self.shared.owner(self.key).hash());
            let still = self.settle(fallback, &residences).await?;
            if still.len() < refused.len() {
                self.watches = fallback.clone();
                refused = still;
            }
        }
        self.unwatched = refused.keys().map(title).collect();
        self.looked = true;
        self.use_kinds(&residences);
        self.poll(&refused, inventory, goal).await
    }

    /// Reads the dependents of kinds that may not be watched. An identity that may not watch may still read.
    async fn poll(&mut self, refused: &Refusals, inventory: &Inventory, goal: &Goal) -> Step {
        self.polled.clear();
        let owner = self.shared.owner(self.key);
        let target = Arc::clone(&self.target);
        for kind in refused.keys() {
            let of_kind: BTreeSet<ObjectKey> = self.keys(inventory, goal).filter(|key| key.group_kind() == *kind).collect();
            let mut read = target.dependents.poll(kind, owner.hash(), &of_kind).await;
            if let (Err(NotObservable::Forbidden { .. }), Some(fallback)) = (&read, &target.fallback) {
                read = fallback.poll(kind, owner.hash(), &of_kind).await;
            }
            let read = read.map_err(|error| self.unobservable(error))?;
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

    /// Watches exactly these dependents for the component from now on.
    pub(super) fn use_kinds(&self, residences: &Residences) {
        let target = &self.target;
        target.dependents.use_kinds(self.key, residences);
        if let Some(fallback) = &target.fallback {
            // Kinds that neither identity may watch are kept in both, which try again from time to time.
            if fallback.is(&self.watches) || !self.unwatched.is_empty() {
                fallback.use_kinds(self.key, residences);
            } else {
                fallback.forget(self.key);
            }
        }
    }

    async fn settle(&mut self, watches: &DependentWatches, residences: &Residences) -> Step<Refusals> {
        let settled = watches.settled(self.key, residences).await;
        let settled = settled.and_then(|refused| match watches.broken_for(self.key, self.intervals().requeue) {
            Some(broken) => Err(broken),
            None => Ok(refused),
        });
        settled.map_err(|error| Box::new(self.unobservable(error)))
    }

    fn unobservable(&mut self, error: NotObservable) -> EnginePassEnd {
        match error {
            NotObservable::Forbidden { .. } => EnginePassEnd::failed(Failure::backoff(error).slow(), None, self.intervals()),
            // No event reports a first list that arrives later.
            NotObservable::Silent { .. } => {
                self.note_transient(Transient::default());
                self.start_countdown();
                EnginePassEnd::waiting(error.to_string(), Some(LOOK_AGAIN), self.intervals())
            }
        }
    }
}
