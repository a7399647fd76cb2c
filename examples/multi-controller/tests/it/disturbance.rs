//! The controllers and the task while leadership changes (see `kubewright_testing::disturbance`).

use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use kubewright_testing::TestCluster;
use kubewright_testing::disturbance::{Hand, Scenario, ScenarioStep, survives_changes_of_the_leader};
use multi_controller::{CLASS, CLASS_KEY, operator};

const API: &str = "teams.demo.kubewright.dev/v1alpha1";

/// The scenario: two teams, one of which is deleted, three accesses, one of which expires, and the report about them.
struct Teams;

fn team(name: &str, members: &[&str]) -> Value {
    json!({"apiVersion": API, "kind": "Team", "metadata": {"name": name}, "spec": {"members": members}})
}

fn access(name: &str, team: &str, role: &str) -> Value {
    let metadata = json!({"name": name, "annotations": {CLASS_KEY: CLASS}});
    json!({"apiVersion": API, "kind": "Access", "metadata": metadata, "spec": {"team": team, "role": role}})
}

fn visit(name: &str, team: &str) -> Value {
    let mut access = access(name, team, "view");
    access["spec"]["ttlSeconds"] = 20.into();
    access
}

fn report() -> Value {
    json!({"apiVersion": API, "kind": "Report", "metadata": {"name": "summary"}, "spec": {}})
}

fn of_kind(api: &str, kind: &str) -> Value {
    json!({"apiVersion": api, "kind": kind, "metadata": {"name": ""}})
}

/// Returns the step that waits until the status is of the object's generation, and its condition Ready has this status.
fn until(object: Value, status: &str) -> ScenarioStep {
    let holds = |live: &Value, wanted: &str| {
        live["status"]["observedGeneration"].as_i64() == live.generation() && ready(live)["status"] == wanted
    };
    ScenarioStep::Until(object, status.to_owned(), holds)
}

/// Returns the step that waits until the report lists these accesses as granted.
fn until_granted(names: &[&str]) -> ScenarioStep {
    let holds = |live: &Value, wanted: &str| {
        serde_json::from_str::<Value>(wanted).is_ok_and(|wanted| live["status"]["granted"] == wanted)
    };
    ScenarioStep::Until(report(), json!(names).to_string(), holds)
}

fn ready(live: &Value) -> Value {
    let mut conditions = live["status"]["conditions"].as_array().into_iter().flatten();
    conditions.find(|condition| condition["type"] == "Ready").cloned().unwrap_or_default()
}

impl Scenario for Teams {
    fn name(&self) -> &'static str {
        "teams"
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
        vec![
            ScenarioStep::Set(report()),
            ScenarioStep::Set(access("edits", "billing", "edit")),
            until(access("edits", "billing", "edit"), "False"),
            ScenarioStep::Set(team("billing", &["ada"])),
            ScenarioStep::Set(team("search", &["grace"])),
            ScenarioStep::Set(visit("visitor", "search")),
            until(access("edits", "billing", "edit"), "True"),
            ScenarioStep::Gone(visit("visitor", "search")),
            until_granted(&["edits"]),
            ScenarioStep::Set(team("billing", &["ada", "grace"])),
            ScenarioStep::Set(access("edits", "billing", "view")),
            ScenarioStep::Set(access("looks", "search", "view")),
            until(access("edits", "billing", "view"), "True"),
            until_granted(&["edits", "looks"]),
            ScenarioStep::Delete(team("search", &[])),
            ScenarioStep::Gone(team("search", &[])),
            until(access("looks", "search", "view"), "False"),
            ScenarioStep::Delete(access("looks", "search", "view")),
            ScenarioStep::Gone(access("looks", "search", "view")),
            ScenarioStep::Set(access("waits", "search", "view")),
            until(access("waits", "search", "view"), "False"),
            until_granted(&["edits"]),
        ]
    }

    async fn left(&self, hand: &Hand) -> Result<Vec<Value>, String> {
        let mut left = Vec::new();
        for kind in ["Team", "Access", "Report"] {
            left.extend(hand.list(&of_kind(API, kind)).await?);
        }
        left.extend(hand.list(&of_kind("rbac.authorization.k8s.io/v1", "RoleBinding")).await?);
        // The service accounts of a deleted team are left to the garbage collector.
        let owners: Vec<String> = left.iter().map(|object| object.uid().to_owned()).collect();
        let accounts = hand.list(&of_kind("v1", "ServiceAccount")).await?;
        left.extend(accounts.into_iter().filter(|account| {
            let owner = account["metadata"]["ownerReferences"][0]["uid"].as_str();
            owner.is_some_and(|owner| owners.iter().any(|live| live == owner))
        }));
        Ok(left)
    }

    fn comparable(&self, live: &Value, mut object: Value) -> Value {
        if let Some(owner) = object.pointer_mut("/metadata/ownerReferences/0").and_then(Value::as_object_mut) {
            owner.remove("uid");
        }
        let status = &live["status"];
        let ready = ready(live);
        let ready = [&ready["status"], &ready["reason"], &ready["message"]];
        let told = ["teams", "members", "granted", "waiting", "serviceAccount"].map(|field| &status[field]);
        if matches!(live.kind(), "Team" | "Access" | "Report") {
            object["status"] = json!([status["observedGeneration"], ready, told]);
        }
        object
    }
}

// LDR-6, LDR-22, LDR-30
#[test]
fn teams_accesses_and_their_report_survive_changes_of_the_leader() {
    survives_changes_of_the_leader(&Teams);
}
