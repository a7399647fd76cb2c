//! OpenAPI v3 over HTTP: the index, and documents that clients can cache under their hash.

use std::sync::Arc;

use http::{HeaderValue, StatusCode, header};
use jiff::SignedDuration;

use super::RequestState;
use super::service::{Incoming, Outgoing};
use super::wire::{negotiate, respond};
use crate::openapi;

/// The cache lifetime of a document that was requested by its hash.
const YEAR: SignedDuration = SignedDuration::from_hours(365 * 24);

/// Answers `/openapi/v3` with the index of documents (DISC-7).
pub(super) fn index(state: &Arc<RequestState>) -> Outgoing {
    respond::text(StatusCode::OK, state.documents.openapi.index(&state.api.registry()).to_string()).into()
}

/// Answers `/openapi/v2`, in JSON only (DISC-9).
pub(super) fn version_2(state: &Arc<RequestState>, incoming: &Incoming) -> Outgoing {
    if negotiate::document(&incoming.parts.headers).is_err() {
        return respond::empty(StatusCode::NOT_ACCEPTABLE).into();
    }
    let document = state.documents.openapi.version_2(&state.api.registry());
    let known = incoming.parts.headers.get(header::IF_NONE_MATCH).and_then(|tag| tag.to_str().ok());
    let mut response = if known.is_some_and(|tag| document.matches(tag)) {
        respond::empty(StatusCode::NOT_MODIFIED)
    } else {
        respond::full(StatusCode::OK, "application/json", document.body.clone())
    };
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("Accept"));
    if let Ok(tag) = HeaderValue::from_str(&document.etag) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response.into()
}

/// Answers a request for a document; `path` is the part after `/openapi/v3/`.
pub(super) fn answer(state: &Arc<RequestState>, incoming: &Incoming, path: &str) -> Outgoing {
    let registry = state.api.registry();
    let Some(document) = state.documents.openapi.document(&registry, path) else {
        return respond::empty(StatusCode::NOT_FOUND).into();
    };
    let hash = incoming.parts.uri.query().unwrap_or_default().split('&').find_map(|pair| pair.strip_prefix("hash="));
    let is_right = hash.is_some_and(|hash| document.etag.trim_matches('"') == hash);
    let known = incoming.parts.headers.get(header::IF_NONE_MATCH).and_then(|tag| tag.to_str().ok());
    let mut response = match hash {
        Some(_) if !is_right => respond::full(StatusCode::MOVED_PERMANENTLY, "application/json", bytes::Bytes::new()),
        _ if known.is_some_and(|tag| document.matches(tag)) => respond::empty(StatusCode::NOT_MODIFIED),
        _ => respond::full(StatusCode::OK, "application/json", document.body.clone()),
    };
    let mut set = |name: header::HeaderName, value: String| {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().insert(name, value);
        }
    };
    set(header::VARY, "Accept".to_owned());
    set(header::ETAG, document.etag.clone());
    if is_right {
        set(header::CACHE_CONTROL, "public, immutable".to_owned());
        if let Ok(expires) = state.api.clock.now().checked_add(YEAR) {
            set(header::EXPIRES, expires.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string());
        }
    } else if hash.is_some() {
        set(header::LOCATION, openapi::url(path, &document));
    }
    response.into()
}
