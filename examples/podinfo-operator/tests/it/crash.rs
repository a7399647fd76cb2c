//! The operator is cut off after each of its requests, and restarted.

use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Service, ServiceAccount};
use k8s_openapi::api::networking::v1::Ingress;
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use kubewright_middleware::faults::CutHandle;
use kubewright_testing::{TestCluster, TestOperator};
use podinfo_operator::{NAME, Podinfo, operator};
use serde_json::{Value, json};

/// The time limit of a step, including a restart.
const PATIENCE: Duration = Duration::from_secs(150);

/// An object of the component: its kind, its name, and the content that the component set.
type Owned = (&'static str, String, Value);

/// One run through installation, upgrade and removal, with one cut on the way.
struct Run {
    cluster: TestCluster,
    operator: Option<TestOperator>,
    cut: CutHandle,
    requests: u64,
}

impl Run {
    async fn start(requests: u64) -> Self {
        let cluster = TestCluster::start().await;
        cluster.install_crds(&operator().into()).await;
        let cut = cluster.faults().cut_after(requests).start();
        let operator = Some(cluster.start_operator(operator()).await);
        Self { cluster, operator, cut, requests }
    }

    /// Waits for the end of a step. At the cut the operator loses all its memory and is restarted.
    async fn until(&mut self, step: &str, done: impl AsyncFn(&TestCluster) -> bool) {
        let deadline = self.cluster.clock().moment().0 + PATIENCE;
        let mut restarted = false;
        while !done(&self.cluster).await {
            if self.cut.dropped() > 0 && !restarted {
                restarted = true;
                self.restart().await;
            }
            let late = self.cluster.clock().moment().0 > deadline;
            let status = async || self.cluster.get::<Podinfo>("demo").await.map(|podinfo| podinfo["status"].clone());
            assert!(!late, "cut after {} requests: no end of {step}; status: {:#?}", self.requests, status().await);
            self.cluster.pass(Duration::from_millis(20)).await;
        }
    }

    async fn restart(&mut self) {
        if let Some(operator) = self.operator.take() {
            operator.kill().await;
        }
        self.cut.resume();
        self.operator = Some(self.cluster.start_operator(operator()).await);
    }

    async fn until_ready(&mut self, step: &str) {
        let is_ready = async |cluster: &TestCluster| {
            let podinfo = cluster.get::<Podinfo>("demo").await.unwrap();
            podinfo["status"]["state"] == "Ready" && podinfo["status"]["observedGeneration"] == podinfo["metadata"]["generation"]
        };
        self.until(step, is_ready).await;
    }

    /// Returns all objects with the mark of the operator.
    async fn owned(&self) -> Vec<Owned> {
        let cluster = &self.cluster;
        let mut owned = Vec::new();
        let mut add = |kind, objects: Vec<Value>| {
            let ours =
                objects.into_iter().filter(|object| object["metadata"]["labels"].get(format!("{NAME}/owner-id")).is_some());
            owned.extend(ours.map(|object| {
                let name = object["metadata"]["name"].as_str().unwrap().to_owned();
                (kind, name, made(&object))
            }));
        };
        add("ServiceAccount", cluster.list::<ServiceAccount>().await);
        add("ConfigMap", cluster.list::<ConfigMap>().await);
        add("Deployment", cluster.list::<Deployment>().await);
        add("Service", cluster.list::<Service>().await);
        add("PodDisruptionBudget", cluster.list::<PodDisruptionBudget>().await);
        add("Ingress", cluster.list::<Ingress>().await);
        owned
    }

    /// Returns the objects after each step. The removal must leave none.
    async fn play(mut self) -> [Vec<Owned>; 2] {
        let spec = json!({ "replicas": 2, "message": "first", "ingress": { "host": "podinfo.example.com" } });
        let podinfo = json!({
            "apiVersion": "demo.kubewright.dev/v1alpha1", "kind": "Podinfo", "metadata": { "name": "demo" }, "spec": spec,
        });
        self.cluster.apply(podinfo).await;
        self.until_ready("the installation").await;
        let installed = self.owned().await;
        // The Ingress is removed, and the ConfigMap changes.
        self.cluster.patch::<Podinfo>("demo", json!({ "spec": { "ingress": null, "message": "second" } })).await;
        self.until_ready("the upgrade").await;
        let upgraded = self.owned().await;
        self.cluster.delete::<Podinfo>("demo").await;
        self.until("the removal", async |cluster: &TestCluster| cluster.get::<Podinfo>("demo").await.is_none()).await;
        let left = self.owned().await;
        assert!(left.is_empty(), "cut after {} requests: left behind: {left:#?}", self.requests);
        if let Some(operator) = self.operator.take() {
            operator.kill().await;
        }
        self.cluster.stop().await;
        [installed, upgraded]
    }
}

/// Returns the content of an object without the fields that the server chose.
fn made(object: &Value) -> Value {
    let mut spec = object["spec"].clone();
    for chosen in ["clusterIP", "clusterIPs"] {
        if let Some(spec) = spec.as_object_mut() {
            spec.remove(chosen);
        }
    }
    json!({ "spec": spec, "data": object["data"] })
}

fn names(owned: &[Owned]) -> Vec<&'static str> {
    owned.iter().map(|(kind, ..)| *kind).collect()
}

// PLAN-4, PLAN-7
#[tokio::test]
async fn a_cut_after_any_request_leads_to_the_same_end() {
    let whole = Run::start(u64::MAX).await;
    let (cut, embedded) = (whole.cut.clone(), whole.cluster.is_embedded());
    let expected = whole.play().await;
    let all = ["ServiceAccount", "ConfigMap", "Deployment", "Service", "PodDisruptionBudget", "Ingress"];
    assert_eq!(names(&expected[0]), all);
    assert_eq!(names(&expected[1]), all[..5]);
    assert_eq!(expected[1][1].2["data"]["PODINFO_UI_MESSAGE"], "second");
    let requests = cut.seen();
    assert!(requests > 20, "{requests} requests");
    // A real server tests a sample of the cuts, because a run takes seconds there.
    let stride = if embedded { 1 } else { 8 };
    for after in (0..requests).step_by(stride) {
        let found = Run::start(after).await.play().await;
        assert_eq!(found, expected, "cut after {after} requests");
    }
}
