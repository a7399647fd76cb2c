//! The nodes that pods are scheduled on.

use std::net::Ipv4Addr;

use jiff::Timestamp;
use kubewright_machinery::object::ObjectExt;
use serde_json::{Map, Value, json};

use super::plan::WorkloadPlan;
use super::read::{flag, list, stamp, text};
use super::{condition, template};
use crate::admission::NOT_READY;

/// The nodes that a pod may be scheduled on, and the address of the next started pod.
#[derive(Clone, Copy, Debug)]
pub struct Nodes<'a> {
    /// All nodes of the cluster.
    pub all: &'a [&'a Value],
    /// The address for a pod that is started now.
    pub next_address: Ipv4Addr,
}

impl<'a> Nodes<'a> {
    /// Returns the node of this name.
    pub(super) fn named(&self, name: &str) -> Option<&'a Value> {
        self.all.iter().copied().find(|node| node.name() == name)
    }

    /// Returns the first node that accepts the pod.
    pub(super) fn node_for(&self, pod: &Value) -> Option<&'a Value> {
        self.all.iter().copied().find(|node| takes(node, pod))
    }
}

/// Returns the address of the n-th pod, in 10.244.0.0/16; addresses are reused after 65,000 pods.
pub fn pod_address(n: u32) -> Ipv4Addr {
    let host = n % 65_000 + 1;
    Ipv4Addr::new(10, 244, (host >> 8) as u8, host as u8)
}

/// Returns the n-th node of the embedded cluster, without the fields that the server sets (STG-5).
pub fn node(n: usize, now: Timestamp) -> Value {
    let name = format!("kubewright-node-{n}");
    let resources = json!({"cpu": "64", "memory": "256Gi", "pods": "1000", "ephemeral-storage": "1Ti"});
    let conditions: Vec<Value> = [
        ("MemoryPressure", false, "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
        ("DiskPressure", false, "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        ("PIDPressure", false, "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        ("Ready", true, "KubeletReady", "kubelet is posting ready status"),
    ]
    .into_iter()
    .map(|(kind, status, reason, message)| {
        let mut conditions = Vec::new();
        let heartbeat = json!({"lastHeartbeatTime": stamp(now)});
        condition::set(&mut conditions, condition::ConditionUpdate::new(kind, status, reason, message), now, &heartbeat);
        conditions.pop().unwrap_or_default()
    })
    .collect();
    json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {
                "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
                "beta.kubernetes.io/os": "linux", "beta.kubernetes.io/arch": "amd64",
            },
        },
        "spec": {"podCIDR": "10.244.0.0/16", "podCIDRs": ["10.244.0.0/16"]},
        "status": {
            "addresses": [{"type": "InternalIP", "address": format!("10.0.0.{}", n % 250 + 2)}, {"type": "Hostname", "address": name}],
            "capacity": resources,
            "allocatable": resources,
            "conditions": conditions,
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 0}},
            "nodeInfo": {
                "architecture": "amd64", "operatingSystem": "linux", "osImage": "Kubewright", "kernelVersion": "",
                "kubeletVersion": "v1.36.2", "kubeProxyVersion": "", "containerRuntimeVersion": "kubewright://1.36.2",
                "machineID": "", "systemUUID": "", "bootID": "",
            },
        },
    })
}

/// Plans the next step of a node: once it is ready, it loses the taint that every new node has.
pub fn life(node: &Value) -> WorkloadPlan {
    let mut plan = WorkloadPlan::default();
    let conditions = list(node, "/status/conditions");
    let is_ready = conditions.iter().any(|condition| condition["type"] == "Ready" && condition["status"] == "True");
    let taints = list(node, "/spec/taints");
    let kept: Vec<&Value> = taints.iter().filter(|taint| taint["key"] != NOT_READY).collect();
    if is_ready && kept.len() < taints.len() {
        let kept = if kept.is_empty() { Value::Null } else { json!(kept) };
        plan.patch(node, json!({"spec": {"taints": kept}}));
    }
    plan
}

/// Returns the address of a node inside the cluster.
pub(super) fn address(node: &Value) -> &str {
    let addresses = list(node, "/status/addresses");
    addresses.iter().find(|address| text(address, "/type") == "InternalIP").map_or("", |address| text(address, "/address"))
}

/// Returns true if the pod can be scheduled on the node: its node selector matches, and it tolerates the taints.
pub(super) fn takes(node: &Value, pod: &Value) -> bool {
    !flag(node, "/spec/unschedulable")
        && is_selected(node, pod)
        && list(node, "/spec/taints").iter().all(|taint| is_tolerated(taint, pod))
}

/// Returns true if a DaemonSet's pod belongs on the node; such pods tolerate cordons and pressure.
pub(super) fn takes_daemon(node: &Value, pod: &Value) -> bool {
    let own = |taint: &&Value| text(taint, "/key").starts_with("node.kubernetes.io/");
    is_selected(node, pod) && list(node, "/spec/taints").iter().filter(|taint| !own(taint)).all(|taint| is_tolerated(taint, pod))
}

fn is_selected(node: &Value, pod: &Value) -> bool {
    let selector = pod.pointer("/spec/nodeSelector").and_then(Value::as_object);
    let required = list(pod, "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms");
    selector.into_iter().flatten().all(|(key, value)| node.labels().get(key) == Some(value))
        && (required.is_empty() || required.iter().any(|term| is_matched(node, term)))
}

/// Returns true if a term of a node affinity matches: all its expressions over labels and over the name.
fn is_matched(node: &Value, term: &Value) -> bool {
    let fields = Map::from_iter([("metadata.name".to_owned(), Value::from(node.name()))]);
    list(term, "/matchExpressions").iter().all(|expression| template::holds(expression, node.labels()))
        && list(term, "/matchFields").iter().all(|expression| template::holds(expression, &fields))
}

fn is_tolerated(taint: &Value, pod: &Value) -> bool {
    // A taint that is only a preference keeps no pod away.
    text(taint, "/effect") == "PreferNoSchedule"
        || list(pod, "/spec/tolerations").iter().any(|toleration| tolerates(toleration, taint))
}

fn tolerates(toleration: &Value, taint: &Value) -> bool {
    let key = text(toleration, "/key");
    let effect = text(toleration, "/effect");
    let any_value = text(toleration, "/operator") == "Exists";
    (effect.is_empty() || effect == text(taint, "/effect"))
        && (key == text(taint, "/key") || (key.is_empty() && any_value))
        && (any_value || text(toleration, "/value") == text(taint, "/value"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workloads::PlannedWrite;

    fn tainted() -> Value {
        let mut node = node(0, Timestamp::UNIX_EPOCH);
        node["spec"]["taints"] = json!([{"key": "dedicated", "value": "db", "effect": "NoSchedule"}]);
        node
    }

    // STG-6
    #[test]
    fn a_taint_keeps_pods_away_that_do_not_tolerate_it() {
        let pod = |toleration: Value| json!({"spec": {"tolerations": [toleration]}});
        assert!(!takes(&tainted(), &json!({"spec": {}})));
        assert!(takes(&tainted(), &pod(json!({"key": "dedicated", "value": "db"}))));
        assert!(takes(&tainted(), &pod(json!({"operator": "Exists"}))));
        assert!(!takes(&tainted(), &pod(json!({"key": "dedicated", "operator": "Exists", "effect": "NoExecute"}))));
    }

    // STG-6
    #[test]
    fn a_node_selector_is_matched_against_the_labels() {
        let pod = |os: &str| json!({"spec": {"nodeSelector": {"kubernetes.io/os": os}}});
        assert!(takes(&node(0, Timestamp::UNIX_EPOCH), &pod("linux")));
        assert!(!takes(&node(0, Timestamp::UNIX_EPOCH), &pod("windows")));
    }

    // STG-5
    #[test]
    fn a_node_that_is_ready_loses_the_taint_of_new_nodes_only() {
        let mut node = tainted();
        assert_eq!(life(&node), WorkloadPlan::default());
        node["spec"]["taints"].as_array_mut().unwrap().push(json!({"key": NOT_READY, "effect": "NoSchedule"}));
        let plan = life(&node);
        let [PlannedWrite::Patch(_, patch)] = plan.writes.as_slice() else { panic!("{plan:?}") };
        assert_eq!(patch["spec"]["taints"], json!([{"key": "dedicated", "value": "db", "effect": "NoSchedule"}]));
        node["status"]["conditions"] = json!([{"type": "Ready", "status": "Unknown"}]);
        assert_eq!(life(&node), WorkloadPlan::default());
    }

    #[test]
    fn pods_get_addresses_in_order() {
        assert_eq!(pod_address(0).to_string(), "10.244.0.1");
        assert_eq!(pod_address(255).to_string(), "10.244.1.0");
    }
}
