//! A Website from its installation to its deletion while leadership changes (see `kubewright_testing::disturbance`).

use kubewright_testing::disturbance::{ComponentScenario, ScenarioStep, survives_changes_of_the_leader, until_state};
use kustomize_operator::operator;
use serde_json::json;

use crate::website::website;

const DEPENDENTS: [(&str, &str); 4] =
    [("v1", "ConfigMap"), ("v1", "Service"), ("apps/v1", "Deployment"), ("autoscaling/v2", "HorizontalPodAutoscaler")];

// LDR-22, LDR-30, STA-7
#[test]
fn an_install_an_upgrade_and_a_removal_survive_changes_of_the_leader() {
    let steps = || {
        let mut upgraded = website("kept");
        upgraded["spec"]["pages"] = json!({"index.html": "good bye"});
        vec![
            ScenarioStep::Set(website("kept")),
            ScenarioStep::Set(website("gone")),
            until_state(website("kept"), "Ready"),
            until_state(website("gone"), "Ready"),
            ScenarioStep::Set(upgraded.clone()),
            until_state(upgraded, "Ready"),
            ScenarioStep::Delete(website("gone")),
            ScenarioStep::Gone(website("gone")),
        ]
    };
    survives_changes_of_the_leader(&ComponentScenario {
        name: "website",
        operator,
        steps,
        components: &[("demo.kubewright.dev/v1alpha1", "Website")],
        dependents: &DEPENDENTS,
    });
}
