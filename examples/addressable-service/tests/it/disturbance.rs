//! Both controllers under every disturbance (see `kubewright_testing::disturbance`).

use std::collections::BTreeMap;

use addressable_service::operator;
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use kubewright::runtime::operator::RunningOperator;
use kubewright_middleware::journal::Records;
use kubewright_testing::TestCluster;
use kubewright_testing::disturbance::{Hand, Scenario, ScenarioStep, survives};

const API: &str = "samples.knative.dev/v1alpha1";
/// The maximum number of pods that are created in any run: those of the undisturbed run, and as many again for each lost answer and for each
/// process that did not know the pods of another process.
const MOST_CREATES: usize = 60;

/// A scenario of one of the controllers.
struct Scene {
    name: &'static str,
    steps: fn() -> Vec<ScenarioStep>,
}

fn addressable(name: &str, service: &str) -> Value {
    json!({"apiVersion": API, "kind": "AddressableService", "metadata": {"name": name}, "spec": {"serviceName": service}})
}

fn service(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": {"ports": [{"port": 80}]}})
}

fn announce() -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "config-addressing"}, "data": {"announce": "true"}})
}

fn deployment(name: &str, image: &str, replicas: i32) -> Value {
    let spec = json!({"image": image, "replicas": replicas});
    json!({"apiVersion": API, "kind": "SimpleDeployment", "metadata": {"name": name}, "spec": spec})
}

fn pod() -> Value {
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": ""}})
}

/// Returns the step that waits until the object's status is of its generation and its condition Ready has this status.
fn until(object: Value, status: &str) -> ScenarioStep {
    let holds = |live: &Value, wanted: &str| is_seen(live) && ready(live)["status"] == wanted;
    ScenarioStep::Until(object, status.to_owned(), holds)
}

fn is_seen(live: &Value) -> bool {
    live["status"]["observedGeneration"].as_i64() == live.generation()
}

fn ready(live: &Value) -> Value {
    let mut conditions = live["status"]["conditions"].as_array().into_iter().flatten();
    conditions.find(|condition| condition["type"] == "Ready").cloned().unwrap_or_default()
}

/// Returns the step that waits until the Service names this object as the one that reports its address, or none.
fn until_addressed_by(name: &str, by: &str) -> ScenarioStep {
    let holds = |live: &Value, wanted: &str| {
        live["metadata"]["annotations"]["samples.knative.dev/addressed-by"].as_str().unwrap_or("none") == wanted
    };
    ScenarioStep::Until(service(name), by.to_owned(), holds)
}

impl Scenario for Scene {
    fn name(&self) -> &str {
        self.name
    }

    fn operator(&self) -> Operator {
        operator()
    }

    async fn install(&self, cluster: &TestCluster) {
        cluster.install_crds(&operator()).await;
    }

    fn before(&self, _: &str) -> Vec<ScenarioStep> {
        Vec::new()
    }

    fn steps(&self, _: &str) -> Vec<ScenarioStep> {
        (self.steps)()
    }

    fn may_write(&self, _: &[ScenarioStep], object: &Value) -> bool {
        object.kind() == "Service"
    }

    async fn left(&self, hand: &Hand) -> Result<Vec<Value>, String> {
        let mut left = Vec::new();
        for like in [addressable("", ""), service(""), deployment("", "", 0)] {
            left.extend(hand.list(&like).await?);
        }
        // Pods have random names, so they are numbered. Pods of a deleted deployment are left to the garbage collector.
        let mut numbers = BTreeMap::new();
        let owners: Vec<String> = left.iter().map(|object| object.uid().to_owned()).collect();
        for mut pod in hand.list(&pod()).await? {
            let owner = pod["metadata"]["ownerReferences"][0]["uid"].as_str().unwrap_or_default();
            if pod.deletion_timestamp().is_some() || !owners.iter().any(|live| live == owner) {
                continue;
            }
            let owner = pod["metadata"]["ownerReferences"][0]["name"].as_str().unwrap_or("nobody").to_owned();
            let number = numbers.entry(owner.clone()).and_modify(|number| *number += 1).or_insert(1);
            pod["metadata"]["name"] = format!("{owner}-{number}").into();
            left.push(pod);
        }
        Ok(left)
    }

    fn comparable(&self, live: &Value, mut object: Value) -> Value {
        match live.kind() {
            "Pod" => {
                return json!([live["metadata"]["labels"], live["spec"]["containers"][0]["image"]]);
            }
            "Service" => return live["metadata"]["annotations"].clone(),
            _ => {}
        }
        let status = &live["status"];
        let ready = ready(live);
        object["status"] = json!([
            status["observedGeneration"],
            ready["status"],
            ready["reason"],
            ready["message"],
            status["address"],
            status["readyReplicas"],
        ]);
        object
    }

    fn check(&self, requests: &Records, _: Option<&RunningOperator>) -> Result<(), String> {
        let creates = requests.clone().of("", "pods").filter(|record| record.to_string().contains(" create pods"));
        let creates = creates.iter().count();
        if creates > MOST_CREATES { Err(format!("{creates} creates of pods")) } else { Ok(()) }
    }
}

#[test]
fn the_address_of_a_service_survives_every_disturbance() {
    let steps = || {
        let (first, second) = (addressable("demo", "web"), addressable("demo", "other"));
        vec![
            ScenarioStep::Set(first.clone()),
            ScenarioStep::Set(addressable("kept", "web")),
            until(first.clone(), "False"),
            ScenarioStep::Create(service("web")),
            ScenarioStep::Create(service("other")),
            ScenarioStep::Create(service("third")),
            until(first, "True"),
            until(addressable("kept", "web"), "True"),
            ScenarioStep::Set(addressable("kept", "third")),
            until(addressable("kept", "third"), "True"),
            ScenarioStep::Create(announce()),
            until_addressed_by("web", "demo"),
            until_addressed_by("third", "kept"),
            ScenarioStep::Set(second.clone()),
            until_addressed_by("other", "demo"),
            until_addressed_by("web", "none"),
            until(second.clone(), "True"),
            ScenarioStep::Delete(second.clone()),
            ScenarioStep::Gone(second),
            until_addressed_by("other", "none"),
        ]
    };
    survives(&Scene { name: "address", steps });
}

#[test]
fn the_pods_of_a_deployment_survive_every_disturbance() {
    let steps = || {
        let mut steps = Vec::new();
        for (image, replicas) in [("example/hello:1", 1), ("example/hello:1", 3), ("example/hello:2", 3)] {
            steps.extend([
                ScenarioStep::Set(deployment("kept", image, replicas)),
                until(deployment("kept", image, replicas), "True"),
            ]);
        }
        for replicas in [2, 0, 1] {
            let object = deployment("gone", "example/hello:1", replicas);
            steps.extend([ScenarioStep::Set(object.clone()), until(object, "True")]);
        }
        steps.extend([ScenarioStep::Delete(deployment("gone", "", 0)), ScenarioStep::Gone(deployment("gone", "", 0))]);
        steps
    };
    survives(&Scene { name: "pods", steps });
}
