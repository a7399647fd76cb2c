//! Readiness of dependents as reported by a component.

use kubewright::prelude::*;

use crate::kinds::Kinds;
use crate::types::{annotated, bundle, deployment};
use crate::world::{World, condition, inventory, message_of, reason_of};

const OUTCOME: &str = "testing.kubewright.dev/outcome";

/// A row of the table: the content of the status, the hint, and the expected state.
struct Row {
    name: String,
    hint: &'static str,
    status: Value,
    expected: &'static str,
}

/// Returns the 108 rows, for generation 3.
fn table() -> Vec<Row> {
    let mut rows = Vec::new();
    for hint in ["", "has-observed-generation", "has-ready-condition"] {
        for observed in [None, Some(1), Some(3)] {
            for ready in [None, Some("Unknown"), Some("False"), Some("True")] {
                for own in [None, Some(1), Some(3)] {
                    let mut status = json!({});
                    if let Some(observed) = observed {
                        status["observedGeneration"] = observed.into();
                    }
                    if let Some(ready) = ready {
                        let mut condition = json!({ "type": "Ready", "status": ready, "reason": "Test", "message": "",
                            "lastTransitionTime": "2026-01-01T00:00:00Z" });
                        if let Some(own) = own {
                            condition["observedGeneration"] = own.into();
                        }
                        status["conditions"] = json!([condition]);
                    }
                    let seen = match (hint, observed) {
                        ("has-observed-generation", None) => ready.and(own).or(Some(-1)),
                        _ => observed,
                    };
                    let good = match ready {
                        None => hint != "has-ready-condition",
                        Some(ready) => ready == "True",
                    };
                    let expected = if seen.is_none_or(|seen| seen == 3) && good { "Current" } else { "InProgress" };
                    rows.push(Row { name: format!("row-{}", rows.len()), hint, status, expected });
                }
            }
        }
    }
    rows
}

// READY-2, READY-3, 17.4
#[tokio::test]
async fn the_readiness_table_holds_through_a_component() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    // A kind like Foo for which the server fills in no observed generation.
    let mut definition = kinds.definition("Plain");
    let status = &mut definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"];
    status.as_object_mut().unwrap().remove("default");
    status["properties"]["observedGeneration"].as_object_mut().unwrap().remove("default");
    world.create(&definition).await;
    let rows = table();
    assert_eq!(rows.len(), 108);
    let objects = |value: &str| -> Vec<Value> {
        let object = |row: &Row| {
            let mut object = kinds.object("Plain", &row.name);
            object["spec"]["value"] = value.into();
            if row.hint.is_empty() { object } else { annotated(object, "status-hint", row.hint) }
        };
        rows.iter().map(object).collect()
    };
    for (revision, value) in [(1, "a"), (2, "b"), (3, "c")] {
        world.set(&bundle("demo", &objects(value))).await;
        let applied = |component: &Value| {
            let items = inventory(component);
            component["status"]["revision"] == revision
                && items.len() == rows.len()
                && items.iter().all(|(_, phase, _)| *phase != "ScheduledForApplication")
        };
        world.until("demo", "applied", applied).await;
    }
    for row in &rows {
        let object = kinds.object("Plain", &row.name);
        assert_eq!(world.get(&object).await.unwrap()["metadata"]["generation"], 3);
        world.patch_status(&object, row.status.clone()).await;
    }
    let mut expected: Vec<_> = rows.iter().map(|row| (&*row.name, row.expected)).collect();
    expected.sort_unstable();
    let as_expected = |component: &Value| {
        let found: Vec<_> = inventory(component).into_iter().map(|(name, _, status)| (name, status)).collect();
        found == expected
    };
    world.until("demo", "as the table says", as_expected).await;
}

fn job(outcome: &str) -> Value {
    json!({
        "apiVersion": "batch/v1", "kind": "Job", "metadata": { "name": "job" },
        "spec": { "backoffLimit": 0, "template": {
            "metadata": { "annotations": { OUTCOME: outcome } },
            "spec": { "restartPolicy": "Never", "containers": [{ "name": "main", "image": "example.com/main:1" }] },
        } },
    })
}

// READY-4, EVT-1
#[tokio::test]
async fn a_failed_job_is_an_error_with_its_message() {
    let world = World::start().await;
    world.set(&bundle("demo", &[job("fail")])).await;
    let component = world.until("demo", "failed", |component| reason_of(component) == "DependentFailed").await;
    assert_eq!(component["status"]["state"], "Error");
    assert_eq!(condition(&component, "Stalled").unwrap()["reason"], "DependentFailed");
    let message = message_of(&component);
    assert!(message.contains(&format!("Job.batch {}/job: ", world.namespace())), "{message}");
    assert!(message.contains("backoff limit"), "{message}");
    assert_eq!(world.until_event("DependentFailed").await, message);
}

// READY-4, DRIFT-7
#[tokio::test]
async fn a_deployment_that_exceeded_its_deadline_is_an_error_until_it_recovers() {
    let world = World::start().await;
    let mut web = deployment("web");
    web["spec"]["progressDeadlineSeconds"] = 2.into();
    web["spec"]["template"]["metadata"]["annotations"] = json!({ OUTCOME: "never" });
    world.set(&bundle("demo", &[web.clone()])).await;
    let component = world.until("demo", "failed", |component| reason_of(component) == "DependentFailed").await;
    assert_eq!(component["status"]["state"], "Error");
    let message = message_of(&component);
    assert!(message.contains(&format!("Deployment.apps {}/web: ", world.namespace())), "{message}");
    // The pod becomes ready later; the component is not changed.
    world.recover_pods().await;
    let component = world.until_ready("demo").await;
    assert!(condition(&component, "Stalled").is_none());
}

// READY-6, DRIFT-7
#[tokio::test]
async fn a_generation_that_its_controller_has_not_seen_counts_after_half_a_minute() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    world.set(&kinds.component(&[kinds.foo()])).await;
    world.until_state("demo", "Processing", "Processing").await;
    world.observe(&kinds.foo()).await;
    world.until_ready("demo").await;
    // An edit and its correction: two generations that no controller has observed.
    let edited = world.cluster.clock().moment();
    world.patch(&kinds.foo(), json!({ "spec": { "value": "b" } })).await;
    world.until_object(&kinds.foo(), "repaired", |foo| foo["spec"]["value"] == "a").await;
    world.idle(std::time::Duration::from_secs(28)).await;
    assert_eq!(world.component("demo").await.unwrap()["status"]["state"], "Ready");
    let late = world.until_state("demo", "Processing", "Processing").await;
    let passed = world.cluster.clock().moment().since(edited).as_secs();
    assert!(passed >= 29 && (passed <= 31 || !world.cluster.is_embedded()), "after {passed} s");
    assert!(message_of(&late).contains("foo"), "{}", message_of(&late));
    world.observe(&kinds.foo()).await;
    world.until_ready("demo").await;
}
