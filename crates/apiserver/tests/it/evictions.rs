//! Evictions under a disruption budget.

use std::sync::Arc;

use kubewright_apiserver::ApiServer;
use serde_json::json;
use tokio::sync::Barrier;

use crate::cluster::Cluster;

const PODS: &str = "/api/v1/namespaces/default/pods";
const BUDGETS: &str = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";

// SUB-5
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pod_that_starts_while_it_is_evicted_is_protected() {
    let cluster = Arc::new(Cluster::from(ApiServer::builder().seed(7).build().unwrap()));
    let budget = json!({"metadata": {"name": "b"}, "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "a"}}}});
    assert_eq!(cluster.post(BUDGETS, budget).await.code, 201);
    let nothing_goes = json!({"status": {
        "observedGeneration": 1, "disruptionsAllowed": 0, "currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 1,
    }});
    assert_eq!(cluster.merge(&format!("{BUDGETS}/b/status"), nothing_goes).await.code, 200);
    for round in 0..300 {
        let name = format!("p{round}");
        let spec = json!({"containers": [{"name": "c", "image": "i"}]});
        let pod = json!({"metadata": {"name": name, "labels": {"app": "a"}}, "spec": spec});
        assert_eq!(cluster.post(PODS, pod).await.code, 201);
        let start = Arc::new(Barrier::new(2));
        let (evicting, starting) = ((cluster.clone(), name.clone(), start.clone()), (cluster.clone(), name.clone(), start));
        let evicted = tokio::spawn(async move {
            let (cluster, name, start) = evicting;
            start.wait().await;
            cluster.post(&format!("{PODS}/{name}/eviction"), json!({"metadata": {"name": name}})).await.code
        });
        let started = tokio::spawn(async move {
            let (cluster, name, start) = starting;
            start.wait().await;
            let ready = json!([{"type": "Ready", "status": "True"}]);
            cluster
                .merge(&format!("{PODS}/{name}/status"), json!({"status": {"phase": "Running", "conditions": ready}}))
                .await
                .code
        });
        let (evicted, started) = (evicted.await.unwrap(), started.await.unwrap());
        assert!(matches!((evicted, started), (201, 404) | (429, 200)), "round {round}: {evicted}, {started}");
    }
}
