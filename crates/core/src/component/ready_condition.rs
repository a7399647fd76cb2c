//! The state, and the reason and message of the condition Ready, for each end of a pass.

use super::{ComponentState, Ending};
use crate::dependents::Waiting;

/// The number of objects that a message names.
const SHOWN: usize = 3;

/// The state and the parts of the conditions that the end of a pass leads to.
pub(super) struct ShownEnding {
    pub(super) state: ComponentState,
    /// The reason of the condition Ready.
    pub(super) reason: String,
    /// The message of the conditions Ready and Stalled.
    pub(super) message: String,
    /// The reason of the condition Stalled, if it is set.
    pub(super) stalled: Option<String>,
}

/// Returns the state, reason and message for the end of a pass; `None` if the state stays.
pub(super) fn shown(ending: &Ending, deleting: bool, timed_out: bool) -> Option<ShownEnding> {
    let show = |state, reason: &str, message: String| ShownEnding { state, reason: reason.to_owned(), message, stalled: None };
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
            ShownEnding { stalled: Some(reason.clone()), ..show(state, word, message.clone()) }
        }
        Ending::Failed { reason, message, stalled } => {
            let reason = if timed_out { "Timeout" } else { reason.as_deref().unwrap_or("Error") };
            ShownEnding { stalled: stalled.clone(), ..show(ComponentState::Error, reason, message.clone()) }
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
