//! Columns of pods and PodTemplates.

use serde_json::Value;

use crate::tables::printers::row::{NONE, PrintedObject, list};
use crate::tables::printers::{AGE, NAME, Printer, text, wide};

pub(in crate::tables::printers) static POD: Printer = Printer {
    columns: &[
        NAME,
        text("Ready"),
        text("Status"),
        text("Restarts"),
        AGE,
        wide("IP"),
        wide("Node"),
        wide("Nominated Node"),
        wide("Readiness Gates"),
    ],
    cells: |row| {
        let summary = ContainerSummary::of(row.object);
        let restarts = match summary.last_restart {
            Some(at) if summary.restarts > 0 => {
                format!("{} ({} ago)", summary.restarts, crate::tables::age::since(Some(at), row.now))
            }
            _ => summary.restarts.to_string(),
        };
        vec![
            row.name(),
            format!("{}/{}", summary.ready, summary.containers).into(),
            summary.reason.into(),
            restarts.into(),
            row.age(),
            row.str_or("/status/podIP", NONE),
            row.str_or("/spec/nodeName", NONE),
            row.str_or("/status/nominatedNodeName", NONE),
            gates(row),
        ]
    },
};

pub(in crate::tables::printers) static POD_TEMPLATE: Printer = Printer {
    columns: &[NAME, text("Containers"), text("Images"), text("Pod Labels")],
    cells: |row| {
        let [names, images] = row.containers("/template/spec/containers");
        vec![row.name(), names, images, row.labels("/template/metadata/labels")]
    },
};

fn gates(row: &PrintedObject<'_>) -> Value {
    let gates = row.list("/spec/readinessGates");
    if gates.is_empty() {
        return NONE.into();
    }
    let met = gates
        .iter()
        .filter(|gate| condition(row.object, gate["conditionType"].as_str().unwrap_or_default()).is_some_and(is_true));
    format!("{}/{}", met.count(), gates.len()).into()
}

/// A summary of the containers of a pod.
struct ContainerSummary<'a> {
    ready: usize,
    containers: usize,
    reason: String,
    restarts: i64,
    last_restart: Option<&'a Value>,
}

impl<'a> ContainerSummary<'a> {
    fn of(pod: &'a Value) -> Self {
        let phase = pod.pointer("/status/phase").and_then(Value::as_str).unwrap_or_default();
        let own_reason = pod.pointer("/status/reason").and_then(Value::as_str).unwrap_or_default();
        let mut summary = Self {
            ready: 0,
            containers: list(pod, "/spec/containers").len(),
            reason: if own_reason.is_empty() { phase } else { own_reason }.to_owned(),
            restarts: 0,
            last_restart: None,
        };
        if condition(pod, "PodScheduled").is_some_and(|condition| condition["reason"] == "SchedulingGated") {
            "SchedulingGated".clone_into(&mut summary.reason);
        }
        let initializing = summary.init_containers(pod);
        if !initializing || condition(pod, "Initialized").is_some_and(is_true) {
            summary.main_containers(pod);
        }
        if pod.pointer("/metadata/deletionTimestamp").is_some() {
            if own_reason == "NodeLost" {
                "Unknown".clone_into(&mut summary.reason);
            } else if !matches!(phase, "Succeeded" | "Failed") {
                "Terminating".clone_into(&mut summary.reason);
            }
        }
        summary
    }

    /// Counts the init containers and returns true if one of them is not finished. Sidecars, which always restart, count as containers of the
    /// pod.
    fn init_containers(&mut self, pod: &'a Value) -> bool {
        let specs = list(pod, "/spec/initContainers");
        let is_sidecar = |name: &Value| specs.iter().any(|spec| spec["name"] == *name && spec["restartPolicy"] == "Always");
        self.containers += specs.iter().filter(|spec| spec["restartPolicy"] == "Always").count();
        for (index, status) in list(pod, "/status/initContainerStatuses").iter().enumerate() {
            self.count_restarts(status);
            let sidecar = is_sidecar(&status["name"]);
            let terminated = status.pointer("/state/terminated");
            if terminated.is_some_and(|terminated| terminated["exitCode"] == 0) {
                continue;
            }
            if sidecar && status["started"] == true {
                self.ready += usize::from(status["ready"] == true);
                continue;
            }
            let waiting = status.pointer("/state/waiting/reason").and_then(Value::as_str).unwrap_or_default();
            self.reason = if let Some(terminated) = terminated {
                format!("Init:{}", ended(terminated))
            } else if !waiting.is_empty() && waiting != "PodInitializing" {
                format!("Init:{waiting}")
            } else {
                format!("Init:{index}/{}", specs.len())
            };
            return true;
        }
        false
    }

    fn main_containers(&mut self, pod: &'a Value) {
        let mut running = false;
        for status in list(pod, "/status/containerStatuses").iter().rev() {
            self.count_restarts(status);
            let waiting = status.pointer("/state/waiting/reason").and_then(Value::as_str).unwrap_or_default();
            if !waiting.is_empty() {
                waiting.clone_into(&mut self.reason);
            } else if let Some(terminated) = status.pointer("/state/terminated") {
                self.reason = ended(terminated);
            } else if status["ready"] == true && status.pointer("/state/running").is_some() {
                running = true;
                self.ready += 1;
            }
        }
        if self.reason == "Completed" && running {
            let ready = condition(pod, "Ready").is_some_and(is_true);
            if ready { "Running" } else { "NotReady" }.clone_into(&mut self.reason);
        }
    }

    fn count_restarts(&mut self, status: &'a Value) {
        self.restarts += status["restartCount"].as_i64().unwrap_or_default();
        let finished = status.pointer("/lastState/terminated/finishedAt");
        // Times of equal format can be compared as strings.
        if finished.and_then(Value::as_str) > self.last_restart.and_then(Value::as_str) {
            self.last_restart = finished;
        }
    }
}

fn ended(terminated: &Value) -> String {
    match (terminated["reason"].as_str().unwrap_or_default(), terminated["signal"].as_i64().unwrap_or_default()) {
        ("", 0) => format!("ExitCode:{}", terminated["exitCode"].as_i64().unwrap_or_default()),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_owned(),
    }
}

fn condition<'a>(pod: &'a Value, type_: &str) -> Option<&'a Value> {
    list(pod, "/status/conditions").iter().find(|condition| condition["type"] == type_)
}

fn is_true(condition: &Value) -> bool {
    condition["status"] == "True"
}
