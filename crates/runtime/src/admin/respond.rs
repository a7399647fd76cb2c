//! The answers of the admin server, independent of the HTTP server.

use std::fmt::Write as _;

use http::{Method, StatusCode};
use serde_json::Value;

use super::why::WhyQuery;
use super::{CheckKind, Diagnostics, HealthChecks, PassHistories, QueueError, WhyError};
use crate::metrics::Metrics;

/// The content type of metrics.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";
const NOT_FOUND: &str =
    "not found; there are /livez, /readyz, /metrics, /debug/why, /debug/state and /debug/queue/<controller>\n";

/// An answer of the admin server.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AdminResponse {
    pub(super) status: StatusCode,
    pub(super) content_type: &'static str,
    pub(super) body: String,
}

impl AdminResponse {
    fn text(status: StatusCode, body: impl Into<String>) -> Self {
        Self { status, content_type: TEXT, body: body.into() }
    }

    fn json(page: &Value) -> Self {
        Self { status: StatusCode::OK, content_type: JSON, body: format!("{page}\n") }
    }
}

/// The sources of all pages.
#[derive(Clone, Debug)]
pub(super) struct Pages {
    pub(super) checks: HealthChecks,
    pub(super) metrics: Metrics,
    pub(super) why: PassHistories,
    /// The diagnostics of the operator, or None if the server belongs to no operator.
    pub(super) diagnostics: Option<Diagnostics>,
}

impl Pages {
    /// Answers a request.
    pub(super) async fn respond(&self, method: &Method, path: &str, query: &str) -> AdminResponse {
        if !matches!(*method, Method::GET | Method::HEAD) {
            return AdminResponse::text(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD\n");
        }
        let path = path.trim_start_matches('/');
        let (endpoint, rest) = path.split_once('/').unwrap_or((path, ""));
        match (endpoint, rest, &self.diagnostics) {
            ("livez" | "healthz" | "health", check, _) => probe("livez", CheckKind::Live, check, query, &self.checks),
            ("readyz" | "readiness", check, _) => probe("readyz", CheckKind::Ready, check, query, &self.checks),
            ("metrics", "", diagnostics) => metrics(&self.metrics, diagnostics.as_ref()),
            ("debug", "why", _) => passes(query, &self.why),
            ("debug", "state", Some(diagnostics)) => AdminResponse::json(&diagnostics.state().await),
            ("debug", page, Some(diagnostics)) if page.starts_with("queue/") => queue(diagnostics, &page["queue/".len()..]).await,
            _ => AdminResponse::text(StatusCode::NOT_FOUND, NOT_FOUND),
        }
    }
}

fn metrics(metrics: &Metrics, diagnostics: Option<&Diagnostics>) -> AdminResponse {
    if diagnostics.is_some_and(|diagnostics| !diagnostics.observability().serves_metrics()) {
        return AdminResponse::text(
            StatusCode::NOT_FOUND,
            "metrics are turned off: metrics-protocol is none in the ConfigMap config-observability\n",
        );
    }
    match metrics.encode() {
        Ok(body) => AdminResponse { status: StatusCode::OK, content_type: OPEN_METRICS, body },
        Err(_) => AdminResponse::text(StatusCode::INTERNAL_SERVER_ERROR, "the metrics cannot be written\n"),
    }
}

async fn queue(diagnostics: &Diagnostics, controller: &str) -> AdminResponse {
    match diagnostics.queue(controller).await {
        Ok(page) => AdminResponse::json(&page),
        Err(error @ (QueueError::TurnedOff | QueueError::UnknownController { .. })) => {
            AdminResponse::text(StatusCode::NOT_FOUND, format!("{error}\n"))
        }
    }
}

/// Answers with the last passes of an object (WHY-6).
fn passes(query: &str, why: &PassHistories) -> AdminResponse {
    let asked = match WhyQuery::parse(query) {
        Ok(asked) => asked,
        Err(problem) => return AdminResponse::text(StatusCode::BAD_REQUEST, format!("{problem}\n")),
    };
    let page = if asked.json { why.json(&asked.kind, &asked.key) } else { why.text(&asked.kind, &asked.key) };
    match page {
        Ok(body) => AdminResponse { status: StatusCode::OK, content_type: if asked.json { JSON } else { TEXT }, body },
        Err(error @ (WhyError::UnknownKind { .. } | WhyError::NoPass { .. })) => {
            AdminResponse::text(StatusCode::NOT_FOUND, format!("{error}\n"))
        }
    }
}

fn probe(endpoint: &str, kind: CheckKind, only: &str, query: &str, checks: &HealthChecks) -> AdminResponse {
    let parameters = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let verbose = parameters.clone().any(|(key, _)| key == "verbose");
    let excluded = |name: &str| parameters.clone().any(|(key, value)| key == "exclude" && value == name);

    let mut results = checks.results(kind);
    if !only.is_empty() {
        results.retain(|(name, _)| name == only);
        if results.is_empty() {
            return AdminResponse::text(StatusCode::NOT_FOUND, format!("no check {only:?} exists\n"));
        }
    }
    results.retain(|(name, _)| !excluded(name));
    let passed = results.iter().all(|(_, result)| result.is_ok());
    let status = if passed { StatusCode::OK } else { StatusCode::INTERNAL_SERVER_ERROR };
    if passed && !verbose {
        return AdminResponse::text(status, "ok");
    }
    if verbose && kind == CheckKind::Ready && only.is_empty() {
        results.extend(checks.results(CheckKind::Note));
    }
    let mut body = String::new();
    for (name, result) in results {
        let _ = match result {
            Ok(()) => writeln!(body, "[+]{name} ok"),
            Err(reason) => writeln!(body, "[-]{name} failed: {reason}"),
        };
    }
    let verdict = if passed { "passed" } else { "failed" };
    let _ = writeln!(body, "{endpoint} check {verdict}");
    AdminResponse::text(status, body)
}
