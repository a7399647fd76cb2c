//! Hooks, and expected events.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt as _;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kubewright_testing::TestCluster;
use parking_lot::Mutex;
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(60);

fn map(name: &str, value: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"k": value}})
}

// TCL-5
#[tokio::test]
async fn hooks_observe_object_changes_only_while_the_test_waits() {
    let cluster = TestCluster::start().await;
    cluster.apply(map("known", "1")).await;
    let seen = Mutex::new(Vec::new());
    let note = |what: &'static str| {
        let seen = &seen;
        move |object: &Value| {
            // A controller of a real server also writes a ConfigMap.
            if object["metadata"]["name"] != "kube-root-ca.crt" {
                seen.lock().push(format!(
                    "{what} {} {}",
                    object["metadata"]["name"].as_str().unwrap(),
                    object["data"]["k"].as_str().unwrap()
                ));
            }
        }
    };
    let hooks = cluster.hooks().on_create::<ConfigMap>(note("create")).on_update::<ConfigMap>(note("update"));
    let mut hooks =
        hooks.on_delete::<ConfigMap>(note("delete")).on_create::<Secret>(|_| panic!("there are no secrets")).start().await;
    cluster.apply(map("a", "1")).await;
    cluster.patch::<ConfigMap>("known", json!({"data": {"k": "2"}})).await;
    cluster.delete::<ConfigMap>("a").await;
    assert!(seen.lock().is_empty(), "hooks run while the test waits");
    hooks.wait_for("three changes", || seen.lock().len() == 3, PATIENCE).await.unwrap();
    assert_eq!(*seen.lock(), ["create a 1", "update known 2", "delete a 1"]);
    cluster.apply(map("b", "1")).await;
    cluster.expect::<ConfigMap>("b").to_exist().await;
    assert_eq!(seen.lock().len(), 3, "no hook runs after the wait");
    hooks.wait_for("the next change", || seen.lock().len() == 4, PATIENCE).await.unwrap();
    let error = hooks.wait_for("a miracle", || false, Duration::from_secs(1)).await.unwrap_err();
    assert_eq!(error.to_string(), "timed out waiting for a miracle");
    assert!(cluster.get::<ConfigMap>("b").await.is_some(), "hooks answer no request");
    drop(hooks);
    cluster.stop().await;
}

fn event(cluster: &TestCluster, kind: &str, note: &str) -> Value {
    json!({
        "apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"generateName": "told-"},
        "eventTime": "2026-01-01T00:00:00.000000Z", "reportingController": "test.kubewright.dev", "reportingInstance": "test", "action": "Tell",
        "reason": "Told", "type": kind, "note": note,
        "regarding": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": cluster.namespace(), "name": "a"},
    })
}

// TCL-5
#[tokio::test]
async fn an_event_is_expected_by_type_and_note() {
    let cluster = TestCluster::start().await;
    cluster.create(event(&cluster, "Warning", "7 widgets are broken")).await.unwrap();
    let found = cluster.expect_event("Warning", "^[0-9]+ widgets").await;
    assert_eq!(found["reason"], "Told");
    cluster.stop().await;
}

// TCL-5
#[tokio::test]
async fn an_event_that_does_not_come_fails_with_those_that_came() {
    let cluster = TestCluster::start().await;
    if !cluster.is_embedded() {
        println!("skipped: waits for as long as an event is waited for");
        return;
    }
    cluster.create(event(&cluster, "Warning", "7 widgets are broken")).await.unwrap();
    let failed = AssertUnwindSafe(cluster.expect_event("Normal", "^[0-9]+ widgets")).catch_unwind().await.unwrap_err();
    let text = failed.downcast_ref::<String>().unwrap();
    let expected =
        "expected a Normal event that matches \"^[0-9]+ widgets\" within 30s; events: \n  Warning Told: 7 widgets are broken";
    assert_eq!(text, expected);
    cluster.stop().await;
}
