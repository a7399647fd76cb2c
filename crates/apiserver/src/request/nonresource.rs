//! Paths that are no resources: version, health, discovery.

use std::sync::Arc;

use http::StatusCode;
use serde_json::{Value, json};

use super::{
    negotiate::Format,
    respond,
    service::{Incoming, Outgoing},
};
use crate::{server::State, status::Status};

/// What a health check lists when asked to be verbose (DISC-13).
const CHECKS: [&str; 3] = ["ping", "log", "etcd"];

/// Answers a request that is not for a resource.
pub(super) fn answer(state: &Arc<State>, incoming: &Incoming) -> Outgoing {
    let parts: Vec<_> = incoming.parts.uri.path().split('/').filter(|part| !part.is_empty()).collect();
    let is_get = incoming.parts.method == http::Method::GET;
    match parts.as_slice() {
        ["version"] if is_get => document(&version()),
        ["healthz" | "livez" | "readyz", ..] if is_get => respond::text(StatusCode::OK, health(parts[0], incoming)).into(),
        [] if is_get => document(&json!({"paths": ["/api", "/api/v1", "/apis", "/healthz", "/livez", "/readyz", "/version"]})),
        ["api" | "apis", ..] => discovery(state, incoming, &parts),
        _ => not_found(),
    }
}

fn discovery(_state: &Arc<State>, _incoming: &Incoming, _parts: &[&str]) -> Outgoing {
    Status::resource_not_found().into()
}

fn document(value: &Value) -> Outgoing {
    respond::value(StatusCode::OK, value, Format::Json).into()
}

fn not_found() -> Outgoing {
    respond::text(StatusCode::NOT_FOUND, "404 page not found\n").into()
}

fn health(endpoint: &str, incoming: &Incoming) -> String {
    let verbose = incoming.parts.uri.query().is_some_and(|query| query.split('&').any(|pair| pair == "verbose" || pair.starts_with("verbose=")));
    if !verbose {
        return "ok".into();
    }
    let checks = CHECKS.map(|check| format!("[+]{check} ok\n")).concat();
    format!("{checks}{endpoint} check passed\n")
}

/// DISC-1.
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
