//! The server in this process, and what is done to it.

use std::path::PathBuf;
use std::time::Duration;

use control_plane::{
    ApiServer as ApiServerComponent, Authentication, Authorization, CloudOrchestrator, ControlPlane, Landscaper,
};
use futures::{StreamExt as _, stream};
use kube::CustomResourceExt as _;
use kubewright::machinery::object::GroupVersionKind;
use kubewright::runtime::cluster::{ApiRequest, ApiResource, Cluster, ClusterOptions};
use kubewright::runtime::task::Tasks;
use kubewright::runtime::watch::{ProjectedStore, WatchSpec, project_with};
use kubewright::serde_json::{self, Value};
use kubewright_apiserver::kinds::Verb;
use kubewright_apiserver::listen::Endpoint;
use kubewright_apiserver::workloads::Workloads;
use kubewright_apiserver::{ApiServer, Identity};
use kubewright_testing::{OperatorProcess, RequestCounter};

/// The user of the operator.
const OPERATOR: &str = "operator";
const GROUP: &str = "controlplane.demo.kubewright.dev";
const NAMESPACE: &str = "default";
/// Requests of the driver at once.
const PARALLEL: usize = 16;
/// How often it looks whether it is done, and counts.
const LOOK: Duration = Duration::from_millis(100);

/// Requests for one control plane.
pub(crate) mod planes {
    use kubewright::runtime::cluster::{ApiRequest, PatchKind};
    use kubewright::serde_json::json;

    use super::{GROUP, NAMESPACE, name, resource};

    pub(crate) fn create(number: usize) -> ApiRequest {
        let plane = json!({
            "apiVersion": format!("{GROUP}/v1alpha1"), "kind": "ControlPlane",
            "metadata": {"name": name(number), "namespace": NAMESPACE},
            "spec": {
                "apiServer": {"version": "1.36"},
                "authentication": {"identityProviders": [{"name": "corporate", "issuer": "https://id.example.com"}]},
                "authorization": {"admins": ["ada"]}, "landscaper": {"deployers": ["helm"]},
                "cloudOrchestrator": {"providers": ["network"]},
            },
        });
        ApiRequest::create(&resource(), &plane)
    }

    pub(crate) fn change(number: usize) -> ApiRequest {
        let patch = json!({"spec": {"authorization": {"admins": ["ada", "grace"]}}});
        ApiRequest::patch(&resource(), NAMESPACE, &name(number), PatchKind::Merge, &patch)
    }

    pub(crate) fn delete(number: usize) -> ApiRequest {
        ApiRequest::delete(&resource(), NAMESPACE, &name(number))
    }
}

/// The embedded server with a client in the same process.
pub(crate) struct Scene {
    server: ApiServer,
    endpoint: Endpoint,
    pub(crate) client: Cluster,
    tasks: Tasks,
    /// Where the kubeconfig and the log of the operator are.
    folder: PathBuf,
    /// Of each control plane the generation for which it is ready.
    planes: ProjectedStore<Option<i64>>,
}

impl Scene {
    pub(crate) async fn start() -> Self {
        let server = ApiServer::builder().workloads(Workloads::Pods).build().unwrap();
        for definition in [
            ControlPlane::crd(),
            ApiServerComponent::crd(),
            Authentication::crd(),
            Authorization::crd(),
            Landscaper::crd(),
            CloudOrchestrator::crd(),
        ] {
            server.create(serde_json::to_value(definition).unwrap()).await.unwrap();
        }
        let endpoint = server.listen("127.0.0.1:0").await.unwrap();
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("scale-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let tasks = Tasks::new();
        let client = Cluster::new(server.client(Identity::admin()), ClusterOptions::system(tasks.clone()));
        let ready = project_with(|plane: &Value| {
            let status = plane.get("status")?;
            (status.get("phase")? == "Ready").then(|| status.get("observedGeneration")?.as_i64())?
        });
        let planes = client.watches().subscribe(WatchSpec::of_version(&kind()), ready);
        planes.synced().await;
        Self { server, endpoint, client, tasks, folder, planes }
    }

    /// Starts the operator.
    pub(crate) fn operator(&self) -> OperatorProcess {
        let identity = Identity::user(OPERATOR).with_group("system:masters");
        let kubeconfig = self.folder.join("operator.kubeconfig");
        std::fs::write(&kubeconfig, self.endpoint.kubeconfig(&identity).unwrap()).unwrap();
        // Leases would be requests of an idle operator.
        let variables = [("DISABLE_HA", "true")];
        OperatorProcess::start(env!("CARGO_BIN_EXE_control-plane"), &kubeconfig, variables).unwrap()
    }

    pub(crate) fn counter(&self) -> RequestCounter {
        RequestCounter::new(self.server.journal().clone(), OPERATOR)
    }

    /// Sends a request for each of so many control planes.
    pub(crate) async fn each(&self, number: usize, request: impl Fn(usize) -> ApiRequest) {
        let sent = stream::iter(0..number).map(|number| {
            let request = request(number);
            async move { self.client.send(&request).await.unwrap() }
        });
        sent.buffer_unordered(PARALLEL).for_each(|_| async {}).await;
    }

    /// Ends when so many control planes are ready for this generation.
    pub(crate) async fn until_ready(&self, number: usize, generation: i64, counter: &mut RequestCounter) {
        let ready = || self.planes.list().iter().filter(|(_, ready)| **ready == Some(generation)).count();
        self.until(|| ready() == number, counter).await;
    }

    /// Ends when there are no control planes, which go after their components.
    pub(crate) async fn until_gone(&self, counter: &mut RequestCounter) {
        self.until(|| self.planes.is_empty(), counter).await;
    }

    /// Ends when the operator has begun to watch control planes.
    pub(crate) async fn until_watching(&self, counter: &mut RequestCounter) {
        let mark = self.server.journal().mark();
        let is_watched = || {
            let seen = self.server.journal().since(mark).by_user(OPERATOR);
            !seen.verb(Verb::Watch).of(GROUP, "controlplanes").is_empty()
        };
        self.until(is_watched, counter).await;
    }

    async fn until(&self, done: impl Fn() -> bool, counter: &mut RequestCounter) {
        loop {
            counter.count();
            if done() {
                return;
            }
            self.client.clock().sleep(LOOK).await;
        }
    }

    pub(crate) async fn stop(self) {
        self.tasks.stop(Duration::from_secs(1)).await;
        self.endpoint.shutdown().await;
        // A folder that stays does no harm.
        let _ = std::fs::remove_dir_all(&self.folder);
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
