//! Several writers of the finalizers of one object.

use std::time::Duration;

use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use kubewright_testing::TestCluster;

use super::widget::{FINALIZER, Script, Widget, Widgets, widget};
use super::world::World;

const OTHER: &str = "example.com/other";

fn with_finalizers(cluster: &TestCluster, finalizers: &[&str]) -> Value {
    let mut object = widget(cluster, "demo", 1);
    object["metadata"]["finalizers"] = json!(finalizers);
    object
}

/// Returns the number of writes of the operator to widgets, without those of a status.
fn of_metadata(world: &World) -> usize {
    world.writes().iter().filter(|write| !write.contains("status")).count()
}

// FIN-01, FIN-02, FIN-05, FZ-5, FZ-7, FZ-9
#[tokio::test]
async fn a_finalizer_is_added_and_removed_beside_foreign_finalizers_by_one_request_each() {
    let world = World::start(Script::default()).await;
    world.cluster.create(with_finalizers(&world.cluster, &[OTHER])).await.unwrap();
    let ready = world.condition("demo", "Ready", "True", "Reconciled").await;
    assert_eq!(ready["metadata"]["finalizers"], json!([OTHER, FINALIZER]));
    world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 2}})).await;
    world.cluster.expect::<Widget>("demo").matching("the second pass", |widget| widget["status"]["size"] == 2).await;
    assert_eq!(of_metadata(&world), 1, "{:?}", world.writes());

    world.cluster.delete::<Widget>("demo").await;
    let is_alone = |widget: &Value| widget["metadata"]["finalizers"] == json!([OTHER]);
    world.cluster.expect::<Widget>("demo").matching("only the other finalizer", is_alone).await;
    world.cluster.patch::<Widget>("demo", json!({"metadata": {"labels": {"another": "change"}}})).await;
    world.idle(Duration::from_secs(60)).await;
    assert_eq!((of_metadata(&world), world.script.count("finalize")), (2, 1), "{:?}", world.writes());
    world.cluster.finalize(&kube::core::GroupVersionKind::gvk("test.kubewright.dev", "v1", "Widget"), "demo").await;
    world.stop().await;
}

// FIN-06, FZ-8
#[tokio::test]
async fn a_former_finalizer_is_removed_together_with_the_current_one() {
    let script = Script::default();
    let operator = Widgets::operator_with(&script, |controller| {
        controller.finalizer(Some(FINALIZER)).legacy_finalizers(["test.kubewright.dev/former"])
    });
    let world = World::start_operator(script, operator).await;
    world.cluster.create(with_finalizers(&world.cluster, &["test.kubewright.dev/former", FINALIZER])).await.unwrap();
    world.condition("demo", "Ready", "True", "Reconciled").await;
    world.cluster.delete::<Widget>("demo").await;
    world.cluster.expect::<Widget>("demo").to_be_gone().await;
    assert_eq!((of_metadata(&world), world.script.count("finalize")), (1, 1), "{:?}", world.writes());
    world.stop().await;
}

// FIN-03, FZ-5, FZ-6
#[tokio::test]
async fn four_writers_add_and_remove_their_finalizers_at_once_and_lose_none() {
    let names: Vec<String> = (1..=4).map(|number| format!("test.kubewright.dev/writer-{number}")).collect();
    let cluster = TestCluster::start().await;
    let mut operators = Vec::new();
    for (number, finalizer) in names.iter().enumerate() {
        let operator =
            Widgets::operator_named(&format!("writer-{number}.test.kubewright.dev"), &Script::default(), |controller| {
                controller.finalizer(Some(finalizer.as_str()))
            });
        operators.push(cluster.run(operator).await);
    }
    let has = |widget: &Value, wanted: &[String]| wanted.iter().all(|finalizer| widget.has_finalizer(finalizer));
    cluster.create(with_finalizers(&cluster, &[OTHER])).await.unwrap();
    let wanted = names.clone();
    let all = cluster.expect::<Widget>("demo").matching("all finalizers", move |widget| has(widget, &wanted)).await;
    assert_eq!(all["metadata"]["finalizers"].as_array().map(Vec::len), Some(5), "{all:#}");
    cluster.delete::<Widget>("demo").await;
    let is_alone = |widget: &Value| widget["metadata"]["finalizers"] == json!([OTHER]);
    cluster.expect::<Widget>("demo").matching("only the other finalizer", is_alone).await;
    cluster.finalize(&kube::core::GroupVersionKind::gvk("test.kubewright.dev", "v1", "Widget"), "demo").await;
    for operator in operators {
        operator.stop().await;
    }
    cluster.stop().await;
}
