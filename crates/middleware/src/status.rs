//! The `Status` object of a failed request.

use std::borrow::Cow;

use http::StatusCode;
use serde_json::{Map, Value, json};

/// A failed request: code, reason, message and details, as clients see them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Status {
    /// The HTTP status code.
    pub code: u16,
    /// The machine-readable reason; empty for the failures that the real server leaves without a reason.
    pub reason: Cow<'static, str>,
    /// The human-readable message.
    pub message: String,
    /// The object that the failure is about, and its errors.
    pub details: Option<Box<Details>>,
    /// The token with which the client can continue an expired list.
    pub continue_token: Option<String>,
}

/// The object that a failure is about, and its errors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// The name of the object.
    pub name: String,
    /// The API group of the object.
    pub group: String,
    /// The plural or the kind of the object, depending on the reason.
    pub kind: String,
    /// The uid of the object.
    pub uid: String,
    /// The single errors.
    pub causes: Vec<FailureCause>,
    /// The number of seconds to wait before the next attempt; 0 if unset.
    pub retry_after_seconds: u32,
}

/// One of the errors of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureCause {
    /// The machine-readable reason.
    pub reason: Cow<'static, str>,
    /// The human-readable message.
    pub message: String,
    /// The path of the field, or empty.
    pub field: String,
}

impl Status {
    /// Creates a failure with a code, a reason and a message.
    pub fn new(code: u16, reason: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self { code, reason: reason.into(), message: message.into(), details: None, continue_token: None }
    }

    /// Creates the 500 for an internal error, with the text and the cause of the real server.
    pub fn internal(message: impl AsRef<str>) -> Self {
        let message = message.as_ref();
        Self::new(500, "InternalError", format!("Internal error occurred: {message}"))
            .with_cause(FailureCause::new("", message, ""))
    }

    /// Adds details.
    pub fn with_details(mut self, details: Details) -> Self {
        self.details = Some(Box::new(details));
        self
    }

    /// Sets the number of seconds that the client should wait.
    pub fn with_retry_after(mut self, seconds: u32) -> Self {
        self.details.get_or_insert_default().retry_after_seconds = seconds;
        self
    }

    /// Adds a cause.
    pub fn with_cause(mut self, cause: FailureCause) -> Self {
        self.details.get_or_insert_default().causes.push(cause);
        self
    }

    /// Returns true if the failure has the given reason.
    pub fn is(&self, reason: &str) -> bool {
        self.reason == reason
    }

    /// Returns the HTTP status code, or 500 if `code` is not a valid one.
    pub fn status_code(&self) -> StatusCode {
        StatusCode::from_u16(self.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// Returns the `Status` object that is sent to the client.
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
            members.insert("causes".into(), self.causes.iter().map(FailureCause::to_value).collect());
        }
        if self.retry_after_seconds > 0 {
            members.insert("retryAfterSeconds".into(), self.retry_after_seconds.into());
        }
        Value::Object(members)
    }
}

impl FailureCause {
    /// Creates a cause.
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

fn insert_text(members: &mut Map<String, Value>, key: &str, text: &str) {
    if !text.is_empty() {
        members.insert(key.into(), text.into());
    }
}
