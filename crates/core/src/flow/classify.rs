//! The classification of errors, found along the chain of their sources.

use std::error::Error;
use std::{fmt, iter};

use super::api::ApiStatus;
use super::fault::{ApiFault, fault_of};
use super::join::smallest;
use super::{Class, Delay, Reason, reason};

/// Any error that may cross threads.
pub type BoxError = Box<dyn Error + Send + Sync + 'static>;

/// The party that must act so that a failure is resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Origin {
    /// The author of the object: the input is wrong.
    Input,
    /// The cluster's administrator: a permission, quota or webhook refuses.
    Refused,
    /// No party: the failure is temporary.
    Transient,
    /// The author of the operator.
    Bug,
    /// Unknown.
    Unknown,
}

/// The classification of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Classification {
    /// The retry behaviour.
    pub class: Class,
    /// The party that must act.
    pub origin: Origin,
    /// The reason for conditions and events.
    pub reason: Reason,
    /// True if the back-off follows the slower policy of refused requests.
    pub slow: bool,
    /// The status code of the API server's answer, if one is in the chain.
    pub status: Option<u16>,
    /// True if an error of the chain was recognised; otherwise class, origin and reason are defaults.
    pub recognised: bool,
}

impl Classification {
    pub(super) const fn api(class: Class, origin: Origin, reason: Reason) -> Self {
        Self { class, origin, reason, slow: false, status: None, recognised: true }
    }

    pub(super) const fn status(mut self, code: u16) -> Self {
        self.status = Some(code);
        self
    }

    const fn unknown() -> Self {
        let reason = reason::constant("InternalError");
        Self { class: Class::Backoff, origin: Origin::Unknown, reason, slow: false, status: None, recognised: false }
    }

    /// Returns true if this is a write that collided with another one, which is normal and retried without a report.
    pub(super) fn is_conflict(&self) -> bool {
        self.class != Class::Terminal && matches!(self.reason.as_str(), "Conflict" | "AlreadyExists")
    }
}

/// An error with an explicit class, to be nested in other errors; the outermost one in a chain decides. It displays as its source.
#[derive(Debug)]
pub struct Classified {
    source: BoxError,
    class: Class,
    reason: Option<Reason>,
    origin: Option<Origin>,
    slow: bool,
}

impl Classified {
    /// Creates an error that is retried with back-off.
    pub fn backoff(source: impl Into<BoxError>) -> Self {
        Self::new(Class::Backoff, source.into())
    }

    /// Creates an error that is retried after exactly this delay.
    pub fn after(delay: Delay, source: impl Into<BoxError>) -> Self {
        Self::new(Class::After(delay), source.into())
    }

    /// Creates a conflict with a faster writer: retried after the delay of conflicts, and not reported at first (ACT-10).
    pub fn conflict(source: impl Into<BoxError>) -> Self {
        Self::new(Class::Conflict, source.into()).reason(reason::constant("Conflict")).origin(Origin::Transient)
    }

    /// Creates an error that is not retried until something changes.
    pub fn terminal(reason: impl Into<Reason>, source: impl Into<BoxError>) -> Self {
        Self::new(Class::Terminal, source.into()).reason(reason)
    }

    /// Sets the reason.
    #[must_use]
    pub fn reason(mut self, reason: impl Into<Reason>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// Sets the origin.
    #[must_use]
    pub fn origin(mut self, origin: Origin) -> Self {
        self.origin = Some(origin);
        self
    }

    /// Selects the slower back-off of refused requests.
    #[must_use]
    pub fn slow(mut self) -> Self {
        self.slow = true;
        self
    }

    fn new(class: Class, source: BoxError) -> Self {
        Self { source, class, reason: None, origin: None, slow: false }
    }

    fn classification(&self) -> Classification {
        let inner = classify(self.source.as_ref());
        Classification {
            class: self.class,
            origin: self.origin.unwrap_or(inner.origin),
            reason: self.reason.clone().unwrap_or(inner.reason),
            slow: self.slow || inner.slow,
            status: inner.status,
            recognised: true,
        }
    }
}

impl fmt::Display for Classified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.source.fmt(f)
    }
}

impl Error for Classified {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.source()
    }
}

/// Several errors as one. It is retried if one of its members is.
#[derive(Debug)]
pub struct JoinedErrors(Vec<BoxError>);

impl JoinedErrors {
    /// Joins errors: returns none for no error, the error itself for one, and all of them together for more. Absent members are ignored.
    pub fn join(errors: impl IntoIterator<Item = Option<BoxError>>) -> Option<BoxError> {
        let mut errors: Vec<BoxError> = errors.into_iter().flatten().collect();
        if errors.len() > 1 { Some(Box::new(Self(errors))) } else { errors.pop() }
    }

    /// Returns the members, in order.
    pub fn errors(&self) -> impl Iterator<Item = &(dyn Error + Send + Sync + 'static)> {
        self.0.iter().map(AsRef::as_ref)
    }

    fn classification(&self) -> Classification {
        let members: Vec<Classification> = self.0.iter().map(|error| classify(error.as_ref())).collect();
        let (class, slow) = joined_class(members.iter().map(|member| (member.class, member.slow)));
        let first = members
            .into_iter()
            .reduce(|first, member| Classification { recognised: first.recognised || member.recognised, ..first });
        let first = first.unwrap_or_else(Classification::unknown);
        Classification { class, slow, status: None, ..first }
    }
}

impl fmt::Display for JoinedErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} failures:", self.0.len())?;
        self.0.iter().try_for_each(|error| write!(f, "\n{}", message(error.as_ref())))
    }
}

impl Error for JoinedErrors {}

/// Returns the class of several joined failures, and whether its back-off is the slow one: back-off if one backs off, otherwise the smallest delay,
/// otherwise that of conflicts, otherwise terminal.
pub(super) fn joined_class(members: impl Iterator<Item = (Class, bool)> + Clone) -> (Class, bool) {
    let backoff = members.clone().any(|(class, _)| class == Class::Backoff);
    if backoff {
        return (Class::Backoff, members.filter(|(class, _)| *class == Class::Backoff).all(|(_, slow)| slow));
    }
    let conflict = members.clone().any(|(class, _)| class == Class::Conflict);
    let after = members.filter_map(|(class, _)| if let Class::After(delay) = class { Some(delay) } else { None }).min();
    (after.map_or(if conflict { Class::Conflict } else { Class::Terminal }, Class::After), false)
}

/// Returns the delays of the members of joined errors, at any position in the chain of an error.
pub(super) fn bounds(error: &(dyn Error + 'static)) -> ScheduleBounds {
    let mut found = ScheduleBounds::default();
    let joined = chain(error).find_map(|error| error.downcast_ref::<JoinedErrors>());
    for member in joined.into_iter().flat_map(JoinedErrors::errors) {
        let class = classify(member).class;
        let own = if let Class::After(delay) = class { Some(delay) } else { None };
        let inner = bounds(member);
        found.after = smallest(found.after, smallest(own, inner.after));
        found.conflict |= class == Class::Conflict || inner.conflict;
    }
    found
}

/// The bounds that joined errors set for the schedule of a failure.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ScheduleBounds {
    /// The smallest delay of class `After`.
    pub(super) after: Option<Delay>,
    /// True if one of the joined errors is of class `Conflict`.
    pub(super) conflict: bool,
}

/// Classifies an error: by the outermost explicit classification of its chain, or else by the first answer of an API server in it.
pub(super) fn classify(error: &(dyn Error + 'static)) -> Classification {
    let explicit = chain(error).find_map(|error| {
        let classified = error.downcast_ref::<Classified>().map(Classified::classification);
        classified.or_else(|| error.downcast_ref::<JoinedErrors>().map(JoinedErrors::classification))
    });
    explicit
        .or_else(|| chain(error).find_map(fault_of).map(|fault| fault.classification()))
        .unwrap_or_else(Classification::unknown)
}

/// Returns the server's answer, if the first error of a request in the chain of an error has one.
pub fn status_in(error: &(dyn Error + 'static)) -> Option<ApiStatus> {
    chain(error).find_map(fault_of).and_then(ApiFault::into_status)
}

/// Returns the text of an error with its sources, joined by `: `; a text that the preceding one contains is left out. An API server's answer is
/// represented by its message alone.
pub(super) fn message(error: &(dyn Error + 'static)) -> String {
    let mut texts: Vec<String> = Vec::new();
    for error in chain(error) {
        if error.is::<Classified>() {
            continue;
        }
        let status = fault_of(error).and_then(ApiFault::into_status);
        let last = status.is_some();
        let text = status.map_or_else(|| error.to_string(), |status| status.to_string());
        if !texts.last().is_some_and(|before| before.contains(&text)) {
            texts.push(text);
        }
        if last {
            break;
        }
    }
    texts.join(": ")
}

/// Iterates over the error and its sources; the source of a `Classified` takes its place in the chain.
fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    iter::successors(Some(error), |error: &&'a (dyn Error + 'static)| {
        let error: &'a (dyn Error + 'static) = *error;
        match error.downcast_ref::<Classified>() {
            Some(classified) => Some(classified.source.as_ref()),
            None => error.source(),
        }
    })
}
