//! One finished pass.

use std::fmt;
use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Causes, PassWrites};
use crate::flow::{Conclusion, Delay, Reason, ResultLabel};
use crate::time::Timestamp;

/// A finished pass: its causes, its writes and its outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PassRecord {
    /// The number of the pass among those of its key, increasing.
    pub number: u64,
    /// The trace id of the pass.
    pub trace: Arc<str>,
    /// The id of the span of the pass in this process, if it has one.
    pub span: Option<NonZero<u64>>,
    /// The time at which the pass started.
    pub started: Timestamp,
    /// The duration of the pass.
    pub took: Duration,
    /// The causes of the pass.
    pub causes: Causes,
    /// The writes of the pass.
    pub writes: PassWrites,
    /// The last step of a pipeline that the pass reached, if it ran one.
    pub step: Option<Arc<str>>,
    /// The outcome of the pass.
    pub outcome: PassOutcome,
    /// The time after which the next pass follows at the latest; none if only an event starts one.
    pub next: Option<Delay>,
    /// The trace ids of earlier passes that caused this one: by their own writes, or by the timers that they set.
    pub links: Vec<Arc<str>>,
}

/// The outcome of a pass, in words that contain no text of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassOutcome {
    word: &'static str,
    reason: Option<Reason>,
}

impl PassOutcome {
    /// Returns the outcome of a conclusion. `is_gone` is true if the pass found that its object is gone.
    fn of(conclusion: &Conclusion, is_gone: bool) -> Self {
        let report = &conclusion.report;
        let reason = || report.ready.as_ref().map(|(_, texts)| texts.reason.clone());
        let (word, reason) = match report.outcome {
            ResultLabel::Done if is_gone => ("gone", None),
            ResultLabel::Done => ("Ready", None),
            ResultLabel::Wait => ("wait", reason()),
            ResultLabel::Blocked => ("blocked", reason()),
            ResultLabel::Error => ("failed", reason()),
            ResultLabel::Terminal => ("failed for good", reason()),
            ResultLabel::Conflict => ("conflict", None),
            ResultLabel::Cancelled => ("cancelled", None),
        };
        Self { word, reason }
    }
}

/// Writes `Ready`, or `wait ServiceUnavailable`.
impl fmt::Display for PassOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word)?;
        self.reason.as_ref().map_or(Ok(()), |reason| write!(f, " {reason}"))
    }
}

impl PassRecord {
    /// Creates the record of a pass with the number 0, which [`History::add`](super::History::add) replaces, and without writes and links.
    pub fn new(
        trace: Arc<str>,
        started: Timestamp,
        took: Duration,
        causes: Causes,
        conclusion: &Conclusion,
        is_gone: bool,
    ) -> Self {
        Self {
            number: 0,
            trace,
            span: None,
            started,
            took,
            causes,
            writes: PassWrites::default(),
            step: None,
            outcome: PassOutcome::of(conclusion, is_gone),
            next: conclusion.schedule.delay(),
            links: Vec::new(),
        }
    }

    /// Converts the pass to JSON.
    pub fn to_json(&self) -> Value {
        let links: Vec<&str> = self.links.iter().map(AsRef::as_ref).collect();
        json!({
            "pass": self.number,
            "trace": &*self.trace,
            "started": self.started.to_string(),
            "tookSeconds": self.took.as_secs_f64(),
            "causes": self.causes.to_json(),
            "moreCauses": self.causes.more(),
            "writes": self.writes.to_json(),
            "moreWrites": self.writes.more(),
            "step": self.step.as_deref(),
            "outcome": self.outcome.to_string(),
            "nextSeconds": self.next.map(|delay| delay.as_duration().as_secs_f64()),
            "links": links,
        })
    }

    /// Returns the approximate memory of the record, in bytes.
    pub(super) fn weight(&self) -> usize {
        let links: usize = self.links.iter().map(|_| size_of::<Arc<str>>()).sum();
        size_of::<Self>()
            + self.trace.len()
            + self.step.as_ref().map_or(0, |step| step.len())
            + self.causes.weight()
            + self.writes.weight()
            + links
    }
}

/// Writes `pass 41: ConfigMap x/y changed data.a (by kubectl) → updated Deployment.apps x/z → Ready`, and the time until the next pass.
impl fmt::Display for PassRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pass {}: {} → ", self.number, self.causes)?;
        if !self.writes.is_empty() {
            write!(f, "{} → ", self.writes)?;
        }
        self.outcome.fmt(f)?;
        self.next.map_or(Ok(()), |delay| write!(f, ", again in {}", delay.rounded()))
    }
}
