//! The state, and the reason and message of the condition Ready, for each end of a pass.

use super::{ComponentState, RecordedEnd};
use crate::dependents::Waiting;

/// The number of objects that a message names.
const SHOWN: usize = 3;

/// The state and the parts of the conditions that the end of a pass leads to.
pub(super) struct ShownEnd {
    pub(super) state: ComponentState,
    /// The reason of the condition Ready.
    pub(super) reason: String,
    /// The message of the conditions Ready and Stalled.
    pub(super) message: String,
    /// The reason of the condition Stalled, if it is set.
    pub(super) stalled: Option<String>,
}

/// Returns the state, reason and message for the end of a pass; `None` if the state stays.
pub(super) fn shown(end: &RecordedEnd, deleting: bool, timed_out: bool) -> Option<ShownEnd> {
    let show = |state, reason: &str, message: String| ShownEnd { state, reason: reason.to_owned(), message, stalled: None };
    Some(match end {
        RecordedEnd::Kept => return None,
        RecordedEnd::FirstSeen => show(ComponentState::Pending, "FirstSeen", "First seen".to_owned()),
        RecordedEnd::Restarting => {
            show(ComponentState::Processing, "Restarting", "Restarting processing due to component changes".to_owned())
        }
        RecordedEnd::Suspended => show(ComponentState::Pending, "Suspended", "Reconciliation is suspended".to_owned()),
        RecordedEnd::Ready => show(ComponentState::Ready, "Ready", "Dependent resources successfully reconciled".to_owned()),
        RecordedEnd::Incomplete(waiting) if deleting => show(
            ComponentState::Deleting,
            "DeletionProcessing",
            with_objects("Deletion of dependent resources triggered; waiting until dependent resources are deleted", waiting),
        ),
        RecordedEnd::Incomplete(waiting) if timed_out => {
            show(ComponentState::Error, "Timeout", with_objects("Reconcilation of dependent resources timed out", waiting))
        }
        RecordedEnd::Incomplete(waiting) => show(
            ComponentState::Processing,
            "Processing",
            with_objects(
                "Reconcilation of dependent resources triggered; waiting until all dependent resources are ready",
                waiting,
            ),
        ),
        RecordedEnd::Wait { reason, message } => {
            let (state, fallback) = if deleting {
                (ComponentState::DeletionPending, "DeletionRetrying")
            } else {
                (ComponentState::Pending, "Retrying")
            };
            let reason = if timed_out { "Timeout" } else { reason.as_deref().unwrap_or(fallback) };
            show(state, reason, message.clone())
        }
        RecordedEnd::Blocked { reason, message } => {
            let blocked = reason == "DeletionBlocked";
            let state = if deleting && blocked { ComponentState::Deleting } else { ComponentState::Error };
            let own = matches!(
                reason.as_str(),
                "InvalidSpec" | "InvalidManifest" | "OwnerConflict" | "RenderFailed" | "TooManyDependents" | "CredentialsRefused"
            );
            let word = if own { "Error" } else { reason.as_str() };
            ShownEnd { stalled: Some(reason.clone()), ..show(state, word, message.clone()) }
        }
        RecordedEnd::Failed { reason, message, stalled } => {
            let reason = if timed_out { "Timeout" } else { reason.as_deref().unwrap_or("Error") };
            ShownEnd { stalled: stalled.clone(), ..show(ComponentState::Error, reason, message.clone()) }
        }
    })
}

/// Adds the first objects that are not ready to a message, and the number of the others.
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
