//! The server in this process, and what is done to it.

use std::path::PathBuf;
use std::time::Duration;

use bench_operator::Bench;
use futures::{StreamExt as _, stream};
use kube::CustomResourceExt as _;
use kubewright::machinery::object::{GroupVersionKind, Key};
use kubewright::runtime::cluster::{ApiRequest, ApiResource, Cluster, ClusterOptions, PatchKind};
use kubewright::runtime::task::Tasks;
use kubewright::runtime::watch::{ProjectedStore, WatchSpec, presence, project_with};
use kubewright::serde_json::{self, Value, json};
use kubewright_apiserver::listen::Endpoint;
use kubewright_apiserver::{ApiServer, Identity};
use kubewright_testing::{OperatorProcess, RequestCounter};

/// The user of the operator that runs alone.
pub(crate) const OPERATOR: &str = "operator";
/// Where the components are.
pub(crate) const NAMESPACE: &str = "default";
/// RequestCounts of the driver at once.
const PARALLEL: usize = 16;
/// How often it looks whether it is done, and counts.
const LOOK: Duration = Duration::from_millis(100);

/// The embedded server with a client in the same process.
pub(crate) struct Scene {
    server: ApiServer,
    endpoint: Endpoint,
    pub(crate) client: Cluster,
    tasks: Tasks,
    /// Where the kubeconfigs and logs of the operators are.
    folder: PathBuf,
    /// Of each component the generation for which it is ready.
    benches: ProjectedStore<Option<i64>>,
    config_maps: ProjectedStore<()>,
}

impl Scene {
    pub(crate) async fn start() -> Self {
        let server = ApiServer::builder().build().unwrap();
        server.create(serde_json::to_value(Bench::crd()).unwrap()).await.unwrap();
        let endpoint = server.listen("127.0.0.1:0").await.unwrap();
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("scale-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let tasks = Tasks::new();
        let client = Cluster::new(server.client(Identity::admin()), ClusterOptions::system(tasks.clone()));
        let ready = project_with(|bench: &Value| {
            let status = bench.get("status")?;
            (status.get("state")? == "Ready").then(|| status.get("observedGeneration")?.as_i64())?
        });
        let benches = client.watches().subscribe(WatchSpec::of_version(&bench_kind()), ready);
        let config_maps = WatchSpec::of_version(&GroupVersionKind::new("", "v1", "ConfigMap"));
        let config_maps = client.watches().subscribe(config_maps.in_namespace(NAMESPACE), presence());
        benches.synced().await;
        config_maps.synced().await;
        Self { server, endpoint, client, tasks, folder, benches, config_maps }
    }

    /// Starts an operator as this user: alone, or as one of so many replicas.
    pub(crate) fn operator(&self, user: &str, replicas: Option<usize>) -> OperatorProcess {
        let identity = Identity::user(user).with_group("system:masters");
        let kubeconfig = self.folder.join(format!("{user}.kubeconfig"));
        std::fs::write(&kubeconfig, self.endpoint.kubeconfig(&identity).unwrap()).unwrap();
        let variables = replicas.map(|replicas| (bench_operator::REPLICAS, replicas.to_string()));
        OperatorProcess::start(env!("CARGO_BIN_EXE_bench-operator"), &kubeconfig, variables).unwrap()
    }

    pub(crate) fn counter(&self, user: &str) -> RequestCounter {
        RequestCounter::new(self.server.journal().clone(), user)
    }

    pub(crate) async fn create(&self, components: usize, dependents: usize) {
        let bench = |number: usize| {
            json!({
                "apiVersion": "bench.kubewright.dev/v1alpha1", "kind": "Bench",
                "metadata": {"name": name(number), "namespace": NAMESPACE},
                "spec": {"count": dependents, "payload": "first"},
            })
        };
        self.each(components, |number| ApiRequest::create(&benches(), &bench(number))).await;
    }

    pub(crate) async fn upgrade(&self, components: usize) {
        let patch = json!({"spec": {"payload": "second"}});
        let request = |number| ApiRequest::patch(&benches(), NAMESPACE, &name(number), PatchKind::Merge, &patch);
        self.each(components, request).await;
    }

    pub(crate) async fn delete(&self, components: usize) {
        self.each(components, |number| ApiRequest::delete(&benches(), NAMESPACE, &name(number))).await;
    }

    async fn each(&self, components: usize, request: impl Fn(usize) -> ApiRequest) {
        let sent = stream::iter(0..components).map(|number| {
            let request = request(number);
            async move { self.client.send(&request).await.unwrap() }
        });
        sent.buffer_unordered(PARALLEL).for_each(|_| async {}).await;
    }

    /// Ends when so many components are ready for this generation.
    pub(crate) async fn until_ready(&self, components: usize, generation: i64, counters: &mut [RequestCounter]) {
        let ready = || self.benches.list().iter().filter(|(_, ready)| **ready == Some(generation)).count();
        self.until_counted(|_| ready() == components, counters).await;
    }

    /// Changes a component that is ready for its first generation, and ends when it is ready for the second.
    pub(crate) async fn edit(&self, component: &str, counters: &mut [RequestCounter]) {
        let patch = json!({"spec": {"payload": "second"}});
        let request = ApiRequest::patch(&benches(), NAMESPACE, component, PatchKind::Merge, &patch);
        self.client.send(&request).await.unwrap();
        let key = Key::new(NAMESPACE, component);
        let is_ready = || self.benches.get(&key).is_some_and(|ready| *ready == Some(2));
        self.until_counted(|_| is_ready(), counters).await;
    }

    /// Ends when there are neither components nor dependents.
    pub(crate) async fn until_gone(&self, counter: &mut RequestCounter) {
        // What every namespace has does not go.
        let left = || self.config_maps.list().iter().filter(|(key, _)| key.name().starts_with("bench-")).count();
        self.until(|| self.benches.is_empty() && left() == 0, counter).await;
    }

    /// Ends when the operator has begun to watch components.
    pub(crate) async fn until_watching(&self, counter: &mut RequestCounter) {
        let mark = self.server.journal().mark();
        let watches = |resource| {
            move || {
                let seen = self.server.journal().since(mark).by_user(OPERATOR);
                !seen.verb(kubewright_apiserver::kinds::Verb::Watch).of("bench.kubewright.dev", resource).is_empty()
            }
        };
        self.until(watches("benches"), counter).await;
    }

    async fn until(&self, done: impl Fn() -> bool, counter: &mut RequestCounter) {
        self.until_counted(|_| done(), std::slice::from_mut(counter)).await;
    }

    /// Ends when the condition is met; counts meanwhile.
    pub(crate) async fn until_counted(&self, done: impl Fn(&[RequestCounter]) -> bool, counters: &mut [RequestCounter]) {
        loop {
            counters.iter_mut().for_each(RequestCounter::count);
            if done(counters) {
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

pub(crate) fn name(number: usize) -> String {
    format!("bench-{number}")
}

fn bench_kind() -> GroupVersionKind {
    GroupVersionKind::new("bench.kubewright.dev", "v1alpha1", "Bench")
}

fn benches() -> ApiResource {
    ApiResource::known(&bench_kind(), "benches", true)
}
