//! The reason why a request was refused.

use std::fmt;
use std::time::Duration;

use crate::backoff::Transient;
use crate::flow::{ApiStatus, StatusCause, explained};

/// A Status answer other than success, or no answer at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusal {
    /// The status code; 0 when the server could not be reached.
    pub code: u16,
    /// The machine-readable reason, such as `AlreadyExists`.
    pub reason: String,
    /// The message of the server.
    pub message: String,
    /// The value of `details.kind`: the plural of the resource that the answer is about.
    pub kind: String,
    /// The value of `details.name`.
    pub name: String,
    /// The values of `details.causes`.
    pub causes: Vec<StatusCause>,
    /// True if the type is not served.
    pub unknown_type: bool,
    /// The time for which the server asks not to be contacted.
    pub retry_after: Option<Duration>,
}

impl From<&ApiStatus> for Refusal {
    fn from(status: &ApiStatus) -> Self {
        Self {
            code: status.code,
            reason: status.reason.clone(),
            message: status.message.clone(),
            kind: status.kind.clone(),
            name: status.name.clone(),
            causes: status.causes.clone(),
            unknown_type: false,
            retry_after: status.retry_after_seconds.map(Duration::from_secs),
        }
    }
}

impl Refusal {
    /// Creates the refusal for a server that could not be reached or did not answer in time.
    pub fn unreachable(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// Creates the refusal for a type that discovery does not know, so that no request was sent.
    pub fn unknown_type(message: impl Into<String>) -> Self {
        Self { code: 404, reason: "NotFound".to_owned(), message: message.into(), unknown_type: true, ..Self::default() }
    }

    /// Returns true if the object or its type does not exist.
    pub fn is_absent(&self) -> bool {
        self.code == 404
    }

    /// Returns true if the object exists already or was changed by another program.
    pub fn is_conflict(&self) -> bool {
        self.code == 409
    }

    /// Returns true if the namespace of the object does not exist.
    pub fn is_missing_namespace(&self) -> bool {
        self.code == 404 && self.kind == "namespaces"
    }

    /// Returns true if the namespace of the object is being deleted.
    pub fn is_terminating_namespace(&self) -> bool {
        self.code == 403 && self.causes.iter().any(|cause| cause.reason == "NamespaceTerminating")
    }

    /// Returns true if a later retry may succeed without any intervention (OUT-3).
    pub fn is_transient(&self) -> bool {
        let unknown_fields = !crate::dependents::undeclared::fields_of_refusal(self).is_empty();
        matches!(self.code, 0 | 409 | 429 | 500 | 502 | 503 | 504) && !unknown_fields || self.is_terminating_namespace()
    }

    /// Returns the transient error for the back-off of the component. A namespace that is being deleted is not such an error, because its watch
    /// triggers the next pass.
    pub fn transient(&self) -> Option<Transient> {
        let passes = self.is_transient() && !self.is_terminating_namespace();
        passes.then(|| Transient::new(self.retry_after))
    }

    /// Returns the fields that cannot be changed once the object exists, if the server refused the request because of them.
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
