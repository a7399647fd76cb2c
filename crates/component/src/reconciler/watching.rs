use std::time::Duration;

use kubewright_core::flow::Failure;

use super::end::{End, Step};
use super::pass::Pass;
use crate::observe::{DependentWatches, NotObservable, Residences};

/// When a pass looks again for a kind that could not be observed.
const LOOK_AGAIN: Duration = Duration::from_secs(10);

impl Pass<'_> {
    /// Sees to it that all these dependents can be read from memory: in the operator's own name, or, where that is refused,
    /// in the name in which dependents are written (WATCH-4).
    pub(super) async fn watch(&mut self, residences: &Residences) -> Step {
        let target = std::sync::Arc::clone(&self.target);
        let refused = match self.settle(&target.dependents, residences).await {
            Ok(()) => {
                self.watches = target.dependents.clone();
                self.use_kinds(residences);
                return Ok(());
            }
            Err(refused) => refused,
        };
        let (NotObservable::Forbidden { .. }, Some(fallback)) = (&refused, &target.fallback) else {
            return Err(Box::new(self.unobservable(refused)));
        };
        fallback.register(self.key, self.shared.owner(self.key).hash());
        self.settle(fallback, residences).await.map_err(|error| Box::new(self.unobservable(error)))?;
        self.watches = fallback.clone();
        Ok(())
    }

    /// From now on exactly these dependents are watched for the component.
    pub(super) fn use_kinds(&self, residences: &Residences) {
        let target = &self.target;
        target.dependents.use_kinds(self.key, residences);
        if let Some(fallback) = &target.fallback {
            if fallback.is(&self.watches) {
                fallback.use_kinds(self.key, residences);
            } else {
                fallback.forget(self.key);
            }
        }
    }

    async fn settle(&self, watches: &DependentWatches, residences: &Residences) -> Result<(), NotObservable> {
        watches.settled(self.key, residences).await?;
        watches.broken_for(self.key, self.intervals().requeue).map_or(Ok(()), Err)
    }

    fn unobservable(&self, error: NotObservable) -> End {
        match error {
            NotObservable::Forbidden { .. } => End::failed(Failure::backoff(error).slow(), None, self.intervals()),
            // Nothing tells when a first list comes after all.
            NotObservable::Silent { .. } => End::waiting(error.to_string(), Some(LOOK_AGAIN), self.intervals()),
        }
    }
}
