//! The state of a wanted object (WAVE-3).

use jiff::Timestamp;

use super::dependent::{Dependent, PlanContext, after};
use super::engine::Engine;
use super::{DesiredObject, Phase, Projection, Waiting};
use crate::health::Health;
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

/// The state of a wanted object, and the health that its item gets.
pub(super) struct Assessment {
    state: WantedObjectState,
    report: Option<(Health, &'static str)>,
    health: Option<ObservedHealth>,
}

/// The health of a live object at the time of the plan.
#[derive(Clone, Copy)]
pub(super) struct ObservedHealth {
    status: Health,
    /// The time since which the controller of the object has not observed its generation.
    lagging: Option<Timestamp>,
    /// The instants at which the health may change without an event.
    changes: [Option<Timestamp>; 2],
}

impl From<WantedObjectState> for Assessment {
    fn from(state: WantedObjectState) -> Self {
        Self { state, report: None, health: None }
    }
}

impl Dependent<'_> {
    /// Determines the state of the wanted object.
    pub(super) fn assess(&self, object: &DesiredObject, context: &PlanContext<'_>) -> Assessment {
        let item = &self.item;
        match item.phase {
            Phase::Completed => return WantedObjectState::Completed.into(),
            Phase::ScheduledForCompletion | Phase::Completing => return WantedObjectState::Purging.into(),
            // A hook of a deletion stage runs only once (DEL-5).
            _ if object.lifecycle.is_some() && item.is_past_stage() => {
                let there = self.live().is_some_and(|live| !live.terminating);
                let state = if there { WantedObjectState::InSync { ready: true } } else { WantedObjectState::Completed };
                return state.into();
            }
            _ => {}
        }
        let reported = |state, report| Assessment { state, report, health: None };
        let Some(live) = self.live() else {
            let report = if item.last_applied_at.is_some() && item.phase != Phase::ScheduledForApplication {
                Some((Health::NotFound, "object does not exist"))
            } else {
                item.status.is_none().then_some((Health::InProgress, ""))
            };
            return reported(WantedObjectState::Absent, report);
        };
        if live.terminating {
            return reported(WantedObjectState::Terminating, Some((Health::Terminating, "object is being deleted")));
        }
        if item.differs_from(live.digest()) {
            return reported(WantedObjectState::Changed, Some((Health::InProgress, "")));
        }
        let health = self.health(live, context.now);
        let ready = health.status == Health::Current;
        let owned = context.engine.owns(live);
        let state = if owned { WantedObjectState::InSync { ready } } else { WantedObjectState::Unmarked };
        Assessment { state, report: None, health: Some(health) }
    }

    /// Records an assessment.
    pub(super) fn take_in_assessment(&mut self, assessment: &Assessment, now: Timestamp) {
        self.state = assessment.state;
        if let Some((status, message)) = assessment.report {
            self.item.report(status, message);
        }
        if let Some(health) = assessment.health {
            self.take_in_health(health, now);
        }
    }

    /// Returns the health of the live object.
    pub(super) fn health(&self, live: &Projection, now: Timestamp) -> ObservedHealth {
        let change = live.changes_at().map(|(instant, _)| instant);
        let status = live.status_at(now);
        if !live.lagging || status != Health::InProgress {
            return ObservedHealth { status, lagging: None, changes: [change, None] };
        }
        let since = self.remembered.problems().lagging.unwrap_or(now);
        let end = after(since, UNSEEN_GENERATION_GRACE);
        if self.item.phase == Phase::Ready && now < end {
            ObservedHealth { status: Health::Current, lagging: Some(since), changes: [change, Some(end)] }
        } else {
            ObservedHealth { status, lagging: Some(since), changes: [change, None] }
        }
    }

    /// Records the health of the live object. Returns true if the object is ready.
    pub(super) fn take_in_health(&mut self, health: ObservedHealth, now: Timestamp) -> bool {
        for change in health.changes.into_iter().flatten() {
            self.wake_at(change, now);
        }
        if health.lagging.is_some() {
            self.remembered.problems_mut().lagging = health.lagging;
        } else if let Some(problems) = self.remembered.recorded_problems() {
            problems.lagging = None;
        }
        let message = self.live().map_or("", Projection::message);
        let item = &mut self.item;
        item.report(health.status, message);
        let ready = health.status == Health::Current;
        if ready && matches!(item.phase, Phase::ScheduledForApplication | Phase::Creating | Phase::Updating) {
            item.phase = Phase::Ready;
        }
        ready
    }

    /// Applies the ownership table (OWN-1, OWN-3a). Returns the message of the conflict as error.
    pub(super) fn check_ownership(object: &DesiredObject, live: &Projection, engine: &Engine) -> Result<(), String> {
        let title = || Engine::title(&object.gvk, &object.key);
        match &live.owner {
            Some(_) if engine.owns(live) => Ok(()),
            _ if object.adoption == AdoptionPolicy::Always => Ok(()),
            Some(owner) => Err(format!("owner conflict; object {} is owned by {}", title(), owner.title())),
            None if object.adoption == AdoptionPolicy::Never => Err(format!("found existing object {} without owner", title())),
            None => Ok(()),
        }
    }

    /// Returns the entry of the objects that the plan waits for.
    pub(super) fn waiting(&self) -> Waiting {
        let status = self.item.status.unwrap_or_default();
        Waiting { key: self.key.clone(), status, message: self.item.message.clone() }
    }
}

/// Returns the seconds between two instants.
pub(super) fn seconds_between(earlier: Timestamp, later: Timestamp) -> i64 {
    later.duration_since(earlier).as_secs()
}
