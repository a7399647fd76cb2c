//! The status of a pod in each stage.

use std::net::Ipv4Addr;

use jiff::Timestamp;
use kubewright_machinery::object::{ObjectExt, sha256_hex};
use serde_json::{Value, json};

use crate::workloads::condition::{self, ConditionUpdate};
use crate::workloads::node;
use crate::workloads::read::{at, list, stamp, text, time};

/// Returns the status of a pod that is bound to a node.
pub(super) fn scheduled(pod: &Value, now: Timestamp) -> Value {
    with_conditions(pod, now, &[ConditionUpdate::new("PodScheduled", true, "", "")])
}

/// Returns the status of a pod that scheduling gates hold back.
pub(super) fn gated(pod: &Value, now: Timestamp) -> Value {
    let message = "Scheduling is blocked due to non-empty scheduling gates";
    with_conditions(pod, now, &[ConditionUpdate::new("PodScheduled", false, "SchedulingGated", message)])
}

/// Returns the status of a pod that no node accepts.
pub(super) fn unschedulable(pod: &Value, nodes: &[&Value], now: Timestamp) -> Value {
    let (all, cordoned) = (nodes.len(), nodes.iter().filter(|node| *at(node, "/spec/unschedulable") == true).count());
    let why = match all {
        0 => "no nodes available to schedule pods".to_owned(),
        _ if cordoned == all => format!("0/{all} nodes are available: {cordoned} node(s) were unschedulable."),
        _ => format!(
            "0/{all} nodes are available: {all} node(s) didn't match Pod's node affinity/selector or had untolerated taint(s)."
        ),
    };
    with_conditions(pod, now, &[ConditionUpdate::new("PodScheduled", false, "Unschedulable", &why)])
}

/// Returns the status of a started pod: sandbox created, init containers done, containers being created.
pub(super) fn started(pod: &Value, node: Option<&Value>, address: Ipv4Addr, now: Timestamp) -> Value {
    let not_ready = unready_message(pod);
    let mut status = with_conditions(
        pod,
        now,
        &[
            ConditionUpdate::new("PodReadyToStartContainers", true, "", ""),
            ConditionUpdate::new("Initialized", true, "", ""),
            ConditionUpdate::new("Ready", false, "ContainersNotReady", &not_ready),
            ConditionUpdate::new("ContainersReady", false, "ContainersNotReady", &not_ready),
        ],
    );
    status["startTime"] = stamp(now);
    let host = node.map(node::address).unwrap_or_default();
    if !host.is_empty() {
        status["hostIP"] = host.into();
        status["hostIPs"] = json!([{"ip": host}]);
    }
    let address = if *at(pod, "/spec/hostNetwork") == true { host.to_owned() } else { address.to_string() };
    status["podIP"] = address.as_str().into();
    status["podIPs"] = json!([{"ip": address}]);
    let waiting = json!({"waiting": {"reason": "ContainerCreating"}});
    status["containerStatuses"] = statuses(pod, "containers", |_| (false, false, waiting.clone()));
    let inits = statuses(pod, "initContainers", |container| {
        if text(container, "/restartPolicy") == "Always" {
            return (true, true, json!({"running": {"startedAt": stamp(now)}}));
        }
        (true, false, terminated("Completed", 0, now, now))
    });
    if !list(pod, "/spec/initContainers").is_empty() {
        status["initContainerStatuses"] = inits;
    }
    status
}

/// Returns the status of a running pod. It is ready unless a readiness gate holds it.
pub(super) fn ready(pod: &Value, now: Timestamp) -> Value {
    let started_at = |container: &Value| {
        let name = text(container, "/name");
        let present = list(pod, "/status/containerStatuses").iter().find(|status| text(status, "/name") == name);
        present.and_then(|status| time(status, "/state/running/startedAt")).unwrap_or(now)
    };
    let gate = closed_gate(pod);
    let pod_ready = match &gate {
        None => ConditionUpdate::new("Ready", true, "", ""),
        Some(message) => ConditionUpdate::new("Ready", false, "ReadinessGatesNotReady", message),
    };
    let mut status = with_conditions(pod, now, &[pod_ready, ConditionUpdate::new("ContainersReady", true, "", "")]);
    status["phase"] = "Running".into();
    status["containerStatuses"] =
        statuses(pod, "containers", |container| (true, true, json!({"running": {"startedAt": stamp(started_at(container))}})));
    status
}

/// Returns the status of a pod whose containers crash and wait for their restart.
pub(super) fn crashing(pod: &Value, now: Timestamp) -> Value {
    let not_ready = unready_message(pod);
    let mut status = with_conditions(
        pod,
        now,
        &[
            ConditionUpdate::new("Ready", false, "ContainersNotReady", &not_ready),
            ConditionUpdate::new("ContainersReady", false, "ContainersNotReady", &not_ready),
        ],
    );
    status["phase"] = "Running".into();
    let last = text(pod, "/status/containerStatuses/0/lastState/terminated/finishedAt").parse().unwrap_or(now);
    let uid = pod.uid();
    let mut containers = statuses(pod, "containers", |container| {
        let name = text(container, "/name");
        let message = format!("back-off 10s restarting failed container={name} pod={}_{}({uid})", pod.name(), pod.namespace());
        (false, false, json!({"waiting": {"reason": "CrashLoopBackOff", "message": message}}))
    });
    for container in containers.as_array_mut().into_iter().flatten() {
        container["restartCount"] = 1.into();
        container["lastState"] = terminated("Error", 1, last, last);
        container["containerID"] = container_id(pod, text(container, "/name")).into();
    }
    status["containerStatuses"] = containers;
    status
}

/// Returns the status of a pod whose containers all succeeded.
pub(super) fn succeeded(pod: &Value, now: Timestamp) -> Value {
    ended(pod, "Succeeded", "PodCompleted", "Completed", 0, now)
}

/// Returns the status of a pod whose containers all failed for good.
pub(super) fn failed(pod: &Value, now: Timestamp) -> Value {
    ended(pod, "Failed", "PodFailed", "Error", 1, now)
}

/// Returns true if the status shows running containers with the images of the spec.
pub(super) fn containers_run(pod: &Value) -> bool {
    let statuses = list(pod, "/status/containerStatuses");
    text(pod, "/status/phase") == "Running"
        && list(pod, "/spec/containers").iter().all(|container| {
            let status = statuses.iter().find(|status| text(status, "/name") == text(container, "/name"));
            status.is_some_and(|status| {
                text(status, "/image") == text(container, "/image") && !at(status, "/state/running").is_null()
            })
        })
}

fn ended(pod: &Value, phase: &str, condition_reason: &str, container_reason: &str, exit_code: i64, now: Timestamp) -> Value {
    let mut status = with_conditions(
        pod,
        now,
        &[
            ConditionUpdate::new("PodReadyToStartContainers", false, "", ""),
            ConditionUpdate::new("Initialized", true, condition_reason, ""),
            ConditionUpdate::new("Ready", false, condition_reason, ""),
            ConditionUpdate::new("ContainersReady", false, condition_reason, ""),
        ],
    );
    status["phase"] = phase.into();
    let began = time(pod, "/status/startTime").unwrap_or(now);
    status["containerStatuses"] =
        statuses(pod, "containers", |_| (false, false, terminated(container_reason, exit_code, began, now)));
    status
}

/// Returns the current status with these conditions at the current generation.
fn with_conditions(pod: &Value, now: Timestamp, wanted: &[ConditionUpdate<'_>]) -> Value {
    let mut status = match at(pod, "/status") {
        status @ Value::Object(_) => status.clone(),
        _ => json!({"phase": "Pending"}),
    };
    let generation = pod.generation().unwrap_or(1);
    let extra = json!({"lastProbeTime": null, "observedGeneration": generation});
    let mut conditions = condition::of(pod);
    for condition in wanted {
        condition::set(&mut conditions, *condition, now, &extra);
    }
    status["conditions"] = conditions.into();
    status["observedGeneration"] = generation.into();
    status
}

/// Returns one status per container of a list of the spec. `state` returns its readiness, its start flag and its state.
fn statuses(pod: &Value, field: &str, mut state: impl FnMut(&Value) -> (bool, bool, Value)) -> Value {
    let containers = list(at(pod, "/spec"), &format!("/{field}")).iter();
    containers
        .map(|container| {
            let (name, image) = (text(container, "/name"), text(container, "/image"));
            let (ready, started, state) = state(container);
            let created = at(&state, "/waiting").is_null();
            let mut status = json!({
                "name": name, "image": image, "imageID": "", "ready": ready, "started": started, "restartCount": 0, "state": state, "lastState": {},
            });
            if created {
                status["imageID"] = format!("kubewright://sha256:{}", sha256_hex(image)).into();
                status["containerID"] = container_id(pod, name).into();
            }
            status
        })
        .collect()
}

fn container_id(pod: &Value, name: &str) -> String {
    format!("kubewright://{}", sha256_hex(format!("{}/{name}", pod.uid())))
}

fn terminated(reason: &str, exit_code: i64, began: Timestamp, ended: Timestamp) -> Value {
    json!({"terminated": {"reason": reason, "exitCode": exit_code, "startedAt": stamp(began), "finishedAt": stamp(ended)}})
}

fn unready_message(pod: &Value) -> String {
    let names: Vec<&str> = list(pod, "/spec/containers").iter().map(|container| text(container, "/name")).collect();
    format!("containers with unready status: [{}]", names.join(" "))
}

/// Returns the message about the first readiness gate that is not open.
fn closed_gate(pod: &Value) -> Option<String> {
    let gates = list(pod, "/spec/readinessGates").iter().map(|gate| text(gate, "/conditionType"));
    gates.into_iter().find_map(|gate| match condition::find(pod, gate).map(|condition| text(condition, "/status")) {
        Some("True") => None,
        Some(status) => Some(format!("the status of pod readiness gate \"{gate}\" is not \"True\", but {status}")),
        None => Some(format!("corresponding condition of pod readiness gate \"{gate}\" does not exist.")),
    })
}
