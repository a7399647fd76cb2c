//! Outcomes of passes, and their consequences.
//!
//! Every step of a reconciler returns [`Flow`], which is `Result<T, Halt>`: `Ok` continues with the next step, a [`Halt`] ends the pass. A halt is
//! exactly one of these four:
//!
//! | Halt | Meaning | Next pass |
//! |---|---|---|
//! | [`Halt::Done`] | this pass succeeded, the remaining steps are skipped | on the next event |
//! | [`Halt::Wait`] | expected, not a failure | on a timer, or on an event with a safety net |
//! | [`Halt::Blocked`] | a user must change something | on the next event |
//! | [`Halt::Failed`] | unexpected | after a back-off, after a delay, or on the next event |
//!
//! Any error becomes a `Halt` with `?`; [`FlowExt`] classifies it on the way. Parallel branches are combined by [`join`].
//! [`report`] returns the conditions and the event of an outcome, [`conclude`] counts the outcome and schedules the key. Only the runner acts on
//! the results.

mod api;
mod api_error;
mod blocked;
mod classify;
mod conclude;
mod conclusion;
mod confidential;
mod deadline;
mod denial;
mod event;
mod ext;
mod failure;
mod fault;
mod halt;
mod join;
#[cfg(feature = "kube")]
mod kube_error;
mod matchers;
mod memory;
mod reason;
mod redact;
mod schedule;
mod text;
mod timer;
mod wait;

#[cfg(test)]
mod tests;

pub use api::{ApiStatus, StatusCause};
pub use api_error::{ApiError, LeadershipLost};
pub use blocked::Blocked;
pub use classify::{BoxError, Classification, Classified, JoinedErrors, Origin, status_in};
pub use conclude::{Limits, PassTimes, Persist, Prior, PriorCondition, conclude, persist, report};
pub use conclusion::{Conclusion, PassReport, ResultLabel, StalledMark, Texts};
pub use confidential::Confidential;
pub use deadline::{PendingDeadline, PriorWait, WaitingMark, WaitingSince, apply_deadline};
pub use denial::{Denial, MissingRule, explained};
pub use event::{Event, EventType};
pub use ext::{FlowExt, FlowState};
pub use failure::Failure;
pub use halt::{Flow, Halt, HaltKind, HaltSummary};
pub use join::{Joined, join};
pub use memory::KeyMemory;
pub use reason::Reason;
pub use redact::{Redactor, redact};
pub use schedule::Schedule;
pub(crate) use text::cut;
pub use text::full_text;
pub use timer::Timer;
pub use wait::{Wait, WaitOn};

pub use crate::backoff::{Class, Delay, ZeroDelay};
