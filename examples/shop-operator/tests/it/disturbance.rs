//! Databases and caches while leadership changes (see `kubewright_testing::disturbance`).

use kubewright_testing::disturbance::{ComponentScenario, Step, survives_changes_of_the_leader, until_state};
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
            Step::Set(cache("kept")),
            Step::Set(database("kept", 5432)),
            Step::Set(database("gone", 5432)),
            Step::Set(cache("gone")),
            until_state(cache("kept"), "Ready"),
            until_state(cache("gone"), "Ready"),
            Step::Set(database("kept", 5433)),
            Step::Until(settings, "5433".to_owned(), has_port),
            // The database stays as long as the cache refers to it.
            Step::Delete(database("gone", 5432)),
            until_state(database("kept", 5433), "Ready"),
            until_state(cache("kept"), "Ready"),
            Step::Delete(cache("gone")),
            Step::Gone(cache("gone")),
            Step::Gone(database("gone", 5432)),
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
