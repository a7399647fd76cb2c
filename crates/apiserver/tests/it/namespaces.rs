//! The life of a namespace.

use serde_json::json;

use crate::cluster::Cluster;

const NAMESPACES: &str = "/api/v1/namespaces";

// SNS-1, SNS-2, SNS-9, CTL-3
#[tokio::test(start_paused = true)]
async fn a_namespace_starts_active_and_furnished() {
    let cluster = Cluster::start();
    assert_eq!(cluster.get(NAMESPACES).await.names(), ["default", "kube-node-lease", "kube-public", "kube-system"]);
    assert_eq!(cluster.get("/api/v1/namespaces/default/services/kubernetes").await.code, 200);
    let created = cluster.post(NAMESPACES, json!({"metadata": {"name": "n1"}})).await.body;
    assert_eq!(created["metadata"]["labels"]["kubernetes.io/metadata.name"], "n1");
    assert_eq!((&created["spec"]["finalizers"], &created["status"]["phase"]), (&json!(["kubernetes"]), &json!("Active")));
    assert_eq!(cluster.get("/api/v1/namespaces/n1/serviceaccounts/default").await.code, 200);
    cluster.delete("/api/v1/namespaces/n1/configmaps/kube-root-ca.crt").await;
    assert_eq!(cluster.get("/api/v1/namespaces/n1/configmaps/kube-root-ca.crt").await.code, 200);
}

// SNS-4, SNS-7, CTL-2
#[tokio::test(start_paused = true)]
async fn a_deleted_namespace_takes_its_content_with_it() {
    let cluster = Cluster::start();
    cluster.post(NAMESPACES, json!({"metadata": {"name": "n1"}})).await;
    cluster.post("/api/v1/namespaces/n1/configmaps", json!({"metadata": {"name": "a"}})).await;
    let deleted = cluster.delete("/api/v1/namespaces/n1").await;
    assert_eq!((deleted.code, &deleted.body["status"]["phase"]), (200, &json!("Terminating")));
    assert!(deleted.body["metadata"].get("deletionGracePeriodSeconds").is_none());
    assert_eq!(cluster.get("/api/v1/namespaces/n1").await.code, 404);
    assert_eq!(cluster.get("/api/v1/namespaces/n1/configmaps").await.names(), Vec::<&str>::new());
}

// SNS-5, SNS-7
#[tokio::test(start_paused = true)]
async fn content_with_finalizers_holds_its_namespace_and_is_named() {
    let cluster = Cluster::start();
    cluster.post(NAMESPACES, json!({"metadata": {"name": "n1"}})).await;
    cluster.post("/api/v1/namespaces/n1/configmaps", json!({"metadata": {"name": "a", "finalizers": ["x.io/z"]}})).await;
    cluster.delete("/api/v1/namespaces/n1").await;
    let held = cluster.get("/api/v1/namespaces/n1").await.body;
    let message = |kind: &str| {
        let conditions = held["status"]["conditions"].as_array().unwrap();
        conditions.iter().find(|condition| condition["type"] == kind).unwrap()["message"].as_str().unwrap().to_owned()
    };
    assert_eq!(message("NamespaceContentRemaining"), "Some resources are remaining: configmaps. has 1 resource instances");
    assert_eq!(
        message("NamespaceFinalizersRemaining"),
        "Some content in the namespace has finalizers remaining: x.io/z in 1 resource instances"
    );
    let refused = cluster.post("/api/v1/namespaces/n1/configmaps", json!({"metadata": {"name": "b"}})).await;
    assert_eq!((refused.code, &refused.body["details"]["causes"][0]["reason"]), (403, &json!("NamespaceTerminating")));
    let again = cluster.post(NAMESPACES, json!({"metadata": {"name": "n1"}})).await;
    assert!(again.message().starts_with("object is being deleted: "));
    cluster.merge("/api/v1/namespaces/n1/configmaps/a", json!({"metadata": {"finalizers": null}})).await;
    assert_eq!(cluster.get("/api/v1/namespaces/n1").await.code, 404);
}

// SNS-6
#[tokio::test(start_paused = true)]
async fn namespaces_of_the_system_cannot_be_deleted() {
    let cluster = Cluster::start();
    for name in ["default", "kube-system", "kube-public"] {
        let refused = cluster.delete(&format!("{NAMESPACES}/{name}")).await;
        assert_eq!((refused.code, refused.reason()), (403, "Forbidden"));
    }
}
