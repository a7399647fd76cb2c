//! The causes of passes, as reported by an operator.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kubewright::core::flow::{Delay, Failure, Wait};
use kubewright::machinery::object::{GroupKind, Key};
use kubewright::prelude::*;
use kubewright::runtime::reconcile::{Context, Controller, NoStatus, Reconcile};
use kubewright_testing::TestCluster;

use crate::reconcile::widget::{Script, Widget};
use crate::reconcile::world::World;

/// Asserts that each line starts and ends as expected; the text in between differs from server to server.
fn assert_lines(lines: &[String], expected: &[(&str, &str)]) {
    assert_eq!(lines.len(), expected.len(), "{lines:#?}");
    for (line, (start, end)) in lines.iter().zip(expected) {
        assert!(line.starts_with(start) && line.ends_with(end), "expected {start:?} … {end:?}: {lines:#?}");
    }
}

// WHY-1, WHY-2, WHY-3, WHY-4, WHY-6
#[tokio::test]
async fn creations_and_edits_are_reported_as_causes_of_passes_and_own_writes_are_not() {
    let world = World::start(Script::default()).await;
    world.create("demo", 3).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 4}})).await;
    world.cluster.expect::<Widget>("demo").matching("the new size", |widget| widget["status"]["size"] == 4).await;
    let labels = json!({"metadata": {"labels": {"example.com/tier": "web"}}});
    world.cluster.patch::<Widget>("demo", labels).await;
    world.until("the label has its pass", || world.why("demo").len() == 3).await;
    world.idle(Duration::from_secs(30)).await;
    let widget = format!("Widget.test.kubewright.dev {}/demo", world.cluster.namespace());
    let status = format!("patched {widget} (status) → Ready");
    let lines = world.why("demo");
    assert_lines(
        &lines,
        &[
            (&format!("pass 1: {widget} came"), &format!("→ patched {widget}, {status}")),
            (&format!("pass 2: {widget} changed spec.size"), &format!("→ {status}")),
            (&format!("pass 3: {widget} changed metadata.labels"), "→ Ready"),
        ],
    );
    world.stop().await;
}

// WHY-1, WHY-4
#[tokio::test]
async fn timers_and_back_offs_are_reported_with_their_reasons() {
    let passes = Arc::new(AtomicUsize::new(0));
    let script = Script::default().reconcile(move |_, _, status| {
        let number = passes.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            match number {
                0 => Wait::after(Delay::secs::<2>(), "Draining").into(),
                1 => Failure::backoff("no connection").reason("Unreachable").into(),
                _ => {
                    status.conditions.mark_true("Sized");
                    Ok(())
                }
            }
        })
    });
    let world = World::start(script).await;
    world.create("demo", 3).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    world.until("all passes have ended", || world.why("demo").len() == 3).await;
    let widget = format!("Widget.test.kubewright.dev {}/demo", world.cluster.namespace());
    let patched = format!("patched {widget} (status)");
    let lines = world.why("demo");
    assert_lines(
        &lines,
        &[
            (&format!("pass 1: {widget} came"), &format!("{patched} → wait Draining, again in 2s")),
            (&format!("pass 2: timer (wait Draining) → {patched} → failed Unreachable, again in "), "ms"),
            (&format!("pass 3: timer (back-off after Unreachable) → {patched}"), " → Ready"),
        ],
    );
    world.stop().await;
}

const CANARY: &str = "hunter2-canary";
/// The canary in base64, as contained in Secrets.
const ENCODED: &str = "aHVudGVyMi1jYW5hcnk=";

struct Secrets;

impl Reconcile for Secrets {
    type Kind = Secret;
    type Status = NoStatus;

    async fn reconcile(&self, _: &Context<Secret>, secret: &Secret, _: &mut NoStatus) -> Flow {
        let data = secret
            .data
            .as_ref()
            .and_then(|data| data.get("password"))
            .map(|value| String::from_utf8_lossy(&value.0).into_owned());
        match data {
            Some(value) if value == CANARY => Failure::backoff(format!("the password {value} is too weak")).reason("Weak").into(),
            _ => Ok(()),
        }
    }
}

// WHY-2, LOG-7
#[tokio::test]
async fn the_history_of_passes_never_contains_the_values_of_a_secret() {
    let cluster = TestCluster::start().await;
    let operator = Operator::new("secrets.test.kubewright.dev").add_controller(Controller::new(|| Secrets));
    let running = cluster.run(operator).await;
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "demo", "namespace": cluster.namespace()},
        "data": {"password": "Zmlyc3Q=", "user": "YQ=="},
    });
    cluster.create(&secret).await.unwrap();
    let key = Key::new(cluster.namespace(), "demo");
    let text = || running.running().why().text("secret", &key).unwrap_or_default();
    let until = async |expected: &str| {
        let deadline = cluster.clock().moment() + Duration::from_secs(60);
        while !text().contains(expected) {
            assert!(cluster.clock().moment() < deadline, "expected {expected:?}: {}", text());
            cluster.pass(Duration::from_millis(50)).await;
        }
    };
    until("came").await;
    cluster.patch::<Secret>("demo", json!({"data": {"password": ENCODED}})).await;
    until("changed data.password").await;
    until("failed Weak").await;
    cluster.patch::<Secret>("demo", json!({"data": {"password": "c2Vjb25k"}})).await;
    until("Ready").await;
    let pages = text() + &running.running().why().json("Secret", &key).unwrap();
    for told in [CANARY, ENCODED, "Zmlyc3Q=", "c2Vjb25k", "first", "second"] {
        // A first list would be named in the page.
        let found = pages.matches(told).count() - if told == "first" { pages.matches("first list").count() } else { 0 };
        assert_eq!(found, 0, "{told}: {pages}");
    }
    running.stop().await;
}

/// Keeps a ConfigMap with a greeting.
#[derive(CustomResource, Component, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "test.kubewright.dev", version = "v1", kind = "Greeting", namespaced, status = "ComponentStatus")]
struct GreetingSpec {
    text: String,
}

async fn manifests(cx: &RenderContext<Greeting>) -> Result<Vec<Manifest>, RenderError> {
    Ok(vec![Manifest::from_json(json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": cx.name() }, "data": { "text": cx.component().spec.text },
    }))?])
}

// WHY-1, WHY-3, WHY-4
#[tokio::test]
async fn components_tell_of_their_dependents() {
    let cluster = TestCluster::start().await;
    let operator = Operator::new("greeting-operator.test.kubewright.dev").component::<Greeting>(manifests);
    let running = cluster.run(operator).await;
    let greeting = json!({
        "apiVersion": "test.kubewright.dev/v1", "kind": "Greeting",
        "metadata": { "name": "demo", "namespace": cluster.namespace() }, "spec": { "text": "hello" },
    });
    cluster.create(&greeting).await.unwrap();
    cluster.expect::<Greeting>("demo").condition("Ready", "True", "Ready").await;
    let (kind, key) = (GroupKind::new("test.kubewright.dev", "Greeting"), Key::new(cluster.namespace(), "demo"));
    let until = async |start: &str, within: &str| {
        let deadline = cluster.clock().moment() + Duration::from_secs(60);
        loop {
            let lines: Vec<String> = running.running().why().of(&kind, &key).iter().map(ToString::to_string).collect();
            let is_it =
                |line: &String| line.split_once(": ").is_some_and(|(_, line)| line.starts_with(start) && line.contains(within));
            if lines.iter().any(is_it) {
                return;
            }
            assert!(cluster.clock().moment() < deadline, "expected {start:?} and {within:?}: {lines:#?}");
            cluster.pass(Duration::from_millis(50)).await;
        }
    };
    let (greeting, config_map) = (format!("{kind} {key}"), format!("ConfigMap {key}"));
    until(&format!("{greeting} came"), &format!("→ patched {greeting}")).await;
    until("", &format!("created {config_map}")).await;
    cluster.patch::<Greeting>("demo", json!({"spec": {"text": "good day"}})).await;
    until(&format!("{greeting} changed spec.text → "), &format!("updated {config_map}")).await;
    cluster.delete::<ConfigMap>("demo").await;
    until(&format!("{config_map} went → "), &format!("created {config_map}")).await;
    running.stop().await;
}
