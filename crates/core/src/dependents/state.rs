//! The state of a wanted object (WAVE-3).

use jiff::Timestamp;

use super::engine::Engine;
use super::planner::Planner;
use super::{DesiredObject, Phase, Projection, Waiting};
use crate::health::Status;
use crate::manifest::AdoptionPolicy;

/// The time in seconds for which a ready object may have a generation that its controller has not observed, before it counts as unready (READY-6).
const UNSEEN_GENERATION_GRACE: i64 = 30;

/// The state of a wanted object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WantedObjectState {
    /// The object has been purged; it is not touched any more.
    Completed,
    /// The object is to be purged, or is being purged.
    Purging,
    /// The object does not exist.
    Absent,
    /// The object is being deleted.
    Terminating,
    /// The object exists, but differs from the wanted one.
    Changed,
    /// The object is as wanted, but lacks our marks.
    Unmarked,
    /// The object is as wanted.
    InSync {
        /// True if the object is ready.
        ready: bool,
    },
}

impl WantedObjectState {
    /// Returns true if the wave need not wait for the object.
    pub(super) const fn is_done(self) -> bool {
        matches!(self, Self::Completed | Self::InSync { ready: true })
    }
}

impl Planner<'_> {
    /// Determines the state of a wanted object, and updates phase, status and message of its item.
    pub(super) fn assess(&mut self, object: &DesiredObject) -> WantedObjectState {
        let Some(&index) = self.index.get(&object.key) else {
            return WantedObjectState::Absent;
        };
        let phase = self.items[index].phase;
        match phase {
            Phase::Completed => return WantedObjectState::Completed,
            Phase::ScheduledForCompletion | Phase::Completing => return WantedObjectState::Purging,
            // A hook of a deletion stage runs only once (DEL-5).
            _ if object.lifecycle.is_some() && self.items[index].is_past_stage() => {
                let there = self.live(&object.key).is_some_and(|live| !live.terminating);
                return if there { WantedObjectState::InSync { ready: true } } else { WantedObjectState::Completed };
            }
            _ => {}
        }
        let Some(live) = self.live(&object.key) else {
            let item = &mut self.items[index];
            if item.last_applied_at.is_some() && phase != Phase::ScheduledForApplication {
                item.report(Status::NotFound, "object does not exist");
            } else if item.status.is_none() {
                item.report(Status::InProgress, "");
            }
            return WantedObjectState::Absent;
        };
        if live.terminating {
            self.items[index].report(Status::Terminating, "object is being deleted");
            return WantedObjectState::Terminating;
        }
        if self.items[index].differs_from(live.digest()) {
            self.items[index].report(Status::InProgress, "");
            return WantedObjectState::Changed;
        }
        let ready = self.assess_health(index, live);
        if self.engine.owns(live) { WantedObjectState::InSync { ready } } else { WantedObjectState::Unmarked }
    }

    pub(super) fn assess_health(&mut self, index: usize, live: &Projection) -> bool {
        let key = self.items[index].key();
        if let Some((instant, _)) = live.changes_at() {
            self.wake_at(instant);
        }
        let mut status = live.status_at(self.now);
        if live.lagging && status == Status::InProgress {
            let since = self.memory.update(&key, |problems| *problems.lagging.get_or_insert(self.now));
            let end = Self::after(since, UNSEEN_GENERATION_GRACE);
            if self.items[index].phase == Phase::Ready && self.now < end {
                status = Status::Current;
                self.wake_at(end);
            }
        } else if self.memory.problems_of(&key).lagging.is_some() {
            self.memory.update(&key, |problems| problems.lagging = None);
        }
        let item = &mut self.items[index];
        item.report(status, live.message());
        let ready = status == Status::Current;
        if ready && matches!(item.phase, Phase::ScheduledForApplication | Phase::Creating | Phase::Updating) {
            item.phase = Phase::Ready;
        }
        ready
    }

    /// Returns true if this pass has written the object already. With a server that changes what it is sent, repeated writes would never end.
    pub(super) fn wrote(&self, object: &DesiredObject) -> bool {
        self.observed.dependent(&object.key).is_written()
    }

    /// Applies the ownership table (OWN-1, OWN-3a). Returns the message of the conflict as error.
    pub(super) fn check_ownership(&self, object: &DesiredObject, live: &Projection) -> Result<(), String> {
        let title = || Engine::title(&object.gvk, &object.key);
        match &live.owner {
            Some(_) if self.engine.owns(live) => Ok(()),
            _ if object.adoption == AdoptionPolicy::Always => Ok(()),
            Some(owner) => Err(format!("owner conflict; object {} is owned by {}", title(), owner.title())),
            None if object.adoption == AdoptionPolicy::Never => Err(format!("found existing object {} without owner", title())),
            None => Ok(()),
        }
    }

    pub(super) fn waiting(&self, object: &DesiredObject) -> Waiting {
        let item = self.index.get(&object.key).map(|&index| &self.items[index]);
        Waiting {
            key: object.key.clone(),
            status: item.and_then(|item| item.status).unwrap_or_default(),
            message: item.map(|item| item.message.clone()).unwrap_or_default(),
        }
    }
}

/// Returns the seconds between two instants.
pub(super) fn seconds_between(earlier: Timestamp, later: Timestamp) -> i64 {
    later.duration_since(earlier).as_secs()
}
