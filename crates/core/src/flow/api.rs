//! Answers of API servers to requests that did not succeed, and the retries that they call for.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use serde_json::Value;

use super::classify::{Classification, Origin};
use super::{Class, Delay, Reason, explained, reason};

/// The longest wait that a server can ask for, in seconds. A proxy may name a day, which would be too long.
const LONGEST_RETRY_AFTER: u64 = 300;

/// The `Status` that a server answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApiStatus {
    /// The HTTP status code; 0 if the server sent none.
    pub code: u16,
    /// The machine-readable reason, for instance `NotFound`; may be empty.
    pub reason: String,
    /// The server's text.
    pub message: String,
    /// The kind of the object concerned; may be empty.
    pub kind: String,
    /// The name of the object concerned; may be empty.
    pub name: String,
    /// The individual causes, for instance one per invalid field.
    pub causes: Vec<StatusCause>,
    /// The time that the server asks to wait, in seconds.
    pub retry_after_seconds: Option<u64>,
}

/// One cause of a `Status` answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusCause {
    /// The machine-readable reason, for instance `FieldManagerConflict`.
    pub reason: String,
    /// The field concerned; may be empty.
    pub field: String,
    /// The server's text.
    pub message: String,
}

impl ApiStatus {
    /// Reads a `Status` object. The code is used if the object has none; code and reason replace a missing message.
    pub fn read(code: u16, status: &Value) -> Self {
        let code = status.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok()).unwrap_or(code);
        let details = status.get("details").unwrap_or(&Value::Null);
        let reason = text(status, "reason");
        let message = Some(text(status, "message")).filter(|text| !text.is_empty());
        let causes = details.get("causes").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        Self {
            code,
            message: message.unwrap_or_else(|| format!("{code} {reason}")),
            reason,
            kind: text(details, "kind"),
            name: text(details, "name"),
            causes: causes.iter().map(StatusCause::read).collect(),
            retry_after_seconds: details.get("retryAfterSeconds").and_then(Value::as_u64).and_then(Self::limited_wait),
        }
    }

    /// Returns the seconds that a server asks to wait, limited to the longest wait; none for zero.
    pub fn limited_wait(seconds: u64) -> Option<u64> {
        Some(seconds.min(LONGEST_RETRY_AFTER)).filter(|wait| *wait > 0)
    }

    /// Returns true if a cause with this reason is present.
    pub fn has_cause(&self, reason: &str) -> bool {
        self.causes.iter().any(|cause| cause.reason == reason)
    }

    /// Returns the class, origin and reason of this answer, by its status code, reason, causes and the seconds that the server asks to wait.
    pub fn classification(&self) -> Classification {
        let named = |fallback: &'static str| {
            if reason::is_valid(&self.reason) { Reason::new(self.reason.clone()) } else { reason::constant(fallback) }
        };
        let after_or_backoff = || {
            let delay = self.retry_after_seconds.and_then(|seconds| Delay::try_from(Duration::from_secs(seconds)).ok());
            delay.map_or(Class::Backoff, Class::After)
        };
        let code = if self.code == 0 { code_of(&self.reason) } else { self.code };
        match code {
            409 if self.has_cause("FieldManagerConflict") => refused(Origin::Refused, reason::constant("FieldManagerConflict")),
            409 if self.reason == "AlreadyExists" => conflict("AlreadyExists"),
            409 => conflict("Conflict"),
            410 => conflict("Expired"),
            403 if self.has_cause("NamespaceTerminating") => refused(Origin::Refused, reason::constant("NamespaceTerminating")),
            403 => refused(Origin::Refused, reason::constant("Forbidden")),
            401 => refused(Origin::Refused, reason::constant("Unauthorized")),
            422 => refused(Origin::Refused, reason::constant("Invalid")),
            404 => Classification::api(Class::Backoff, Origin::Transient, reason::constant("NotFound")),
            429 => Classification::api(after_or_backoff(), Origin::Transient, reason::constant("TooManyRequests")),
            408 | 500.. => Classification::api(after_or_backoff(), Origin::Transient, named("ServerError")),
            400 | 405 | 406 | 413 | 415 => refused(Origin::Bug, named("BadRequest")),
            _ => refused(Origin::Unknown, named("UnexpectedAnswer")),
        }
        .status(code)
    }
}

impl StatusCause {
    fn read(cause: &Value) -> Self {
        Self { reason: text(cause, "reason"), field: text(cause, "field"), message: text(cause, "message") }
    }
}

impl fmt::Display for ApiStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.message.as_str(), self.reason.as_str()) {
            ("", "") => write!(f, "the server answered with status {}", self.code),
            ("", reason) => write!(f, "the server answered {reason} ({})", self.code),
            (message, _) => f.write_str(&explained(self.code, message, self.has_cause("NamespaceTerminating"))),
        }
    }
}

impl Error for ApiStatus {}

fn text(object: &Value, field: &str) -> String {
    object.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn conflict(word: &'static str) -> Classification {
    Classification::api(Class::Conflict, Origin::Transient, reason::constant(word))
}

pub(super) fn refused(origin: Origin, word: Reason) -> Classification {
    Classification { slow: true, ..Classification::api(Class::Backoff, origin, word) }
}

/// Returns the code that belongs to a reason, for answers that carry no code.
fn code_of(status_reason: &str) -> u16 {
    match status_reason {
        "BadRequest" => 400,
        "Unauthorized" => 401,
        "Forbidden" => 403,
        "NotFound" => 404,
        "MethodNotAllowed" => 405,
        "NotAcceptable" => 406,
        "Conflict" | "AlreadyExists" => 409,
        "Gone" | "Expired" => 410,
        "RequestEntityTooLarge" => 413,
        "UnsupportedMediaType" => 415,
        "Invalid" => 422,
        "TooManyRequests" => 429,
        "InternalError" => 500,
        "ServiceUnavailable" => 503,
        "Timeout" | "ServerTimeout" => 504,
        _ => 0,
    }
}
