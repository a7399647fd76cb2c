//! One record of the journal.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use kubewright_machinery::patch::diff;
use serde_json::Value;

use super::mask::mask;
use super::{CommittedChange, Effect};
use crate::target::RequestTarget;

/// One request and its outcome.
#[derive(Clone, Debug)]
pub struct Record {
    /// The number of the request in order of arrival, from 1.
    pub number: u64,
    /// The time of the request's arrival.
    pub time: Timestamp,
    /// The `Audit-Id` of the answer.
    pub audit_id: Option<String>,
    /// The user who made the request; unknown in front of a client.
    pub user: Option<String>,
    /// The `User-Agent` header, empty if there is none.
    pub user_agent: String,
    /// The target of the request.
    pub target: Arc<RequestTarget>,
    /// The query of the URL, empty if there is none.
    pub query: String,
    /// The outcome of the request.
    pub outcome: Outcome,
    /// The reason in the Status of the answer, set once the client has read it.
    pub reason: Option<String>,
    /// Time between arrival and the head of the answer.
    pub latency: Option<Duration>,
    /// The effect of the request on the store, if the server reports it.
    pub effect: Option<Effect>,
    /// The body of a request in JSON, or in a form that the journal's decoder reads, if the journal keeps bodies. Values of Secrets are masked.
    pub body: Option<Value>,
    /// The changes that were committed while the request was handled, if the journal keeps bodies and the server reports them.
    pub changes: Vec<ChangedObject>,
    /// A further note: the message of a panic, or the reason for which a watch was ended.
    pub note: Option<String>,
}

/// An object that was changed.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangedObject {
    /// API group of the object; empty for the core group.
    pub group: String,
    /// Plural name of its resource.
    pub resource: String,
    /// Its namespace; empty for a cluster-scoped object.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The kind of change.
    pub kind: ChangeKind,
    /// The merge patch from the previous to the new content; the whole content of a new object, null for a deleted one. Values of Secrets are masked.
    pub difference: Value,
}

/// The kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// The object is new.
    Added,
    /// The object changed.
    Modified,
    /// The object is gone.
    Deleted,
}

impl ChangedObject {
    pub(super) fn of(change: &CommittedChange<'_>) -> Self {
        let CommittedChange { group, resource, namespace, name, before, after } = *change;
        let (kind, mut difference) = match (before, after) {
            // The difference is computed before it is masked, so that changed secrets are seen.
            (Some(before), Some(after)) => (ChangeKind::Modified, diff(before, after).unwrap_or_default()),
            (None, Some(after)) => (ChangeKind::Added, after.clone()),
            (_, None) => (ChangeKind::Deleted, Value::Null),
        };
        mask(group, resource, &mut difference);
        let [group, resource, namespace, name] = [group, resource, namespace, name].map(str::to_owned);
        Self { group, resource, namespace, name, kind, difference }
    }
}

impl fmt::Display for ChangedObject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { group, resource, namespace, name, .. } = self;
        formatter.write_str(resource)?;
        if !group.is_empty() {
            write!(formatter, ".{group}")?;
        }
        if namespace.is_empty() { write!(formatter, " {name}") } else { write!(formatter, " {namespace}/{name}") }
    }
}

/// The outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The request is still being handled.
    Running,
    /// The request was answered with this HTTP status code.
    Answered(u16),
    /// The client gave up before the answer.
    Cancelled,
    /// The connection broke before the answer.
    Broken,
}

impl Record {
    /// Returns true if the request was meant to change something. A dry run is not.
    pub fn is_write(&self) -> bool {
        self.target.is_write() && self.query_value("dryRun").is_none()
    }

    /// Returns the HTTP status code of the answer.
    pub fn status(&self) -> Option<u16> {
        match self.outcome {
            Outcome::Answered(code) => Some(code),
            _ => None,
        }
    }

    /// Returns the first value of a query parameter, without decoding it.
    pub fn query_value(&self, name: &str) -> Option<&str> {
        self.query.split('&').find_map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (key == name).then_some(value)
        })
    }
}

impl fmt::Display for Record {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "#{} {:.3} {}", self.number, self.time, self.target)?;
        if !self.query.is_empty() {
            write!(formatter, "?{}", self.query)?;
        }
        match (self.user_agent.as_str(), &self.user) {
            ("", None) => {}
            ("", Some(user)) => write!(formatter, " by {user}")?,
            (agent, _) => write!(formatter, " by {agent}")?,
        }
        match self.outcome {
            Outcome::Running => write!(formatter, ": not answered yet"),
            Outcome::Answered(code) => match &self.reason {
                Some(reason) => write!(formatter, ": {code} {reason}"),
                None => write!(formatter, ": {code}"),
            },
            Outcome::Cancelled => write!(formatter, ": given up by the client"),
            Outcome::Broken => write!(formatter, ": connection broken"),
        }?;
        match &self.note {
            Some(note) => write!(formatter, " ({note})"),
            None => Ok(()),
        }
    }
}
