//! Properties of owned pods that the controllers need.

use jiff::Timestamp;
use kubewright_machinery::object::ObjectExt;
use serde_json::Value;

use super::condition;
use super::plan::WorkloadPlan;
use super::read::{created, is_deleted, seconds_after, text, time};

/// Returns true if the pod runs or will run.
pub(super) fn is_active(pod: &Value) -> bool {
    !is_deleted(pod) && !is_done(pod)
}

/// Returns true if the pod has finished.
pub(super) fn is_done(pod: &Value) -> bool {
    matches!(text(pod, "/status/phase"), "Succeeded" | "Failed")
}

/// Returns true if the pod is ready.
pub(super) fn is_ready(pod: &Value) -> bool {
    condition::is_true(pod, "Ready")
}

/// Returns true if the pod has been ready for long enough; otherwise the time at which it will be is added to the plan.
pub(super) fn is_available(pod: &Value, min_ready_seconds: i64, now: Timestamp, plan: &mut WorkloadPlan) -> bool {
    if !is_ready(pod) {
        return false;
    }
    let since = condition::find(pod, "Ready").and_then(|ready| time(ready, "/lastTransitionTime")).unwrap_or(now);
    let available_at = seconds_after(since, min_ready_seconds);
    plan.wake_at(available_at, now);
    available_at <= now
}

/// Compares pods by the order of their removal: first those that are not scheduled, not running or not ready, then the younger ones.
pub(super) fn by_worth(one: &Value, other: &Value) -> std::cmp::Ordering {
    let worth = |pod: &Value| (!text(pod, "/spec/nodeName").is_empty(), text(pod, "/status/phase") == "Running", is_ready(pod));
    worth(one).cmp(&worth(other)).then_with(|| created(other).cmp(&created(one))).then_with(|| other.name().cmp(one.name()))
}
