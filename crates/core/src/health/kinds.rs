//! The kinds with their own health rules, except workloads.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::rules::View;
use super::{Health, Readiness, workloads};

/// The time for which a pod may be unschedulable before that counts as a failure.
const UNSCHEDULABLE_GRACE: SignedDuration = SignedDuration::from_secs(15);

/// Returns the health by the kind's own rule, or None if the kind has none.
pub(super) fn readiness(view: &View<'_>) -> Option<Readiness> {
    let api_version = view.object.get("apiVersion").and_then(Value::as_str).unwrap_or("");
    let kind = view.object.get("kind").and_then(Value::as_str).unwrap_or("");
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    Some(match (group, kind) {
        ("", "ConfigMap" | "Secret") | ("batch", "CronJob") | ("policy", "PodDisruptionBudget") => Readiness::current(),
        ("", "Service") => service(view),
        ("", "PersistentVolumeClaim") => claim(view),
        ("", "Pod") => pod(view),
        ("apps" | "extensions", "Deployment") => workloads::deployment(view),
        ("apps" | "extensions", "ReplicaSet") => workloads::replica_set(view),
        ("apps", "StatefulSet") => workloads::stateful_set(view),
        ("apps" | "extensions", "DaemonSet") => workloads::daemon_set(view),
        ("batch", "Job") if version == "v1" => workloads::job(view),
        ("apiextensions.k8s.io", "CustomResourceDefinition") if version == "v1" => definition(view),
        ("apiregistration.k8s.io", "APIService") if version == "v1" => api_service(view),
        _ => return None,
    })
}

fn service(view: &View<'_>) -> Readiness {
    if view.text("spec", "type") == "LoadBalancer" && view.text("spec", "clusterIP").is_empty() {
        Readiness::in_progress("load balancer has no cluster IP yet")
    } else {
        Readiness::current()
    }
}

fn claim(view: &View<'_>) -> Readiness {
    match view.text("status", "phase") {
        "Bound" => Readiness::current(),
        "" => Readiness::in_progress("claim is not bound"),
        phase => Readiness::in_progress(format!("claim is not bound ({phase})")),
    }
}

fn pod(view: &View<'_>) -> Readiness {
    match view.text("status", "phase") {
        "Succeeded" | "Failed" => Readiness::current(),
        "Running" if view.is_true("Ready") => Readiness::current(),
        "Running" => match crash_looping(view.object) {
            Some(container) => Readiness::failed(format!("container {container} is in CrashLoopBackOff")),
            None => Readiness::in_progress("pod is running but not ready"),
        },
        "Pending" => pending_pod(view),
        "" => Readiness::in_progress("pod has no phase yet"),
        phase => Readiness::in_progress(format!("pod is in phase {phase}")),
    }
}

fn pending_pod(view: &View<'_>) -> Readiness {
    let unschedulable =
        view.condition("PodScheduled").filter(|condition| condition.is_false() && condition.reason == "Unschedulable");
    let Some(condition) = unschedulable else {
        return Readiness::in_progress("pod is pending");
    };
    let mut readiness = Readiness::in_progress(format!("pod is unschedulable: {}", condition.text()));
    readiness.changes_at = condition.since.and_then(failing_instant).map(|at| (at, Health::Failed));
    readiness
}

fn failing_instant(since: Timestamp) -> Option<Timestamp> {
    since.checked_add(UNSCHEDULABLE_GRACE).ok()
}

fn crash_looping(pod: &Value) -> Option<&str> {
    pod.pointer("/status/containerStatuses")?.as_array()?.iter().find_map(|container| {
        let reason = container.pointer("/state/waiting/reason")?.as_str()?;
        (reason == "CrashLoopBackOff").then(|| container.get("name").and_then(Value::as_str).unwrap_or("?"))
    })
}

fn definition(view: &View<'_>) -> Readiness {
    if let Some(names) = view.condition("NamesAccepted").filter(|condition| condition.is_false()) {
        return Readiness::failed(names.text());
    }
    match view.condition("Established") {
        Some(established) if established.is_false() && established.reason != "Installing" => {
            Readiness::failed(established.text())
        }
        Some(established) if established.is_true() && view.is_true("NamesAccepted") => Readiness::current(),
        _ => Readiness::in_progress("definition is not established yet"),
    }
}

fn api_service(view: &View<'_>) -> Readiness {
    match view.condition("Available") {
        Some(available) if available.is_true() => Readiness::current(),
        Some(available) => Readiness::in_progress(available.text()),
        None => Readiness::in_progress("API service is not available yet"),
    }
}
