//! The conditions `Waiting`, `Paused` and `RequiresUpdate`, which the framework writes for halted pipelines and children.

use super::{Condition, ConditionManager, ConditionStatus, PAUSED, REQUIRES_UPDATE, WAITING};
use crate::flow::{WaitingMark, WaitingSince};

/// The reason of condition `RequiresUpdate` while it is True.
pub const UPDATE_HELD: &str = "UpdateHeld";
/// The reason of condition `RequiresUpdate` when it is False.
pub const UP_TO_DATE: &str = "UpToDate";

impl WaitingSince {
    /// Returns the wait that is stored in a condition `Waiting`, if it is True. A condition without a generation counts as one of the generation
    /// given.
    pub fn told_by(condition: &Condition, generation: Option<i64>) -> Option<Self> {
        (condition.status == ConditionStatus::True).then(|| Self {
            reason: condition.reason.clone(),
            since: condition.last_transition_time,
            generation: condition.observed_generation.or(generation),
        })
    }
}

impl ConditionManager {
    /// Returns true if the framework may write conditions of this type: types that the set declares belong to the author of the kind.
    pub fn is_free(&self, type_: &str) -> bool {
        type_ != self.set.top() && !self.set.is_dependent(type_)
    }

    /// Returns the wait with a deadline that the object reported when the pass started (STEP-9). A condition without a generation counts as one of
    /// the generation given.
    pub fn waiting(&self, generation: Option<i64>) -> Option<WaitingSince> {
        WaitingSince::told_by(self.updater.original(WAITING)?, generation)
    }

    /// Writes or removes condition `Waiting` (STEP-9). Its transition time is the start of the wait, whatever its status was before.
    pub fn mark_waiting(&mut self, mark: &WaitingMark) {
        match mark {
            WaitingMark::Keep => {}
            WaitingMark::Remove => {
                self.updater.remove(WAITING);
            }
            WaitingMark::Set { waiting, message } => {
                self.write(WAITING, ConditionStatus::True, &waiting.reason, message);
                self.updater.since(WAITING, waiting.since);
            }
        }
    }

    /// Writes condition `Paused` (STEP-8): True while the object is paused. An existing one becomes False when the object is no longer paused.
    pub fn mark_paused(&mut self, is_paused: bool) {
        if is_paused {
            self.write(PAUSED, ConditionStatus::True, "Paused", "");
        } else if self.get(PAUSED).is_some() {
            self.write(PAUSED, ConditionStatus::False, "NotPaused", "");
        }
    }

    /// Writes condition `RequiresUpdate` (KID-13): True while the update gate holds back children, which its message lists. An existing one becomes
    /// False when a pass that reached all children (`is_complete`) held back none.
    pub fn mark_requires_update(&mut self, held: &[String], is_complete: bool) {
        if !held.is_empty() {
            self.write(REQUIRES_UPDATE, ConditionStatus::True, UPDATE_HELD, &held.join(", "));
        } else if is_complete && self.get(REQUIRES_UPDATE).is_some() {
            self.write(REQUIRES_UPDATE, ConditionStatus::False, UP_TO_DATE, "");
        }
    }
}
