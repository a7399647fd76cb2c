//! The join of parallel branches into one outcome.

use std::fmt::Write as _;

use super::classify::{BoxError, Classification, JoinedErrors, joined_class};
use super::{Blocked, Class, Delay, Failure, Flow, Halt, PendingDeadline, Reason, Wait, WaitOn, text};

/// The values of joined branches, in their order; `None` for a branch that ended as `Done`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined<T>(pub Vec<Option<T>>);

/// The timers besides that of the halt itself: of other branches, and upper bounds.
#[derive(Clone, Debug, Default)]
pub(super) struct Extra {
    pub(super) recheck: Option<Delay>,
    /// True if the delay after conflicts bounds the schedule: a branch failed with class `Conflict`, and the joined halt has another class.
    pub(super) conflict: bool,
    pub(super) safety_net: Option<Delay>,
    /// True if a branch waits for an event without a safety net of its own, so that the one of the timing counts.
    pub(super) default_net: bool,
    pub(super) growing: Vec<Growing>,
    /// The wait with a deadline of the first branch that has one.
    pub(super) pending: Option<PendingDeadline>,
}

/// One growing wait of a joined halt.
#[derive(Clone, Debug)]
pub(super) struct Growing {
    pub(super) reason: Reason,
    pub(super) at_most: Option<Delay>,
    pub(super) progressed: bool,
}

/// One branch in the report of a joined halt.
#[derive(Clone, Debug)]
pub(super) struct JoinedBranch {
    pub(super) kind: PartKind,
    label: String,
    message: String,
}

/// The kind of a branch, in the order of the report: conflicts after other failures, blocked branches last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PartKind {
    Failure,
    Conflict,
    Blocked,
}

impl Extra {
    pub(super) fn recheck(&mut self, delay: Delay) {
        self.recheck = smallest(self.recheck, Some(delay));
    }

    fn merge(&mut self, other: Self) {
        self.recheck = smallest(self.recheck, other.recheck);
        self.conflict |= other.conflict;
        self.safety_net = smallest(self.safety_net, other.safety_net);
        self.default_net |= other.default_net;
        self.growing.extend(other.growing);
        self.pending = self.pending.take().or(other.pending);
    }

    pub(super) fn merge_wait(&mut self, wait: Wait) {
        match wait.0.on {
            WaitOn::Timer(delay) => self.recheck(delay),
            WaitOn::Event { safety_net: None } => self.default_net = true,
            WaitOn::Event { safety_net } => self.safety_net = smallest(self.safety_net, safety_net),
            WaitOn::Growing { at_most } => {
                self.growing.push(Growing { reason: wait.0.reason, at_most, progressed: wait.0.progressed });
            }
        }
        self.merge(wait.0.extra);
    }
}

/// Joins labelled branches, in the order given.
///
/// A retried failure outweighs a terminal one, a terminal one outweighs a block, and a block outweighs a wait. No timer is lost: the schedule is the
/// smallest of all branches. The report depends on the order of the branches; the schedule does not.
pub fn join<T>(branches: impl IntoIterator<Item = (impl Into<String>, Flow<T>)>) -> Flow<Joined<T>> {
    let (mut values, mut failures, mut blocked, mut waits) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut pending = None;
    for (label, branch) in branches {
        pending = pending.or_else(|| branch.as_ref().err()?.pending_deadline());
        match branch {
            Ok(value) => values.push(Some(value)),
            Err(Halt::Done) => values.push(None),
            Err(Halt::Failed(failure)) => failures.push((label.into(), failure)),
            Err(Halt::Blocked(block)) => blocked.push((label.into(), block)),
            Err(Halt::Wait(wait)) => waits.push(wait),
        }
    }
    if !failures.is_empty() {
        let mut failure = join_failures(failures, blocked, waits);
        failure.0.extra.pending = pending;
        return Err(Halt::Failed(failure));
    }
    if !blocked.is_empty() {
        let mut blocked = join_blocked(blocked, waits)?;
        blocked.0.extra.pending = pending;
        return Err(Halt::Blocked(blocked));
    }
    match join_waits(waits) {
        Some(mut wait) => {
            wait.0.extra.pending = pending;
            Err(Halt::Wait(wait))
        }
        None => Ok(Joined(values)),
    }
}

fn join_failures(failures: Vec<(String, Failure)>, blocked: Vec<(String, Blocked)>, waits: Vec<Wait>) -> Failure {
    let mut found: Vec<(Classification, String, Failure)> =
        failures.into_iter().map(|(label, failure)| (failure.classification(), label, failure)).collect();
    // Conflicts are listed last, so that the reason is that of a conflict only if there is no other failure.
    found.sort_by_key(|(classification, ..)| classification.is_conflict());
    let recognised = found.iter().any(|(classification, ..)| classification.recognised);
    let (class, slow) = joined_class(found.iter().map(|(classification, ..)| (classification.class, classification.slow)));

    let mut extra = Extra::default();
    let mut parts = Vec::new();
    let mut sources: Vec<Option<BoxError>> = Vec::new();
    let mut event = None;
    let first = found.first().map(|(classification, ..)| (classification.reason.clone(), classification.origin));
    for (classification, label, failure) in found {
        if let Class::After(delay) = classification.class
            && class == Class::Backoff
        {
            extra.recheck(delay);
        }
        extra.conflict |= classification.class == Class::Conflict && class != Class::Conflict;
        let bounds = failure.bounds();
        extra.conflict |= bounds.conflict;
        extra.recheck = smallest(extra.recheck, bounds.after);
        parts.extend(parts_of(&label, &classification, &failure));
        let inner = *failure.0;
        extra.merge(inner.extra);
        event = event.or(inner.event);
        sources.push(Some(inner.source));
    }
    for (label, block) in blocked {
        parts.extend(blocked_parts(&label, &block));
        extra.merge(block.0.extra);
    }
    for wait in waits {
        extra.merge_wait(wait);
    }
    parts.sort_by_key(|part| part.kind);

    let source = JoinedErrors::join(sources).unwrap_or_else(|| "nothing failed".into());
    let mut failure = Failure::unclassified(source);
    let inner = failure.0.as_mut();
    inner.class = recognised.then_some(class);
    inner.slow = Some(slow);
    inner.reason = first.as_ref().map(|(reason, _)| reason.clone());
    inner.origin = first.map(|(_, origin)| origin);
    inner.parts = parts;
    inner.event = event;
    inner.extra = extra;
    failure
}

fn parts_of(label: &str, classification: &Classification, failure: &Failure) -> Vec<JoinedBranch> {
    if failure.0.parts.is_empty() {
        let kind = if classification.is_conflict() { PartKind::Conflict } else { PartKind::Failure };
        return vec![JoinedBranch { kind, label: label.to_owned(), message: failure.text() }];
    }
    let label = match &failure.0.context {
        Some(context) => format!("{label}: {context}"),
        None => label.to_owned(),
    };
    failure.0.parts.iter().map(|part| part.under(&label)).collect()
}

fn join_blocked(blocked: Vec<(String, Blocked)>, waits: Vec<Wait>) -> Result<Blocked, Halt> {
    let mut parts = Vec::new();
    let mut extra = Extra::default();
    let mut first = None;
    for (label, block) in blocked {
        parts.extend(blocked_parts(&label, &block));
        let inner = *block.0;
        extra.merge(inner.extra);
        first = first.or(Some((inner.reason, inner.event)));
    }
    for wait in waits {
        extra.merge_wait(wait);
    }
    let Some((reason, event)) = first else {
        return Err(Halt::Done);
    };
    let mut joined = Blocked::new(reason, render("blocked", parts.iter()));
    joined.0.parts = parts;
    joined.0.event = event;
    joined.0.extra = extra;
    Ok(joined)
}

fn blocked_parts(label: &str, block: &Blocked) -> Vec<JoinedBranch> {
    if block.0.parts.is_empty() {
        return vec![JoinedBranch { kind: PartKind::Blocked, label: label.to_owned(), message: block.text() }];
    }
    block.0.parts.iter().map(|part| part.under(label)).collect()
}

fn join_waits(waits: Vec<Wait>) -> Option<Wait> {
    let mut waits = waits.into_iter();
    let mut first = waits.next()?;
    for wait in waits {
        first.0.more += 1 + wait.0.more;
        first.0.extra.merge_wait(wait);
    }
    Some(first)
}

impl JoinedBranch {
    fn under(&self, label: &str) -> Self {
        Self { kind: self.kind, label: format!("{label}: {}", self.label), message: self.message.clone() }
    }
}

/// Formats one entry as `<label>: <message>`, and several under a heading, one line each.
pub(super) fn render<'a>(noun: &str, parts: impl Iterator<Item = &'a JoinedBranch>) -> String {
    let lines: Vec<String> = parts.map(|part| format!("{}: {}", part.label, part.message)).collect();
    if let [line] = lines.as_slice() {
        return text::cut(line.clone());
    }
    let mut report = format!("{} {noun}:", lines.len());
    for line in &lines {
        let _ = write!(report, "\n{line}");
    }
    text::cut(report)
}

pub(super) fn smallest(one: Option<Delay>, other: Option<Delay>) -> Option<Delay> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
