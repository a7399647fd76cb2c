//! Constructors for the failures that the server answers, with the messages of the real server.

use std::collections::HashSet;

use kubewright_middleware::status::{Details, FailureCause, Status};
use kubewright_schema::FieldError;
use kubewright_schema::go::go_quoted;

/// Returns `plural.group`, or just `plural` in the core group.
fn qualified(plural: &str, group: &str) -> String {
    if group.is_empty() { plural.to_owned() } else { format!("{plural}.{group}") }
}

fn about(group: &str, kind: &str, name: &str) -> Details {
    Details { name: name.into(), group: group.into(), kind: kind.into(), ..Details::default() }
}

/// Returns the cause of a failure that a field error stands for.
fn cause(error: &FieldError) -> FailureCause {
    FailureCause::new(error.reason.as_str(), error.message.clone(), error.field.clone())
}

/// Constructors for the failures that the server answers, as functions of [`Status`].
pub trait StatusExt {
    /// Creates the 500 for a write that the store refused (FLT-7); nothing was changed.
    fn storage_failed() -> Status {
        Status::new(500, "InternalError", "Internal error occurred: the storage failed; nothing was stored")
    }

    /// Creates the 404 for an object that does not exist.
    fn not_found(group: &str, plural: &str, name: &str) -> Status {
        Status::new(404, "NotFound", format!("{} {} not found", qualified(plural, group), go_quoted(name)))
            .with_details(about(group, plural, name))
    }

    /// Creates the 404 for a path that is not served.
    fn resource_not_found() -> Status {
        Status::new(404, "NotFound", "the server could not find the requested resource").with_details(Details::default())
    }

    /// Creates the 409 for a name that is already taken.
    fn already_exists(group: &str, plural: &str, name: &str) -> Status {
        Status::new(409, "AlreadyExists", format!("{} {name:?} already exists", qualified(plural, group)))
            .with_details(about(group, plural, name))
    }

    /// Creates the 409 for an operation that the present state of the object does not allow.
    fn conflict(group: &str, kind: &str, name: &str, why: &str) -> Status {
        Status::new(409, "Conflict", format!("Operation cannot be fulfilled on {} {name:?}: {why}", qualified(kind, group)))
            .with_details(about(group, kind, name))
    }

    /// Creates the 409 for an object that changed since the client read it.
    fn stale(group: &str, plural: &str, name: &str) -> Status {
        Self::conflict(
            group,
            plural,
            name,
            "the object has been modified; please apply your changes to the latest version and try again",
        )
    }

    /// Creates the 422 for an object that is well-formed but invalid.
    fn invalid(group: &str, kind: &str, name: &str, errors: &[FieldError]) -> Status {
        // The message names equal errors once; the causes list all of them.
        let mut seen = HashSet::with_capacity(errors.len());
        let distinct = errors.iter().filter(|error| seen.insert((&error.field, &error.message)));
        let texts: Vec<String> = distinct.map(|error| format!("{}: {}", error.field, error.message)).collect();
        let text = match texts.as_slice() {
            [single] => single.clone(),
            several => format!("[{}]", several.join(", ")),
        };
        Status::new(422, "Invalid", format!("{} {name:?} is invalid: {text}", qualified(kind, group)))
            .with_details(Details { causes: errors.iter().map(cause).collect(), ..about(group, kind, name) })
    }

    /// Creates the 400 for a request that cannot be understood.
    fn bad_request(message: impl Into<String>) -> Status {
        Status::new(400, "BadRequest", message)
    }

    /// Creates the 403 for a request that the user, or any user, is not allowed to make.
    fn forbidden(group: &str, plural: &str, name: &str, why: &str) -> Status {
        let subject = if name.is_empty() {
            format!("{} is forbidden", qualified(plural, group))
        } else {
            format!("{} {name:?} is forbidden", qualified(plural, group))
        };
        Status::new(403, "Forbidden", format!("{subject}: {why}")).with_details(about(group, plural, name))
    }

    /// Creates the 405 for a method that the path does not support.
    fn method_not_allowed() -> Status {
        Status::new(405, "MethodNotAllowed", "the server does not allow this method on the requested resource")
            .with_details(Details::default())
    }

    /// Creates the 406 for a client that accepts none of the server's media types.
    fn not_acceptable(message: impl Into<String>) -> Status {
        Status::new(406, "NotAcceptable", message)
    }

    /// Creates the 410 for a resource version that is no longer kept.
    fn expired(message: impl Into<String>) -> Status {
        Status::new(410, "Expired", message)
    }

    /// Creates the 413 for a body that is too large.
    fn too_large(message: impl Into<String>) -> Status {
        Status::new(413, "RequestEntityTooLarge", message)
    }

    /// Creates the 415 for a body of a media type that the server does not read.
    fn unsupported_media_type(message: impl Into<String>) -> Status {
        Status::new(415, "UnsupportedMediaType", message)
    }

    /// Creates the 429 for too many concurrent requests.
    fn too_many_requests(message: impl Into<String>, retry_after_seconds: u32) -> Status {
        Status::new(429, "TooManyRequests", message).with_retry_after(retry_after_seconds)
    }

    /// Creates the failure that the real server answers with 500 and no reason.
    fn unknown(message: impl Into<String>) -> Status {
        Status::new(500, "", message)
    }

    /// Creates the 501 for a feature that this build or this version does not have.
    fn not_implemented(message: impl Into<String>) -> Status {
        Status::new(501, "NotImplemented", message)
    }

    /// Creates the 503 for a server that cannot answer at present.
    fn unavailable(message: impl Into<String>) -> Status {
        Status::new(503, "ServiceUnavailable", message)
    }

    /// Creates the 504 for a request that was not completed in time.
    fn timeout(message: impl Into<String>, retry_after_seconds: u32) -> Status {
        Status::new(504, "Timeout", message).with_retry_after(retry_after_seconds)
    }

    /// Creates the 504 for a resource version that does not exist yet.
    fn too_large_version(asked: u64, current: u64) -> Status {
        let text = format!("Too large resource version: {asked}, current: {current}");
        Self::timeout(format!("Timeout: {text}"), 1).with_cause(FailureCause::new(
            "ResourceVersionTooLarge",
            "Too large resource version",
            "",
        ))
    }
}

impl StatusExt for Status {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn several_field_errors_are_joined_in_brackets() {
        let errors = [FieldError::required("spec.a", ""), FieldError::duplicate("spec.b", &json!("x"))];
        let status = Status::invalid("ex.io", "Widget", "w", &errors);
        assert_eq!(status.message, r#"Widget.ex.io "w" is invalid: [spec.a: Required value, spec.b: Duplicate value: "x"]"#);
        let details = status.to_value()["details"].clone();
        assert_eq!(
            details["causes"][1],
            json!({"reason": "FieldValueDuplicate", "message": "Duplicate value: \"x\"", "field": "spec.b"})
        );
    }

    #[test]
    fn repeated_field_errors_appear_once_in_the_status_message() {
        let errors: Vec<_> = (0..100_000).map(|n| FieldError::required(format!("spec.a{}", n % 50_000), "")).collect();
        let status = Status::invalid("", "Widget", "w", &errors);
        assert_eq!(status.message.matches("Required value").count(), 50_000);
        assert_eq!(status.details.unwrap().causes.len(), 100_000);
    }

    // CRUD-3
    #[test]
    fn a_missing_object_is_named_with_its_plural() {
        let status = Status::not_found("", "configmaps", "nope");
        assert_eq!(status.message, r#"configmaps "nope" not found"#);
        assert_eq!(status.to_value()["details"], json!({"name": "nope", "kind": "configmaps"}));
    }
}
