//! The state, reason and conditions that follow from the end of a pass (STA-10, OUT-1).

use std::time::Duration;

use jiff::Timestamp;

use super::ready_condition::shown;
use super::{ComponentState, ComponentStatus, READY, STALLED};
use crate::condition::{ConditionStatus, Keep, Updater};
use crate::dependents::Waiting;
use crate::flow::{Redactor, redact};

/// The end of a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordedEnd {
    /// User code ended the pass early. State and reason stay, except for Ready of an earlier generation.
    Kept,
    /// The first status of a new component, written before any other step.
    FirstSeen,
    /// The component changed, and its dependents are about to be written.
    Restarting,
    /// The component is suspended.
    Suspended,
    /// All dependents are applied and ready.
    Ready,
    /// Some dependents are not ready yet or, during a deletion, still exist.
    Incomplete(Vec<Waiting>),
    /// An expected obstacle holds the component back. The reason is set if user code raised it.
    Wait {
        /// The reason that user code gave.
        reason: Option<String>,
        /// The obstacle.
        message: String,
    },
    /// The pass cannot succeed until a person changes something.
    Blocked {
        /// The reason of the condition Stalled. It is also the reason of Ready, except for general errors, for which Ready has the reason `Error`.
        reason: String,
        /// The required change.
        message: String,
    },
    /// The pass failed with an error.
    Failed {
        /// The reason that user code gave.
        reason: Option<String>,
        /// The error.
        message: String,
        /// The reason of the condition Stalled, if the pass is not retried.
        stalled: Option<String>,
    },
}

/// The context in which a pass ended.
#[derive(Clone, Copy, Debug)]
pub struct PassEndContext {
    /// True if the component is being deleted.
    pub deleting: bool,
    /// The generation of the component.
    pub generation: i64,
    /// The start of the pass.
    pub started: Timestamp,
    /// The time that processing may take.
    pub timeout: Duration,
}

impl ComponentStatus {
    /// Records the end of a pass in the status.
    pub fn conclude(&mut self, end: &RecordedEnd, at: &PassEndContext) {
        if at.deleting {
            self.processing_since = None;
            self.processing_digest.clear();
        }
        if *end == RecordedEnd::Kept {
            self.keep(at);
            return;
        }
        self.observed_generation = at.generation;
        match end {
            RecordedEnd::Ready => {
                self.applied_generation = at.generation;
                self.last_applied_at = Some(at.started.into());
                self.processing_since = None;
            }
            RecordedEnd::Incomplete(_) if !at.deleting => {
                self.start_countdown(at.started);
            }
            _ => {}
        }
        self.show(end, at);
    }

    /// Corrects the state after a pass that ended before any step for its generation. The pass records no generation, and a component is not Ready in
    /// a generation that was never applied (OUT-1).
    fn keep(&mut self, at: &PassEndContext) {
        if self.state != Some(ComponentState::Ready) || self.observed_generation == at.generation {
            return;
        }
        let message = "a hook ended the pass before anything was deleted".to_owned();
        let end = if at.deleting { RecordedEnd::Wait { reason: None, message } } else { RecordedEnd::Restarting };
        self.show(&end, at);
    }

    /// Masks the texts in messages that the operator adds to the default masks (SW-9).
    pub fn redact(&mut self, redactor: &Redactor) {
        for condition in self.conditions.iter_mut().filter(|_| redactor.is_extended()) {
            condition.message = redactor.redact(&condition.message).into_owned();
        }
    }

    /// Sets only the state and the conditions, for the status that is written ahead of the end of a pass (PASS-6).
    pub fn show(&mut self, end: &RecordedEnd, at: &PassEndContext) {
        let timed_out = !at.deleting && self.timed_out(at.started, at.timeout);
        let Some(mut shown) = shown(end, at.deleting, timed_out) else { return };
        // Events repeat the message of the condition, so it is masked here.
        shown.message = redact(&shown.message).into_owned();
        let ready = match shown.state {
            ComponentState::Ready => ConditionStatus::True,
            ComponentState::Error => ConditionStatus::False,
            _ => ConditionStatus::Unknown,
        };
        let mut conditions = Updater::new(&self.conditions, at.started, Keep::Untouched);
        conditions.set(READY, ready, &shown.reason, shown.message.clone());
        match &shown.stalled {
            Some(reason) => conditions.set(STALLED, ConditionStatus::True, reason, shown.message),
            None => conditions.remove(STALLED),
        };
        self.conditions = conditions.finish().0;
        self.state = Some(shown.state);
    }
}
