//! The health of the parts of a control plane. They are computed with each request and never stored; all parts of this server are one process.

use std::sync::Arc;

use http::{Response, StatusCode};
use kubewright_middleware::Status;
use serde_json::json;

use super::resource::Call;
use crate::api::{ListQuery, PageMetadata};
use crate::kinds::KindSpec;
use crate::request::wire::body::ResponseBody;
use crate::request::wire::{encode, respond};
use crate::status::StatusExt as _;
use crate::store::Stored;

/// The parts of a control plane, in the order of a list.
const PARTS: [&str; 3] = ["controller-manager", "scheduler", "etcd-0"];
/// The name of the resource in a 404, which differs from that in paths.
const IN_FAILURES: &str = "componentstatus";

/// Returns true for the kind that this module answers for.
pub(in crate::request) fn is_component_status(kind: &KindSpec) -> bool {
    kind.group.is_empty() && kind.kind == "ComponentStatus"
}

/// Answers a GET of one part.
pub(in crate::request) fn get(call: &Call<'_>) -> Result<Response<ResponseBody>, Status> {
    let name = call.name().name;
    if !PARTS.contains(&&*name) {
        return Err(Status::not_found("", IN_FAILURES, &name));
    }
    let bytes = encode::object(call.kind(), &status_of(&name), call.representation, call.state.api.clock.now())?;
    Ok(respond::full(StatusCode::OK, call.representation.content_type(), bytes))
}

/// Answers a list.
pub(in crate::request) fn list(call: &Call<'_>) -> Result<Response<ResponseBody>, Status> {
    let query = ListQuery::parse(&call.incoming.query, call.kind(), None)?;
    let parts = PARTS.map(status_of).into_iter().filter(|part| query.selection.matches(call.kind(), part.value()));
    let parts: Vec<_> = parts.map(Arc::new).collect();
    let bytes = encode::list(call.kind(), &parts, &PageMetadata::default(), call.representation, call.state.api.clock.now())?;
    Ok(respond::full(StatusCode::OK, call.representation.content_type(), bytes))
}

fn status_of(name: &str) -> Stored {
    let healthy = json!({"type": "Healthy", "status": "True", "message": "ok"});
    let status = json!({"kind": "ComponentStatus", "apiVersion": "v1", "metadata": {"name": name}, "conditions": [healthy]});
    Stored::as_is(status, 0)
}
