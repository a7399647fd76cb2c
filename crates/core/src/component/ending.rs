//! From the end of a pass to state, reason and conditions (STA-10, OUT-1).

use std::time::Duration;

use jiff::Timestamp;

use super::{ComponentState, ComponentStatus, READY, STALLED};
use crate::condition::{ConditionStatus, Keep, Updater};
use crate::dependents::Waiting;
use crate::flow::{Redactor, redact};

/// How many objects a message names.
const SHOWN: usize = 3;

/// How a pass ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// Early, by the user's wish: state and reason stay, but for Ready of an earlier generation.
    Kept,
    /// The first status of a new component, written before anything else is done.
    FirstSeen,
    /// The component changed, and its dependents are about to be written.
    Restarting,
    /// The component is suspended.
    Suspended,
    /// Everything is applied and ready.
    Ready,
    /// Dependents are not ready yet; while deleting: not gone yet.
    Incomplete(Vec<Waiting>),
    /// An expected obstacle. The reason is the user's own, if user code raised it.
    Wait {
        /// The user's reason.
        reason: Option<String>,
        /// What is waited for.
        message: String,
    },
    /// Somebody must change something.
    Blocked {
        /// The reason of the condition Stalled; that of Ready too, where it is one of its own.
        reason: String,
        /// What.
        message: String,
    },
    /// Something failed.
    Failed {
        /// The user's reason.
        reason: Option<String>,
        /// The error.
        message: String,
        /// The reason of the condition Stalled, if it is not tried again.
        stalled: Option<String>,
    },
}

/// The circumstances in which a pass ended.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances {
    /// Whether the component is being deleted.
    pub deleting: bool,
    /// Its generation.
    pub generation: i64,
    /// The start of the pass.
    pub started: Timestamp,
    /// How long processing may take.
    pub timeout: Duration,
}

impl ComponentStatus {
    /// Writes down how a pass ended.
    pub fn conclude(&mut self, ending: &Ending, at: &Circumstances) {
        if at.deleting {
            self.processing_since = None;
            self.processing_digest.clear();
        }
        if *ending == Ending::Kept {
            self.keep(at);
            return;
        }
        self.observed_generation = at.generation;
        match ending {
            Ending::Ready => {
                self.applied_generation = at.generation;
                self.last_applied_at = Some(at.started.into());
                self.processing_since = None;
            }
            Ending::Incomplete(_) if !at.deleting => {
                self.start_countdown(at.started);
            }
            _ => {}
        }
        self.show(ending, at);
    }

    /// The pass ended before it did anything for its generation, so it records none. The component is not Ready in a generation that was
    /// never applied (OUT-1).
    fn keep(&mut self, at: &Circumstances) {
        if self.state != Some(ComponentState::Ready) || self.observed_generation == at.generation {
            return;
        }
        let message = "a hook ended the pass before anything was deleted".to_owned();
        let ending = if at.deleting { Ending::Wait { reason: None, message } } else { Ending::Restarting };
        self.show(&ending, at);
    }

    /// Masks in messages what an operator adds to the default masks (SW-9).
    pub fn redact(&mut self, redactor: &Redactor) {
        for condition in self.conditions.iter_mut().filter(|_| redactor.is_extended()) {
            condition.message = redactor.redact(&condition.message).into_owned();
        }
    }

    /// Sets state and conditions alone, as the status that is written ahead does (PASS-6).
    pub fn show(&mut self, ending: &Ending, at: &Circumstances) {
        let timed_out = !at.deleting && self.timed_out(at.started, at.timeout);
        let Some(mut shown) = shown(ending, at.deleting, timed_out) else { return };
        // Events repeat what the condition says.
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

struct Shown {
    state: ComponentState,
    reason: String,
    message: String,
    stalled: Option<String>,
}

fn shown(ending: &Ending, deleting: bool, timed_out: bool) -> Option<Shown> {
    let show = |state, reason: &str, message: String| Shown { state, reason: reason.to_owned(), message, stalled: None };
    Some(match ending {
        Ending::Kept => return None,
        Ending::FirstSeen => show(ComponentState::Pending, "FirstSeen", "First seen".to_owned()),
        Ending::Restarting => {
            show(ComponentState::Processing, "Restarting", "Restarting processing due to component changes".to_owned())
        }
        Ending::Suspended => show(ComponentState::Pending, "Suspended", "Reconciliation is suspended".to_owned()),
        Ending::Ready => show(ComponentState::Ready, "Ready", "Dependent resources successfully reconciled".to_owned()),
        Ending::Incomplete(waiting) if deleting => show(
            ComponentState::Deleting,
            "DeletionProcessing",
            with_objects("Deletion of dependent resources triggered; waiting until dependent resources are deleted", waiting),
        ),
        Ending::Incomplete(waiting) if timed_out => {
            show(ComponentState::Error, "Timeout", with_objects("Reconcilation of dependent resources timed out", waiting))
        }
        Ending::Incomplete(waiting) => show(
            ComponentState::Processing,
            "Processing",
            with_objects(
                "Reconcilation of dependent resources triggered; waiting until all dependent resources are ready",
                waiting,
            ),
        ),
        Ending::Wait { reason, message } => {
            let (state, fallback) = if deleting {
                (ComponentState::DeletionPending, "DeletionRetrying")
            } else {
                (ComponentState::Pending, "Retrying")
            };
            let reason = if timed_out { "Timeout" } else { reason.as_deref().unwrap_or(fallback) };
            show(state, reason, message.clone())
        }
        Ending::Blocked { reason, message } => {
            let blocked = reason == "DeletionBlocked";
            let state = if deleting && blocked { ComponentState::Deleting } else { ComponentState::Error };
            let own = matches!(
                reason.as_str(),
                "InvalidSpec" | "InvalidManifest" | "OwnerConflict" | "RenderFailed" | "TooManyDependents" | "CredentialsRefused"
            );
            let word = if own { "Error" } else { reason.as_str() };
            Shown { stalled: Some(reason.clone()), ..show(state, word, message.clone()) }
        }
        Ending::Failed { reason, message, stalled } => {
            let reason = if timed_out { "Timeout" } else { reason.as_deref().unwrap_or("Error") };
            Shown { stalled: stalled.clone(), ..show(ComponentState::Error, reason, message.clone()) }
        }
    })
}

fn with_objects(text: &str, waiting: &[Waiting]) -> String {
    if waiting.is_empty() {
        return text.to_owned();
    }
    let named: Vec<String> = waiting.iter().take(SHOWN).map(ToString::to_string).collect();
    let more = match waiting.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{text}: {}{more}", named.join("; "))
}
