//! A control plane on a test cluster.

use control_plane::{ApiServer, Authentication, Authorization, CloudOrchestrator, ControlPlane, Landscaper, operator};
use kubewright::prelude::*;
use kubewright_testing::{TestCluster, TestOperator};

pub(crate) const NAME: &str = "demo";
pub(crate) const API: &str = "controlplane.demo.kubewright.dev";

pub(crate) struct World {
    pub(crate) cluster: TestCluster,
    operator: TestOperator,
}

impl World {
    /// Starts the operator with a control plane of all five components.
    pub(crate) async fn start() -> Self {
        let cluster = TestCluster::start().await;
        let operator = cluster.run(operator()).await;
        cluster.apply(control_plane()).await;
        Self { cluster, operator }
    }

    pub(crate) async fn stop(self) {
        self.operator.stop().await;
        self.cluster.stop().await;
    }

    /// Waits until the control plane and all components are ready, and returns the control plane.
    pub(crate) async fn ready(&self) -> Value {
        self.cluster.expect::<ApiServer>(NAME).ready().await;
        self.cluster.expect::<Authentication>(NAME).ready().await;
        self.cluster.expect::<Authorization>(NAME).ready().await;
        self.cluster.expect::<Landscaper>(NAME).ready().await;
        self.cluster.expect::<CloudOrchestrator>(NAME).ready().await;
        let is_ready = |owner: &Value| owner["status"]["phase"] == "Ready";
        self.cluster.expect::<ControlPlane>(NAME).matching("it is ready", is_ready).await
    }

    pub(crate) async fn patch(&self, patch: Value) {
        self.cluster.patch::<ControlPlane>(NAME, patch).await;
    }
}

/// Returns a control plane as written by its customer.
pub(crate) fn control_plane() -> Value {
    json!({
        "apiVersion": format!("{API}/v1alpha1"), "kind": "ControlPlane", "metadata": {"name": NAME},
        "spec": {
            "apiServer": {"version": "1.36"},
            "authentication": {"identityProviders": [{"name": "corporate", "issuer": "https://id.example.com"}]},
            "authorization": {"admins": ["ada", "grace"]},
            "landscaper": {"deployers": ["helm"]},
            "cloudOrchestrator": {"providers": ["network"]},
        },
    })
}

/// Returns a condition of an owner: status, reason and the component that it belongs to.
pub(crate) fn condition(object: &Value, type_: &str) -> Option<(String, String, String)> {
    let found = object["status"]["conditions"].as_array()?.iter().find(|condition| condition["type"] == type_)?;
    let text = |field: &str| found[field].as_str().unwrap_or_default().to_owned();
    Some((text("status"), text("reason"), text("managedBy")))
}
