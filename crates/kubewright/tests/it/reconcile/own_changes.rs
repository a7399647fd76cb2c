//! Changes of a controller's own objects that start a pass, by default or by a filter.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use k8s_openapi::api::core::v1::ConfigMap;
use kubewright::core::filter::{deleting, generation};
use kubewright::prelude::*;
use kubewright_testing::TestCluster;

use super::widget::{Script, Widget, Widgets};
use super::world::{World, until};

/// A reconciler that counts the deletions of config maps, a kind without generation.
struct Ends(Arc<AtomicUsize>);

#[reconciler(kind = ConfigMap, finalizer = "test.kubewright.dev/ends")]
impl Ends {
    #[inject]
    fn new(State(ends): State<Arc<AtomicUsize>>) -> Self {
        Self(ends)
    }

    async fn reconcile(&self, _: &Context<ConfigMap>, _: &ConfigMap) -> Flow {
        Ok(())
    }

    async fn finalize(&self, _: &Context<ConfigMap>, _: &ConfigMap) -> Flow {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

// FILT-03, EF-4
#[tokio::test]
async fn a_deletion_starts_a_pass_of_kinds_with_and_without_generation() {
    let script = Script::default();
    let operator = Widgets::operator_with(&script, |controller| {
        controller.finalizer(Some(super::widget::FINALIZER)).triggered_by(generation())
    });
    let world = World::start_operator(script, operator).await;
    world.create("demo", 1).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    world.cluster.delete::<Widget>("demo").await;
    world.cluster.expect::<Widget>("demo").to_be_gone().await;
    assert_eq!(world.script.count("finalize"), 1);
    world.stop().await;

    let (cluster, ends) = (TestCluster::start().await, Arc::new(AtomicUsize::new(0)));
    let controller = Operator::new("ends.test.kubewright.dev").state(Arc::clone(&ends)).controller(Ends::new);
    let operator = cluster.run(controller.with(|controller| controller.triggered_by(deleting()))).await;
    cluster.apply(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "demo"}})).await;
    let is_held = |map: &Value| map["metadata"]["finalizers"] == json!(["test.kubewright.dev/ends"]);
    cluster.expect::<ConfigMap>("demo").matching("the finalizer", is_held).await;
    cluster.delete::<ConfigMap>("demo").await;
    cluster.expect::<ConfigMap>("demo").to_be_gone().await;
    until(&cluster, || "it was finalized".to_owned(), || ends.load(Ordering::Relaxed) >= 1).await;
    operator.stop().await;
    cluster.stop().await;
}

// FILT-05, 10
#[tokio::test]
async fn an_object_that_is_created_again_starts_a_pass_with_the_generation_of_the_former_one() {
    let script = Script::default();
    let operator = Widgets::operator_with(&script, |controller| controller.triggered_by(generation()));
    let world = World::start_operator(script, operator).await;
    for passes in 1..=2 {
        let created = world.create("demo", 1).await;
        assert_eq!(created["metadata"]["generation"], 1);
        world.condition("demo", "Ready", "True", "Reconciled").await;
        assert_eq!(world.script.count("reconcile"), passes);
        world.cluster.delete::<Widget>("demo").await;
        world.cluster.expect::<Widget>("demo").to_be_gone().await;
    }
    world.stop().await;
}
