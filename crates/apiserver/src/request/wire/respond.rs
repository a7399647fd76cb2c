//! Construction of HTTP answers.

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use kubewright_middleware::Status;
use kubewright_middleware::journal::AUDIT_ID;
use serde_json::{Value, json};

use super::body::ResponseBody;
use super::encode;
use super::negotiate::{BodyFormat, Representation};
use crate::api::warnings::Warnings;
use crate::api::{Deleted, ObjectApi};
use crate::kinds::KindSpec;

/// Returns a complete answer.
pub(in crate::request) fn full(code: StatusCode, content_type: &'static str, bytes: Bytes) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::full(bytes));
    *response.status_mut() = code;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// Returns an answer in plain text.
pub(in crate::request) fn text(code: StatusCode, text: impl Into<Bytes>) -> Response<ResponseBody> {
    let mut response = full(code, "text/plain; charset=utf-8", text.into());
    if code.is_client_error() || code.is_server_error() {
        response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    }
    response
}

/// Returns an answer with a JSON value in the given encoding.
pub(in crate::request) fn value(code: StatusCode, value: &Value, format: BodyFormat) -> Response<ResponseBody> {
    full(code, format.media_type(), encode::value(value, format))
}

/// Returns an answer without content and therefore without content type.
pub(in crate::request) fn empty(code: StatusCode) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::full(Bytes::new()));
    *response.status_mut() = code;
    response
}

/// Returns the answer for a failure, which is always a plain Status (NEG-4).
pub(in crate::request) fn failure(status: &Status, format: BodyFormat) -> Response<ResponseBody> {
    let mut response = value(status.status_code(), &status.to_value(), format);
    let seconds = status.details.as_ref().map_or(0, |details| details.retry_after_seconds);
    if seconds > 0 {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

/// Returns the answer of a delete (SDEL-1).
pub(in crate::request) fn deleted(
    api: &ObjectApi,
    kind: &KindSpec,
    deleted: &Deleted,
    representation: Representation,
) -> Result<Response<ResponseBody>, Status> {
    use kubewright_machinery::object::ObjectExt as _;
    let content_type = representation.content_type();
    if !deleted.gone || kind.flags.returns_deleted {
        let bytes = encode::object(kind, &deleted.object, representation, api.clock.now())?;
        return Ok(full(StatusCode::OK, content_type, bytes));
    }
    let object = deleted.object.value();
    let mut details = json!({"name": object.name(), "kind": kind.plural, "uid": object.uid()});
    if !kind.group.is_empty() {
        details["group"] = kind.group.clone().into();
    }
    let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details});
    Ok(value(StatusCode::OK, &status, representation.format))
}

/// Adds the headers that every answer carries (DISC-14).
pub(in crate::request) fn finish(api: &ObjectApi, response: &mut Response<ResponseBody>, warnings: &Warnings) {
    let headers = response.headers_mut();
    headers.reserve(4 + warnings.told().len());
    if let Ok(id) = HeaderValue::from_bytes(&api.seed.uuid_text()) {
        headers.entry(AUDIT_ID).or_insert(id);
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache, private"));
    headers.entry(header::DATE).or_insert_with(|| api.clock.http_date());
    for warning in warnings.told() {
        let quoted = warning.replace('\\', "\\\\").replace('"', "\\\"");
        if let Ok(value) = HeaderValue::from_bytes(format!("299 - \"{quoted}\"").as_bytes()) {
            headers.append(header::WARNING, value);
        }
    }
}
