//! The kinds that may not be watched: their condition, their metric, and the time of the next check.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

use kubewright_core::component::{RecordedEnd, poll_delay};
use kubewright_core::dependents::{Item, Phase};

use super::finish::PassFindings;
use super::pass::EnginePass;
use crate::metrics::UnusualObservations;

/// The number of polls of a component that found no change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UnchangedPolls {
    count: u32,
    /// The digest of state, component and inventory, whose change resets the number.
    of: u64,
}

impl EnginePass<'_> {
    /// Sets the condition that names the polled types, as far as this pass knows them.
    pub(super) fn tell_polling(&mut self, end: &RecordedEnd, reached: &PassFindings) {
        if matches!(end, RecordedEnd::Suspended) {
            self.draft.component.poll(&BTreeSet::new(), self.now);
            return;
        }
        let polled = reached.unwatched();
        // A pass that ended before its observation knows nothing newer.
        if reached.observation.is_some() || !polled.is_empty() {
            self.draft.component.poll(&polled, self.now);
        }
    }

    /// Returns the time until the next check of objects that no event reports (WAIT-3). Ready components are checked with the requeue interval,
    /// and an error has a back-off of its own.
    pub(super) fn until_poll(&mut self, end: &RecordedEnd, reached: &PassFindings) -> Option<Duration> {
        let unwatched = reached.observation.as_ref().filter(|observation| !observation.unwatched.is_empty());
        // A wait has a time of its own, unless it is for an object that no watch shows.
        let waits = unwatched.is_some_and(|observation| match end {
            RecordedEnd::Incomplete(_) | RecordedEnd::Blocked { .. } => true,
            RecordedEnd::Wait { .. } => !observation.target.awaited.refused(self.key).is_empty(),
            _ => false,
        });
        if !waits {
            self.memory.polls = UnchangedPolls::default();
            return None;
        }
        let of = self.standing();
        let polls = &mut self.memory.polls;
        if polls.of != of {
            *polls = UnchangedPolls { count: 0, of };
        }
        let delay = poll_delay(polls.count);
        polls.count = polls.count.saturating_add(1);
        Some(self.longer(delay))
    }

    /// Records the observation of the dependents' cluster in the metrics.
    pub(super) fn observe_metrics(&self, reached: &PassFindings) {
        let Some(observation) = &reached.observation else { return };
        let owner = self.shared.owner(self.key);
        // A listed object that does not exist hides one that exists and is not listed, until it is created.
        let is_watched =
            |item: &&Item| observation.polled.is_empty() || !observation.polled.contains_key(&item.key().group_kind());
        let items = self.draft.component.inventory.items().iter().filter(|item| item.phase != Phase::Completed);
        let unknown = observation.watches.count_owned(self.key, owner.hash()).saturating_sub(items.filter(is_watched).count());
        let polled = reached.unwatched();
        let cluster = observation.target.cluster().name().to_owned();
        self.shared.metrics.observed(self.key, UnusualObservations { cluster, polled, unknown });
    }

    fn standing(&self) -> u64 {
        let component = &self.draft.component;
        let mut hasher = DefaultHasher::new();
        component.state.hash(&mut hasher);
        component.processing_digest.hash(&mut hasher);
        // An inventory can always be serialized.
        serde_json::to_vec(&component.inventory).unwrap_or_default().hash(&mut hasher);
        hasher.finish()
    }
}
