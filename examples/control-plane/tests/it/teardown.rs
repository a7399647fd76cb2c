//! The deletion of a control plane.

use control_plane::{ApiServer, Authentication, Authorization, CloudOrchestrator, ControlPlane, Landscaper};
use k8s_openapi::api::apps::v1::Deployment;
use kubewright::prelude::*;

use crate::world::{NAME, World};

// DEP-13, OL-5, TEAR-1, TEAR-2
#[tokio::test]
async fn components_go_in_the_order_of_their_edges_and_say_for_whom_they_wait() {
    let world = World::start().await;
    world.ready().await;
    let hold = json!({"metadata": {"finalizers": ["example.com/hold"]}});
    world.cluster.patch::<Deployment>("demo-landscaper", hold).await;
    world.cluster.delete::<ControlPlane>(NAME).await;

    world.cluster.expect::<CloudOrchestrator>(NAME).to_be_gone().await;
    let waits = "DeletionWaitingForDependingComponents";
    let held = world.cluster.expect::<Authentication>(NAME).condition("Ready", "False", waits).await;
    assert!(held.to_string().contains("landscaper"), "{held:#}");
    world.cluster.expect::<Authorization>(NAME).condition("Ready", "False", waits).await;
    world.cluster.expect::<ApiServer>(NAME).condition("Ready", "False", waits).await;
    let going = world.cluster.expect::<Landscaper>(NAME).condition("Ready", "False", "Stopping").await;
    assert!(going["metadata"].get("deletionTimestamp").is_some());
    // The API server keeps running for the other components.
    assert!(world.cluster.get::<Deployment>("demo-apiserver").await.unwrap()["metadata"].get("deletionTimestamp").is_none());

    world.cluster.patch::<Deployment>("demo-landscaper", json!({"metadata": {"finalizers": null}})).await;
    world.cluster.expect::<ControlPlane>(NAME).to_be_gone().await;
    assert_eq!(world.cluster.get::<ApiServer>(NAME).await, None);
    assert_eq!(world.cluster.get::<Deployment>("demo-apiserver").await, None);
    world.stop().await;
}
