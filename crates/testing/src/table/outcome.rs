//! The outcome that a row expects of its pass.

use std::fmt;

use kubewright_core::flow::{Class, Delay, Flow, HaltKind};
use kubewright_runtime::controller::OnePassOutcome;

/// An expected outcome. Parts that are not stated may have any value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedOutcome {
    kind: ExpectedKind,
    reason: Option<String>,
    class: Option<Class>,
    delay: Option<Delay>,
    text: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExpectedKind {
    /// The outcome `Ok` or `Done`.
    Success,
    Halt(HaltKind),
}

impl ExpectedOutcome {
    /// Expects `Ok` or `Done`. This is the default of a row.
    pub const fn success() -> Self {
        Self::of(ExpectedKind::Success)
    }

    /// Expects `Done`, and not `Ok`.
    pub const fn done() -> Self {
        Self::of(ExpectedKind::Halt(HaltKind::Done))
    }

    /// Expects a wait with this reason.
    pub fn wait(reason: &str) -> Self {
        Self::of(ExpectedKind::Halt(HaltKind::Wait)).reason(reason)
    }

    /// Expects a block with this reason.
    pub fn blocked(reason: &str) -> Self {
        Self::of(ExpectedKind::Halt(HaltKind::Blocked)).reason(reason)
    }

    /// Expects a failure.
    pub const fn failed() -> Self {
        Self::of(ExpectedKind::Halt(HaltKind::Failed))
    }

    const fn of(kind: ExpectedKind) -> Self {
        Self { kind, reason: None, class: None, delay: None, text: None }
    }

    /// Expects this reason.
    #[must_use]
    pub fn reason(mut self, reason: &str) -> Self {
        self.reason = Some(reason.to_owned());
        self
    }

    /// Expects this class.
    #[must_use]
    pub fn class(mut self, class: Class) -> Self {
        self.class = Some(class);
        self
    }

    /// Expects this delay: of a timer, a safety net, the bound of a growing wait, or the class `After`.
    #[must_use]
    pub fn delay(mut self, delay: Delay) -> Self {
        self.delay = Some(delay);
        self
    }

    /// Expects exactly this text.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        self.text = Some(text.to_owned());
        self
    }

    /// Asserts that a flow has this outcome, for unit tests of steps. Panics otherwise.
    #[track_caller]
    pub fn assert<T>(&self, flow: &Flow<T>) {
        if let Some(difference) = self.difference(&OnePassOutcome::of(flow)) {
            crate::cluster::fail(&difference);
        }
    }

    /// Returns the difference between an outcome and the expected one, if there is one.
    pub(super) fn difference(&self, found: &OnePassOutcome) -> Option<String> {
        let shown = ShownOutcome(found);
        (!self.matches(found)).then(|| format!("Different outcome: expected {self}, found {shown}"))
    }

    fn matches(&self, found: &OnePassOutcome) -> bool {
        let OnePassOutcome::Halted(summary, text) = found else {
            let is_bare = self.reason.is_none() && self.class.is_none() && self.delay.is_none();
            return self.kind == ExpectedKind::Success && is_bare && self.text.as_deref().is_none_or(str::is_empty);
        };
        let is_kind = match self.kind {
            ExpectedKind::Success => summary.kind == HaltKind::Done,
            ExpectedKind::Halt(kind) => summary.kind == kind,
        };
        let found_reason = summary.reason.as_ref().map(kubewright_core::flow::Reason::as_str);
        is_kind
            && self.reason.as_deref().is_none_or(|reason| found_reason == Some(reason))
            && self.class.is_none_or(|class| summary.class == Some(class))
            && self.delay.is_none_or(|delay| summary.delay == Some(delay))
            && self.text.as_ref().is_none_or(|expected| expected == text)
    }
}

impl fmt::Display for ExpectedOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ExpectedKind::Success => f.write_str("success")?,
            ExpectedKind::Halt(kind) => write!(f, "{kind:?}")?,
        }
        describe(f, self.reason.as_deref(), self.class, self.delay, self.text.as_deref())
    }
}

/// An outcome in the form of reports.
struct ShownOutcome<'a>(&'a OnePassOutcome);

impl fmt::Display for ShownOutcome<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OnePassOutcome::Halted(summary, text) = self.0 else { return f.write_str("success") };
        write!(f, "{:?}", summary.kind)?;
        let text = (!text.is_empty()).then_some(text.as_str());
        describe(f, summary.reason.as_ref().map(kubewright_core::flow::Reason::as_str), summary.class, summary.delay, text)
    }
}

fn describe(
    f: &mut fmt::Formatter<'_>,
    reason: Option<&str>,
    class: Option<Class>,
    delay: Option<Delay>,
    text: Option<&str>,
) -> fmt::Result {
    if let Some(reason) = reason {
        write!(f, ", reason {reason}")?;
    }
    if let Some(class) = class {
        write!(f, ", class {class:?}")?;
    }
    if let Some(delay) = delay {
        write!(f, ", delay {delay}")?;
    }
    if let Some(text) = text {
        write!(f, ", text {text:?}")?;
    }
    Ok(())
}
