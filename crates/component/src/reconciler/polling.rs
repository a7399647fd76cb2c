use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

use kubewright_core::component::{Ending, poll_delay};
use kubewright_core::dependents::{Item, Phase};

use super::pass::Pass;
use crate::metrics::Seen;

/// How often a component was looked at without any change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Polls {
    count: u32,
    /// Tells whether something changed: a digest of state, component and inventory.
    of: u64,
}

impl Pass<'_> {
    /// The condition that names what is polled, as far as this pass knows.
    pub(super) fn tell_polling(&mut self, ending: &Ending) {
        if matches!(ending, Ending::Suspended) {
            self.draft.component.poll(&BTreeSet::new(), self.now);
            return;
        }
        let polled: BTreeSet<String> = self.unwatched.union(&self.unwatched_references).cloned().collect();
        // A pass that ended before it looked knows nothing better.
        if self.looked || !polled.is_empty() {
            self.draft.component.poll(&polled, self.now);
        }
    }

    /// When to look again at what no event tells of (WAIT-3). What is ready is looked at with the requeue interval, and an error has
    /// a back-off of its own.
    pub(super) fn until_poll(&mut self, ending: &Ending) -> Option<Duration> {
        // A wait has a time of its own, unless it is for something that no watch shows.
        let waits = match ending {
            Ending::Incomplete(_) | Ending::Blocked { .. } => true,
            Ending::Wait { .. } => !self.target.awaited.refused(self.key).is_empty(),
            _ => false,
        };
        if self.unwatched.is_empty() || !waits {
            self.memory.polls = Polls::default();
            return None;
        }
        let of = self.standing();
        let polls = &mut self.memory.polls;
        if polls.of != of {
            *polls = Polls { count: 0, of };
        }
        let delay = poll_delay(polls.count);
        polls.count = polls.count.saturating_add(1);
        Some(self.longer(delay))
    }

    /// What metrics say of the cluster of the dependents.
    pub(super) fn observe_metrics(&self) {
        if !self.looked {
            return;
        }
        let owner = self.shared.owner(self.key);
        // What is listed and not there hides as many that are there and not listed, until it is there.
        let is_watched = |item: &&Item| self.polled.is_empty() || !self.polled.contains_key(&item.key().group_kind());
        let items = self.draft.component.inventory.items().iter().filter(|item| item.phase != Phase::Completed);
        let unknown = self.watches.count_owned(self.key, owner.hash()).saturating_sub(items.filter(is_watched).count());
        let polled = self.unwatched.union(&self.unwatched_references).cloned().collect();
        let cluster = self.target.cluster().name().to_owned();
        self.shared.metrics.observed(self.key, Seen { cluster, polled, unknown });
    }

    fn standing(&self) -> u64 {
        let component = &self.draft.component;
        let mut hasher = DefaultHasher::new();
        component.state.hash(&mut hasher);
        component.processing_digest.hash(&mut hasher);
        // An inventory has no other form than JSON.
        serde_json::to_vec(&component.inventory).unwrap_or_default().hash(&mut hasher);
        hasher.finish()
    }
}
