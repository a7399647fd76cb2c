//! Failures: unexpected ends of a pass, each with the error that caused it.

use std::error::Error;

use super::classify::{self, BoxError, Classification, Origin, ScheduleBounds};
use super::join::{Extra, JoinedBranch, PartKind, render};
use super::{Class, Delay, Event, Flow, Halt, Reason, text};

/// An unexpected end of a pass. It owns the error that caused it.
///
/// A failure cannot be created without an error:
///
/// ```compile_fail
/// kubewright_core::flow::Failure::backoff();
/// ```
#[derive(Debug)]
#[must_use]
pub struct Failure(pub(super) Box<FailureDetails>);

#[derive(Debug)]
pub(super) struct FailureDetails {
    pub(super) source: BoxError,
    pub(super) class: Option<Class>,
    pub(super) reason: Option<Reason>,
    pub(super) origin: Option<Origin>,
    pub(super) slow: Option<bool>,
    pub(super) context: Option<String>,
    pub(super) parts: Vec<JoinedBranch>,
    pub(super) event: Option<Event>,
    pub(super) extra: Extra,
}

impl Failure {
    /// Creates a failure that is retried with back-off.
    pub fn backoff(source: impl Into<BoxError>) -> Self {
        Self::new(source.into(), Some(Class::Backoff))
    }

    /// Creates a failure that is retried after exactly this delay.
    pub fn after(delay: Delay, source: impl Into<BoxError>) -> Self {
        Self::new(source.into(), Some(Class::After(delay)))
    }

    /// Creates a failure that is not retried until something changes.
    pub fn terminal(reason: impl Into<Reason>, source: impl Into<BoxError>) -> Self {
        Self::new(source.into(), Some(Class::Terminal)).reason(reason)
    }

    /// Creates a failure with the text as its error; its class is found as for any other error.
    pub fn msg(text: impl Into<String>) -> Self {
        Self::new(text.into().into(), None)
    }

    /// Creates a failure from an error, whose class is found along the chain of its sources.
    pub fn unclassified(source: impl Into<BoxError>) -> Self {
        Self::new(source.into(), None)
    }

    /// Sets the reason.
    pub fn reason(mut self, reason: impl Into<Reason>) -> Self {
        self.0.reason = Some(reason.into());
        self
    }

    /// Sets the origin.
    pub fn origin(mut self, origin: Origin) -> Self {
        self.0.origin = Some(origin);
        self
    }

    /// Selects the slower back-off of refused requests.
    pub fn slow(mut self) -> Self {
        self.0.slow = Some(true);
        self
    }

    /// Adds the current activity: the text is put before the message.
    pub fn context(mut self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.0.extra.context(&text);
        self.0.context = Some(match self.0.context.take() {
            Some(inner) => format!("{text}: {inner}"),
            None => text,
        });
        self
    }

    /// Sets the longest time until the pass is repeated.
    pub fn recheck(mut self, delay: Delay) -> Self {
        self.0.extra.recheck(delay);
        self
    }

    /// Replaces the runner's own event for this failure.
    pub fn with_event(mut self, event: Event) -> Self {
        self.0.event = Some(event);
        self
    }

    /// Returns the error that caused the failure.
    pub fn source(&self) -> &(dyn Error + Send + Sync + 'static) {
        self.0.source.as_ref()
    }

    /// Returns the retry behaviour of the failure.
    pub fn class(&self) -> Class {
        self.classification().class
    }

    /// Returns the classification: values set on the failure, otherwise those of its error.
    pub fn classification(&self) -> Classification {
        let found = classify::classify(self.source());
        Classification {
            class: self.0.class.unwrap_or(found.class),
            origin: self.0.origin.unwrap_or(found.origin),
            reason: self.0.reason.clone().unwrap_or(found.reason),
            slow: self.0.slow.unwrap_or(found.slow),
            status: found.status,
            recognised: found.recognised || self.0.class.is_some(),
        }
    }

    /// Returns the message: context, then the texts of the error and its sources.
    pub fn text(&self) -> String {
        let message = self.bare_text();
        text::cut(match &self.0.context {
            Some(context) => format!("{context}: {message}"),
            None => message,
        })
    }

    /// Returns the bounds that joined errors set for a back-off; branches that were joined as outcomes carry theirs as timers.
    pub(super) fn bounds(&self) -> ScheduleBounds {
        let own = self.0.class.is_none() && self.0.parts.is_empty();
        if own { classify::bounds(self.source()) } else { ScheduleBounds::default() }
    }

    pub(super) fn set_class(mut self, class: Class) -> Self {
        self.0.class = Some(class);
        self
    }

    fn bare_text(&self) -> String {
        if self.0.parts.is_empty() {
            return classify::message(self.source());
        }
        // Blocked branches are listed only beside terminal failures: the text of a failure that is retried lists only what is retried.
        let terminal = self.class() == Class::Terminal;
        render("failures", self.0.parts.iter().filter(|part| terminal || part.kind != PartKind::Blocked))
    }

    fn new(source: BoxError, class: Option<Class>) -> Self {
        Self(Box::new(FailureDetails {
            source,
            class,
            reason: None,
            origin: None,
            slow: None,
            context: None,
            parts: Vec::new(),
            event: None,
            extra: Extra::default(),
        }))
    }
}

impl<T> From<Failure> for Flow<T> {
    fn from(failure: Failure) -> Self {
        Err(Halt::Failed(failure))
    }
}
