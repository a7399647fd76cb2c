//! A Podinfo from its installation to its deletion while leadership changes (see `kubewright_testing::disturbance`).

use kubewright_testing::disturbance::{ComponentScenario, ScenarioStep, survives_changes_of_the_leader, until_state};
use podinfo_operator::operator;
use serde_json::json;

use crate::objects::podinfo;

const DEPENDENTS: [(&str, &str); 7] = [
    ("v1", "ConfigMap"),
    ("v1", "Service"),
    ("v1", "ServiceAccount"),
    ("apps/v1", "Deployment"),
    ("autoscaling/v2", "HorizontalPodAutoscaler"),
    ("networking.k8s.io/v1", "Ingress"),
    ("policy/v1", "PodDisruptionBudget"),
];

// LDR-22, LDR-30, STA-7
#[test]
fn an_install_an_upgrade_and_a_removal_survive_changes_of_the_leader() {
    let steps = || {
        let mut upgraded = podinfo("kept");
        upgraded["spec"]["message"] = json!("good bye");
        upgraded["spec"]["ingress"] = json!(null);
        vec![
            ScenarioStep::Set(podinfo("kept")),
            ScenarioStep::Set(podinfo("gone")),
            until_state(podinfo("kept"), "Ready"),
            until_state(podinfo("gone"), "Ready"),
            ScenarioStep::Set(upgraded.clone()),
            until_state(upgraded, "Ready"),
            ScenarioStep::Delete(podinfo("gone")),
            ScenarioStep::Gone(podinfo("gone")),
        ]
    };
    survives_changes_of_the_leader(&ComponentScenario {
        name: "podinfo",
        operator: || operator().into(),
        steps,
        components: &[("demo.kubewright.dev/v1alpha1", "Podinfo")],
        dependents: &DEPENDENTS,
    });
}
