use std::time::Duration;

use kubewright_machinery::object::ObjectExt;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::store::{ObjectName, Resource};
use crate::workloads::simulation::workload;
use crate::workloads::{READY_AFTER, StageDelays, Workloads};
use crate::{ApiServer, Identity};

const EPOCH: &str = "2026-01-01T00:00:00Z";

fn server(mode: Workloads, delays: StageDelays) -> ApiServer {
    ApiServer::builder().epoch(EPOCH.parse().unwrap()).seed(7).workloads(mode).stage_delays(delays).build().unwrap()
}

fn get(server: &ApiServer, group: &str, plural: &str, namespace: &str, name: &str) -> Option<Value> {
    let snapshot = server.state().api.store.snapshot();
    snapshot.get(&Resource::new(group, plural), &ObjectName::new(namespace, name)).map(|stored| stored.value().clone())
}

fn names(server: &ApiServer, group: &str, plural: &str) -> Vec<String> {
    let snapshot = server.state().api.store.snapshot();
    snapshot.list(&Resource::new(group, plural), None).map(|(name, _)| name.name.to_string()).collect()
}

fn deployment(replicas: i64) -> Value {
    let mut deployment = workload("Deployment", "web", json!({"replicas": replicas}));
    deployment["metadata"]["namespace"] = json!("default");
    deployment
}

// STG-2, DIF-4
#[tokio::test(start_paused = true)]
async fn without_delays_a_deployment_is_available_before_its_create_is_answered() {
    let server = server(Workloads::Pods, StageDelays::NONE);
    server.create(deployment(2)).await.unwrap();
    let web = get(&server, "apps", "deployments", "default", "web").unwrap();
    assert_eq!(web["status"]["availableReplicas"], 2, "{web:#}");
    assert_eq!(names(&server, "", "pods").len(), 2);
    assert_eq!(names(&server, "", "nodes"), ["kubewright-node-0"]);
    let revision = server.revision();
    server.tick().await;
    assert_eq!(server.revision(), revision);
}

// STG-2, STG-3
#[tokio::test(start_paused = true)]
async fn delays_pass_on_the_clock_of_the_server() {
    let server = server(Workloads::Pods, StageDelays::NONE);
    let mut slow = deployment(1);
    slow.set_annotation(READY_AFTER, "30s");
    server.create(slow).await.unwrap();
    tokio::time::sleep(Duration::from_millis(29_900)).await;
    let available =
        |server: &ApiServer| get(server, "apps", "deployments", "default", "web").unwrap()["status"]["availableReplicas"].clone();
    assert_eq!(available(&server), Value::Null);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(available(&server), 1);
}

// STG-1
#[tokio::test(start_paused = true)]
async fn mode_status_creates_no_children() {
    let server = server(Workloads::Status, StageDelays::NONE);
    server.create(deployment(2)).await.unwrap();
    assert_eq!(get(&server, "apps", "deployments", "default", "web").unwrap()["status"]["availableReplicas"], 2);
    assert_eq!(names(&server, "", "pods").len() + names(&server, "apps", "replicasets").len(), 0);
}

// STG-1
#[tokio::test(start_paused = true)]
async fn mode_off_leaves_workloads_alone() {
    let server = server(Workloads::Off, StageDelays::NONE);
    server.create(deployment(2)).await.unwrap();
    assert_eq!(get(&server, "apps", "deployments", "default", "web").unwrap().pointer("/status/observedGeneration"), None);
}

// STG-5, STG-9, STG-10, STG-11
#[tokio::test(start_paused = true)]
async fn every_kind_of_workload_becomes_ready() {
    let server = server(Workloads::Pods, StageDelays::NONE);
    for (kind, plural, group, field) in [
        ("StatefulSet", "statefulsets", "apps", "readyReplicas"),
        ("DaemonSet", "daemonsets", "apps", "numberReady"),
        ("ReplicaSet", "replicasets", "apps", "readyReplicas"),
        ("Job", "jobs", "batch", "succeeded"),
    ] {
        let mut object = workload(kind, "w", json!({"replicas": 1}));
        object["metadata"]["namespace"] = json!("default");
        if kind == "Job" {
            object["spec"] =
                json!({"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i:1"}]}}});
        }
        server.create(object).await.unwrap();
        let stored = get(&server, group, plural, "default", "w").unwrap();
        assert_eq!(stored["status"][field], 1, "{stored:#}");
    }
}

// STG-13
#[tokio::test(start_paused = true)]
async fn claims_volumes_autoscalers_budgets_and_services_beside_workloads_get_their_status() {
    let server = server(Workloads::Pods, StageDelays::NONE);
    let in_default = |kind: &str, api_version: &str, spec: Value| json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "web", "namespace": "default"}, "spec": spec});
    let resources = json!({"requests": {"storage": "1Gi"}});
    server
        .create(in_default("PersistentVolumeClaim", "v1", json!({"accessModes": ["ReadWriteOnce"], "resources": resources})))
        .await
        .unwrap();
    let target = json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"});
    server
        .create(in_default("HorizontalPodAutoscaler", "autoscaling/v2", json!({"maxReplicas": 5, "scaleTargetRef": target})))
        .await
        .unwrap();
    let selector = json!({"matchLabels": {"app": "web"}});
    server
        .create(in_default("PodDisruptionBudget", "policy/v1", json!({"minAvailable": 1, "selector": selector})))
        .await
        .unwrap();
    server
        .create(in_default("Service", "v1", json!({"type": "LoadBalancer", "ports": [{"port": 80}], "selector": {"app": "web"}})))
        .await
        .unwrap();
    server.create(deployment(2)).await.unwrap();
    let claim = get(&server, "", "persistentvolumeclaims", "default", "web").unwrap();
    assert_eq!(claim["status"]["phase"], "Bound", "{claim:#}");
    let volume = get(&server, "", "persistentvolumes", "", claim["spec"]["volumeName"].as_str().unwrap()).unwrap();
    assert_eq!(volume["status"]["phase"], "Bound");
    assert_eq!(
        get(&server, "autoscaling", "horizontalpodautoscalers", "default", "web").unwrap()["status"]["currentReplicas"],
        2
    );
    let budget = get(&server, "policy", "poddisruptionbudgets", "default", "web").unwrap();
    assert_eq!((&budget["status"]["currentHealthy"], &budget["status"]["disruptionsAllowed"]), (&json!(2), &json!(1)));
    let service = get(&server, "", "services", "default", "web").unwrap();
    assert!(service["status"]["loadBalancer"]["ingress"][0]["ip"].is_string(), "{service:#}");
}

// STG-3
#[tokio::test(start_paused = true)]
async fn a_wish_that_cannot_be_read_is_a_warning() {
    let server = server(Workloads::Pods, StageDelays::NONE);
    let mut wrong = deployment(1);
    wrong.set_annotation(READY_AFTER, "soon");
    let request = http::Request::post("/apis/apps/v1/namespaces/default/deployments");
    let request = request.body(http_body_util::Full::from(wrong.to_string())).unwrap();
    let response = server.service(Identity::admin()).oneshot(request).await.unwrap();
    assert_eq!(response.status(), 201);
    let warning = response.headers()["warning"].to_str().unwrap();
    assert!(warning.contains("must be a duration such as 30s"), "{warning}");
}

// STG-8
#[tokio::test(start_paused = true)]
async fn a_request_is_answered_after_one_burst_of_pods_and_the_next_comes_with_time() {
    let server = server(Workloads::Pods, StageDelays::NONE);
    let mut set = workload("ReplicaSet", "w", json!({"replicas": 1_200}));
    set["metadata"]["namespace"] = json!("default");
    server.create(set).await.unwrap();
    let pods = |server: &ApiServer| names(server, "", "pods").len();
    assert_eq!(pods(&server), 500);
    // Changes of the pods do not cause the next burst.
    server.tick().await;
    assert_eq!(pods(&server), 500);
    tokio::time::sleep(Duration::from_millis(2_100)).await;
    assert_eq!(pods(&server), 1_200);
    assert_eq!(get(&server, "apps", "replicasets", "default", "w").unwrap()["status"]["readyReplicas"], 1_200);
}
