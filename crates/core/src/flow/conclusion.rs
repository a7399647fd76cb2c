//! What a finished pass means, as data.

use super::{Event, Reason, Schedule};

/// The conditions, event, log line and metric of a finished pass.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PassReport {
    /// The label `result` of the metrics.
    pub outcome: Outcome,
    /// Condition `Ready`: whether, and why. `None` leaves it as it is.
    pub ready: Option<(bool, Texts)>,
    /// Condition `Stalled`.
    pub stalled: StalledMark,
    /// The event to record, if any.
    pub event: Option<Event>,
    /// Whether something is now different from what was reported before: decides the log level of expected outcomes.
    pub transition: bool,
    /// The text of the halt, without credentials; empty for success.
    pub message: String,
}

/// The report of a finished pass with the schedule of its key. The runner executes both.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Conclusion {
    /// The conditions, event, log line and metric.
    pub report: PassReport,
    /// When the key runs again.
    pub schedule: Schedule,
    /// Failures with back-off in a row, this one included; 0 after an outcome that forgets them.
    pub failures: u32,
}

/// The label `result` of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// `Ok` or `Done`.
    Done,
    /// A wait.
    Wait,
    /// A block.
    Blocked,
    /// A failure that is retried.
    Error,
    /// A failure that is not retried.
    Terminal,
    /// One of the first conflicts in a row: retried, and nothing is reported.
    Conflict,
    /// Ended by shutdown or loss of the lease; nothing is recorded.
    Cancelled,
}

/// Reason and message of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texts {
    /// The reason.
    pub reason: Reason,
    /// The message; may be empty.
    pub message: String,
}

/// What becomes of the condition `Stalled`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StalledMark {
    /// It stays as it is.
    Keep,
    /// It is removed.
    Remove,
    /// It is set to True.
    Set(Texts),
}

impl Conclusion {
    /// A pass that shutdown or the loss of the lease ended: nothing is recorded, and it is not retried here.
    pub const fn cancelled() -> Self {
        let report = PassReport {
            outcome: Outcome::Cancelled,
            ready: None,
            stalled: StalledMark::Keep,
            event: None,
            transition: false,
            message: String::new(),
        };
        Self { report, schedule: Schedule::OnEvent, failures: 0 }
    }

    /// The event to record: its note says when the next try is (ACT-9).
    pub fn event(&self) -> Option<Event> {
        let event = self.report.event.clone()?;
        match (self.report.outcome, self.schedule) {
            (Outcome::Wait | Outcome::Error, Schedule::After(delay)) => {
                let note = format!("{}; next try in {}", event.note, delay.rounded());
                Some(Event { note, ..event })
            }
            _ => Some(event),
        }
    }
}

impl Outcome {
    /// The value of the label.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Wait => "wait",
            Self::Blocked => "blocked",
            Self::Error => "error",
            Self::Terminal => "terminal",
            Self::Conflict => "conflict",
            Self::Cancelled => "cancelled",
        }
    }
}
