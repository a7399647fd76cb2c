//! Errors of API servers, and the retries that they call for.

use std::error::Error;
use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use super::classify::{Classification, Origin};
use super::{Class, Delay, Reason, explained, reason};

/// The parts of a `Status` answer that decide how the request is retried.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApiStatus {
    /// The HTTP status code; 0 if the server sent none.
    pub code: u16,
    /// The machine-readable reason, for instance `NotFound`; may be empty.
    pub reason: String,
    /// The server's text.
    pub message: String,
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
    /// Returns true if a cause with this reason is present.
    pub fn has_cause(&self, reason: &str) -> bool {
        self.causes.iter().any(|cause| cause.reason == reason)
    }

    /// Returns the class, origin and reason of this answer.
    pub fn classification(&self) -> Classification {
        classify_status(self.code, &self.reason, &self.causes, self.retry_after_seconds)
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

/// The kind of error that a client returned for a request that did not succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApiFault {
    /// The server answered with an error.
    Status(ApiStatus),
    /// There was no answer, because name lookup, connection or TLS failed, or because of a reset or a time-out.
    NoResponse,
    /// The answer could not be read.
    Undecodable,
    /// The cluster does not serve the kind.
    KindNotServed,
}

impl ApiFault {
    /// Returns the class, origin and reason of this fault.
    pub fn classification(&self) -> Classification {
        match self {
            Self::Status(status) => status.classification(),
            Self::NoResponse => Classification::api(Class::Backoff, Origin::Transient, reason::constant("ConnectionFailed")),
            Self::Undecodable => Classification::api(Class::Backoff, Origin::Bug, reason::constant("DecodeFailed")),
            Self::KindNotServed => refused(Origin::Refused, reason::constant("KindNotServed")),
        }
    }

    /// Returns the server's answer; none if there was none.
    pub const fn status(&self) -> Option<&ApiStatus> {
        match self {
            Self::Status(status) => Some(status),
            _ => None,
        }
    }
}

/// A function that returns the fault if one error of a chain is a client error.
type Recogniser = fn(&(dyn Error + 'static)) -> Option<ApiFault>;

static RECOGNISER: OnceLock<Recogniser> = OnceLock::new();

/// Registers the function that recognises the client library's errors. This crate knows no client; the runtime crate registers its own function
/// whenever it makes a client, and a second call changes nothing.
pub fn recognise_with(recogniser: Recogniser) {
    RECOGNISER.get_or_init(|| recogniser);
}

/// Returns the fault that this one error (not its sources) stands for.
pub(super) fn fault_of(error: &(dyn Error + 'static)) -> Option<ApiFault> {
    let own = error.downcast_ref::<ApiStatus>().or_else(|| error.downcast_ref::<Box<ApiStatus>>().map(AsRef::as_ref));
    match own {
        Some(status) => Some(ApiFault::Status(status.clone())),
        None => RECOGNISER.get().and_then(|recognise| recognise(error)),
    }
}

/// Classifies an answer: class, origin and reason by status code, reason, causes and the seconds that the server asks to wait.
pub fn classify_status(
    code: u16,
    status_reason: &str,
    causes: &[StatusCause],
    retry_after_seconds: Option<u64>,
) -> Classification {
    let has_cause = |name: &str| causes.iter().any(|cause| cause.reason == name);
    let named = |fallback: &'static str| {
        if reason::is_valid(status_reason) { Reason::new(status_reason.to_owned()) } else { reason::constant(fallback) }
    };
    let code = if code == 0 { code_of(status_reason) } else { code };
    match code {
        409 if has_cause("FieldManagerConflict") => refused(Origin::Refused, reason::constant("FieldManagerConflict")),
        409 if status_reason == "AlreadyExists" => conflict("AlreadyExists"),
        409 => conflict("Conflict"),
        410 => conflict("Expired"),
        403 if has_cause("NamespaceTerminating") => refused(Origin::Refused, reason::constant("NamespaceTerminating")),
        403 => refused(Origin::Refused, reason::constant("Forbidden")),
        401 => refused(Origin::Refused, reason::constant("Unauthorized")),
        422 => refused(Origin::Refused, reason::constant("Invalid")),
        404 => Classification::api(Class::Backoff, Origin::Transient, reason::constant("NotFound")).status(code),
        429 => Classification::api(after_or_backoff(retry_after_seconds), Origin::Transient, reason::constant("TooManyRequests")),
        408 | 500.. => Classification::api(after_or_backoff(retry_after_seconds), Origin::Transient, named("ServerError")),
        400 | 405 | 406 | 413 | 415 => refused(Origin::Bug, named("BadRequest")),
        _ => refused(Origin::Unknown, named("UnexpectedAnswer")),
    }
    .status(code)
}

fn after_or_backoff(seconds: Option<u64>) -> Class {
    let delay = seconds.and_then(|seconds| Delay::try_from(Duration::from_secs(seconds)).ok());
    delay.map_or(Class::Backoff, Class::After)
}

fn conflict(word: &'static str) -> Classification {
    Classification::api(Class::Conflict, Origin::Transient, reason::constant(word))
}

fn refused(origin: Origin, word: Reason) -> Classification {
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
