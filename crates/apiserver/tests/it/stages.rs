//! The rule of pods, executed by the server and by a client.

use kubewright_apiserver::ApiServer;
use kubewright_apiserver::workloads::node::{node, pod_address};
use kubewright_apiserver::workloads::pod::{PodChange, next};
use kubewright_apiserver::workloads::{Nodes, StageDelays, Workloads};
use serde_json::{Value, json};

use crate::cluster::Cluster;

const PODS: &str = "/api/v1/namespaces/default/pods";
const POD: &str = "/api/v1/namespaces/default/pods/p";

fn cluster(workloads: Workloads) -> Cluster {
    let builder = ApiServer::builder().epoch("2026-01-01T00:00:00Z".parse().unwrap()).seed(7);
    Cluster::from(builder.workloads(workloads).build().unwrap())
}

/// Makes the changes of the rule by requests, as the fake node of a real cluster does, until the pod rests.
async fn play(cluster: &Cluster) {
    let now = cluster.server.clock().now();
    let node = node(0, now);
    for _ in 0..20 {
        let pod = cluster.get(POD).await;
        if pod.code == 404 {
            return;
        }
        let nodes = Nodes { all: &[&node], next_address: pod_address(0) };
        let Some(change) = next(&pod.body, nodes, now, &StageDelays::NONE) else { return };
        let answer = match change.what {
            PodChange::Bind(node) => {
                let target = json!({"apiVersion": "v1", "kind": "Node", "name": node});
                cluster.post(&format!("{POD}/binding"), json!({"metadata": {"name": "p"}, "target": target})).await
            }
            PodChange::Status(status) => cluster.merge(&format!("{POD}/status"), json!({"status": status})).await,
            PodChange::Delete => cluster.delete(&format!("{POD}?gracePeriodSeconds=0")).await,
            other => panic!("{other:?}"),
        };
        assert!(answer.code < 300, "{}", answer.body);
    }
    panic!("the pod does not come to rest");
}

/// Returns node and status of the pod without the parts that depend on its uid; null if it is gone.
async fn seen(cluster: &Cluster) -> Value {
    let pod = cluster.get(POD).await;
    let mut status = pod.body["status"].clone();
    if pod.code == 404 {
        return Value::Null;
    }
    for containers in ["containerStatuses", "initContainerStatuses"] {
        for container in status[containers].as_array_mut().into_iter().flatten() {
            container.as_object_mut().unwrap().remove("containerID");
            for state in ["state", "lastState"] {
                if let Some(terminated) = container.pointer_mut(&format!("/{state}/terminated")).and_then(Value::as_object_mut) {
                    terminated.remove("containerID");
                }
            }
        }
    }
    json!({"node": pod.body["spec"]["nodeName"], "status": status})
}

// STG-4, STG-6
#[tokio::test(start_paused = true)]
async fn the_rule_of_pods_means_the_same_in_the_server_and_in_a_client() {
    let requested = |outcome: &str| json!({"annotations": {"testing.kubewright.dev/outcome": outcome}});
    let container = json!([{"name": "c", "image": "i"}]);
    for (about, metadata, spec) in [
        ("plain", json!({}), json!({})),
        ("with init containers", json!({}), json!({"initContainers": [{"name": "i", "image": "i"}]})),
        ("never ready", requested("never"), json!({})),
        ("failing", requested("fail"), json!({})),
        ("manual", requested("manual"), json!({})),
        ("nowhere", json!({}), json!({"nodeSelector": {"no": "node"}})),
        ("gated", json!({}), json!({"readinessGates": [{"conditionType": "x.io/ready"}]})),
    ] {
        let mut pod = json!({"metadata": metadata, "spec": spec});
        pod["metadata"]["name"] = "p".into();
        pod["spec"]["containers"] = container.clone();
        let (inside, outside) = (cluster(Workloads::Pods), cluster(Workloads::Off));
        for cluster in [&inside, &outside] {
            assert_eq!(cluster.post(PODS, pod.clone()).await.code, 201, "{about}");
        }
        play(&outside).await;
        let played = seen(&outside).await;
        assert_eq!(seen(&inside).await, played, "{about}");
        assert!(about == "manual" || played["status"]["conditions"].is_array(), "{about}: {played}");
        for cluster in [&inside, &outside] {
            cluster.delete(POD).await;
        }
        play(&outside).await;
        assert_eq!(seen(&inside).await, seen(&outside).await, "{about}");
    }
}
