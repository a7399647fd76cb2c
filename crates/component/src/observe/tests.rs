//! The memory that dependents take between passes.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Arc;

use kubewright_apiserver::{ApiServer, Identity};
use kubewright_core::dependents::{PrepareContext, ProjectionContext, prepare};
use kubewright_core::manifest::{DependentPolicies, OperatorName, OwnerId};
use kubewright_machinery::object::{GroupKind, ObjectExt as _, Scope};
use kubewright_runtime::cluster::{Cluster, ClusterOptions};
use kubewright_runtime::task::Tasks;
use kubewright_runtime::watch::Project as _;
use serde_json::{Value, json};

use super::dependents::DependentProjector;
use super::*;

const OPERATOR: &str = "demo-operator.example.com";
const COMPONENTS: usize = 1000;
/// The number of dependents of each component.
const DEPENDENTS: usize = 50;
const ALL: usize = COMPONENTS * DEPENDENTS;
/// The number of components in the measurement of watches, which takes longer; a smaller number gives the same figure.
const WATCHED: usize = COMPONENTS / 5;

/// Runs a measurement in a process of its own, where nothing else takes memory. Returns the number of bytes per dependent, or `None` if the
/// system does not report memory.
fn bytes_each(measurement: &str) -> Option<usize> {
    resident()?;
    let name = format!("observe::tests::{measurement}");
    let program = std::env::current_exe().unwrap();
    let output = Command::new(program).args(["--ignored", "--exact", &name, "--nocapture"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let figure = text.lines().find_map(|line| line.split_once(FIGURE)?.1.trim().parse().ok());
    let figure: usize = figure.unwrap_or_else(|| panic!("no figure of {name}: {text}"));
    println!("{measurement}: {figure} bytes each");
    Some(figure)
}

const FIGURE: &str = "bytes each: ";

/// Prints the figure for the process that started the measurement.
fn report(before: usize, dependents: usize) {
    println!("\n{FIGURE}{}", resident().unwrap().saturating_sub(before) / dependents);
}

/// Returns the resident memory in bytes without file-backed pages, if the system reports it. The overhead of the allocator counts; the text of
/// the program, which is loaded while it runs, does not. Huge pages would count unused memory.
fn resident() -> Option<usize> {
    let huge = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").unwrap_or_default();
    if huge.contains("[always]") {
        return None;
    }
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    Some(line.split_whitespace().next()?.parse::<usize>().ok()? * 1024)
}

fn context() -> ProjectionContext {
    ProjectionContext::new(OperatorName::new(OPERATOR).unwrap())
}

fn owner(component: usize) -> OwnerId {
    OwnerId::new(format!("00000000-0000-4000-8000-000000000000/namespace-{}/component-{component}", component % 10))
}

/// Returns a ready dependent as the server stores it.
fn dependent(component: usize, n: usize) -> Value {
    let (owner, context) = (owner(component), context());
    let key = context.operator.owner_key();
    let number = component * DEPENDENTS + n;
    let image = json!({ "k:{\"name\":\"main\"}": { ".": {}, "f:image": {}, "f:name": {} } });
    let fields = json!({
        "f:metadata": { "f:labels": { "f:app": {} } },
        "f:spec": { "f:replicas": {}, "f:template": { "f:spec": { "f:containers": image } } },
    });
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {
            "namespace": format!("namespace-{}", component % 10), "name": format!("component-{component}-{n}"),
            "uid": format!("00000000-0000-4000-8000-{number:012x}"), "resourceVersion": (1_000_000 + number).to_string(), "generation": 1,
            "labels": { key.as_str(): owner.hash(), "app": "demo" },
            "annotations": { key.as_str(): owner.id(), context.operator.digest_key(): format!("{number:064x}") },
            "managedFields": [
                { "manager": OPERATOR, "operation": "Update", "fieldsType": "FieldsV1", "fieldsV1": fields },
                { "manager": "kube-controller-manager", "operation": "Update", "subresource": "status", "fieldsType": "FieldsV1" },
            ],
        },
        "spec": { "replicas": 1, "template": { "spec": { "containers": [{ "name": "main", "image": "example.com/demo:1" }] } } },
        "status": { "observedGeneration": 1, "replicas": 1, "updatedReplicas": 1, "readyReplicas": 1, "availableReplicas": 1, "conditions": [
            { "type": "Available", "status": "True", "reason": "MinimumReplicasAvailable" },
        ] },
    })
}

/// Returns a manifest of one of eight types that are common in charts.
fn manifest(component: usize, n: usize) -> Value {
    let (api_version, kind) = [
        ("v1", "ConfigMap"),
        ("v1", "Secret"),
        ("v1", "Service"),
        ("v1", "ServiceAccount"),
        ("apps/v1", "Deployment"),
        ("policy/v1", "PodDisruptionBudget"),
        ("rbac.authorization.k8s.io/v1", "Role"),
        ("rbac.authorization.k8s.io/v1", "RoleBinding"),
    ][n * 8 / DEPENDENTS];
    let name = format!("component-{component}-{n}");
    json!({ "apiVersion": api_version, "kind": kind, "metadata": { "name": name, "namespace": "demo" } })
}

#[tokio::test]
#[ignore = "a measurement that runs in a process of its own"]
async fn watched_dependents() {
    let server = ApiServer::builder().build().unwrap();
    let tasks = Tasks::new();
    let cluster = Cluster::new(server.client(Identity::admin()), ClusterOptions::system(tasks.clone()));
    let watches = DependentWatches::new(cluster, tasks, Arc::new(context()), Arc::new(|_, _| {}));
    let residences = Residences::from([(GroupKind::new("apps", "Deployment"), BTreeSet::from(["demo".to_owned()]))]);
    watches.settled(&Key::new("demo", "first"), &residences).await.unwrap();
    let before = resident().unwrap();
    for component in 0..WATCHED {
        for n in 0..DEPENDENTS {
            watches.record_write(&dependent(component, n));
        }
        // The listeners consume the changes.
        tokio::task::yield_now().await;
    }
    report(before, WATCHED * DEPENDENTS);
    let last = dependent(WATCHED - 1, DEPENDENTS - 1).key().unwrap();
    assert_eq!(watches.get(&last).unwrap().status, kubewright_core::health::Health::Current);
}

#[test]
#[ignore = "a measurement that runs in a process of its own"]
fn projections() {
    let projector = DependentProjector::new(Arc::new(context()));
    drop(Arc::new(projector.project(&dependent(0, 0))));
    let before = resident().unwrap();
    let mut kept = Vec::with_capacity(ALL);
    for component in 0..COMPONENTS {
        kept.extend((0..DEPENDENTS).map(|n| Arc::new(projector.project(&dependent(component, n)))));
    }
    report(before, ALL);
    assert_eq!(kept.len(), ALL);
}

#[test]
#[ignore = "a measurement that runs in a process of its own"]
fn summaries() {
    let (operator, policies) = (OperatorName::new(OPERATOR).unwrap(), DependentPolicies::default());
    let context = PrepareContext {
        operator: &operator,
        policies: &policies,
        namespace: "demo",
        component_digest: "k1:component",
        scope: &|_| Some(Scope::Namespaced),
    };
    let summary = |component| {
        let manifests = (0..DEPENDENTS).map(|n| manifest(component, n)).collect();
        prepare(manifests, &context).unwrap().summary()
    };
    // The data that all summaries share is allocated before the measurement.
    drop(summary(0));
    let before = resident().unwrap();
    let kept: Vec<_> = (0..COMPONENTS).map(summary).collect();
    report(before, ALL);
    assert_eq!(kept.iter().map(|summary| summary.expand().len()).sum::<usize>(), ALL);
}

// PERF-10
#[test]
fn the_projection_of_a_dependent_takes_at_most_300_bytes() {
    at_most(300, "projections");
}

// PERF-10: includes the key of the dependent and its entries in the store and in the index of owners.
#[test]
fn a_watched_dependent_takes_at_most_500_bytes() {
    at_most(500, "watched_dependents");
}

// PERF-10
#[test]
fn the_summary_of_a_dependent_takes_at_most_200_bytes() {
    at_most(200, "summaries");
}

fn at_most(limit: usize, measurement: &str) {
    match bytes_each(measurement) {
        Some(bytes) => assert!(bytes <= limit, "{bytes} bytes are more than {limit}"),
        None => println!("skipped: this system does not tell how much memory a process has"),
    }
}
