//! A Bundle with a type, an object of it and an application while leadership changes (see `kubewright_testing::disturbance`).

use kubewright::machinery::yaml;
use kubewright::prelude::*;
use kubewright_testing::disturbance::{ComponentScenario, ScenarioStep, survives_changes_of_the_leader, until_state};

use crate::world::bundle;

/// The sample, under another name.
fn sample() -> Value {
    let mut sample = yaml::document(include_str!("../../sample.yaml")).unwrap();
    sample["metadata"] = json!({"name": "gone"});
    sample
}

fn kept(text: &str) -> Value {
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "changed"}, "data": {"text": text}});
    let other = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": text}});
    bundle("kept", json!({"manifests": crate::world::text(&[map, other])}))
}

// LDR-22, LDR-30, STA-7
#[test]
fn bundles_survive_changes_of_the_leader() {
    let steps = || {
        vec![
            ScenarioStep::Set(sample()),
            ScenarioStep::Set(kept("first")),
            until_state(sample(), "Ready"),
            until_state(kept("first"), "Ready"),
            ScenarioStep::Set(kept("second")),
            until_state(kept("second"), "Ready"),
            ScenarioStep::Delete(sample()),
            ScenarioStep::Gone(sample()),
        ]
    };
    survives_changes_of_the_leader(&ComponentScenario {
        name: "bundle",
        operator: || bundle_operator::operator().into(),
        steps,
        components: &[("demo.kubewright.dev/v1alpha1", "Bundle")],
        dependents: &[
            ("v1", "ConfigMap"),
            ("apps/v1", "Deployment"),
            ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
            ("sample.kubewright.dev/v1", "Greeting"),
        ],
    });
}
