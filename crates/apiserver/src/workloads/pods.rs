//! What controllers ask of the pods they own.

use jiff::Timestamp;
use kubewright_machinery::object::ObjectExt;
use serde_json::Value;

use super::{
    condition,
    plan::Plan,
    read::{created, is_deleted, seconds_after, text, time},
};

/// Whether the pod runs or will run.
pub(super) fn is_active(pod: &Value) -> bool {
    !is_deleted(pod) && !is_done(pod)
}

/// Whether the pod has run to its end.
pub(super) fn is_done(pod: &Value) -> bool {
    matches!(text(pod, "/status/phase"), "Succeeded" | "Failed")
}

/// Whether the pod is ready.
pub(super) fn is_ready(pod: &Value) -> bool {
    condition::is_true(pod, "Ready")
}

/// Whether the pod has been ready for long enough; when it will be, goes into the plan.
pub(super) fn is_available(pod: &Value, min_ready_seconds: i64, now: Timestamp, plan: &mut Plan) -> bool {
    if !is_ready(pod) {
        return false;
    }
    let since = condition::find(pod, "Ready").and_then(|ready| time(ready, "/lastTransitionTime")).unwrap_or(now);
    let available_at = seconds_after(since, min_ready_seconds);
    plan.wake_at(available_at, now);
    available_at <= now
}

/// The order in which pods are given up: those that are not placed, not running, not ready first; then the younger.
pub(super) fn by_worth(one: &Value, other: &Value) -> std::cmp::Ordering {
    let worth = |pod: &Value| (!text(pod, "/spec/nodeName").is_empty(), text(pod, "/status/phase") == "Running", is_ready(pod));
    worth(one).cmp(&worth(other)).then_with(|| created(other).cmp(&created(one))).then_with(|| other.name().cmp(one.name()))
}
