//! Objects that a pass refers to without owning them.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kubewright::core::flow::{Blocked, Wait};
use kubewright::core::tracker::SubjectReference;
use kubewright::prelude::*;
use kubewright::runtime::reconcile::{ConditionAccess, Context, Controller, Reconcile};
use kubewright::runtime::store::Store;

use super::widget::{Script, Widget, WidgetStatus};
use super::world::World;

/// A reconciler that follows the config map `target-<size>` of each widget, and a secret by its kind's name if the size is 9.
struct Followers {
    maps: Store<ConfigMap>,
    script: Script,
}

impl Followers {
    fn new(maps: Store<ConfigMap>, State(script): State<Script>) -> Self {
        Self { maps, script }
    }

    fn operator(script: &Script) -> Operator {
        let crd = serde_json::to_value(<Widget as kube::CustomResourceExt>::crd()).unwrap();
        let controller = Controller::new(Self::new).crd(Some(crd));
        Operator::new("widget-operator.test.kubewright.dev").state(script.clone()).add_controller(controller)
    }
}

impl Reconcile for Followers {
    type Kind = Widget;
    type Status = WidgetStatus;

    async fn reconcile(&self, cx: &Context<Widget>, object: &Widget, status: &mut WidgetStatus) -> Flow {
        self.script.called("reconcile", cx.key().name());
        let namespace = cx.key().namespace().to_owned();
        let reference = |api_version: &str, kind: &str, name: String| {
            serde_json::from_value::<SubjectReference>(
                json!({"apiVersion": api_version, "kind": kind, "namespace": namespace, "name": name}),
            )
            .unwrap()
        };
        if object.spec.size == 9 {
            let gadget = cx.track_dynamic(&reference("later.kubewright.dev/v1", "Gadget", "g".to_owned()))?;
            status.size = gadget.map(|_| 9);
        } else if object.spec.size == 8 {
            cx.track(&self.maps, &reference("v1", "Secret", "x".to_owned()))?;
        } else {
            let map = cx.track(&self.maps, &reference("v1", "ConfigMap", format!("target-{}", object.spec.size)))?;
            let Some(map) = map else {
                status.conditions.mark_false("Sized", "TargetMissing", "the target is not there");
                return Wait::for_event("TargetMissing").into();
            };
            status.size = map.data.as_ref().map(|data| data.len() as i64);
            if map.data.as_ref().is_some_and(|data| data.contains_key("broken")) {
                return Blocked::new("Broken", "the target is broken").into();
            }
        }
        status.conditions.mark_true("Sized");
        Ok(())
    }

    fn conditions() -> Option<ConditionAccess<WidgetStatus>> {
        Some(ConditionAccess::derived())
    }
}

async fn world() -> World {
    let script = Script::default();
    let operator = Followers::operator(&script);
    World::start_operator(script, operator).await
}

fn target(size: i64, data: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("target-{size}")}, "data": data})
}

// TRK-1, TRK-5, TRK-7
#[tokio::test]
async fn a_tracked_object_starts_a_pass_when_it_is_created_changed_or_deleted() {
    let world = world().await;
    world.create("demo", 1).await;
    world.condition("demo", "Ready", "False", "TargetMissing").await;
    world.cluster.apply(target(1, json!({"a": "1"}))).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    world.cluster.apply(target(1, json!({"a": "1", "b": "2"}))).await;
    world.cluster.expect::<Widget>("demo").matching("two entries", |widget| widget["status"]["size"] == 2).await;
    world.cluster.delete::<ConfigMap>("target-1").await;
    world.condition("demo", "Ready", "False", "TargetMissing").await;
    // Other objects start no pass.
    let calls = world.script.calls().len();
    world.cluster.apply(target(5, json!({}))).await;
    world.idle(Duration::from_secs(3)).await;
    assert_eq!(world.script.calls().len(), calls);
    world.stop().await;
}

// TRK-4, TRK-6
#[tokio::test]
async fn references_of_a_successful_pass_replace_the_former_ones() {
    let world = world().await;
    world.cluster.apply(target(1, json!({"a": "1"}))).await;
    world.cluster.apply(target(2, json!({"a": "1", "b": "1"}))).await;
    world.create("demo", 1).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 2}})).await;
    world.cluster.expect::<Widget>("demo").matching("two entries", |widget| widget["status"]["size"] == 2).await;
    let calls = world.script.calls().len();
    world.cluster.apply(target(1, json!({"a": "changed"}))).await;
    world.idle(Duration::from_secs(3)).await;
    assert_eq!(world.script.calls().len(), calls, "nothing refers to it any more");
    // The references of a failed pass are added to the former ones.
    world.cluster.apply(target(3, json!({"broken": "yes"}))).await;
    world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 3}})).await;
    world.condition("demo", "Stalled", "True", "Broken").await;
    let calls = world.script.calls().len();
    world.cluster.apply(target(2, json!({"a": "changed"}))).await;
    world.until("the former reference starts a pass", || world.script.calls().len() > calls).await;
    world.cluster.delete::<Widget>("demo").await;
    world.cluster.expect::<Widget>("demo").to_be_gone().await;
    let calls = world.script.calls().len();
    world.cluster.apply(target(2, json!({"a": "again"}))).await;
    world.idle(Duration::from_secs(3)).await;
    assert_eq!(world.script.calls().len(), calls, "the observer is gone");
    world.stop().await;
}

// TRK-2
#[tokio::test]
async fn a_reference_to_another_kind_than_the_stores_is_blocked() {
    let world = world().await;
    world.create("demo", 8).await;
    world.condition("demo", "Stalled", "True", "InvalidReference").await;
    world.stop().await;
}

// TRK-9
#[tokio::test]
async fn a_kind_that_comes_later_is_followed_when_it_is_served() {
    let world = world().await;
    world.create("demo", 9).await;
    world.condition("demo", "Ready", "False", "KindNotServed").await;
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "gadgets.later.kubewright.dev"},
        "spec": {
            "group": "later.kubewright.dev", "scope": "Namespaced",
            "names": {"kind": "Gadget", "plural": "gadgets", "singular": "gadget"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema":
                {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}],
        },
    });
    world.cluster.install_crd(&crd).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    world.cluster.apply(json!({"apiVersion": "later.kubewright.dev/v1", "kind": "Gadget", "metadata": {"name": "g"}})).await;
    world.cluster.expect::<Widget>("demo").matching("the gadget", |widget| widget["status"]["size"] == 9).await;
    world.stop().await;
}
