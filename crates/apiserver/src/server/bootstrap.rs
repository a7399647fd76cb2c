//! The objects that every cluster starts with (SNS-2).

use std::sync::Arc;

use futures::FutureExt as _;
use kubewright_middleware::{Identity, Status};
use serde_json::{Value, json};

use super::ApiServerState;
use crate::access::rbac_bootstrap;
use crate::controllers::{DEFAULT_RANGE, default_range, local_service};
use crate::kinds::registrations;
use crate::model::Endpoint;
use crate::store::{ObjectName, Resource};

/// Namespaces that exist from the start.
const NAMESPACES: [&str; 4] = ["default", "kube-system", "kube-public", "kube-node-lease"];

/// The user name of the server itself.
const SERVER: &str = "system:apiserver";

impl ApiServerState {
    /// Stores the objects of an empty cluster, as the server itself.
    pub(super) fn bootstrap(&self) -> Result<(), Status> {
        let user = Identity::user(SERVER).with_group("system:masters");
        let writer = self.schedule.writer(Arc::new(user), "kube-apiserver");
        let namespaces =
            NAMESPACES.iter().map(|name| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}));
        let services = registrations().iter();
        let services = services.map(|served| local_service(&served.group, &served.version, served.priority, "onstart"));
        let roles = if self.api.options.rbac { rbac_bootstrap() } else { Vec::new() };
        for object in namespaces.chain([service(), default_range()]).chain(services).chain(roles) {
            // No webhook exists yet that would have to be called, so the future is ready at once.
            writer.create(object).now_or_never().unwrap_or_else(|| Err(Status::internal("an object was not created at once")))?;
        }
        let (ranges, range) = (Resource::new("networking.k8s.io", "servicecidrs"), ObjectName::new("", DEFAULT_RANGE));
        let ready = json!({
            "type": "Ready", "status": "True", "reason": "", "message": "Kubernetes default Service CIDR is ready",
            "lastTransitionTime": writer.clock().now_in_seconds(),
        });
        let set_ready = |range: &mut Value| range["status"] = json!({"conditions": [ready]});
        let written = writer.modify(&ranges, &range, Endpoint::Status, set_ready).now_or_never();
        written.unwrap_or_else(|| Err(Status::internal("a status was not written at once"))).map(drop)
    }
}

/// Returns the service of the server itself.
fn service() -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": "kubernetes",
            "namespace": "default",
            "labels": {"component": "apiserver", "provider": "kubernetes"},
        },
        "spec": {
            "clusterIP": "10.0.0.1",
            "internalTrafficPolicy": "Cluster",
            "ipFamilyPolicy": "SingleStack",
            "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}],
            "sessionAffinity": "None",
            "type": "ClusterIP",
        },
    })
}
