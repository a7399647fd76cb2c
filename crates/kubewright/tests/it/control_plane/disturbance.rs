//! Control planes under every disturbance (see `kubewright_testing::disturbance`).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use kubewright_testing::TestCluster;
use kubewright_testing::disturbance::{Hand, Pace, Scenario, ScenarioStep, survives};

use super::controllers::{Polling, platform};
use super::external::{ACCESS, DEPLOYMENT, REMOTE, SYSTEM};
use super::kinds::DOMAIN;
use super::life::owner;

const KINDS: [&str; 6] = ["ControlPlane", "ApiServer", "Authentication", "Authorization", "Landscaper", "CloudOrchestrator"];

/// The life of a control plane, or a part of it.
struct ControlPlanes {
    name: &'static str,
    /// True if the control plane is ready before the disturbances begin.
    is_ready: bool,
    /// The number of components that write to one other component in the same step.
    writers: usize,
    steps: fn() -> Vec<ScenarioStep>,
}

const NAME: &str = "demo";

/// Returns a shorter interval than usual, because each run waits for it in real time.
fn polling() -> Polling {
    Polling { interval: Delay::secs::<2>(), ..Polling::default() }
}

fn roll_out() -> Vec<ScenarioStep> {
    vec![ScenarioStep::Set(owner(NAME)), until_ready(NAME)]
}

fn change() -> Vec<ScenarioStep> {
    let mut changed = owner(NAME);
    changed["spec"]["apiServer"]["region"] = "asia".into();
    vec![
        ScenarioStep::Set(changed),
        until_ready(NAME),
        ScenarioStep::Edit(owner(NAME), json!({ "spec": { "landscaper": null } })),
        ScenarioStep::Gone(of_group("Landscaper", NAME)),
        until_ready(NAME),
    ]
}

fn teardown() -> Vec<ScenarioStep> {
    vec![ScenarioStep::Delete(owner(NAME)), ScenarioStep::Gone(owner(NAME))]
}

/// Returns an object of another owner, which stays.
fn bystander() -> Value {
    let metadata = json!({ "name": "bystander", "labels": { SYSTEM: "another" } });
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {} })
}

fn of_kind(api: &str, kind: &str) -> Value {
    json!({ "apiVersion": api, "kind": kind, "metadata": { "name": "" } })
}

fn of_group(kind: &str, name: &str) -> Value {
    json!({ "apiVersion": format!("{DOMAIN}/v1"), "kind": kind, "metadata": { "name": name } })
}

fn until_ready(name: &str) -> ScenarioStep {
    let holds = |live: &Value, phase: &str| {
        live["status"]["phase"] == phase && live["status"]["observedGeneration"].as_i64() == live.generation()
    };
    ScenarioStep::Until(owner(name), "Ready".to_owned(), holds)
}

impl Scenario for ControlPlanes {
    fn name(&self) -> &str {
        self.name
    }

    // The scenario combines finalizers, statuses, creations and deletions, each of which has scenarios of its own.
    fn one_in(&self) -> usize {
        5
    }

    // The landscaper and the API server poll their systems.
    fn poll(&self) -> Duration {
        polling().interval.as_duration()
    }

    fn pace(&self) -> Pace {
        // Each of the five components reports to its owner that it waits, and that it is deleted.
        Pace::HandWritten { writers: self.writers, events: 10 }
    }

    fn operator(&self) -> Operator {
        platform(polling())
    }

    async fn install(&self, cluster: &TestCluster) {
        cluster.install_crds(&self.operator()).await;
    }

    fn before(&self, _: &str) -> Vec<ScenarioStep> {
        let mut steps = vec![ScenarioStep::Create(bystander())];
        if self.is_ready {
            steps.extend(roll_out());
        }
        steps
    }

    fn steps(&self, _: &str) -> Vec<ScenarioStep> {
        (self.steps)()
    }

    /// Plays the external systems, which grant, deploy and start as requested.
    async fn play_others(&self, hand: &Hand) -> Result<(), String> {
        for object in hand.list(&of_kind("v1", "ConfigMap")).await? {
            let patch = match (object.label(SYSTEM), object["data"]["phase"].as_str()) {
                (Some(ACCESS), Some("Pending")) => json!({ "phase": "Granted", "issued": "2026-01-01T00:00:00Z" }),
                (Some(DEPLOYMENT | REMOTE), None) => json!({ "phase": "Ready" }),
                _ => continue,
            };
            hand.patch(&object, &json!({ "data": patch })).await?;
        }
        Ok(())
    }

    async fn left(&self, hand: &Hand) -> Result<Vec<Value>, String> {
        let mut left = Vec::new();
        for kind in KINDS {
            left.extend(hand.list(&of_group(kind, "")).await?);
        }
        left.extend(hand.list(&of_kind("rbac.authorization.k8s.io/v1", "RoleBinding")).await?);
        let config_maps = hand.list(&of_kind("v1", "ConfigMap")).await?;
        left.extend(config_maps.into_iter().filter(|object| object.label(SYSTEM).is_some()));
        Ok(left)
    }

    fn comparable(&self, live: &Value, mut object: Value) -> Value {
        for owner in object.pointer_mut("/metadata/ownerReferences").and_then(Value::as_array_mut).into_iter().flatten() {
            owner["uid"] = Value::Null;
        }
        // Components that start together write their finalizers in any order.
        if let Some(finalizers) = object.pointer_mut("/metadata/finalizers").and_then(Value::as_array_mut) {
            finalizers.sort_by_key(Value::to_string);
        }
        if KINDS.contains(&live.kind()) {
            let conditions = live["status"]["conditions"].as_array().into_iter().flatten();
            let told: BTreeMap<String, Value> = conditions
                .map(|told| {
                    let name = format!("{}/{}", told["managedBy"].as_str().unwrap_or_default(), told["type"]);
                    (name, json!([told["status"], told["reason"], told["message"]]))
                })
                .collect();
            let status = &live["status"];
            let fields = ["phase", "endpoint", "login", "kubeconfig", "message"].map(|field| status[field].clone());
            object["status"] = json!({ "conditions": told, "fields": fields });
        }
        object
    }
}

// FLOW-03, DEP-07
#[test]
fn a_roll_out_survives_all_disturbances() {
    survives(&ControlPlanes { name: "the roll-out of a control plane", is_ready: false, writers: 1, steps: roll_out });
}

// FLOW-03, OL-5
#[test]
fn a_change_survives_all_disturbances() {
    survives(&ControlPlanes { name: "the change of a control plane", is_ready: true, writers: 1, steps: change });
}

// FLOW-03, DEP-13
#[test]
fn a_teardown_survives_all_disturbances() {
    // The four components that depend on the API server withdraw their finalizers from it at the same time.
    survives(&ControlPlanes { name: "the teardown of a control plane", is_ready: true, writers: 4, steps: teardown });
}

// LDR-1: all parts of one control plane are in one bucket.
#[tokio::test]
async fn all_parts_of_a_control_plane_are_worked_on_by_one_replica() {
    let cluster = TestCluster::start().await;
    let leases = || Leadership::leases().buckets(4).replicas(2);
    let replicas = cluster.run_replicas(2, || platform(Polling::default()).leadership(leases())).await;
    let is_shared = || replicas.iter().all(|replica| replica.running().leadership().borrow().held().count() == 2);
    for _ in 0..600 {
        if is_shared() {
            break;
        }
        cluster.pass(Duration::from_millis(250)).await;
    }
    assert!(is_shared(), "each replica holds two buckets");
    let names: Vec<String> = (0..8).map(|number| format!("plane-{number}")).collect();
    for name in &names {
        cluster.create(owner(name)).await.unwrap();
    }
    for name in &names {
        // Without access only the API server proceeds; all parts exist and were processed.
        let waits = |object: &Value| object["status"]["conditions"].as_array().is_some_and(|all| all.len() >= 6);
        cluster
            .expect_object(&kube::core::GroupVersionKind::gvk(DOMAIN, "v1", "ControlPlane"), name)
            .matching("it is told of", waits)
            .await;
    }
    let mut busy = BTreeSet::new();
    for name in &names {
        let mut agents = BTreeSet::new();
        for record in cluster.journal().all().writes().named(name).iter() {
            if record.target.resource().is_some_and(|target| target.group == DOMAIN) {
                agents.insert(record.user_agent.clone());
            }
        }
        assert_eq!(agents.len(), 1, "{name} is written by {agents:?}");
        busy.extend(agents);
    }
    assert_eq!(busy.len(), 2, "both replicas work: {busy:?}");
    for replica in replicas {
        replica.stop().await;
    }
    cluster.stop().await;
}
