//! Scenarios of operators of components. At the end of a run the components are compared, and the objects that have an owner label.

use kubewright_machinery::object::ObjectExt as _;
use kubewright_runtime::operator::Operator;
use serde_json::{Value, json};

use super::{Hand, Scenario, ScenarioStep};
use crate::TestCluster;

/// A scenario that starts with an empty cluster.
#[derive(Debug)]
pub struct ComponentScenario {
    /// The name in reports.
    pub name: &'static str,
    /// The operator, created anew for each of its processes.
    pub operator: fn() -> Operator,
    /// The steps that are played under the disturbances.
    pub steps: fn() -> Vec<ScenarioStep>,
    /// The kinds of the components, as API version and kind.
    pub components: &'static [(&'static str, &'static str)],
    /// The kinds of the dependents that the components may have, as API version and kind.
    pub dependents: &'static [(&'static str, &'static str)],
}

/// Returns the step that ends when a component has reached a state in its newest generation.
pub fn until_state(component: Value, state: &str) -> ScenarioStep {
    let holds = |live: &Value, state: &str| {
        live["status"]["state"] == state && live["status"]["observedGeneration"].as_i64() == live.generation()
    };
    ScenarioStep::Until(component, state.to_owned(), holds)
}

impl Scenario for ComponentScenario {
    fn name(&self) -> &str {
        self.name
    }

    fn operator(&self) -> Operator {
        (self.operator)()
    }

    async fn install(&self, cluster: &TestCluster) {
        cluster.install_crds(&self.operator()).await;
    }

    fn before(&self, _: &str) -> Vec<ScenarioStep> {
        Vec::new()
    }

    fn steps(&self, _: &str) -> Vec<ScenarioStep> {
        (self.steps)()
    }

    async fn left(&self, hand: &Hand) -> Result<Vec<Value>, String> {
        let mut left = Vec::new();
        for kind in self.components {
            left.extend(hand.list(&any(*kind)).await?);
        }
        for kind in self.dependents {
            left.extend(hand.list(&any(*kind)).await?.into_iter().filter(is_owned));
        }
        Ok(left)
    }

    /// Returns the part of an object that is compared: dependents without the fields that the server chose, and of the status
    /// of components the state and the inventory.
    fn comparable(&self, live: &Value, mut object: Value) -> Value {
        if let Some(spec) = object["spec"].as_object_mut() {
            spec.retain(|field, _| !["clusterIP", "clusterIPs"].contains(&field.as_str()));
        }
        if let Some(fields) = object.as_object_mut() {
            fields.remove("status");
        }
        if self.components.contains(&(live.api_version(), live.kind())) {
            let items = live["status"]["inventory"].as_array().into_iter().flatten();
            let items: Vec<Value> =
                items.map(|item| json!([item["kind"], item["name"], item["digest"], item["phase"], item["status"]])).collect();
            object["status"] = json!({ "state": live["status"]["state"], "inventory": items });
        }
        object
    }

    fn computed(&self, live: &Value) -> Vec<String> {
        let items = live["status"]["inventory"].as_array().into_iter().flatten();
        items.filter_map(|item| item["digest"].as_str()).filter(|digest| !digest.is_empty()).map(str::to_owned).collect()
    }
}

fn any((api_version, kind): (&str, &str)) -> Value {
    json!({ "apiVersion": api_version, "kind": kind, "metadata": { "name": "" } })
}

fn is_owned(object: &Value) -> bool {
    let labels = object["metadata"]["labels"].as_object().into_iter().flatten();
    labels.into_iter().any(|(key, _)| key.ends_with("/owner-id"))
}
