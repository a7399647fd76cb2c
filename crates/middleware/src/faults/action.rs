//! The actions of fault rules.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::status::Status;

pub(super) type Edit = Arc<dyn Fn(&mut Value) + Send + Sync>;
pub(super) type Predicate = Arc<dyn Fn(&Value) -> bool + Send + Sync>;

/// The action of a rule on a matching request.
#[derive(Clone)]
pub(super) enum FaultAction {
    /// Answers with this failure; the request is never handled.
    Respond(Status),
    /// Lets the request be handled, then answers with this failure instead.
    RespondAfter(Status),
    /// Handles the request later.
    Delay(Duration),
    /// Breaks the connection; the request is never handled.
    DropBefore,
    /// Lets the request be handled, then breaks the connection.
    DropAfter,
    /// Ends a watch after this number of events.
    CutWatch(u64),
    /// Lets a watch fall silent after this number of events, without ending it.
    HangWatch(u64),
    /// Ends a watch after this time.
    CutWatchAfter(Duration),
    /// Answers a watch with the error that its version is too old.
    ExpireWatch,
    /// Changes the body of the request.
    EditRequest(Edit),
    /// Changes the body of the answer.
    EditResponse(Edit),
}

impl fmt::Debug for FaultAction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Respond(status) => formatter.debug_tuple("Respond").field(status).finish(),
            Self::RespondAfter(status) => formatter.debug_tuple("RespondAfter").field(status).finish(),
            Self::Delay(delay) => formatter.debug_tuple("Delay").field(delay).finish(),
            Self::DropBefore => formatter.write_str("DropBefore"),
            Self::DropAfter => formatter.write_str("DropAfter"),
            Self::CutWatch(events) => formatter.debug_tuple("CutWatch").field(events).finish(),
            Self::HangWatch(events) => formatter.debug_tuple("HangWatch").field(events).finish(),
            Self::CutWatchAfter(time) => formatter.debug_tuple("CutWatchAfter").field(time).finish(),
            Self::ExpireWatch => formatter.write_str("ExpireWatch"),
            Self::EditRequest(_) => formatter.write_str("EditRequest"),
            Self::EditResponse(_) => formatter.write_str("EditResponse"),
        }
    }
}
