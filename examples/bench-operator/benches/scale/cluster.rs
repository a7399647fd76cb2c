//! Components in the cluster of the benchmark.

use std::path::PathBuf;

use bench_operator::Bench;
use kube::CustomResourceExt as _;
use kubewright::machinery::object::{GroupVersionKind, Key};
use kubewright::runtime::cluster::{ApiRequest, ApiResource, PatchKind};
use kubewright::runtime::watch::{ProjectedStore, WatchSpec, presence, project_with};
use kubewright::serde_json::{Value, json};
use kubewright_apiserver::ApiServer;
use kubewright_testing::bench::{BenchCluster, MeasuredOperator};

/// The user of the operator that runs alone.
const OPERATOR: &str = "operator";
/// The namespace of the components.
pub(crate) const NAMESPACE: &str = "default";
const GROUP: &str = "bench.kubewright.dev";

/// A cluster with components.
pub(crate) struct ComponentCluster {
    pub(crate) bench: BenchCluster,
    /// The generation for which each component is ready.
    components: ProjectedStore<Option<i64>>,
    config_maps: ProjectedStore<()>,
}

impl ComponentCluster {
    pub(crate) async fn start() -> Self {
        let server = ApiServer::builder().build().unwrap();
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("scale-{}", std::process::id()));
        let bench = BenchCluster::start(server, [Bench::crd()], &folder).await;
        let ready = project_with(|component: &Value| {
            let status = component.get("status")?;
            (status.get("state")? == "Ready").then(|| status.get("observedGeneration")?.as_i64())?
        });
        let components = bench.client().watches().subscribe(WatchSpec::of_version(&kind()), ready);
        let config_maps = WatchSpec::of_version(&GroupVersionKind::new("", "v1", "ConfigMap"));
        let config_maps = bench.client().watches().subscribe(config_maps.in_namespace(NAMESPACE), presence());
        components.synced().await;
        config_maps.synced().await;
        Self { bench, components, config_maps }
    }

    /// Starts the only operator.
    pub(crate) fn operator(&self) -> MeasuredOperator {
        self.bench.operator(env!("CARGO_BIN_EXE_bench-operator"), OPERATOR, [] as [(&str, &str); 0])
    }

    /// Starts an operator as one of this number of replicas.
    pub(crate) fn replica(&self, user: &str, replicas: usize) -> MeasuredOperator {
        let variables = [(bench_operator::REPLICAS, replicas.to_string())];
        self.bench.operator(env!("CARGO_BIN_EXE_bench-operator"), user, variables)
    }

    pub(crate) async fn create(&self, components: usize, dependents: usize) {
        let component = |number: usize| {
            json!({
                "apiVersion": format!("{GROUP}/v1alpha1"), "kind": "Bench",
                "metadata": {"name": name(number), "namespace": NAMESPACE},
                "spec": {"count": dependents, "payload": "first"},
            })
        };
        self.bench.each(components, |number| ApiRequest::create(&resource(), &component(number))).await;
    }

    pub(crate) async fn upgrade(&self, components: usize) {
        self.bench.each(components, |number| upgrade(&name(number))).await;
    }

    pub(crate) async fn delete(&self, components: usize) {
        self.bench.each(components, |number| ApiRequest::delete(&resource(), NAMESPACE, &name(number))).await;
    }

    /// Waits until this number of components are ready for this generation.
    pub(crate) async fn until_ready(&self, components: usize, generation: i64, operators: &mut [MeasuredOperator]) {
        let ready = || self.components.list().iter().filter(|(_, ready)| **ready == Some(generation)).count();
        self.bench.until(|_| ready() == components, operators).await;
    }

    /// Changes a component that is ready for its first generation, and waits until it is ready for the second.
    pub(crate) async fn edit(&self, component: &str, operators: &mut [MeasuredOperator]) {
        self.bench.client().send(&upgrade(component)).await.unwrap();
        let key = Key::new(NAMESPACE, component);
        let is_ready = || self.components.get(&key).is_some_and(|ready| *ready == Some(2));
        self.bench.until(|_| is_ready(), operators).await;
    }

    /// Waits until all components and dependents are gone.
    pub(crate) async fn until_gone(&self, operator: &mut MeasuredOperator) {
        // The ConfigMap that every namespace contains stays.
        let left = || self.config_maps.list().iter().filter(|(key, _)| key.name().starts_with("bench-")).count();
        self.bench.until(|_| self.components.is_empty() && left() == 0, std::slice::from_mut(operator)).await;
    }

    /// Waits until the only operator has begun to watch components.
    pub(crate) async fn until_watched(&self, operator: &mut MeasuredOperator) {
        self.bench.until_watched(OPERATOR, GROUP, "benches", std::slice::from_mut(operator)).await;
    }
}

pub(crate) fn name(number: usize) -> String {
    format!("bench-{number}")
}

fn upgrade(component: &str) -> ApiRequest {
    ApiRequest::patch(&resource(), NAMESPACE, component, PatchKind::Merge, &json!({"spec": {"payload": "second"}}))
}

fn kind() -> GroupVersionKind {
    GroupVersionKind::new(GROUP, "v1alpha1", "Bench")
}

fn resource() -> ApiResource {
    ApiResource::known(&kind(), "benches", true)
}
