//! The scenario of a component, played by `kubewright_testing::disturbance`: its operator, its kinds, and the comparison of its final state.

use kubewright::prelude::*;
use kubewright::runtime::operator::RunningOperator;
use kubewright_machinery::object::ObjectExt as _;
use kubewright_middleware::journal::Records;
use kubewright_testing::TestCluster;
use kubewright_testing::disturbance::{self, Hand, ScenarioStep};

use super::scenes::webhook;
use crate::kinds::{HOLD, Kinds, secret};
use crate::leaks;
use crate::types::{Bundle, bundle, config_map, objects};
use crate::world::{OPERATOR, is_seen, reason_of, watch_logs};

/// A scenario of components named Bundle.
pub(super) struct Scenario {
    pub(super) name: &'static str,
    /// The number of runs of which one is played by default.
    pub(super) one_in: usize,
    /// The undisturbed steps before the disturbances.
    pub(super) before: fn(&Kinds) -> Vec<ScenarioStep>,
    pub(super) steps: fn(&Kinds) -> Vec<ScenarioStep>,
}

/// Returns the step that waits until the component has this state and reason.
pub(super) fn until(name: &str, state: &str, reason: &str) -> ScenarioStep {
    let holds = |live: &Value, wanted: &str| {
        is_seen(live) && wanted == format!("{}/{}", live["status"]["state"].as_str().unwrap_or_default(), reason_of(live))
    };
    ScenarioStep::Until(bundle(name, &[]), format!("{state}/{reason}"), holds)
}

/// Creates two objects that no operator of a scenario may touch: one without owner, and one of another owner.
fn bystanders() -> Vec<ScenarioStep> {
    let mut others = config_map("of-another-owner", "a");
    others["metadata"]["labels"][format!("{OPERATOR}/owner-id")] = "t6dnbamijr6wlgrp5kqmkwwqcwr36ty3fmfyelgrlvwblmhqbiea".into();
    vec![ScenarioStep::Create(config_map("of-nobody", "a")), ScenarioStep::Create(others)]
}

fn wants(component: &Value, object: &Value) -> bool {
    let objects = component["spec"]["objects"].as_array();
    objects.is_some_and(|all| all.iter().any(|one| one.kind() == object.kind() && one.name() == object.name()))
}

impl disturbance::Scenario for Scenario {
    fn name(&self) -> &str {
        self.name
    }

    fn one_in(&self) -> usize {
        self.one_in
    }

    fn operator(&self) -> Operator {
        Operator::new(OPERATOR).component::<Bundle>(objects).into()
    }

    async fn install(&self, cluster: &TestCluster) {
        watch_logs();
        Kinds::install_in(cluster).await;
        cluster.install_crds(&self.operator()).await;
    }

    fn before(&self, namespace: &str) -> Vec<ScenarioStep> {
        let mut steps = bystanders();
        steps.extend((self.before)(&Kinds::of(namespace)));
        steps
    }

    fn steps(&self, namespace: &str) -> Vec<ScenarioStep> {
        (self.steps)(&Kinds::of(namespace))
    }

    fn may_write(&self, steps: &[ScenarioStep], object: &Value) -> bool {
        steps.iter().any(|step| matches!(step, ScenarioStep::Set(component) if wants(component, object)))
    }

    /// Makes the objects of the kinds ready, and removes the finalizers that users hold.
    async fn play_others(&self, hand: &Hand) -> Result<(), String> {
        let kinds = Kinds::of(hand.namespace());
        for kind in ["Foo", "Bar", "Baz"] {
            for live in hand.list(&kinds.object(kind, "")).await? {
                let generation = live.generation();
                if live["status"]["observedGeneration"].as_i64() == generation || live.deletion_timestamp().is_some() {
                    continue;
                }
                let ready = json!({
                    "type": "Ready", "status": "True", "reason": "Played", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z",
                });
                let status = json!({ "status": { "observedGeneration": generation, "conditions": [ready] } });
                hand.patch_status(&live, &status).await;
            }
        }
        for live in hand.list(&config_map("", "")).await? {
            if live.deletion_timestamp().is_some() && live.has_finalizer(HOLD) {
                hand.patch(&live, &json!({ "metadata": { "finalizers": null } })).await?;
            }
        }
        Ok(())
    }

    async fn left(&self, hand: &Hand) -> Result<Vec<Value>, String> {
        let kinds = Kinds::of(hand.namespace());
        let namespaced = [
            config_map("", ""),
            secret(""),
            kinds.object("Foo", ""),
            kinds.object("Bar", ""),
            kinds.object("Baz", ""),
            bundle("", &[]),
        ];
        let mut live = Vec::new();
        for like in &namespaced {
            live.extend(hand.list(like).await?);
        }
        for like in [kinds.crd(), webhook(&kinds)] {
            live.extend(hand.get(&like).await?);
        }
        // Kubernetes creates this ConfigMap in every namespace.
        live.retain(|object| object.name() != "kube-root-ca.crt");
        Ok(live)
    }

    fn comparable(&self, live: &Value, mut object: Value) -> Value {
        if object.kind() != "Bundle" {
            if let Some(map) = object.as_object_mut() {
                map.remove("status");
            }
            return object;
        }
        let status = &live["status"];
        let items = status["inventory"].as_array().cloned().unwrap_or_default();
        let items: Vec<Value> = items
            .iter()
            .map(|item| json!([item["kind"], item["name"], item["digest"], item["phase"], item["status"], item["updatePolicy"]]))
            .collect();
        let conditions = status["conditions"].as_array().into_iter().flatten();
        // A condition about a fight depends on the number of corrections, and is removed later.
        let lasting =
            conditions.filter(|condition| ["Ready", "Stalled", "Polling"].iter().any(|name| condition["type"] == *name));
        let conditions: Vec<Value> = lasting.map(|condition| json!([condition["type"], condition["status"]])).collect();
        object["status"] = json!({
            "state": status["state"], "reason": reason_of(live), "conditions": conditions, "inventory": items,
            "revision": status["revision"], "observedGeneration": status["observedGeneration"],
            "appliedGeneration": status["appliedGeneration"],
        });
        object
    }

    /// Returns the digests and the hash of the owner.
    fn computed(&self, live: &Value) -> Vec<String> {
        let mut hashes: Vec<&str> = Vec::new();
        for marks in [&live["metadata"]["annotations"], &live["metadata"]["labels"]] {
            let marks = marks.as_object().into_iter().flatten();
            let computed = marks.filter(|(key, _)| key.ends_with("/digest") || key.ends_with("/owner-id"));
            hashes.extend(computed.filter_map(|(_, value)| value.as_str()).filter(|value| !value.contains('/')));
        }
        let items = live["status"]["inventory"].as_array().into_iter().flatten();
        hashes.extend(items.filter_map(|item| item["digest"].as_str()).filter(|digest| !digest.is_empty()));
        hashes.into_iter().map(str::to_owned).collect()
    }

    fn check(&self, requests: &Records, operator: Option<&RunningOperator>) -> Result<(), String> {
        let pages = operator.map(leaks::pages).unwrap_or_default();
        let leaks = leaks::found(requests, &["secrets"], &pages);
        if leaks.is_empty() { Ok(()) } else { Err(format!("values of a Secret leave the operator: {leaks:#?}")) }
    }
}
