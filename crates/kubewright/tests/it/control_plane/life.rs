//! The life of an owner with all five components, and the requests that it requires.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use kubewright_middleware::journal::{Mark, Record};
use kubewright_testing::{TestCluster, TestOperator};

use super::controllers::{Polling, platform};
use super::external::{ACCESS, DEPLOYMENT, OWNER_NAME, OWNER_NAMESPACE, REMOTE, SYSTEM, object_name};
use super::kinds::{ApiServer, Authentication, Authorization, CloudOrchestrator, ControlPlane, DOMAIN, Landscaper};

const NAME: &str = "demo";
const COMPONENTS: [&str; 5] = ["apiservers", "authentications", "authorizations", "landscapers", "cloudorchestrators"];

/// Returns an owner with all five components.
pub(super) fn owner(name: &str) -> Value {
    json!({
        "apiVersion": format!("{DOMAIN}/v1"), "kind": "ControlPlane", "metadata": { "name": name },
        "spec": {
            "apiServer": { "region": "europe" }, "authentication": { "identityProviders": ["corp"] },
            "authorization": { "admins": ["ada"] }, "landscaper": { "deployers": ["helm"] }, "cloudOrchestrator": {},
        },
    })
}

/// A cluster with the operator of the owner and all components.
struct Life {
    cluster: TestCluster,
    operator: Option<TestOperator>,
    polling: Polling,
}

impl Life {
    /// Starts the cluster. The external systems are available before any component requests them.
    async fn begin() -> Self {
        let cluster = TestCluster::start().await;
        cluster.journal().keep_bodies(true);
        for (system, data) in [
            (ACCESS, json!({ "phase": "Granted", "issued": "2026-01-01T00:00:00Z" })),
            (DEPLOYMENT, json!({ "phase": "Ready", "endpoint": "https://demo.europe", "deployers": "helm" })),
            (REMOTE, json!({ "phase": "Ready", "version": "newest" })),
        ] {
            let labels = json!({ OWNER_NAME: NAME, OWNER_NAMESPACE: cluster.namespace(), SYSTEM: system });
            let metadata = json!({ "name": object_name(NAME, system), "labels": labels });
            let object = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data });
            cluster.create(object).await.unwrap();
        }
        let polling = Polling::default();
        let operator = Some(cluster.run(platform(polling)).await);
        Self { cluster, operator, polling }
    }

    async fn create(&self) -> Value {
        self.cluster.create(owner(NAME)).await.unwrap();
        self.phase("Ready").await
    }

    async fn phase(&self, phase: &'static str) -> Value {
        let has_phase = move |object: &Value| {
            object["status"]["phase"] == phase && object["status"]["observedGeneration"].as_i64() == object.generation()
        };
        self.cluster.expect::<ControlPlane>(NAME).matching(phase, has_phase).await
    }

    async fn rest(&self) {
        self.cluster.pass(Duration::from_secs(2)).await;
    }

    async fn stop(mut self) {
        if let Some(operator) = self.operator.take() {
            operator.stop().await;
        }
        self.cluster.stop().await;
    }

    /// Returns the numbers of writes of the operator since a mark, by resource and kind of write.
    fn writes(&self, mark: Mark) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for record in self.cluster.journal().since(mark).writes().iter() {
            // Writers of finalizers may conflict on an object; the second one is refused and repeats its write (FZ-6).
            let is_refused = record.status().is_some_and(|status| status >= 300);
            let what = if is_refused { format!("refused: {}", described(record)) } else { described(record) };
            *counts.entry(what).or_default() += 1;
        }
        counts.retain(|what, _| !what.contains("events"));
        counts
    }
}

/// Describes a write, such as `patch apiservers/status`. Writes of finalizers alone are listed separately.
fn described(record: &Record) -> String {
    let Some(target) = record.target.resource() else { return String::new() };
    let part = if target.subresource.is_empty() { String::new() } else { format!("/{}", target.subresource) };
    let operations = record.body.as_ref().and_then(Value::as_array).cloned().unwrap_or_default();
    let places = |operation: &Value| operation["path"].as_str().is_some_and(|path| path.starts_with("/metadata/finalizers"));
    let is_of_finalizers = operations.iter().any(places);
    let what = if is_of_finalizers { "finalizers of" } else { &target.verb.to_string() };
    format!("{what} {}{part}", target.resource)
}

fn of(counts: &BTreeMap<String, usize>, what: &str, resource: &str) -> usize {
    counts.get(&format!("{what} {resource}")).copied().unwrap_or_default()
}

// 17.1, DEP-07: for each component one create, its finalizer, one write per dependency finalizer, and the statuses that differ.
#[tokio::test]
async fn a_roll_out_takes_no_request_more_than_it_needs() {
    let life = Life::begin().await;
    let mark = life.cluster.journal().mark();
    life.create().await;
    life.rest().await;
    let counts = life.writes(mark);
    println!("roll-out of a control plane with five components: {counts:?}");
    // The owner's finalizer, then the components' own finalizers and those of depending components.
    assert_eq!(of(&counts, "finalizers of", "controlplanes"), 1);
    for (resource, depending) in COMPONENTS.into_iter().zip([4, 2, 2, 0, 0]) {
        assert_eq!(of(&counts, "create", resource), 1, "{resource}");
        assert_eq!(of(&counts, "finalizers of", resource), 1 + depending, "{resource}");
        // The first status reports that it waits for the API server, unless that was ready before; the last that it is ready.
        let statuses = of(&counts, "patch", &format!("{resource}/status"));
        assert!((1..=2).contains(&statuses), "{resource}: {statuses} statuses");
    }
    // The objects for the external systems of the components.
    assert_eq!(of(&counts, "create", "configmaps"), 2);
    assert_eq!(of(&counts, "create", "rolebindings"), 1);
    // At most one status of the owner for each status of a component that changes the owner's report.
    let of_components: usize = COMPONENTS.iter().map(|resource| of(&counts, "patch", &format!("{resource}/status"))).sum();
    let of_owner = of(&counts, "patch", "controlplanes/status");
    assert!(of_owner <= 1 + of_components, "{of_owner} statuses of the owner, {of_components} of components");
    let known: usize = 1 + 5 + 13 + of_components + of_owner + 3;
    let accepted: usize = counts.iter().filter(|(what, _)| !what.starts_with("refused")).map(|(_, count)| count).sum();
    assert_eq!(accepted, known, "nothing else: {counts:?}");
    // A component is created after those that it needs.
    let told: Vec<String> = life.cluster.journal().since(mark).iter().map(|record| json!(record.body).to_string()).collect();
    assert!(told.iter().all(|body| !body.contains("it does not exist")), "{told:#?}");
    // Each written status differs from the previous one.
    for record in life.cluster.journal().since(mark).writes().subresource("status").iter() {
        let told = record.changes.is_empty() || record.changes.iter().any(|change| change.difference != json!({}));
        assert!(told, "{record}");
    }
    life.stop().await;
}

// WAKE-4, STH-7: the control plane is ready and idle, resynced or restarted.
#[tokio::test]
async fn a_control_plane_that_is_ready_takes_no_request() {
    let mut life = Life::begin().await;
    life.create().await;
    life.rest().await;
    let mark = life.cluster.journal().mark();
    // The periodic resync causes a dozen passes of each object.
    life.cluster.pass(Duration::from_secs(if life.cluster.is_embedded() { 3600 } else { 3 })).await;
    let quiet = life.cluster.journal().since(mark);
    let is_watch = |record: &Record| {
        record.target.resource().is_some_and(|target| ["watch", "list"].contains(&target.verb.to_string().as_str()))
    };
    let requests: Vec<String> = quiet.iter().filter(|record| !is_watch(record)).map(ToString::to_string).collect();
    assert!(requests.is_empty(), "{requests:?}");
    life.operator.take().unwrap().kill().await;
    life.cluster.second_pass_writes_nothing(platform(life.polling)).await;
    life.stop().await;
}

// DEP-13, OL-5, 13.9: each step follows the preceding event.
#[tokio::test]
async fn components_are_deleted_in_graph_order_before_their_owner_without_a_timer() {
    let life = Life::begin().await;
    life.create().await;
    life.rest().await;
    let mark = life.cluster.journal().mark();
    life.cluster.delete::<ControlPlane>(NAME).await;
    life.cluster.expect::<ControlPlane>(NAME).to_be_gone().await;
    let records = life.cluster.journal().since(mark).writes();
    // An event may arrive before the answer to the request that caused it, so requests are ordered by the time they were sent, and in virtual
    // time by their numbers.
    let removed = |resource: &str, finalizer: &str| {
        let removes = |record: &&Arc<Record>| {
            let operations = record.body.as_ref().and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            let has = |op: &str, value: Option<&str>| {
                let is_such = |operation: &&Value| operation["op"] == op && value.is_none_or(|value| operation["value"] == value);
                operations.iter().any(|operation| is_such(&operation))
            };
            described(record) == format!("finalizers of {resource}") && has("remove", None) && has("test", Some(finalizer))
        };
        let found = records.iter().find(removes).unwrap_or_else(|| panic!("{finalizer} is removed from {resource}"));
        (found.time, found.number)
    };
    let own = |resource: &str| removed(resource, &format!("{DOMAIN}/{}", resource.trim_end_matches('s')));
    for (first, second) in [
        ("landscaper", "authentications"),
        ("landscaper", "authorizations"),
        ("cloudorchestrator", "authentications"),
        ("cloudorchestrator", "authorizations"),
        ("authentication", "apiservers"),
        ("authorization", "apiservers"),
        ("landscaper", "apiservers"),
        ("cloudorchestrator", "apiservers"),
    ] {
        // The depending component releases its dependencies once its cleanup is done, and is deleted then.
        let freed = removed(second, &format!("dependency.{DOMAIN}/{first}"));
        assert!(freed < own(second), "{first} before {second}");
        assert!(freed < own(&format!("{first}s")), "{first} frees {second} before it goes");
    }
    assert!(own("apiservers") < own("controlplanes"), "the owner goes last");
    for (resource, count) in COMPONENTS.into_iter().map(|resource| (resource, of(&life.writes(mark), "delete", resource))) {
        assert_eq!(count, 1, "{resource}");
    }
    for system in [ACCESS, DEPLOYMENT, REMOTE, "cluster", "login"] {
        assert!(life.cluster.get::<ConfigMap>(&object_name(NAME, system)).await.is_none(), "{system}");
    }
    if life.cluster.is_embedded() {
        let times: Vec<jiff::Timestamp> = records.iter().map(|record| record.time).collect();
        let taken = times.last().unwrap().duration_since(times[0]);
        println!("teardown of a control plane with five components: {} writes in {taken:?} of virtual time", times.len());
        assert!(taken.as_millis() < 100, "no timer fires: {taken:?}");
    }
    life.stop().await;
}

// PAR-10, OL-3, OL-4
#[tokio::test]
async fn the_phase_of_an_owner_follows_its_components() {
    let life = Life::begin().await;
    life.cluster.patch::<ConfigMap>("demo-remote", json!({ "data": { "phase": "Broken" } })).await;
    life.cluster.create(owner(NAME)).await.unwrap();
    let waits = |object: &Value| {
        let text = object["status"]["message"].as_str().unwrap_or_default();
        text.contains("CloudOrchestratorHealthy") && !text.contains("Landscaper")
    };
    let not_ready = life.cluster.expect::<ControlPlane>(NAME).matching("only the orchestrator is awaited", waits).await;
    assert_eq!(not_ready["status"]["phase"], "Not Ready");
    assert_eq!(super::world::told_by(&not_ready, "Ready"), Some(("False".to_owned(), "ComponentsNotReady".to_owned())));
    life.cluster.patch::<ConfigMap>("demo-remote", json!({ "data": { "phase": "Ready" } })).await;
    let ready = life.phase("Ready").await;
    assert_eq!(super::world::told_by(&ready, "Ready").unwrap().0, "True");
    assert_eq!(ready["status"]["endpoint"], "https://demo.europe");
    assert_eq!(ready["status"]["login"], "https://demo.europe/login");
    assert_eq!(ready["status"].get("kubeconfig"), None);
    life.cluster.patch::<ConfigMap>("demo-remote", json!({ "metadata": { "finalizers": ["example.com/hold"] } })).await;
    life.cluster.delete::<ControlPlane>(NAME).await;
    let deleting = life.phase("Deleting").await;
    assert_eq!(super::world::told_by(&deleting, "Ready").unwrap().1, "DeletionWaitingForComponents");
    life.cluster.finalize(&kube::core::GroupVersionKind::gvk("", "v1", "ConfigMap"), "demo-remote").await;
    life.cluster.expect::<ControlPlane>(NAME).to_be_gone().await;
    life.stop().await;
}

// 13.10: a component that is switched on later is created, one that is switched off is deleted.
#[tokio::test]
async fn a_component_is_deleted_when_switched_off_and_created_again_when_switched_on() {
    let life = Life::begin().await;
    life.create().await;
    life.cluster.patch::<ControlPlane>(NAME, json!({ "spec": { "landscaper": null } })).await;
    life.cluster.expect::<Landscaper>(NAME).to_be_gone().await;
    life.phase("Ready").await;
    for finalizers in [
        life.cluster.get::<ApiServer>(NAME).await.unwrap(),
        life.cluster.get::<Authentication>(NAME).await.unwrap(),
        life.cluster.get::<Authorization>(NAME).await.unwrap(),
    ] {
        assert!(!finalizers.has_finalizer("dependency.platform.example.dev/landscaper"), "{finalizers}");
        assert!(finalizers.has_finalizer("dependency.platform.example.dev/cloudorchestrator"), "{finalizers}");
    }
    life.cluster.patch::<ControlPlane>(NAME, json!({ "spec": { "landscaper": { "deployers": [] } } })).await;
    life.cluster.expect::<Landscaper>(NAME).to_exist().await;
    assert!(life.cluster.get::<CloudOrchestrator>(NAME).await.is_some());
    life.stop().await;
}
