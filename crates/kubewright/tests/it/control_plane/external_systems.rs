//! Components wait for their external systems.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::api::rbac::v1::RoleBinding;
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;

use super::kinds::{ApiServer, Authentication, Authorization, CloudOrchestrator, DOMAIN, Landscaper};
use super::world::{NAME, World, told_by};

#[allow(clippy::unnecessary_wraps)] // it is compared with an optional value
fn pair(status: &str, reason: &str) -> Option<(String, String)> {
    Some((status.to_owned(), reason.to_owned()))
}

// LOOP-03
#[tokio::test]
async fn a_landscaper_waits_for_its_deployment_and_asks_again_by_a_timer() {
    let world = World::start().await;
    world.create_api_server().await;
    world.create::<Landscaper>(json!({ "deployers": ["helm"] })).await;
    let waits = world.condition::<Landscaper>("LandscaperHealthy", "False", "WaitingForLaaS").await;
    assert_eq!(told_by(&waits, "LandscaperReconciliation"), pair("True", "WaitingForLaaS"));
    world.idle(Duration::from_millis(500)).await;
    let passes = world.passes::<Landscaper>();
    world.set("deployment", json!({ "phase": "Ready" })).await;
    if world.cluster.is_embedded() {
        // Only the timer of 30 seconds detects the deployment.
        world.idle(Duration::from_secs(25)).await;
        assert_eq!(world.passes::<Landscaper>(), passes);
        world.idle(Duration::from_secs(6)).await;
        assert!(world.passes::<Landscaper>() > passes);
    }
    let ready = world.ready::<Landscaper>().await;
    assert_eq!(told_by(&ready, "LandscaperHealthy"), pair("True", "LandscaperHealthy_True"));
    world.stop().await;
}

// LOOP-04
#[tokio::test]
async fn an_identity_provider_that_is_named_twice_blocks_the_authentication() {
    let world = World::start().await;
    world.create_api_server().await;
    world.create::<Authentication>(json!({ "identityProviders": ["corp", "corp"] })).await;
    let blocked = world.condition::<Authentication>("AuthenticationReconciliation", "False", "InvalidSpec").await;
    assert_eq!(told_by(&blocked, "AuthenticationHealthy"), pair("False", "InvalidSpec"));
    assert_eq!(told_by(&blocked, "Stalled"), pair("True", "InvalidSpec"));
    world.cluster.patch::<Authentication>(NAME, json!({ "spec": { "identityProviders": ["corp", "other"] } })).await;
    let ready = world.ready::<Authentication>().await;
    assert_eq!(ready["status"]["login"], "https://demo.anywhere/login");
    // An error before the health is set.
    world.cluster.patch::<Authentication>(NAME, json!({ "spec": { "identityProviders": [""] } })).await;
    let failed = world.condition::<Authentication>("AuthenticationReconciliation", "False", "ProviderUnreachable").await;
    assert_eq!(told_by(&failed, "AuthenticationHealthy"), pair("False", "ReconciliationError"));
    world.stop().await;
}

// LOOP-05
#[tokio::test]
async fn access_is_awaited_by_a_timer_blocked_when_denied_and_renewed_before_it_ends() {
    let world = World::start().await;
    world.create::<ApiServer>(json!({ "region": "europe" })).await;
    let waits = world.condition::<ApiServer>("ApiServerReconciliation", "True", "AccessPending").await;
    assert_eq!(told_by(&waits, "ApiServerHealthy"), pair("False", "AccessPending"));
    world.idle(Duration::from_millis(500)).await;
    if world.cluster.is_embedded() {
        let passes = world.passes::<ApiServer>();
        world.idle(Duration::from_secs(25)).await;
        assert_eq!(world.passes::<ApiServer>(), passes);
        world.idle(Duration::from_secs(6)).await;
        assert_eq!(world.passes::<ApiServer>(), passes + 1);
    }
    world.set("access", json!({ "phase": "Denied" })).await;
    let denied = world.condition::<ApiServer>("ApiServerReconciliation", "False", "AccessDenied").await;
    assert_eq!(told_by(&denied, "ApiServerHealthy"), pair("False", "AccessDenied"));
    // A blocked component does not poll.
    let now = world.cluster.clock().now().to_string();
    world.set("access", json!({ "phase": "Granted", "issued": now, "validSeconds": "1000" })).await;
    world
        .cluster
        .patch::<ApiServer>(NAME, json!({"metadata": {"annotations": { format!("{DOMAIN}/operation"): "reconcile" }}}))
        .await;
    let ready = world.ready::<ApiServer>().await;
    assert_eq!(ready["status"]["endpoint"], "https://demo.europe");
    if world.cluster.is_embedded() {
        let phase = async || world.cluster.get::<ConfigMap>("demo-access").await.unwrap()["data"]["phase"].clone();
        world.idle(Duration::from_secs(845)).await;
        assert_eq!(phase().await, "Granted");
        world.idle(Duration::from_secs(10)).await;
        assert_eq!(phase().await, "Pending");
        let renewing = world.condition::<ApiServer>("ApiServerReconciliation", "True", "AccessPending").await;
        assert_eq!(told_by(&renewing, "ApiServerHealthy").unwrap().0, "True");
    }
    world.stop().await;
}

// LOOP-05
#[tokio::test]
async fn an_api_server_is_deleted_when_all_its_deletion_conditions_are_true() {
    let world = World::start().await;
    world.create_api_server().await;
    let held = json!({ "metadata": { "finalizers": ["example.com/hold"] } });
    world.cluster.patch::<ConfigMap>("demo-access", held.clone()).await;
    world.cluster.patch::<ConfigMap>("demo-cluster", held).await;
    world.cluster.delete::<ApiServer>(NAME).await;
    let deleting = world.condition::<ApiServer>("AccessDeleted", "False", "NotDeletedYet").await;
    assert_eq!(told_by(&deleting, "ClusterDeleted"), pair("Unknown", "Waiting"));
    let config_map = kube::core::GroupVersionKind::gvk("", "v1", "ConfigMap");
    world.cluster.finalize(&config_map, "demo-access").await;
    let deleting = world.condition::<ApiServer>("ClusterDeleted", "False", "NotDeletedYet").await;
    assert_eq!(told_by(&deleting, "AccessDeleted"), pair("True", "Deleted"));
    assert!(deleting.has_finalizer("platform.example.dev/apiserver"));
    world.cluster.finalize(&config_map, "demo-cluster").await;
    world.gone::<ApiServer>().await;
    world.stop().await;
}

// 17.1, KID-16
#[tokio::test]
async fn a_role_binding_that_is_being_deleted_is_not_deleted_again() {
    let world = World::start().await;
    world.create_api_server().await;
    world.create::<Authorization>(json!({ "admins": ["ada"] })).await;
    world.ready::<Authorization>().await;
    world.cluster.patch::<RoleBinding>("demo-admins", json!({ "metadata": { "finalizers": ["example.com/hold"] } })).await;
    let mark = world.cluster.journal().mark();
    world.cluster.delete::<Authorization>(NAME).await;
    world.condition::<Authorization>("AuthorizationReconciliation", "True", "ComponentIsInDeletion").await;
    world
        .cluster
        .patch::<Authorization>(NAME, json!({"metadata": {"annotations": { format!("{DOMAIN}/operation"): "reconcile" }}}))
        .await;
    let consumed = world.cluster.expect::<Authorization>(NAME);
    consumed.matching("the operation is consumed", |object| object.annotation("platform.example.dev/operation").is_none()).await;
    world.idle(Duration::from_secs(2)).await;
    world
        .cluster
        .finalize(&kube::core::GroupVersionKind::gvk("rbac.authorization.k8s.io", "v1", "RoleBinding"), "demo-admins")
        .await;
    world.gone::<Authorization>().await;
    let writes = world.cluster.journal().since(mark).of("rbac.authorization.k8s.io", "rolebindings").writes();
    assert_eq!(writes.len(), 1, "{writes:?}");
    world.stop().await;
}

// 17.1
#[tokio::test]
async fn a_cloud_orchestrator_continues_as_soon_as_its_remote_object_changes() {
    let world = World::start().await;
    world.create_api_server().await;
    world.create::<CloudOrchestrator>(json!({})).await;
    world.condition::<CloudOrchestrator>("CloudOrchestratorHealthy", "False", "WaitingForCloudOrchestrator").await;
    let before = world.cluster.clock().moment();
    world.set("remote", json!({ "phase": "Ready" })).await;
    world.ready::<CloudOrchestrator>().await;
    world.cluster.patch::<ConfigMap>("demo-remote", json!({ "metadata": { "finalizers": ["example.com/hold"] } })).await;
    world.cluster.delete::<CloudOrchestrator>(NAME).await;
    world.condition::<CloudOrchestrator>("CloudOrchestratorReconciliation", "True", "ComponentIsInDeletion").await;
    world.cluster.finalize(&kube::core::GroupVersionKind::gvk("", "v1", "ConfigMap"), "demo-remote").await;
    world.gone::<CloudOrchestrator>().await;
    if world.cluster.is_embedded() {
        let taken = world.cluster.clock().moment().since(before);
        assert!(taken < Duration::from_secs(5), "no timer is needed: {taken:?}");
    }
    world.stop().await;
}
