//! The `Status` object that carries a failure.

use std::borrow::Cow;

use http::StatusCode;
use serde_json::{Map, Value, json};

use super::FieldError;

/// A failed request: code, reason, text and details, as clients see them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Status {
    /// The HTTP code.
    pub code: u16,
    /// What programs switch on; empty for the failures that the real server leaves without a reason.
    pub reason: Cow<'static, str>,
    /// What people read.
    pub message: String,
    /// Which object, and what is wrong with it.
    pub details: Option<Box<Details>>,
    /// With which an expired list can go on.
    pub continue_token: Option<String>,
}

/// Which object a failure is about, and what is wrong with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// The object's name.
    pub name: String,
    /// Its group.
    pub group: String,
    /// Its plural or its kind, depending on the reason.
    pub kind: String,
    /// Its uid.
    pub uid: String,
    /// The single errors.
    pub causes: Vec<Cause>,
    /// How long to wait before the next attempt; 0 when unset.
    pub retry_after_seconds: u32,
}

/// One error among several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// What programs switch on.
    pub reason: Cow<'static, str>,
    /// The text.
    pub message: String,
    /// The field, or empty.
    pub field: String,
}

impl Status {
    /// A failure with a code, a reason and a text.
    pub fn new(code: u16, reason: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self { code, reason: reason.into(), message: message.into(), details: None, continue_token: None }
    }

    /// Adds details.
    pub fn with_details(mut self, details: Details) -> Self {
        self.details = Some(Box::new(details));
        self
    }

    /// Says how long the client should wait.
    pub fn with_retry_after(mut self, seconds: u32) -> Self {
        self.details.get_or_insert_default().retry_after_seconds = seconds;
        self
    }

    /// Adds a cause.
    pub fn with_cause(mut self, cause: Cause) -> Self {
        self.details.get_or_insert_default().causes.push(cause);
        self
    }

    /// Whether the reason is the given one.
    pub fn is(&self, reason: &str) -> bool {
        self.reason == reason
    }

    /// The HTTP code; 500 if the number is none.
    pub fn status_code(&self) -> StatusCode {
        StatusCode::from_u16(self.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// The object that is sent.
    pub fn to_value(&self) -> Value {
        let mut object = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": self.code});
        if let Value::Object(members) = &mut object {
            insert_text(members, "message", &self.message);
            insert_text(members, "reason", &self.reason);
            if let Some(token) = &self.continue_token {
                members.insert("metadata".into(), json!({"continue": token}));
            }
            if let Some(details) = &self.details {
                members.insert("details".into(), details.to_value());
            }
        }
        object
    }
}

impl Details {
    fn to_value(&self) -> Value {
        let mut members = Map::new();
        insert_text(&mut members, "name", &self.name);
        insert_text(&mut members, "group", &self.group);
        insert_text(&mut members, "kind", &self.kind);
        insert_text(&mut members, "uid", &self.uid);
        if !self.causes.is_empty() {
            members.insert("causes".into(), self.causes.iter().map(Cause::to_value).collect());
        }
        if self.retry_after_seconds > 0 {
            members.insert("retryAfterSeconds".into(), self.retry_after_seconds.into());
        }
        Value::Object(members)
    }
}

impl Cause {
    /// A cause.
    pub fn new(reason: impl Into<Cow<'static, str>>, message: impl Into<String>, field: impl Into<String>) -> Self {
        Self { reason: reason.into(), message: message.into(), field: field.into() }
    }

    fn to_value(&self) -> Value {
        let mut members = Map::new();
        insert_text(&mut members, "reason", &self.reason);
        insert_text(&mut members, "message", &self.message);
        insert_text(&mut members, "field", &self.field);
        Value::Object(members)
    }
}

impl From<&FieldError> for Cause {
    fn from(error: &FieldError) -> Self {
        Self::new(error.reason.as_str(), error.message.clone(), error.field.clone())
    }
}

fn insert_text(members: &mut Map<String, Value>, key: &str, text: &str) {
    if !text.is_empty() {
        members.insert(key.into(), text.into());
    }
}
