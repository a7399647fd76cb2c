//! The objects that run the operator: Deployment, disruption budget, Service.

use std::collections::BTreeMap;
use std::time::Duration;

use kubewright_machinery::object::names::dns_1035_label;
use serde_json::{Value, json};

use super::super::args::{CONFIG_LEADER_ELECTION_NAME, CONFIG_LOGGING_NAME, CONFIG_OBSERVABILITY_NAME, CONFIG_TIMING_NAME};
use super::error::DeployError;
use crate::operator::OperatorOptions;

/// The name of the port of probes and metrics.
const ADMIN: &str = "admin";
/// The user and the group that the process runs as, unless another is patched in: the usual ones of images without root.
const USER: u32 = 65532;
/// A pod is killed this long after the operator should have ended: the runtime of the container takes time as well.
const GRACE: Duration = Duration::from_secs(10);
/// The period of startup probes, in seconds.
const STARTUP_PERIOD: u64 = 2;
/// The time in which startup probes must succeed where the operator itself sets no limit.
const STARTUP: Duration = Duration::from_secs(5 * 60);

/// The pods of an operator, and the objects around them.
pub(super) struct Workload {
    /// The name of cluster-wide objects and of the service account.
    pub(super) name: String,
    pub(super) namespace: String,
    pub(super) image: String,
    /// The version of the program as the value of a label.
    pub(super) version: Option<String>,
    pub(super) args: Vec<String>,
    /// The port of probes and metrics; none without them.
    pub(super) admin_port: Option<u16>,
    pub(super) replicas: u16,
    pub(super) requests: Requests,
    /// The options that the operator has in the container.
    pub(super) options: OperatorOptions,
}

/// The resources that a pod requests of its node.
pub(super) struct Requests {
    pub(super) cpu: String,
    pub(super) memory: String,
}

impl Workload {
    /// The name of objects whose names become parts of host names, which have no dots.
    pub(super) fn short(name: &str) -> &str {
        name.split_once('.').map_or(name, |(label, _)| label)
    }

    /// The labels of all objects but the namespace and the CRDs.
    pub(super) fn labels(&self) -> BTreeMap<&'static str, &str> {
        let mut labels = self.selector();
        labels.insert("app.kubernetes.io/managed-by", "kubewright");
        labels.extend(self.version.as_deref().map(|version| ("app.kubernetes.io/version", version)));
        labels
    }

    /// The labels that tell its pods from those of others, in all versions.
    fn selector(&self) -> BTreeMap<&'static str, &str> {
        [("app.kubernetes.io/name", Self::short(&self.name)), ("app.kubernetes.io/instance", &*self.name)].into()
    }

    pub(super) fn deployment(&self) -> Value {
        // A second replica, which would take over at once, is not wanted.
        let strategy = if self.replicas > 1 {
            json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}})
        } else {
            json!({"type": "Recreate"})
        };
        json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": Self::short(&self.name), "namespace": self.namespace},
            "spec": {
                "replicas": self.replicas,
                "selector": {"matchLabels": self.selector()},
                "strategy": strategy,
                "template": {"metadata": {"labels": self.labels()}, "spec": self.pod()},
            },
        })
    }

    fn pod(&self) -> Value {
        let mut pod = json!({
            "serviceAccountName": self.name,
            // The variables of Services, such as WEBHOOK_PORT for one called webhook, would be taken for those of the operator.
            "enableServiceLinks": false,
            "terminationGracePeriodSeconds": whole_seconds(self.options.shutdown_timeout.saturating_add(GRACE)),
            "securityContext": {
                "runAsNonRoot": true,
                "runAsUser": USER,
                "runAsGroup": USER,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "containers": [self.container()],
        });
        if self.replicas > 1 {
            pod["topologySpreadConstraints"] = json!([{
                "maxSkew": 1,
                "topologyKey": "kubernetes.io/hostname",
                // A cluster of one node has replicas too.
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {"matchLabels": self.selector()},
                // Pods of the version before are about to go.
                "matchLabelKeys": ["pod-template-hash"],
            }]);
        }
        pod
    }

    fn container(&self) -> Value {
        let mut container = json!({
            "name": "operator",
            "image": self.image,
            "args": self.args,
            "env": self.env(),
            "resources": {"requests": {"cpu": self.requests.cpu, "memory": self.requests.memory}},
            "securityContext": {
                "allowPrivilegeEscalation": false,
                "capabilities": {"drop": ["ALL"]},
                "readOnlyRootFilesystem": true,
            },
        });
        if let Some(port) = self.admin_port {
            container["ports"] = json!([{"name": ADMIN, "containerPort": port, "protocol": "TCP"}]);
            // The process is alive while it starts; its own deadline ends a start that takes too long, and names the culprits.
            let start = whole_seconds(self.options.startup_timeout.unwrap_or(STARTUP)).div_ceil(STARTUP_PERIOD);
            container["startupProbe"] = probe("/livez", STARTUP_PERIOD, start.min(i32::MAX as u64));
            container["livenessProbe"] = probe("/livez", 10, 6);
            container["readinessProbe"] = probe("/readyz", 5, 2);
        }
        container
    }

    fn env(&self) -> Vec<Value> {
        let field = |name: &str, path: &str| json!({"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}});
        let mut env = vec![field("POD_NAME", "metadata.name"), field("SYSTEM_NAMESPACE", "metadata.namespace")];
        let options = &self.options;
        let maps = [
            (CONFIG_LOGGING_NAME, &options.config_logging),
            (CONFIG_TIMING_NAME, &options.config_timing),
            (CONFIG_OBSERVABILITY_NAME, &options.config_observability),
            (CONFIG_LEADER_ELECTION_NAME, &options.config_leader_election),
        ];
        let named = maps.into_iter().filter_map(|(variable, name)| Some((variable, name.as_ref()?)));
        env.extend(named.map(|(variable, name)| json!({"name": variable, "value": name})));
        env
    }

    /// Keeps one replica while nodes are drained; none where there is only one, since that node could never be.
    pub(super) fn disruption_budget(&self) -> Option<Value> {
        (self.replicas > 1).then(|| {
            json!({
                "apiVersion": "policy/v1",
                "kind": "PodDisruptionBudget",
                "metadata": {"name": Self::short(&self.name), "namespace": self.namespace},
                "spec": {
                    "minAvailable": 1,
                    "selector": {"matchLabels": self.selector()},
                    // A replica that cannot become ready must not keep its node.
                    "unhealthyPodEvictionPolicy": "AlwaysAllow",
                },
            })
        })
    }

    /// Finds the metrics of each replica.
    pub(super) fn metrics_service(&self) -> Result<Value, DeployError> {
        let port = self.admin_port.ok_or(DeployError::NoMetrics)?;
        let name = format!("{}-metrics", Self::short(&self.name));
        if let Some(problem) = dns_1035_label(&name).into_iter().next() {
            return Err(DeployError::Refused { flag: "--metrics-service", found: name, problem });
        }
        Ok(json!({
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": name, "namespace": self.namespace},
            "spec": {
                "clusterIP": "None",
                "selector": self.selector(),
                "ports": [{"name": "metrics", "port": port, "targetPort": ADMIN, "protocol": "TCP"}],
                // One that starts, or that cannot, has metrics too.
                "publishNotReadyAddresses": true,
            },
        }))
    }
}

fn probe(path: &str, period: u64, failures: u64) -> Value {
    json!({
        "httpGet": {"path": path, "port": ADMIN},
        "periodSeconds": period,
        "timeoutSeconds": period.min(5),
        "failureThreshold": failures,
    })
}

/// In seconds, rounded up.
fn whole_seconds(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}
