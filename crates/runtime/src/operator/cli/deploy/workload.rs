//! The objects that run the operator: Deployment, disruption budget, Service.

use std::collections::BTreeMap;
use std::time::Duration;

use kubewright_machinery::object::names::dns_1035_label;
use serde_json::{Value, json};

use super::super::args::{CONFIG_LEADER_ELECTION_NAME, CONFIG_LOGGING_NAME, CONFIG_OBSERVABILITY_NAME, CONFIG_TIMING_NAME};
use super::error::DeployError;
use crate::defaults::STARTUP_TIMEOUT;
use crate::operator::OperatorOptions;

/// The name of the port of probes and metrics.
const ADMIN: &str = "admin";
/// The user and the group of the process, which are the usual ones of images without root; a patch can replace them.
const USER: u32 = 65532;
/// The time from the end of the operator's own deadline until its pod is killed: the container runtime takes time as well.
const GRACE: Duration = Duration::from_secs(10);
/// The period of startup probes, in seconds.
const STARTUP_PERIOD: u64 = 2;

/// The pods of an operator, and the objects around them.
pub(super) struct Workload {
    /// The name of cluster-wide objects and of the service account.
    pub(super) name: String,
    pub(super) namespace: String,
    pub(super) image: String,
    /// The version of the program as the value of a label.
    pub(super) version: Option<String>,
    pub(super) args: Vec<String>,
    /// The port of probes and metrics, or None without them.
    pub(super) admin_port: Option<u16>,
    pub(super) replicas: u16,
    pub(super) requests: Requests,
    /// The options that the operator has in the container.
    pub(super) options: OperatorOptions,
}

/// The resources that a pod requests.
pub(super) struct Requests {
    pub(super) cpu: String,
    pub(super) memory: String,
}

impl Workload {
    /// Returns the first label of a name, for objects whose names become parts of host names and so must not have dots.
    pub(super) fn short(name: &str) -> &str {
        name.split_once('.').map_or(name, |(label, _)| label)
    }

    /// Returns the labels of all objects but the namespace and the CRDs.
    pub(super) fn labels(&self) -> BTreeMap<&'static str, &str> {
        let mut labels = self.selector();
        labels.insert("app.kubernetes.io/managed-by", "kubewright");
        labels.extend(self.version.as_deref().map(|version| ("app.kubernetes.io/version", version)));
        labels
    }

    /// Returns the labels that distinguish its pods from other pods. They are the same in all versions.
    fn selector(&self) -> BTreeMap<&'static str, &str> {
        [("app.kubernetes.io/name", Self::short(&self.name)), ("app.kubernetes.io/instance", &*self.name)].into()
    }

    pub(super) fn deployment(&self) -> Value {
        // With one replica, a surge pod would be a second replica that takes over at once, which is not wanted.
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
            // The environment variables of Services, such as WEBHOOK_PORT for a Service called webhook, would be read as those of the operator.
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
                // A cluster of one node must be able to run all replicas.
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {"matchLabels": self.selector()},
                // Pods of the previous version are about to end, so they do not count.
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
            // The process counts as alive while it starts; its own deadline ends a start that takes too long, and names the culprits.
            let start = whole_seconds(self.options.startup_timeout.unwrap_or(STARTUP_TIMEOUT)).div_ceil(STARTUP_PERIOD);
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

    /// Returns the disruption budget that keeps one replica while nodes are drained. There is none for a single replica, since its node could never be
    /// drained.
    pub(super) fn disruption_budget(&self) -> Option<Value> {
        (self.replicas > 1).then(|| {
            json!({
                "apiVersion": "policy/v1",
                "kind": "PodDisruptionBudget",
                "metadata": {"name": Self::short(&self.name), "namespace": self.namespace},
                "spec": {
                    "minAvailable": 1,
                    "selector": {"matchLabels": self.selector()},
                    // A replica that cannot become ready must not block the drain of its node.
                    "unhealthyPodEvictionPolicy": "AlwaysAllow",
                },
            })
        })
    }

    /// Returns the headless Service that finds the metrics of each replica.
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
                // A replica that is starting, or that cannot start, has metrics too.
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

/// Returns a duration in seconds, rounded up.
fn whole_seconds(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}
