//! The memory of a key between its passes.

use std::collections::BTreeMap;

use super::timer::TimerKind;
use super::{Delay, Reason, Timer, WaitingMark, WaitingSince};
use crate::backoff::{Policy, Rng};
use crate::time::Moment;

/// The state that the outcomes of earlier passes left for one key: consecutive failures, growing waits, consecutive conflicts.
///
/// It belongs to one object, identified by its UID: [`KeyMemory::of`] starts anew if another object has the same name.
#[derive(Clone, Debug, Default)]
pub struct KeyMemory {
    uid: String,
    pub(super) failures: u32,
    /// The end of the latest back-off.
    pub(super) due: Option<Moment>,
    pub(super) conflicts: u32,
    /// The number of times that each growing wait has grown.
    slots: BTreeMap<Reason, u32>,
    pub(super) told: Option<ReportedState>,
    /// The pending wait with a deadline, for kinds without conditions.
    waiting: Option<WaitingSince>,
    /// The reason of the timer that the last outcome set.
    pub(super) timer: TimerKind,
    passes: u32,
}

/// The state that was last reported, for kinds without conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReportedState {
    pub(super) ready: bool,
    pub(super) stalled: bool,
    pub(super) reason: Reason,
}

impl KeyMemory {
    /// Returns the memory for the object with this UID: this one, or a new one if this one belongs to another object.
    pub fn of(&mut self, uid: &str) -> &mut Self {
        if self.uid != uid {
            *self = Self { uid: uid.to_owned(), ..Self::default() };
        }
        self
    }

    /// Returns the number of consecutive failures.
    pub const fn failures(&self) -> u32 {
        self.failures
    }

    /// Returns the reason of the timer that the last outcome set.
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

    /// Returns the number of passes so far.
    pub const fn passes(&self) -> u32 {
        self.passes
    }

    /// Records the number of passes so far.
    pub const fn passed(&mut self, passes: u32) {
        self.passes = passes;
    }

    /// Returns the pending wait with a deadline, of a kind without conditions.
    pub const fn waiting(&self) -> Option<&WaitingSince> {
        self.waiting.as_ref()
    }

    /// Records a change of the pending wait with a deadline.
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

    /// Returns the delay of a growing wait, and grows it for the next time.
    pub(super) fn grow(&mut self, reason: &Reason, progressed: bool, policy: &Policy, rng: &mut Rng) -> Delay {
        let grown = self.slots.entry(reason.clone()).or_default();
        if progressed {
            *grown = 0;
        }
        *grown = grown.saturating_add(1);
        policy.delay(*grown, rng)
    }
}
