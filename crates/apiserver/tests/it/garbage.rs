//! Dependents and their owners.

use std::time::Duration;

use serde_json::{Value, json};

use crate::cluster::{Cluster, MAPS, map_path, pass};

fn owned_by(owner: &Value, blocking: bool) -> Value {
    let reference = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"], "blockOwnerDeletion": blocking});
    json!({"metadata": {"ownerReferences": [reference]}})
}

// GC-2, CTL-1
#[tokio::test(start_paused = true)]
async fn dependents_go_with_their_owner_before_the_answer() {
    let cluster = Cluster::start();
    let owner = cluster.map("owner", json!({})).await;
    let child = cluster.map("child", owned_by(&owner, true)).await;
    cluster.map("grandchild", owned_by(&child, true)).await;
    cluster.delete(&map_path("owner")).await;
    for name in ["child", "grandchild"] {
        assert_eq!(cluster.get(&map_path(name)).await.code, 404, "{name}");
    }
}

// GC-1
#[tokio::test(start_paused = true)]
async fn a_foreground_delete_waits_for_blocking_dependents_only() {
    let cluster = Cluster::start();
    let owner = cluster.map("owner", json!({})).await;
    cluster.map("blocking", owned_by(&owner, true)).await;
    let mut held = owned_by(&owner, true);
    held["metadata"]["finalizers"] = json!(["x.io/hold"]);
    cluster.map("held", held).await;
    let mut loose = owned_by(&owner, false);
    loose["metadata"]["finalizers"] = json!(["x.io/hold"]);
    cluster.map("loose", loose).await;
    let mut watch = cluster.watch(&format!("{MAPS}?watch=true&resourceVersion={}", cluster.server.revision())).await;
    let answer = cluster.delete(&format!("{}?propagationPolicy=Foreground", map_path("owner"))).await;
    assert_eq!(answer.body["metadata"]["finalizers"], json!(["foregroundDeletion"]));
    assert_eq!(cluster.get(&map_path("blocking")).await.code, 404);
    assert_eq!(cluster.get(&map_path("owner")).await.code, 200);
    cluster.merge(&map_path("held"), json!({"metadata": {"finalizers": []}})).await;
    assert_eq!(cluster.get(&map_path("owner")).await.code, 404);
    assert_eq!(cluster.get(&map_path("loose")).await.code, 200);
    let seen = watch.seen();
    let position = |event: &str| seen.iter().position(|seen| seen == event).unwrap();
    assert!(position("MODIFIED owner") < position("DELETED blocking"));
    assert!(position("DELETED blocking") < position("DELETED owner"), "{seen:?}");
}

// GC-3
#[tokio::test(start_paused = true)]
async fn orphans_lose_the_reference_and_stay() {
    let cluster = Cluster::start();
    let owner = cluster.map("owner", json!({})).await;
    cluster.map("child", owned_by(&owner, true)).await;
    cluster.delete(&format!("{}?propagationPolicy=Orphan", map_path("owner"))).await;
    assert_eq!(cluster.get(&map_path("owner")).await.code, 404);
    assert_eq!(cluster.get(&map_path("child")).await.body["metadata"].get("ownerReferences"), None);
}

// GC-5
#[tokio::test(start_paused = true)]
async fn an_owner_reference_with_a_wrong_uid_deletes_the_object_unless_another_owner_exists() {
    let cluster = Cluster::start();
    let mut owner = cluster.map("owner", json!({})).await;
    let real = owned_by(&owner, false)["metadata"]["ownerReferences"][0].clone();
    owner["metadata"]["uid"] = "another".into();
    let wrong = owned_by(&owner, false)["metadata"]["ownerReferences"][0].clone();
    cluster.map("wrong", json!({"metadata": {"ownerReferences": [wrong]}})).await;
    assert_eq!(cluster.get(&map_path("wrong")).await.code, 404);
    cluster.map("both", json!({"metadata": {"ownerReferences": [wrong, real]}})).await;
    assert_eq!(cluster.get(&map_path("both")).await.body["metadata"]["ownerReferences"], json!([real]));
}

// GC-2
#[tokio::test(start_paused = true)]
async fn deleting_a_job_without_a_propagation_policy_keeps_its_pods_and_returns_a_warning() {
    let cluster = Cluster::start();
    let jobs = "/apis/batch/v1/namespaces/default/jobs";
    let template = json!({"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}});
    let job = cluster.post(jobs, json!({"metadata": {"name": "j"}, "spec": {"template": template}})).await;
    assert_eq!(job.code, 201, "{}", job.body);
    let reference = json!({"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": job.body["metadata"]["uid"]});
    cluster.map("pod", json!({"metadata": {"ownerReferences": [reference]}})).await;
    let deleted = cluster.delete(&format!("{jobs}/j")).await;
    assert!(deleted.headers["warning"].to_str().unwrap().contains("child pods are preserved by default"));
    assert_eq!(cluster.get(&format!("{jobs}/j")).await.code, 404);
    assert_eq!(cluster.get(&map_path("pod")).await.code, 200);
}

#[tokio::test(start_paused = true)]
async fn a_dependent_that_cannot_be_written_keeps_no_other_and_is_tried_again() {
    let cluster = Cluster::start();
    let (gone, stays) = (cluster.map("gone", json!({})).await, cluster.map("stays", json!({})).await);
    let reference = |owner: &Value| owned_by(owner, false)["metadata"]["ownerReferences"][0].clone();
    let object = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "data": {"no key!": ""},
        "metadata": {"name": "a", "namespace": "default", "uid": "u", "ownerReferences": [reference(&gone), reference(&stays)]},
    });
    cluster.server.seed([object]).unwrap();
    cluster.map("b", owned_by(&gone, false)).await;
    cluster.delete(&map_path("gone")).await;
    assert_eq!(cluster.get(&map_path("b")).await.code, 404);
    assert_eq!(cluster.get(&map_path("a")).await.body["metadata"]["ownerReferences"].as_array().unwrap().len(), 2);
    let mut sound = cluster.get(&map_path("a")).await.body;
    sound["data"] = json!({});
    cluster.server.seed([sound]).unwrap();
    pass(Duration::from_secs(2)).await;
    assert_eq!(cluster.get(&map_path("a")).await.body["metadata"]["ownerReferences"], json!([reference(&stays)]));
}

const CLAIMS: &str = "/api/v1/namespaces/default/persistentvolumeclaims";

fn claim(name: &str) -> Value {
    json!({"metadata": {"name": name}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}})
}

// PIPE-21, CTL-9
#[tokio::test(start_paused = true)]
async fn a_claim_stays_as_long_as_a_pod_on_a_node_uses_it() {
    let cluster = Cluster::start();
    assert_eq!(cluster.send("POST", CLAIMS, Some(claim("c")), &[]).await.code, 201);
    let pod = |name: &str, node: Value| {
        let volumes = json!([{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]);
        json!({"metadata": {"name": name}, "spec": {"nodeName": node, "containers": [{"name": "c", "image": "i"}], "volumes": volumes}})
    };
    let pods = "/api/v1/namespaces/default/pods";
    assert_eq!(cluster.send("POST", pods, Some(pod("placed", json!("n"))), &[]).await.code, 201);
    assert_eq!(cluster.send("POST", pods, Some(pod("waiting", Value::Null)), &[]).await.code, 201);
    let deleted = cluster.delete(&format!("{CLAIMS}/c")).await;
    assert_eq!(deleted.body["metadata"]["finalizers"], json!(["kubernetes.io/pvc-protection"]));
    assert_eq!(cluster.get(&format!("{CLAIMS}/c")).await.code, 200);
    cluster.delete(&format!("{pods}/placed?gracePeriodSeconds=0")).await;
    assert_eq!(cluster.get(&format!("{CLAIMS}/c")).await.code, 404);
}

// PIPE-21, CTL-9
#[tokio::test(start_paused = true)]
async fn a_living_claim_gets_its_finalizer_back() {
    let cluster = Cluster::start();
    assert_eq!(cluster.send("POST", CLAIMS, Some(claim("c")), &[]).await.code, 201);
    cluster.merge(&format!("{CLAIMS}/c"), json!({"metadata": {"finalizers": null}})).await;
    let found = cluster.get(&format!("{CLAIMS}/c")).await;
    assert_eq!(found.body["metadata"]["finalizers"], json!(["kubernetes.io/pvc-protection"]));
}

// CTL-9
#[tokio::test(start_paused = true)]
async fn a_class_of_attributes_stays_while_a_claim_or_a_volume_names_it() {
    const CLASSES: &str = "/apis/storage.k8s.io/v1/volumeattributesclasses";
    const CLAIMS: &str = "/api/v1/namespaces/default/persistentvolumeclaims";
    let cluster = Cluster::start();
    let class = async |name: &str| {
        let class = json!({"metadata": {"name": name}, "driverName": "d.io", "parameters": {"iops": "1"}});
        let answer = cluster.post(CLASSES, class).await;
        assert_eq!(answer.body["metadata"]["finalizers"], json!(["kubernetes.io/vac-protection"]));
    };
    class("unused").await;
    cluster.delete(&format!("{CLASSES}/unused")).await;
    assert_eq!(cluster.get(&format!("{CLASSES}/unused")).await.code, 404);
    class("used").await;
    let spec = json!({
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "volumeAttributesClassName": "used",
    });
    assert_eq!(cluster.post(CLAIMS, json!({"metadata": {"name": "c"}, "spec": spec})).await.code, 201);
    cluster.delete(&format!("{CLASSES}/used")).await;
    assert_eq!(cluster.get(&format!("{CLASSES}/used")).await.code, 200);
    cluster.delete(&format!("{CLAIMS}/c")).await;
    assert_eq!(cluster.get(&format!("{CLASSES}/used")).await.code, 404);
}
