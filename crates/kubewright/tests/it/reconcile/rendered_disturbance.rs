//! A rendered set of a hand-written reconciler under every disturbance (see `kubewright_testing::disturbance`).

use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use kubewright_testing::TestCluster;
use kubewright_testing::disturbance::{Hand, Pace, Scenario, ScenarioStep, survives};

use super::rendered::{GROUP, is_ready, operator};

struct Sites;

fn site(spec: Value) -> Value {
    json!({ "apiVersion": format!("{GROUP}/v1"), "kind": "Site", "metadata": { "name": "demo" }, "spec": spec })
}

fn page(name: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name } })
}

fn ready() -> ScenarioStep {
    ScenarioStep::Until(site(json!({})), "ready".to_owned(), |site, _| is_ready(site))
}

impl Scenario for Sites {
    fn name(&self) -> &'static str {
        "a rendered set"
    }

    fn pace(&self) -> Pace {
        Pace::HandWritten { writers: 1, events: 0 }
    }

    fn operator(&self) -> Operator {
        operator()
    }

    async fn install(&self, cluster: &TestCluster) {
        cluster.install_crds(&self.operator()).await;
    }

    fn before(&self, _: &str) -> Vec<ScenarioStep> {
        vec![ScenarioStep::Create(page("of-nobody"))]
    }

    fn steps(&self, _: &str) -> Vec<ScenarioStep> {
        let first = json!({ "pages": { "a": { "text": "1" }, "b": { "text": "1", "order": 1 } } });
        let second = json!({ "pages": { "a": { "text": "2" }, "c": { "text": "1", "order": 1, "deleteOrder": 1 } } });
        vec![ScenarioStep::Set(site(first)), ready(), ScenarioStep::Set(site(second)), ready()]
    }

    async fn left(&self, hand: &Hand) -> Result<Vec<Value>, String> {
        let mut live = hand.list(&page("")).await?;
        live.extend(hand.list(&site(json!({}))).await?);
        live.retain(|object| object.name() != "kube-root-ca.crt");
        Ok(live)
    }

    fn comparable(&self, live: &Value, mut object: Value) -> Value {
        if object.kind() != "Site" {
            return object;
        }
        let rendered = &live["status"]["rendered"];
        let items = rendered["inventory"].as_array().cloned().unwrap_or_default();
        let items: Vec<Value> = items.iter().map(|item| json!([item["name"], item["phase"], item["status"]])).collect();
        object["status"] = json!({ "state": rendered["state"], "inventory": items, "pages": live["status"]["pages"] });
        object
    }

    /// Returns the digests and the hash of the owner.
    fn computed(&self, live: &Value) -> Vec<String> {
        let mut computed = Vec::new();
        for marks in [&live["metadata"]["annotations"], &live["metadata"]["labels"]] {
            let marks = marks.as_object().into_iter().flatten();
            let marks = marks.filter(|(key, _)| key.ends_with("/digest") || key.ends_with("/owner-id"));
            computed
                .extend(marks.filter_map(|(_, value)| value.as_str()).filter(|value| !value.contains('/')).map(str::to_owned));
        }
        computed
    }
}

// RND-2, RND-4, RND-8, PLAN-7
#[test]
fn a_rendered_set_survives_every_disturbance() {
    survives(&Sites);
}
