//! One request, as the journal remembers it.

use std::{fmt, time::Duration};

use jiff::Timestamp;
use serde_json::Value;

use crate::middleware::{Effect, Target};

/// One request and what became of it.
#[derive(Clone, Debug)]
pub struct Record {
    /// Counts requests from 1, in order of arrival.
    pub number: u64,
    /// When the request arrived.
    pub time: Timestamp,
    /// Who made it; unknown in front of a client.
    pub user: Option<String>,
    /// The `User-Agent` header, empty when there is none.
    pub user_agent: String,
    /// What the request was about.
    pub target: Target,
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
    /// The body of the request, when the journal keeps bodies. Values of Secrets are masked.
    pub body: Option<Value>,
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
        }
    }
}

/// Replaces the values of a Secret, so that they never reach a log or a failure message.
pub(super) fn mask(mut body: Value) -> Value {
    let secret = body.get("kind").and_then(Value::as_str) == Some("Secret");
    for field in ["data", "stringData"] {
        if let Some(values) = body.get_mut(field).and_then(Value::as_object_mut).filter(|_| secret) {
            for value in values.values_mut() {
                *value = Value::from("***");
            }
        }
    }
    body
}
