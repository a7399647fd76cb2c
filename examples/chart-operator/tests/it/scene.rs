//! A cluster with a website, and the requests of its operator.

use chart_operator::{NAME, Website, operator};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{ConfigMap, Secret, Service};
use kubewright_middleware::journal::Mark;
use kubewright_testing::{TestCluster, TestOperator};
use serde_json::{Value, json};

/// Returns a website of this name with values of its chart.
pub(crate) fn website(name: &str, values: &Value) -> Value {
    json!({
        "apiVersion": "demo.kubewright.dev/v1alpha1",
        "kind": "Website",
        "metadata": { "name": name },
        "spec": values,
    })
}

/// A cluster with a running operator.
pub(crate) struct Scene {
    pub(crate) cluster: TestCluster,
    operator: TestOperator,
}

impl Scene {
    pub(crate) async fn start() -> Self {
        let cluster = TestCluster::start().await;
        cluster.journal().keep_bodies(true);
        let operator = cluster.run(operator()).await;
        Self { cluster, operator }
    }

    /// Starts with a website `demo` that is ready.
    pub(crate) async fn installed() -> Self {
        let scene = Self::start().await;
        scene.cluster.apply(website("demo", &json!({ "title": "First" }))).await;
        scene.cluster.expect::<Website>("demo").ready().await;
        scene
    }

    /// Returns the dependents in the cluster, as `kind/name`.
    pub(crate) async fn dependents(&self) -> Vec<String> {
        let found = [
            ("ConfigMap", self.cluster.list::<ConfigMap>().await),
            ("Deployment", self.cluster.list::<Deployment>().await),
            ("Job", self.cluster.list::<Job>().await),
            ("Secret", self.cluster.list::<Secret>().await),
            ("Service", self.cluster.list::<Service>().await),
        ];
        let is_ours = |object: &Value| object["metadata"]["labels"].get(format!("{NAME}/owner-id")).is_some();
        let names = |(kind, objects): (&str, Vec<Value>)| {
            let ours = objects.into_iter().filter(is_ours);
            ours.map(|object| format!("{kind}/{}", object["metadata"]["name"].as_str().unwrap())).collect::<Vec<_>>()
        };
        let mut all: Vec<String> = found.into_iter().flat_map(names).collect();
        all.sort();
        all
    }

    /// Returns the place of the first write since a mark: a verb, a resource and the name of an object.
    fn place(&self, mark: Mark, (verb, resource, name): (&str, &str, &str)) -> u64 {
        let records = self.cluster.journal().since(mark).writes().in_namespace(self.cluster.namespace()).subresource("");
        let found = records.iter().find(|record| {
            let Some(target) = record.target.resource() else { return false };
            let created = || record.body.as_ref().is_some_and(|body| body["metadata"]["name"] == name);
            let is_verb = record.target.verb().is_some_and(|own| format!("{own:?}") == verb);
            is_verb && target.resource == resource && (target.name == name || created())
        });
        found.unwrap_or_else(|| panic!("no {verb} of {resource} {name}")).number
    }

    /// Checks that a write came before another one.
    pub(crate) fn assert_order(&self, mark: Mark, earlier: (&str, &str, &str), later: (&str, &str, &str)) {
        assert!(self.place(mark, earlier) < self.place(mark, later), "{earlier:?} must come before {later:?}");
    }

    pub(crate) async fn end(self) {
        self.operator.stop().await;
        self.cluster.stop().await;
    }
}
