//! A website from its installation to its deletion while leadership changes (see `kubewright_testing::disturbance`).

use chart_operator::operator;
use kubewright_testing::disturbance::{ComponentScenario, ScenarioStep, survives_changes_of_the_leader, until_state};
use serde_json::json;

use crate::scene::website;

const DEPENDENTS: [(&str, &str); 5] =
    [("v1", "ConfigMap"), ("v1", "Secret"), ("v1", "Service"), ("apps/v1", "Deployment"), ("batch/v1", "Job")];

// LDR-22, LDR-30, STA-7
#[test]
fn an_install_an_upgrade_and_a_removal_survive_changes_of_the_leader() {
    let steps = || {
        let first = |name| website(name, &json!({ "title": "First" }));
        let upgraded = website("kept", &json!({ "title": "Second", "cache": { "enabled": false } }));
        vec![
            ScenarioStep::Set(first("kept")),
            ScenarioStep::Set(first("gone")),
            until_state(first("kept"), "Ready"),
            until_state(first("gone"), "Ready"),
            ScenarioStep::Set(upgraded.clone()),
            until_state(upgraded, "Ready"),
            ScenarioStep::Delete(first("gone")),
            ScenarioStep::Gone(first("gone")),
        ]
    };
    survives_changes_of_the_leader(&ComponentScenario {
        name: "website",
        operator: || operator().into(),
        steps,
        components: &[("demo.kubewright.dev/v1alpha1", "Website")],
        dependents: &DEPENDENTS,
    });
}
