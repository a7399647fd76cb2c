//! The conclusion of a finished pass, as data.

use super::{Event, Reason, Schedule};

/// The conditions, event, log line and metric of a finished pass.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PassReport {
    /// The label `result` of the metrics.
    pub outcome: ResultLabel,
    /// The condition `Ready`: its status, and its texts. `None` leaves it unchanged.
    pub ready: Option<(bool, Texts)>,
    /// The change of the condition `Stalled`.
    pub stalled: StalledMark,
    /// The event to record, if any.
    pub event: Option<Event>,
    /// True if the state differs from what was reported before; decides the log level of expected outcomes.
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
    /// The schedule of the next pass of the key.
    pub schedule: Schedule,
    /// The number of consecutive failures with back-off, including this one; 0 after an outcome that forgets them.
    pub failures: u32,
}

/// The label `result` of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ResultLabel {
    /// Success: `Ok` or `Done`.
    Done,
    /// A wait.
    Wait,
    /// A block.
    Blocked,
    /// A failure that is retried.
    Error,
    /// A failure that is not retried.
    Terminal,
    /// One of the first consecutive conflicts: retried, and not reported.
    Conflict,
    /// A pass that was ended by shutdown or by the loss of the lease; it is not recorded.
    Cancelled,
}

/// The reason and message of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texts {
    /// The reason.
    pub reason: Reason,
    /// The message; may be empty.
    pub message: String,
}

/// The change of the condition `Stalled`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StalledMark {
    /// The condition is unchanged.
    Keep,
    /// The condition is removed.
    Remove,
    /// The condition is set to True, with these texts.
    Set(Texts),
}

impl Conclusion {
    /// Returns the conclusion of a pass that was ended by shutdown or by the loss of the lease: it is not recorded, and not retried here.
    pub const fn cancelled() -> Self {
        let report = PassReport {
            outcome: ResultLabel::Cancelled,
            ready: None,
            stalled: StalledMark::Keep,
            event: None,
            transition: false,
            message: String::new(),
        };
        Self { report, schedule: Schedule::OnEvent, failures: 0 }
    }

    /// Returns the event to record. Its note contains the time until the next try (ACT-9).
    pub fn event(&self) -> Option<Event> {
        let event = self.report.event.clone()?;
        match (self.report.outcome, self.schedule) {
            (ResultLabel::Wait | ResultLabel::Error, Schedule::After(delay)) => {
                let note = format!("{}; next try in {}", event.note, delay.rounded());
                Some(Event { note, ..event })
            }
            _ => Some(event),
        }
    }
}

impl ResultLabel {
    /// Returns the value of the label.
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
