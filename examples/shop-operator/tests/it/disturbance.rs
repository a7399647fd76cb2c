//! Databases and caches while leadership changes (see `kubewright_testing::disturbance`).

use kubewright_testing::disturbance::{ComponentScenario, ScenarioStep, survives_changes_of_the_leader, until_state};
use serde_json::{Value, json};
use shop_operator::operator;

const API: &str = "demo.kubewright.dev/v1alpha1";

fn database(name: &str, port: u16) -> Value {
    json!({"apiVersion": API, "kind": "Database", "metadata": {"name": name}, "spec": {"port": port}})
}

fn cache(name: &str) -> Value {
    json!({"apiVersion": API, "kind": "Cache", "metadata": {"name": name}, "spec": {"database": {"name": name}}})
}

// LDR-22, LDR-30, STA-7
#[test]
fn databases_and_caches_survive_changes_of_the_leader() {
    let steps = || {
        let has_port = |live: &Value, port: &str| live["data"]["DATABASE_PORT"] == port;
        let settings = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kept-cache"}});
        vec![
            ScenarioStep::Set(cache("kept")),
            ScenarioStep::Set(database("kept", 5432)),
            ScenarioStep::Set(database("gone", 5432)),
            ScenarioStep::Set(cache("gone")),
            until_state(cache("kept"), "Ready"),
            until_state(cache("gone"), "Ready"),
            ScenarioStep::Set(database("kept", 5433)),
            ScenarioStep::Until(settings, "5433".to_owned(), has_port),
            // The database stays as long as the cache refers to it.
            ScenarioStep::Delete(database("gone", 5432)),
            until_state(database("kept", 5433), "Ready"),
            until_state(cache("kept"), "Ready"),
            ScenarioStep::Delete(cache("gone")),
            ScenarioStep::Gone(cache("gone")),
            ScenarioStep::Gone(database("gone", 5432)),
        ]
    };
    survives_changes_of_the_leader(&ComponentScenario {
        name: "shop",
        operator: || operator().into(),
        steps,
        components: &[(API, "Database"), (API, "Cache")],
        dependents: &[("v1", "ConfigMap"), ("v1", "Service"), ("apps/v1", "Deployment"), ("apps/v1", "StatefulSet")],
    });
}
