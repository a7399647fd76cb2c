//! The failures that the server answers, with the texts of the real one.

use std::collections::HashSet;

use super::{Cause, Details, FieldError, Status, go::go_quoted};

/// `plural.group`, or just `plural` in the core group.
fn qualified(plural: &str, group: &str) -> String {
    if group.is_empty() { plural.to_owned() } else { format!("{plural}.{group}") }
}

fn about(group: &str, kind: &str, name: &str) -> Details {
    Details { name: name.into(), group: group.into(), kind: kind.into(), ..Details::default() }
}

impl Status {
    /// The store did not take a write (FLT-7); nothing was changed.
    pub(crate) fn storage_failed() -> Self {
        Self::new(500, "InternalError", "Internal error occurred: the storage failed; nothing was stored")
    }

    /// The named object does not exist.
    pub fn not_found(group: &str, plural: &str, name: &str) -> Self {
        Self::new(404, "NotFound", format!("{} {} not found", qualified(plural, group), go_quoted(name)))
            .with_details(about(group, plural, name))
    }

    /// The path names nothing that is served.
    pub fn resource_not_found() -> Self {
        Self::new(404, "NotFound", "the server could not find the requested resource").with_details(Details::default())
    }

    /// An object of that name exists.
    pub fn already_exists(group: &str, plural: &str, name: &str) -> Self {
        Self::new(409, "AlreadyExists", format!("{} {name:?} already exists", qualified(plural, group)))
            .with_details(about(group, plural, name))
    }

    /// The object does not allow the operation in its present state.
    pub fn conflict(group: &str, kind: &str, name: &str, why: &str) -> Self {
        Self::new(409, "Conflict", format!("Operation cannot be fulfilled on {} {name:?}: {why}", qualified(kind, group)))
            .with_details(about(group, kind, name))
    }

    /// The object changed since the client read it.
    pub fn stale(group: &str, plural: &str, name: &str) -> Self {
        Self::conflict(
            group,
            plural,
            name,
            "the object has been modified; please apply your changes to the latest version and try again",
        )
    }

    /// The object is well-formed and wrong.
    pub fn invalid(group: &str, kind: &str, name: &str, errors: &[FieldError]) -> Self {
        // The message says the same only once; the causes list everything.
        let mut seen = HashSet::with_capacity(errors.len());
        let distinct = errors.iter().filter(|error| seen.insert((&error.field, &error.message)));
        let texts: Vec<String> = distinct.map(|error| format!("{}: {}", error.field, error.message)).collect();
        let text = match texts.as_slice() {
            [single] => single.clone(),
            several => format!("[{}]", several.join(", ")),
        };
        Self::new(422, "Invalid", format!("{} {name:?} is invalid: {text}", qualified(kind, group)))
            .with_details(Details { causes: errors.iter().map(Cause::from).collect(), ..about(group, kind, name) })
    }

    /// The request cannot be understood.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// The user may not do this, or nobody may.
    pub fn forbidden(group: &str, plural: &str, name: &str, why: &str) -> Self {
        let subject = if name.is_empty() {
            format!("{} is forbidden", qualified(plural, group))
        } else {
            format!("{} {name:?} is forbidden", qualified(plural, group))
        };
        Self::new(403, "Forbidden", format!("{subject}: {why}")).with_details(about(group, plural, name))
    }

    /// The path exists, but not for this method.
    pub fn method_not_allowed() -> Self {
        Self::new(405, "MethodNotAllowed", "the server does not allow this method on the requested resource")
            .with_details(Details::default())
    }

    /// The client accepts nothing that the server can print.
    pub fn not_acceptable(message: impl Into<String>) -> Self {
        Self::new(406, "NotAcceptable", message)
    }

    /// The version that the client asked for is no longer kept.
    pub fn expired(message: impl Into<String>) -> Self {
        Self::new(410, "Expired", message)
    }

    /// The body is too large.
    pub fn too_large(message: impl Into<String>) -> Self {
        Self::new(413, "RequestEntityTooLarge", message)
    }

    /// The body is of a type that is not read here.
    pub fn unsupported_media_type(message: impl Into<String>) -> Self {
        Self::new(415, "UnsupportedMediaType", message)
    }

    /// Too many requests at a time.
    pub fn too_many_requests(message: impl Into<String>, retry_after_seconds: u32) -> Self {
        Self::new(429, "TooManyRequests", message).with_retry_after(retry_after_seconds)
    }

    /// Something went wrong inside.
    pub fn internal(message: impl AsRef<str>) -> Self {
        let message = message.as_ref();
        Self::new(500, "InternalError", format!("Internal error occurred: {message}")).with_cause(Cause::new("", message, ""))
    }

    /// A failure that the real server answers with 500 and no reason.
    pub fn unknown(message: impl Into<String>) -> Self {
        Self::new(500, "", message)
    }

    /// A feature that this build or this version does not have.
    pub fn not_implemented(message: impl Into<String>) -> Self {
        Self::new(501, "NotImplemented", message)
    }

    /// The server cannot answer now.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(503, "ServiceUnavailable", message)
    }

    /// The server did not get to it in time.
    pub fn timeout(message: impl Into<String>, retry_after_seconds: u32) -> Self {
        Self::new(504, "Timeout", message).with_retry_after(retry_after_seconds)
    }

    /// The client asked for a version that does not exist yet.
    pub fn too_large_version(asked: u64, current: u64) -> Self {
        let text = format!("Too large resource version: {asked}, current: {current}");
        Self::timeout(format!("Timeout: {text}"), 1).with_cause(Cause::new(
            "ResourceVersionTooLarge",
            "Too large resource version",
            "",
        ))
    }
}

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
    fn many_field_errors_are_told_once_each() {
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
