//! Failed answers of servers, without the confidential values that they quote.

use kubewright_core::flow::ApiStatus;
use serde_json::{Value, json};

/// Reads a failed answer after masking its texts. The wait is the one that the head of the answer asks for, which precedes that of the body.
pub(super) fn read(code: u16, wait: Option<u64>, body: &[u8], mask: impl FnOnce(&mut Value)) -> ApiStatus {
    let status = ApiStatus::read(code, &shown(code, body, mask));
    ApiStatus { retry_after_seconds: wait.or(status.retry_after_seconds), ..status }
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
