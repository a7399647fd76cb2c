//! A restart under every disturbance (see `kubewright_testing::disturbance`).

use std::time::Duration;

use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use kubewright_testing::TestCluster;
use kubewright_testing::disturbance::{Hand, Pace, Scenario, ScenarioStep, survives};
use kubewright_testing::fixtures::package::{Package, Packages, Scripts};
use kubewright_testing::fixtures::restart::{HistoryLimits, RestartRequest, RestartRequestSpec, Restarts};

use crate::package::disturbance::{comparable_of_packages, left_of_packages, until_installed};
use crate::package::world::{condition, descriptor, shop};

/// The scenario of a package that is restarted, and of a request for a package that does not exist.
struct Restarting;

fn package() -> Value {
    json!(Package::new("shop", shop()))
}

fn request(name: &str, package: &str) -> Value {
    json!(RestartRequest::new(name, RestartRequestSpec { package: package.to_owned() }))
}

fn until(name: &str, phase: &str) -> ScenarioStep {
    let holds = |live: &Value, phase: &str| live["status"]["phase"] == phase;
    ScenarioStep::Until(request(name, ""), phase.to_owned(), holds)
}

impl Scenario for Restarting {
    fn name(&self) -> &'static str {
        "a restart"
    }

    fn one_in(&self) -> usize {
        3
    }

    fn poll(&self) -> Duration {
        Duration::from_secs(5)
    }

    fn pace(&self) -> Pace {
        Pace::HandWritten { writers: 1, events: 0 }
    }

    fn operator(&self) -> Operator {
        Operator::new("restart-operator.fixtures.kubewright.dev")
            .state(Scripts::default())
            .state(HistoryLimits { successful: Some(1), failed: Some(1) })
            .add_controller(Packages::controller())
            .add_controller(Restarts::controller())
    }

    async fn install(&self, cluster: &TestCluster) {
        cluster.install_crds(&self.operator()).await;
    }

    fn before(&self, _: &str) -> Vec<ScenarioStep> {
        let installed = until_installed(package(), "1.0.0", "no volume");
        vec![ScenarioStep::Create(descriptor("shop", "1.0.0").to_map()), ScenarioStep::Set(package()), installed]
    }

    fn steps(&self, _: &str) -> Vec<ScenarioStep> {
        vec![
            ScenarioStep::Set(request("one", "shop")),
            until("one", "completed"),
            ScenarioStep::Set(request("lost", "absent")),
            until("lost", "failed"),
            until_installed(package(), "1.0.0", "no volume"),
        ]
    }

    fn may_write(&self, _: &[ScenarioStep], _: &Value) -> bool {
        true
    }

    async fn left(&self, hand: &Hand) -> Result<Vec<Value>, String> {
        let mut left = left_of_packages(hand).await?;
        left.extend(hand.list(&request("", "")).await?);
        Ok(left)
    }

    fn comparable(&self, live: &Value, object: Value) -> Value {
        let mut object = comparable_of_packages(live, object);
        if live.kind() == "RestartRequest" {
            object["status"] = json!([live["status"]["phase"], condition(live, "Succeeded")["status"]]);
        }
        // The annotation contains the UID of the request.
        if let Some(annotations) = object["metadata"]["annotations"].as_object_mut() {
            annotations.remove("fixtures.kubewright.dev/restarted-by");
        }
        object
    }
}

// FLOW-06, STEP-5
#[test]
fn a_restart_survives_all_disturbances() {
    survives(&Restarting);
}
