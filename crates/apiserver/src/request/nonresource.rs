//! Paths that are not resources: version, health, discovery.

use std::sync::Arc;

use http::{HeaderValue, StatusCode, header};
use kubewright_middleware::Status;
use kubewright_middleware::target::path::Segments;
use serde_json::{Value, json};

use super::service::{Incoming, Outgoing};
use super::wire::negotiate::{self, DiscoveryForm};
use super::wire::{pretty, respond};
use super::{RequestState, openapi};
use crate::access::service_account::ISSUER;
use crate::discovery;
use crate::status::StatusExt as _;

/// The address of the server for clients inside a cluster.
const ADDRESS: &str = "10.0.0.1:443";

/// The checks that a verbose health answer lists (DISC-13).
const CHECKS: [&str; 3] = ["ping", "log", "etcd"];

/// The paths of the index.
const INDEX: [&str; 12] = [
    "/.well-known/openid-configuration",
    "/api",
    "/api/v1",
    "/apis",
    "/healthz",
    "/livez",
    "/openapi/v2",
    "/openapi/v3",
    "/openid/v1/jwks",
    "/readyz",
    "/version",
    "/version/",
];

/// Answers a request that is not for a resource. Some paths match exactly, whatever the method; others are routed: there a trailing slash is ignored
/// and a wrong method is refused.
pub(super) fn answer(state: &Arc<RequestState>, incoming: &Incoming, path: &str) -> Outgoing {
    match path {
        "/" | "/index.html" => return laid_out(document(incoming, &json!({"paths": INDEX}))),
        "/openapi/v2" => return openapi::version_2(state, incoming),
        "/apis" | "/apis/" => return discover(state, incoming, &["apis"]),
        "/openapi/v3" => return openapi::index(state),
        "/openid/v1/jwks" => return published("application/jwk-set+json", &state.api.access.key.published()),
        "/.well-known/openid-configuration" => return published("application/json", &issuer()),
        _ => {}
    }
    if let Some(rest) = path.strip_prefix("/openapi/v3/") {
        return openapi::answer(state, incoming, rest);
    }
    let is_get = incoming.parts.method == http::Method::GET;
    let has_slash = path.ends_with('/');
    match Segments::of(path).collect::<Vec<_>>().as_slice() {
        [endpoint @ ("healthz" | "livez" | "readyz")] if !has_slash => {
            respond::text(StatusCode::OK, health(endpoint, incoming)).into()
        }
        ["healthz" | "livez" | "readyz", check] if !has_slash && CHECKS.contains(check) => {
            respond::text(StatusCode::OK, "ok").into()
        }
        ["version" | "api"] if !is_get => Status::method_not_allowed().into(),
        ["version"] => laid_out(document(incoming, &version())),
        ["version", ..] => Status::resource_not_found().into(),
        parts @ (["api", ..] | ["apis", _, ..]) => discover(state, incoming, parts),
        _ => not_found(),
    }
}

/// Answers a request for discovery, plain or aggregated (DISC-2 to DISC-5).
fn discover(state: &Arc<RequestState>, incoming: &Incoming, parts: &[&str]) -> Outgoing {
    let registry = state.api.registry();
    let is_get = incoming.parts.method == http::Method::GET;
    match parts {
        ["api", _, ..] if !is_get => Status::method_not_allowed().into(),
        ["apis", group, _, ..] if !is_get && registry.has_builtin_group(group) => Status::method_not_allowed().into(),
        [root @ ("api" | "apis")] => match negotiate::discovery(&incoming.parts.headers) {
            Err(status) => status.into(),
            Ok(DiscoveryForm::Aggregated) => aggregated(state, incoming, *root == "api"),
            Ok(DiscoveryForm::Plain(_)) if *root == "api" => document(incoming, &discovery::api_versions(ADDRESS)),
            Ok(DiscoveryForm::Plain(_)) => document(incoming, &discovery::api_group_list(&registry)),
        },
        ["api", version] => discovery::api_resource_list(&registry, "", version)
            .map_or_else(|| Status::resource_not_found().into(), |list| document(incoming, &list)),
        ["apis", "", ..] => not_found(),
        ["apis", group] => discovery::api_group(&registry, group).map_or_else(not_found, |group| document(incoming, &group)),
        ["apis", group, version] => match discovery::api_resource_list(&registry, group, version) {
            Some(list) => document(incoming, &list),
            None if registry.is_unavailable(group, version) => unavailable(),
            None if registry.has_builtin_group(group) => Status::resource_not_found().into(),
            None => not_found(),
        },
        ["api", ..] => Status::resource_not_found().into(),
        ["apis", group, ..] if registry.has_builtin_group(group) => Status::resource_not_found().into(),
        _ => not_found(),
    }
}

fn aggregated(state: &Arc<RequestState>, incoming: &Incoming, core: bool) -> Outgoing {
    let documents = state.documents.discovery.documents(&state.api.registry());
    let document = if core { &documents.core } else { &documents.groups };
    let known = incoming.parts.headers.get(header::IF_NONE_MATCH).and_then(|tag| tag.to_str().ok());
    let mut response = if known.is_some_and(|tag| document.matches(tag)) {
        respond::empty(StatusCode::NOT_MODIFIED)
    } else {
        respond::full(StatusCode::OK, discovery::AGGREGATED, document.body.clone())
    };
    let headers = response.headers_mut();
    headers.insert(header::VARY, HeaderValue::from_static("Accept"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public"));
    if let Ok(tag) = HeaderValue::from_str(&document.etag) {
        headers.insert(header::ETAG, tag);
    }
    response.into()
}

fn document(incoming: &Incoming, value: &Value) -> Outgoing {
    match negotiate::document(&incoming.parts.headers) {
        Ok(format) => respond::value(StatusCode::OK, value, format).into(),
        Err(status) => status.into(),
    }
}

/// Pretty-prints an answer regardless of the client.
fn laid_out(mut outgoing: Outgoing) -> Outgoing {
    pretty::lay_out(&mut outgoing.response);
    outgoing
}

/// Returns the answer for an API service that does not respond.
pub(super) fn unavailable() -> Outgoing {
    respond::text(StatusCode::SERVICE_UNAVAILABLE, "service unavailable\n").into()
}

/// Returns a document that verifiers of service account tokens may cache for an hour (DISC-21).
fn published(content_type: &'static str, value: &Value) -> Outgoing {
    let mut response = respond::full(StatusCode::OK, content_type, value.to_string().into());
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600"));
    response.into()
}

fn issuer() -> Value {
    json!({
        "issuer": ISSUER,
        "jwks_uri": format!("https://{ADDRESS}/openid/v1/jwks"),
        "response_types_supported": ["id_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256"],
    })
}

fn not_found() -> Outgoing {
    respond::text(StatusCode::NOT_FOUND, "404 page not found\n").into()
}

fn health(endpoint: &str, incoming: &Incoming) -> String {
    let verbose = incoming
        .parts
        .uri
        .query()
        .is_some_and(|query| query.split('&').any(|pair| pair == "verbose" || pair.starts_with("verbose=")));
    if !verbose {
        return "ok".into();
    }
    let checks = CHECKS.map(|check| format!("[+]{check} ok\n")).concat();
    format!("{checks}{endpoint} check passed\n")
}

/// Returns the version document (DISC-1).
fn version() -> Value {
    json!({
        "major": "1",
        "minor": "36",
        "emulationMajor": "1",
        "emulationMinor": "36",
        "minCompatibilityMajor": "1",
        "minCompatibilityMinor": "35",
        "gitVersion": "v1.36.2+kubewright",
        "gitCommit": "0000000000000000000000000000000000000000",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "",
        "compiler": "rustc",
        "platform": "linux/amd64",
    })
}
