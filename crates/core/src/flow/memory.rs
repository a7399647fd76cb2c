//! What is remembered of a key from pass to pass.

use std::collections::BTreeMap;

use super::timer::TimerKind;
use super::{Delay, Reason, Timer, WaitingMark, WaitingSince};
use crate::backoff::{Policy, Rng};
use crate::time::Moment;

/// What the outcomes of earlier passes left behind for one key: failures in a row, growing waits, conflicts in a row.
///
/// It belongs to one object, known by its UID: [`KeyMemory::of`] starts afresh when an object of the same name is another one.
#[derive(Clone, Debug, Default)]
pub struct KeyMemory {
    uid: String,
    pub(super) failures: u32,
    /// When the back-off that was last asked for is over.
    pub(super) due: Option<Moment>,
    pub(super) conflicts: u32,
    /// How often each growing wait has grown.
    slots: BTreeMap<Reason, u32>,
    pub(super) told: Option<Told>,
    /// The pending wait with a deadline, for kinds without conditions.
    waiting: Option<WaitingSince>,
    /// Why the timer of the last outcome runs, if there is one.
    pub(super) timer: TimerKind,
    passes: u32,
}

/// What was last reported, for kinds without conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) ready: bool,
    pub(super) stalled: bool,
    pub(super) reason: Reason,
}

impl KeyMemory {
    /// The memory for the object with this UID: this one, or a fresh one when this one is of another object.
    pub fn of(&mut self, uid: &str) -> &mut Self {
        if self.uid != uid {
            *self = Self { uid: uid.to_owned(), ..Self::default() };
        }
        self
    }

    /// The number of failures in a row.
    pub const fn failures(&self) -> u32 {
        self.failures
    }

    /// Why the timer that the last outcome set runs.
    pub fn timer(&self) -> Timer {
        let reason = || self.told.as_ref().filter(|told| !told.ready).map(|told| told.reason.clone());
        match self.timer {
            TimerKind::Recheck => Timer::Recheck,
            TimerKind::Wait => Timer::Wait(reason()),
            TimerKind::Blocked => Timer::Blocked(reason()),
            TimerKind::BackOff => Timer::BackOff(reason()),
            TimerKind::Conflict => Timer::Conflict,
        }
    }

    /// The number of passes so far.
    pub const fn passes(&self) -> u32 {
        self.passes
    }

    /// Notes the number of passes so far.
    pub const fn passed(&mut self, passes: u32) {
        self.passes = passes;
    }

    /// The pending wait with a deadline, of a kind without conditions.
    pub const fn waiting(&self) -> Option<&WaitingSince> {
        self.waiting.as_ref()
    }

    /// Notes what became of it.
    pub fn mark_waiting(&mut self, mark: &WaitingMark) {
        match mark {
            WaitingMark::Keep => {}
            WaitingMark::Remove => self.waiting = None,
            WaitingMark::Set { waiting, .. } => self.waiting = Some(waiting.clone()),
        }
    }

    pub(super) fn forget_failures(&mut self) {
        self.failures = 0;
        self.due = None;
    }

    pub(super) fn keep_slots(&mut self, keep: impl Fn(&Reason) -> bool) {
        self.slots.retain(|reason, _| keep(reason));
    }

    /// The delay of a growing wait; it has grown for the next time.
    pub(super) fn grow(&mut self, reason: &Reason, progressed: bool, policy: &Policy, rng: &mut Rng) -> Delay {
        let grown = self.slots.entry(reason.clone()).or_default();
        if progressed {
            *grown = 0;
        }
        *grown = grown.saturating_add(1);
        policy.delay(*grown, rng)
    }
}
