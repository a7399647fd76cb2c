//! One finished pass.

use std::fmt;
use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Causes, Writes};
use crate::flow::{Conclusion, Delay, Outcome, Reason};
use crate::time::Timestamp;

/// A finished pass: why it ran, what it wrote, how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PassRecord {
    /// The number of the pass among those of its key, counting up.
    pub number: u64,
    /// The trace id of the pass.
    pub trace: Arc<str>,
    /// The number by which the process knows the span of the pass, if it has one.
    pub span: Option<NonZero<u64>>,
    /// When it started.
    pub started: Timestamp,
    /// How long it took.
    pub took: Duration,
    /// What queued it.
    pub causes: Causes,
    /// What it wrote.
    pub writes: Writes,
    /// The step of a pipeline that it came to last, if it ran one.
    pub step: Option<Arc<str>>,
    /// How it ended.
    pub outcome: PassOutcome,
    /// After what time the next pass follows at the latest; none if only an event starts one.
    pub next: Option<Delay>,
    /// The trace ids of earlier passes that caused it: by their own writes, or by the timers that they set.
    pub links: Vec<Arc<str>>,
}

/// How a pass ended, in words without any text of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassOutcome {
    word: &'static str,
    reason: Option<Reason>,
}

impl PassOutcome {
    /// Of a conclusion. `is_gone`: the pass found that its object is gone.
    fn of(conclusion: &Conclusion, is_gone: bool) -> Self {
        let report = &conclusion.report;
        let reason = || report.ready.as_ref().map(|(_, texts)| texts.reason.clone());
        let (word, reason) = match report.outcome {
            Outcome::Done if is_gone => ("gone", None),
            Outcome::Done => ("Ready", None),
            Outcome::Wait => ("wait", reason()),
            Outcome::Blocked => ("blocked", reason()),
            Outcome::Error => ("failed", reason()),
            Outcome::Terminal => ("failed for good", reason()),
            Outcome::Conflict => ("conflict", None),
            Outcome::Cancelled => ("cancelled", None),
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
    /// A pass that ended like this, with the number 0: [`History::add`](super::History::add) gives the number. It wrote nothing and has no links.
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
            writes: Writes::default(),
            step: None,
            outcome: PassOutcome::of(conclusion, is_gone),
            next: conclusion.schedule.delay(),
            links: Vec::new(),
        }
    }

    /// The pass as JSON.
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

    /// About what the record takes in memory, in bytes.
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

/// Writes `pass 41: ConfigMap x/y changed data.a (by kubectl) → updated Deployment.apps x/z → Ready`, and when the next pass follows.
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
