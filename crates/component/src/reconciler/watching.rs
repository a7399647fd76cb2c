use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use kubewright_core::backoff::Transient;
use kubewright_core::dependents::{Inventory, Projection};
use kubewright_core::flow::Failure;
use kubewright_machinery::object::ObjectKey;

use super::drive::Goal;
use super::end::{End, Step};
use super::pass::Pass;
use crate::observe::{DependentWatches, NotObservable, Refusals, Residences, title};

/// When a pass looks again for a kind that could not be observed.
const LOOK_AGAIN: Duration = Duration::from_secs(10);

impl Pass<'_> {
    /// Sees to it that these dependents can be read from memory: in the operator's own name, or, where that is refused, in the
    /// name in which dependents are written (WATCH-4). What nobody may watch is read now (WATCH-6).
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

    /// Reads what may not be watched. Whoever may not watch may still read.
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

    /// What is known of an object of the target.
    pub(super) fn seen(&self, key: &ObjectKey) -> Option<Arc<Projection>> {
        if !self.polled.is_empty()
            && let Some(polled) = self.polled.get(&key.group_kind())
        {
            return polled.get(key).cloned();
        }
        self.watches.get(key)
    }

    /// From now on exactly these dependents are watched for the component.
    pub(super) fn use_kinds(&self, residences: &Residences) {
        let target = &self.target;
        target.dependents.use_kinds(self.key, residences);
        if let Some(fallback) = &target.fallback {
            // What nobody may watch is asked for by both, now and then.
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

    fn unobservable(&mut self, error: NotObservable) -> End {
        match error {
            NotObservable::Forbidden { .. } => End::failed(Failure::backoff(error).slow(), None, self.intervals()),
            // Nothing tells when a first list comes after all.
            NotObservable::Silent { .. } => {
                self.note_transient(Transient::default());
                self.start_countdown();
                End::waiting(error.to_string(), Some(LOOK_AGAIN), self.intervals())
            }
        }
    }
}
