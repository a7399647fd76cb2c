//! The error of a request to an API server.

use std::sync::Arc;
use std::time::Duration;

use kubewright_machinery::object::GroupVersionKind;
use serde_json::error::Category;

use super::api::ApiStatus;
use super::classify::{BoxError, Classification, Origin};
use super::fault::ApiFault;
use super::text::full_text;
use crate::backoff::Transient;

/// The error of a request that did not succeed.
///
/// The variants differ in the origin of the failure: the server ([`Status`](Self::Status)), a missing answer ([`Connection`](Self::Connection),
/// [`TimedOut`](Self::TimedOut)), an answer that is not from an API server ([`Decode`](Self::Decode)), or a check of the client itself.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApiError {
    /// The server rejected the request.
    #[error("{status}")]
    Status {
        /// The verb and path.
        request: String,
        /// The answer.
        status: Box<ApiStatus>,
    },
    /// No connection: name resolution, connect, TLS or a reset failed.
    #[error("{request}: no connection to the API server: {}", full_text(source.as_ref()))]
    Connection {
        /// The verb and path.
        request: String,
        /// The error of the transport.
        source: BoxError,
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
        source: BoxError,
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
        source: BoxError,
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

impl ApiError {
    /// Returns the error of an answer that cannot be decoded. The decoder's own text is left out, because it quotes the answer, which may be confidential.
    pub fn undecodable(request: String, error: &serde_json::Error) -> Self {
        let kind = match error.classify() {
            Category::Data => "a field of another type than expected",
            Category::Eof => "a sudden end",
            Category::Syntax | Category::Io => "no JSON",
        };
        Self::Decode { request, problem: format!("{kind} at line {} column {}", error.line(), error.column()) }
    }

    /// Returns the server's answer, if there was one.
    pub fn status(&self) -> Option<&ApiStatus> {
        match self {
            Self::Status { status, .. } => Some(status),
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
        self.status().and_then(|status| status.retry_after_seconds).map(Duration::from_secs)
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

    /// Returns true if there was no answer from the server, or from the service behind the group.
    pub fn is_unanswered(&self) -> bool {
        self.fault() == ApiFault::NoResponse
    }

    /// Returns the classification: the way of retrying, the origin, and the reason to show.
    pub fn classification(&self) -> Classification {
        self.fault().classification()
    }

    /// Returns the facts by which the error is classified.
    pub(super) fn fault(&self) -> ApiFault {
        match self {
            Self::Status { status, .. } => ApiFault::Status(status.as_ref().clone()),
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
}

/// The error of a write that was not sent, or was not answered in time, because this replica does not lead the bucket of the object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
#[non_exhaustive]
pub struct LeadershipLost {
    /// The bucket of the object.
    pub bucket: Arc<str>,
    /// True if the write was sent, so that it may have been done.
    pub is_sent: bool,
}

impl LeadershipLost {
    /// Creates the error of a write to an object of this bucket.
    pub const fn new(bucket: Arc<str>, is_sent: bool) -> Self {
        Self { bucket, is_sent }
    }

    fn text(&self) -> String {
        let bucket = &self.bucket;
        if self.is_sent {
            format!("no answer before another replica could take the bucket {bucket:?}; the write may have been done")
        } else {
            format!("this replica does not lead the bucket {bucket:?} any more; the write was not sent")
        }
    }
}

fn served_versions(versions: &[String]) -> String {
    if versions.is_empty() { String::new() } else { format!(" in this version, but in {}", versions.join(", ")) }
}
