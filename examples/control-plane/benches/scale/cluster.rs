//! Control planes in the cluster of the benchmark.

use std::path::PathBuf;

use control_plane::{
    ApiServer as ApiServerComponent, Authentication, Authorization, CloudOrchestrator, ControlPlane, Landscaper,
};
use kube::CustomResourceExt as _;
use kubewright::machinery::object::GroupVersionKind;
use kubewright::runtime::cluster::{ApiRequest, ApiResource, PatchKind};
use kubewright::runtime::watch::{ProjectedStore, WatchSpec, project_with};
use kubewright::serde_json::{Value, json};
use kubewright_apiserver::ApiServer;
use kubewright_apiserver::workloads::Workloads;
use kubewright_testing::bench::{BenchCluster, MeasuredOperator};

const GROUP: &str = "controlplane.demo.kubewright.dev";
const NAMESPACE: &str = "default";
/// The user of the operator.
const OPERATOR: &str = "operator";

/// A cluster with control planes.
pub(crate) struct PlaneCluster {
    pub(crate) bench: BenchCluster,
    /// The generation for which each control plane is ready.
    planes: ProjectedStore<Option<i64>>,
}

impl PlaneCluster {
    pub(crate) async fn start() -> Self {
        let server = ApiServer::builder().workloads(Workloads::Pods).build().unwrap();
        let definitions = [
            ControlPlane::crd(),
            ApiServerComponent::crd(),
            Authentication::crd(),
            Authorization::crd(),
            Landscaper::crd(),
            CloudOrchestrator::crd(),
        ];
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("scale-{}", std::process::id()));
        let bench = BenchCluster::start(server, definitions, &folder).await;
        let ready = project_with(|plane: &Value| {
            let status = plane.get("status")?;
            (status.get("phase")? == "Ready").then(|| status.get("observedGeneration")?.as_i64())?
        });
        let planes = bench.client().watches().subscribe(WatchSpec::of_version(&kind()), ready);
        planes.synced().await;
        Self { bench, planes }
    }

    /// Starts the operator, and waits until it watches control planes.
    pub(crate) async fn operator(&self) -> MeasuredOperator {
        // Leases would be requests of an idle operator.
        let variables = [("DISABLE_HA", "true")];
        let mut operator = self.bench.operator(env!("CARGO_BIN_EXE_control-plane"), OPERATOR, variables);
        self.bench.until_watched(OPERATOR, GROUP, "controlplanes", std::slice::from_mut(&mut operator)).await;
        self.bench.settle().await;
        operator
    }

    pub(crate) async fn create(&self, number: usize) {
        let plane = |number: usize| {
            json!({
                "apiVersion": format!("{GROUP}/v1alpha1"), "kind": "ControlPlane",
                "metadata": {"name": name(number), "namespace": NAMESPACE},
                "spec": {
                    "apiServer": {"version": "1.36"},
                    "authentication": {"identityProviders": [{"name": "corporate", "issuer": "https://id.example.com"}]},
                    "authorization": {"admins": ["ada"]}, "landscaper": {"deployers": ["helm"]},
                    "cloudOrchestrator": {"providers": ["network"]},
                },
            })
        };
        self.bench.each(number, |number| ApiRequest::create(&resource(), &plane(number))).await;
    }

    /// Changes one component of each control plane.
    pub(crate) async fn change(&self, number: usize) {
        let patch = json!({"spec": {"authorization": {"admins": ["ada", "grace"]}}});
        let request = |number| ApiRequest::patch(&resource(), NAMESPACE, &name(number), PatchKind::Merge, &patch);
        self.bench.each(number, request).await;
    }

    pub(crate) async fn delete(&self, number: usize) {
        self.bench.each(number, |number| ApiRequest::delete(&resource(), NAMESPACE, &name(number))).await;
    }

    /// Waits until this number of control planes are ready for this generation.
    pub(crate) async fn until_ready(&self, number: usize, generation: i64, operator: &mut MeasuredOperator) {
        let ready = || self.planes.list().iter().filter(|(_, ready)| **ready == Some(generation)).count();
        self.bench.until(|_| ready() == number, std::slice::from_mut(operator)).await;
    }

    /// Waits until all control planes are gone, which are removed after their components.
    pub(crate) async fn until_gone(&self, operator: &mut MeasuredOperator) {
        self.bench.until(|_| self.planes.is_empty(), std::slice::from_mut(operator)).await;
    }
}

fn name(number: usize) -> String {
    format!("plane-{number}")
}

fn kind() -> GroupVersionKind {
    GroupVersionKind::new(GROUP, "v1alpha1", "ControlPlane")
}

fn resource() -> ApiResource {
    ApiResource::known(&kind(), "controlplanes", true)
}
