//! The ConfigMap of leadership.

use k8s_openapi::api::core::v1::ConfigMap;
use kubewright::prelude::*;
use kubewright::runtime::admin::CheckKind;
use kubewright_testing::TestCluster;

use super::replicas::{OPERATOR, Replica, all_led, lease_names, leases, start_operator};
use crate::reconcile::widget::{Script, Widgets};
use crate::reconcile::world::until;

fn config_map(cluster: &TestCluster, buckets: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "name": "config-leader-election", "namespace": cluster.namespace() }, "data": { "buckets": buckets },
    })
}

// CFG-31
#[tokio::test]
async fn the_map_is_read_at_the_start_and_a_change_waits_for_the_next() {
    let cluster = TestCluster::start().await;
    cluster.create(config_map(&cluster, "3")).await.unwrap();
    let replica = Replica::start(&cluster, "only", Script::default(), leases(1)).await;
    all_led(&cluster, std::slice::from_ref(&replica), 3).await;
    assert_eq!(cluster.leaders(OPERATOR).await.held_by("only").len(), 3);
    let state = replica.operator.running().diagnostics().state().await;
    let bucket = &state["buckets"]["widget-operator.test.kubewright.dev.02-of-03"];
    assert_eq!((&bucket["state"], &bucket["epoch"]), (&json!("Leading"), &json!(0)), "{state}");
    assert!(bucket["holder"].as_str().is_some_and(|holder| holder.starts_with("only_")), "{state}");

    let notes = || replica.operator.running().checks().results(CheckKind::Note);
    let note = || notes().into_iter().find(|(name, _)| name == "config-leader-election").and_then(|(_, result)| result.err());
    assert_eq!(note(), None);
    cluster.apply(&config_map(&cluster, "2")).await;
    until(
        &cluster,
        || format!("the change is told: {:?}", note()),
        || note().is_some_and(|note| note.contains("takes effect when the operator starts again")),
    )
    .await;
    assert_eq!(replica.held().len(), 3, "nothing else happens");
    assert!(cluster.get::<ConfigMap>("config-leader-election").await.is_some());
    replica.operator.stop().await;
    cluster.stop().await;
}

// 2.2, CFG-31
#[tokio::test]
async fn the_map_may_have_another_name() {
    let cluster = TestCluster::start().await;
    let mut map = config_map(&cluster, "2");
    map["metadata"]["name"] = "leaders-of-widgets".into();
    cluster.create(map).await.unwrap();
    cluster.create(config_map(&cluster, "4")).await.unwrap();
    let operator = Widgets::operator(&Script::default()).leadership(leases(1));
    let operator = operator.options(|options| options.config_leader_election = Some("leaders-of-widgets".to_owned()));
    let operator = start_operator(&cluster, operator, "only").await;
    let led = operator.running().leadership();
    until(&cluster, || format!("two buckets are led: {:?}", led.borrow()), || led.borrow().held().count() == 2).await;
    assert_eq!(lease_names(&cluster).await.len(), 2);
    operator.stop().await;
    cluster.stop().await;
}
