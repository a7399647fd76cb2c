//! What every cluster starts with (NS-2).

use serde_json::json;

use super::State;
use crate::store::{Change, Expect, ObjectName, Resource};

/// Namespaces that are there from the beginning.
const NAMESPACES: [&str; 4] = ["default", "kube-system", "kube-public", "kube-node-lease"];

impl State {
    /// Stores the objects of an empty cluster.
    pub(super) fn bootstrap(&self) {
        let now = self.clock.now_in_seconds();
        let metadata = |name: &str, extra: serde_json::Value| {
            let mut metadata = json!({"name": name, "uid": self.seed.uuid(), "creationTimestamp": now});
            if let (Some(metadata), serde_json::Value::Object(extra)) = (metadata.as_object_mut(), extra) {
                metadata.extend(extra);
            }
            metadata
        };
        let mut changes: Vec<_> = NAMESPACES
            .iter()
            .map(|name| {
                let namespace = json!({
                    "apiVersion": "v1",
                    "kind": "Namespace",
                    "metadata": metadata(name, json!({"labels": {"kubernetes.io/metadata.name": name}})),
                    "spec": {"finalizers": ["kubernetes"]},
                    "status": {"phase": "Active"},
                });
                Change::create(Resource::new("", "namespaces"), ObjectName::new("", name), namespace)
            })
            .collect();
        let labels = json!({"namespace": "default", "labels": {"component": "apiserver", "provider": "kubernetes"}});
        let service = json!({
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": metadata("kubernetes", labels),
            "spec": {
                "clusterIP": "10.0.0.1",
                "clusterIPs": ["10.0.0.1"],
                "internalTrafficPolicy": "Cluster",
                "ipFamilies": ["IPv4"],
                "ipFamilyPolicy": "SingleStack",
                "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}],
                "sessionAffinity": "None",
                "type": "ClusterIP",
            },
            "status": {"loadBalancer": {}},
        });
        changes.push(Change::create(Resource::new("", "services"), ObjectName::new("default", "kubernetes"), service));
        let changes = changes.into_iter().map(|change| Change { expect: Expect::Anything, ..change }).collect();
        // Nothing is expected of what is there, so nothing can be refused.
        let _ = self.store.commit(changes);
    }
}
