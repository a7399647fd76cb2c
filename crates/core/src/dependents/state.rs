//! How a wanted object stands (WAVE-3).

use jiff::Timestamp;

use super::engine::Engine;
use super::observe::WrittenHow;
use super::planner::Planner;
use super::{DesiredObject, Phase, Projection, Waiting};
use crate::health::Status;
use crate::manifest::AdoptionPolicy;

/// How long a controller may leave a generation unseen before a ready object counts as unready (READY-6), in seconds.
const UNSEEN_GENERATION_GRACE: i64 = 30;

/// How a wanted object stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Purged; nothing is done with it any more.
    Completed,
    /// To be purged, or being purged.
    Purging,
    /// Not there.
    Absent,
    /// Being deleted by somebody.
    Terminating,
    /// There, but not as wanted.
    Changed,
    /// As wanted, but without our marks.
    Unmarked,
    /// As wanted.
    InSync {
        /// Whether it is ready.
        ready: bool,
    },
}

impl State {
    /// Whether the wave may leave the object behind.
    pub(super) const fn is_done(self) -> bool {
        matches!(self, Self::Completed | Self::InSync { ready: true })
    }
}

impl Planner<'_> {
    /// Looks at a wanted object and brings phase, status and message of its item up to date.
    pub(super) fn assess(&mut self, object: &DesiredObject) -> State {
        let Some(&place) = self.index.get(&object.key) else {
            return State::Absent;
        };
        let phase = self.items[place].phase;
        match phase {
            Phase::Completed => return State::Completed,
            Phase::ScheduledForCompletion | Phase::Completing => return State::Purging,
            // What a stage of the deletion has done once is not done again (DEL-5).
            _ if object.lifecycle.is_some() && self.items[place].is_past_stage() => {
                let there = self.live(&object.key).is_some_and(|live| !live.terminating);
                return if there { State::InSync { ready: true } } else { State::Completed };
            }
            _ => {}
        }
        let Some(live) = self.live(&object.key) else {
            let item = &mut self.items[place];
            if item.last_applied_at.is_some() && phase != Phase::ScheduledForApplication {
                item.report(Status::NotFound, "object does not exist");
            } else if item.status.is_none() {
                item.report(Status::InProgress, "");
            }
            return State::Absent;
        };
        if live.terminating {
            self.items[place].report(Status::Terminating, "object is being deleted");
            return State::Terminating;
        }
        if self.items[place].differs_from(live.digest()) {
            self.items[place].report(Status::InProgress, "");
            return State::Changed;
        }
        let ready = self.assess_health(place, live);
        if self.engine.owns(live) { State::InSync { ready } } else { State::Unmarked }
    }

    pub(super) fn assess_health(&mut self, place: usize, live: &Projection) -> bool {
        let key = self.items[place].key();
        if let Some((instant, _)) = live.changes_at() {
            self.wake_at(instant);
        }
        let mut status = live.status_at(self.now);
        if live.lagging && status == Status::InProgress {
            let since = *self.memory.lagging.entry(key).or_insert(self.now);
            let end = Self::after(since, UNSEEN_GENERATION_GRACE);
            if self.items[place].phase == Phase::Ready && self.now < end {
                status = Status::Current;
                self.wake_at(end);
            }
        } else {
            self.memory.lagging.remove(&key);
        }
        let item = &mut self.items[place];
        item.report(status, live.message());
        let ready = status == Status::Current;
        if ready && matches!(item.phase, Phase::ScheduledForApplication | Phase::Creating | Phase::Updating) {
            item.phase = Phase::Ready;
        }
        ready
    }

    /// Whether this pass wrote the object already. A second write could go on for ever with a server that changes what it is sent.
    pub(super) fn wrote(&self, object: &DesiredObject) -> bool {
        self.observed.written.get(&object.key).is_some_and(|written| written.how != WrittenHow::Recreating)
    }

    /// The ownership table (OWN-1, OWN-3a): `Err` with the message of the conflict.
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
        let item = self.index.get(&object.key).map(|&place| &self.items[place]);
        Waiting {
            key: object.key.clone(),
            status: item.and_then(|item| item.status).unwrap_or_default(),
            message: item.map(|item| item.message.clone()).unwrap_or_default(),
        }
    }
}

/// Seconds between two instants.
pub(super) fn seconds_between(earlier: Timestamp, later: Timestamp) -> i64 {
    later.duration_since(earlier).as_secs()
}
