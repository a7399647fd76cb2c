//! The names of objects and controllers in events.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::events::v1::Event;
use kubewright::prelude::*;
use parking_lot::Mutex;

use super::widget::{Script, Widgets};
use super::world::World;

// REC-7
#[tokio::test]
async fn the_reference_of_a_pass_names_the_object_in_the_version_that_it_saw_last() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let references = Arc::clone(&seen);
    let script = Script::default().reconcile(move |cx, _, status| {
        references.lock().push(cx.object_ref());
        status.conditions.mark_true("Sized");
        Box::pin(async { Ok(()) })
    });
    let world = World::start(script).await;
    let created = world.create("demo", 1).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    let reference = seen.lock()[0].clone();
    let found = serde_json::to_value(&reference).unwrap();
    let expected = [
        ("apiVersion", json!("test.kubewright.dev/v1")),
        ("kind", json!("Widget")),
        ("namespace", json!(world.cluster.namespace())),
        ("name", json!("demo")),
        ("uid", created["metadata"]["uid"].clone()),
    ];
    for (field, value) in expected {
        assert_eq!(found[field], value, "{field} of {found}");
    }
    assert_ne!(found["resourceVersion"], created["metadata"]["resourceVersion"], "the finalizer was added before");
    world.stop().await;
}

// EMIT-1
#[tokio::test]
async fn events_are_reported_by_the_controller_of_the_kind_or_by_the_configured_agent() {
    for (agent, expected) in [(None, "widget-controller"), (Some("sizing"), "sizing")] {
        let script = Script::default();
        let operator = Widgets::operator_with(&script, |controller| match agent {
            Some(agent) => controller.agent(agent),
            None => controller,
        });
        let world = World::start_operator(script, operator).await;
        world.create("demo", 1).await;
        world.until_event("demo").await;
        world.idle(Duration::from_secs(1)).await;
        let events = world.cluster.list::<Event>().await;
        let about = events.iter().filter(|event| event["regarding"]["name"] == "demo");
        let reporters: Vec<&Value> = about.map(|event| &event["reportingController"]).collect();
        assert!(!reporters.is_empty() && reporters.iter().all(|reporter| **reporter == expected), "{reporters:?}");
        world.stop().await;
    }
}
