use std::sync::Arc;
use std::time::Duration;

use kubewright_core::backoff::Transient;
use kubewright_core::flow::{ApiFault, ApiStatus, Classification, Origin, StatusCause, explained, recognise_with};
use kubewright_machinery::object::GroupVersionKind;
use serde_json::error::Category;
use serde_json::{Value, json};

use super::fence::LeadershipLost;

/// The error of a request that did not succeed.
///
/// The variants differ in the origin of the failure: the server ([`Status`](Self::Status)), a missing answer ([`Connection`](Self::Connection),
/// [`TimedOut`](Self::TimedOut)), an answer that is not from an API server ([`Decode`](Self::Decode)), or a check of the client itself.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApiError {
    /// The server rejected the request.
    #[error(transparent)]
    Status(#[from] Box<StatusError>),
    /// No connection: name resolution, connect, TLS or a reset failed.
    #[error("{request}: no connection to the API server: {}", chain(source.as_ref()))]
    Connection {
        /// The verb and path.
        request: String,
        /// The error of the transport.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// No answer arrived in time.
    #[error("{request}: no answer from the API server within {after:?}")]
    TimedOut {
        /// The verb and path.
        request: String,
        /// The time limit.
        after: Duration,
    },
    /// The answer cannot be decoded: it is not JSON, or not of the expected form.
    #[error("{request}: the answer cannot be decoded: {problem}")]
    Decode {
        /// The verb and path.
        request: String,
        /// The kind of problem and its position, without the text at that position.
        problem: String,
    },
    /// The request cannot be written as HTTP.
    #[error("{request}: no valid request: {source}")]
    Invalid {
        /// The verb and path.
        request: String,
        /// The error of building the request.
        source: http::Error,
    },
    /// The name is not valid for any object, so the request would address something else.
    #[error("{request}: {problem}")]
    Misaddressed {
        /// The verb.
        request: String,
        /// The name and the reason why it is invalid.
        problem: String,
    },
    /// The cluster does not serve the type.
    #[error("find type {} {}: the cluster does not serve it{}", gvk.api_version(), gvk.kind, served_versions(served))]
    NotServed {
        /// The requested type.
        gvk: GroupVersionKind,
        /// The versions in which its kind is served.
        served: Vec<String>,
    },
    /// The cluster cannot list the types of the group now, so the type may exist: the service behind the group does not answer.
    #[error("find types of {group}/{version}: the server cannot tell them now (is the service behind it up?)")]
    Silent {
        /// The group.
        group: String,
        /// The version of the group.
        version: String,
    },
    /// No credentials could be obtained.
    #[error("{request}: no credentials: {source}")]
    Credentials {
        /// The verb and path.
        request: String,
        /// The error of the credential source.
        source: kube::client::AuthError,
    },
    /// This replica does not lead the object of the pass (LDR-30).
    #[error("{request}: {source}")]
    LeadershipLost {
        /// The verb and path.
        request: String,
        /// The bucket, and whether the request was sent.
        source: LeadershipLost,
    },
    /// The error of a request that several callers waited for.
    #[error(transparent)]
    Shared(Arc<Self>),
}

/// The `Status` that the server answered.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", explained(*code, message, self.has_cause("NamespaceTerminating")))]
pub struct StatusError {
    /// The verb and path of the request.
    pub request: String,
    /// The HTTP status code.
    pub code: u16,
    /// The `reason` of the status; may be empty.
    pub reason: String,
    /// The `message` of the status, or the code and reason if it has none.
    pub message: String,
    /// The `details` of the status as the server sent it.
    pub details: Value,
    /// The time after which the server wants to be asked again.
    pub retry_after: Option<Duration>,
}

impl StatusError {
    /// Reads a failed answer after masking its texts.
    pub(super) fn read(
        request: String,
        code: u16,
        retry_after: Option<Duration>,
        body: &[u8],
        mask: impl FnOnce(&mut Value),
    ) -> Self {
        let told = Self::from_status(request, code, &shown(code, body, mask));
        Self { retry_after: retry_after.or(told.retry_after), ..told }
    }

    /// Reads a `Status` object; `code` is used if the object has none.
    pub(crate) fn from_status(request: String, code: u16, status: &Value) -> Self {
        let text = |key| status.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let code = status.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok()).unwrap_or(code);
        let details = status.get("details").cloned().unwrap_or(Value::Null);
        let retry_after = details.get("retryAfterSeconds").and_then(Value::as_u64).and_then(asked_wait);
        let message =
            Some(text("message")).filter(|text| !text.is_empty()).unwrap_or_else(|| format!("{code} {}", text("reason")));
        Self { request, code, reason: text("reason"), message, details, retry_after }
    }

    /// Iterates over the causes: reason, message and field of each.
    pub fn causes(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        let causes = self.details.get("causes").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        causes.iter().map(|cause| {
            let text = |key| cause.get(key).and_then(Value::as_str).unwrap_or_default();
            (text("reason"), text("message"), text("field"))
        })
    }

    /// Returns true if a cause has this reason.
    pub fn has_cause(&self, reason: &str) -> bool {
        self.causes().any(|cause| cause.0 == reason)
    }
}

/// Returns the `Status` of a failed answer with its texts masked, because servers and webhooks quote what they refuse. A body that is not a `Status` is
/// replaced by one without a reason, since the content of such a body is unknown.
pub(crate) fn shown(code: u16, body: &[u8], mask: impl FnOnce(&mut Value)) -> Value {
    let mut status: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
    if status.get("kind").and_then(Value::as_str) == Some("Status") {
        mask(&mut status);
        return status;
    }
    let name = http::StatusCode::from_u16(code).ok().and_then(|code| code.canonical_reason());
    let name = name.map(|name| format!(" {name}")).unwrap_or_default();
    let message = if body.trim_ascii().is_empty() {
        format!("{code}{name}")
    } else {
        format!("{code}{name}: the body is not a Kubernetes Status and is not shown (does a proxy answer for the server?)")
    };
    json!({ "apiVersion": "v1", "kind": "Status", "status": "Failure", "code": code, "reason": "", "message": message })
}

impl ApiError {
    /// Returns the error of an answer that cannot be decoded. The decoder's own text is left out, because it quotes the answer, which may be confidential.
    pub(crate) fn undecodable(request: String, error: &serde_json::Error) -> Self {
        let kind = match error.classify() {
            Category::Data => "a field of another type than expected",
            Category::Eof => "a sudden end",
            Category::Syntax | Category::Io => "no JSON",
        };
        Self::Decode { request, problem: format!("{kind} at line {} column {}", error.line(), error.column()) }
    }

    /// Returns the server's answer, if there was one.
    pub fn status(&self) -> Option<&StatusError> {
        match self {
            Self::Status(status) => Some(status),
            Self::Shared(error) => error.status(),
            _ => None,
        }
    }

    /// Returns the HTTP status code, if the server answered.
    pub fn code(&self) -> Option<u16> {
        self.status().map(|status| status.code)
    }

    /// Returns the time after which the server wants to be asked again.
    pub fn retry_after(&self) -> Option<Duration> {
        self.status().and_then(|status| status.retry_after)
    }

    /// Returns true for a 404.
    pub fn is_not_found(&self) -> bool {
        self.code() == Some(404)
    }

    /// Returns true for a 409 because an object of this name exists.
    pub fn is_already_exists(&self) -> bool {
        self.status().is_some_and(|status| status.code == 409 && status.reason == "AlreadyExists")
    }

    /// Returns true for a 409 because the object has changed or is another one.
    pub fn is_conflict(&self) -> bool {
        self.status().is_some_and(|status| status.code == 409 && status.reason != "AlreadyExists")
    }

    /// Returns true for a 403.
    pub fn is_forbidden(&self) -> bool {
        self.code() == Some(403)
    }

    /// Returns true for a 410: the resource version is too old.
    pub fn is_expired(&self) -> bool {
        self.code() == Some(410)
    }

    /// Returns true if the same request may succeed a little later. This follows the classification, with exceptions: a missing object (404), a version that
    /// is too old (410), a lost leadership, and an apply with fields that the schema lacks, which servers answer with 500.
    pub fn is_transient(&self) -> bool {
        let stays = self.status().is_some_and(|status| match status.code {
            404 | 410 => true,
            500 => status.message.contains("field not declared in schema"),
            _ => false,
        });
        let stays = stays || matches!(self, Self::LeadershipLost { .. });
        !stays && self.classification().origin == Origin::Transient
    }

    /// Returns the facts about a transient error that a back-off needs (OUT-3), or `None` for any other error.
    pub fn transient(&self) -> Option<Transient> {
        self.is_transient().then(|| Transient::new(self.retry_after()))
    }
}

impl ApiError {
    /// Returns the facts by which core classifies the error.
    pub fn fault(&self) -> ApiFault {
        match self {
            Self::Status(status) => ApiFault::Status(status.facts()),
            Self::Connection { .. }
            | Self::TimedOut { .. }
            | Self::Silent { .. }
            | Self::Credentials { .. }
            | Self::LeadershipLost { .. } => ApiFault::NoResponse,
            Self::Decode { .. } | Self::Invalid { .. } => ApiFault::Undecodable,
            Self::NotServed { .. } => ApiFault::KindNotServed,
            // The server would reject an object of that name in the same way.
            Self::Misaddressed { .. } => ApiFault::Status(ApiStatus {
                code: 422,
                reason: "Invalid".to_owned(),
                message: self.to_string(),
                ..ApiStatus::default()
            }),
            Self::Shared(error) => error.fault(),
        }
    }

    /// Returns the classification: the way of retrying, the origin, and the reason to show.
    pub fn classification(&self) -> Classification {
        self.fault().classification()
    }
}

/// The longest wait that a server can ask for. A proxy may name a day, which would be too long.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(300);

/// Returns the wait that a server asks for, limited to the longest one; None for zero.
pub(super) fn asked_wait(seconds: u64) -> Option<Duration> {
    Some(Duration::from_secs(seconds).min(LONGEST_RETRY_AFTER)).filter(|wait| !wait.is_zero())
}

impl StatusError {
    fn facts(&self) -> ApiStatus {
        let cause = |(reason, message, field): (&str, &str, &str)| StatusCause {
            reason: reason.to_owned(),
            field: field.to_owned(),
            message: message.to_owned(),
        };
        ApiStatus {
            code: self.code,
            reason: self.reason.clone(),
            message: self.message.clone(),
            causes: self.causes().map(cause).collect(),
            retry_after_seconds: self.retry_after.map(|wait| wait.as_secs()),
        }
    }
}

/// Registers the recognition of `ApiError` and of kube's errors with core, which then classifies them anywhere in a chain of sources.
pub(crate) fn teach_core() {
    recognise_with(recognise);
}

pub(crate) fn recognise(error: &(dyn std::error::Error + 'static)) -> Option<ApiFault> {
    if let Some(error) = error.downcast_ref::<ApiError>() {
        return Some(error.fault());
    }
    if let Some(status) = error.downcast_ref::<StatusError>() {
        return Some(ApiFault::Status(status.facts()));
    }
    let bare = error.downcast_ref::<kube::core::Status>();
    let boxed = error.downcast_ref::<Box<kube::core::Status>>();
    if let Some(status) = bare.or_else(|| boxed.map(AsRef::as_ref)) {
        return Some(ApiFault::Status(facts_of_kube(status)));
    }
    match error.downcast_ref::<kube::Error>()? {
        kube::Error::Api(status) => Some(ApiFault::Status(facts_of_kube(status))),
        kube::Error::HyperError(_) | kube::Error::Service(_) | kube::Error::ReadEvents(_) | kube::Error::Auth(_) => {
            Some(ApiFault::NoResponse)
        }
        kube::Error::SerdeError(_) | kube::Error::FromUtf8(_) => Some(ApiFault::Undecodable),
        _ => None,
    }
}

fn facts_of_kube(status: &kube::core::Status) -> ApiStatus {
    let details = status.details.as_ref();
    let causes = details.map_or(&[][..], |details| details.causes.as_slice());
    let cause = |cause: &kube::core::response::StatusCause| StatusCause {
        reason: cause.reason.clone(),
        field: cause.field.clone(),
        message: cause.message.clone(),
    };
    ApiStatus {
        code: status.code,
        reason: status.reason.clone(),
        message: status.message.clone(),
        causes: causes.iter().map(cause).collect(),
        retry_after_seconds: details
            .and_then(|details| asked_wait(u64::from(details.retry_after_seconds)))
            .map(|wait| wait.as_secs()),
    }
}

/// Returns the texts of an error and its sources, each text once.
pub(crate) fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        let more = source.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        next = source.source();
    }
    text
}

fn served_versions(versions: &[String]) -> String {
    if versions.is_empty() { String::new() } else { format!(" in this version, but in {}", versions.join(", ")) }
}
