//! Why a request was refused.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use crate::backoff::Transient;
use crate::flow::explained;

/// A Status answer other than success, or no answer at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusal {
    /// The status code; 0 when the server could not be reached.
    pub code: u16,
    /// The machine-readable reason, such as `AlreadyExists`.
    pub reason: String,
    /// The server's text.
    pub message: String,
    /// `details.kind`: the plural of the resource that the answer is about.
    pub kind: String,
    /// `details.name`.
    pub name: String,
    /// `details.causes`.
    pub causes: Vec<RefusalCause>,
    /// Whether nobody serves the type.
    pub unknown_type: bool,
    /// How long the server asks to be left alone.
    pub retry_after: Option<Duration>,
}

/// One of the causes of a refusal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RefusalCause {
    /// The machine-readable reason.
    pub reason: String,
    /// The field, if the cause is a field.
    pub field: String,
    /// The server's text.
    pub message: String,
}

impl Refusal {
    /// From the body of an answer.
    pub fn from_status(code: u16, status: &Value) -> Self {
        let text = |value: &Value, field: &str| value.get(field).and_then(Value::as_str).unwrap_or("").to_owned();
        let details = status.get("details").unwrap_or(&Value::Null);
        let causes = details.get("causes").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        Self {
            code,
            reason: text(status, "reason"),
            message: text(status, "message"),
            kind: text(details, "kind"),
            name: text(details, "name"),
            causes: causes
                .iter()
                .map(|cause| RefusalCause {
                    reason: text(cause, "reason"),
                    field: text(cause, "field"),
                    message: text(cause, "message"),
                })
                .collect(),
            unknown_type: false,
            retry_after: None,
        }
    }

    /// The server could not be reached, or did not answer in time.
    pub fn unreachable(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// Discovery knows no such type, so nothing was sent.
    pub fn unknown_type(message: impl Into<String>) -> Self {
        Self { code: 404, reason: "NotFound".to_owned(), message: message.into(), unknown_type: true, ..Self::default() }
    }

    /// Whether the object, or its type, does not exist.
    pub fn is_absent(&self) -> bool {
        self.code == 404
    }

    /// Whether the object exists already or was changed by somebody else.
    pub fn is_conflict(&self) -> bool {
        self.code == 409
    }

    /// Whether the namespace of the object is what does not exist.
    pub fn is_missing_namespace(&self) -> bool {
        self.code == 404 && self.kind == "namespaces"
    }

    /// Whether the namespace of the object is going away.
    pub fn is_terminating_namespace(&self) -> bool {
        self.code == 403 && self.causes.iter().any(|cause| cause.reason == "NamespaceTerminating")
    }

    /// Whether trying again later may help without anybody changing anything (OUT-3).
    pub fn is_transient(&self) -> bool {
        let unknown_fields = !crate::dependents::undeclared::fields_of_refusal(self).is_empty();
        matches!(self.code, 0 | 409 | 429 | 500 | 502 | 503 | 504) && !unknown_fields || self.is_terminating_namespace()
    }

    /// The transient error that this is, for the back-off of its component. A namespace that is going away is none: its watch tells
    /// when to go on.
    pub fn transient(&self) -> Option<Transient> {
        let passes = self.is_transient() && !self.is_terminating_namespace();
        passes.then(|| Transient::new(self.retry_after))
    }

    /// The fields that cannot be changed once the object exists, if that is what the server says.
    pub fn immutable_fields(&self) -> Vec<&str> {
        if self.code != 422 {
            return Vec::new();
        }
        let immutable = |text: &str| {
            let text = text.to_ascii_lowercase();
            ["immutable", "may not be changed", "forbidden: updates to", "may not change", "cannot be changed"]
                .iter()
                .any(|phrase| text.contains(phrase))
        };
        self.causes.iter().filter(|cause| immutable(&cause.message)).map(|cause| cause.field.as_str()).collect()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.message.is_empty() {
            f.write_str(&explained(self.code, &self.message, self.is_terminating_namespace()))
        } else if !self.reason.is_empty() {
            write!(f, "{} ({})", self.reason, self.code)
        } else {
            write!(f, "status code {}", self.code)
        }
    }
}
