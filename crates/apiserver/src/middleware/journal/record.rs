//! One request, as the journal remembers it.

use std::{fmt, sync::Arc, time::Duration};

use jiff::Timestamp;
use kubewright_machinery::patch::diff;
use serde_json::Value;

use super::mask::mask;
use crate::{
    middleware::{Effect, Target},
    store::{Event, EventKind, ObjectRef},
};

/// One request and what became of it.
#[derive(Clone, Debug)]
pub struct Record {
    /// Counts requests from 1, in order of arrival.
    pub number: u64,
    /// When the request arrived.
    pub time: Timestamp,
    /// The `Audit-Id` of its answer.
    pub audit_id: Option<String>,
    /// Who made it; unknown in front of a client.
    pub user: Option<String>,
    /// The `User-Agent` header, empty when there is none.
    pub user_agent: String,
    /// What the request was about.
    pub target: Arc<Target>,
    /// The query of the URL, empty when there is none.
    pub query: String,
    /// Whether and how it was answered.
    pub outcome: Outcome,
    /// The reason of the Status that it was answered with, once the client has read it.
    pub reason: Option<String>,
    /// Time between arrival and the head of the answer.
    pub latency: Option<Duration>,
    /// What it did to the store, when the server says so.
    pub effect: Option<Effect>,
    /// The body of the request, sent as JSON or as protobuf, when the journal keeps bodies. Values of Secrets are masked.
    pub body: Option<Value>,
    /// What was committed while the request was handled, when the journal keeps bodies and the server says so.
    pub changes: Vec<ChangedObject>,
    /// What else is to be said: the message of a panic, or why a watch was ended.
    pub note: Option<String>,
}

/// An object that was changed.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangedObject {
    /// Resource, namespace and name.
    pub object: ObjectRef,
    /// Whether it came, changed or went.
    pub kind: EventKind,
    /// The merge patch from what it was to what it became; all of a new object, null for one that is gone. Values of Secrets are masked.
    pub difference: Value,
}

impl ChangedObject {
    pub(crate) fn of(event: &Event) -> Self {
        let resource = &event.object.resource;
        let mut difference = match (&event.previous, &event.current) {
            // What differs is found out before it is masked.
            (Some(previous), Some(current)) => diff(previous.value(), current.value()).unwrap_or_default(),
            (None, current) => current.as_ref().map(|stored| stored.value().clone()).unwrap_or_default(),
            (Some(_), None) => Value::Null,
        };
        mask(&resource.group, &resource.plural, &mut difference);
        Self { object: event.object.clone(), kind: event.kind(), difference }
    }
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It is still being handled.
    Running,
    /// It was answered with this HTTP status code.
    Answered(u16),
    /// The client gave up before the answer.
    Cancelled,
    /// The connection broke before the answer.
    Broken,
}

impl Record {
    /// Whether the request was meant to change something. A dry run is not.
    pub fn is_write(&self) -> bool {
        self.target.is_write() && self.query_value("dryRun").is_none()
    }

    /// The HTTP status code of the answer.
    pub fn status(&self) -> Option<u16> {
        match self.outcome {
            Outcome::Answered(code) => Some(code),
            _ => None,
        }
    }

    /// The first value of a query parameter, as it stands in the URL.
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
