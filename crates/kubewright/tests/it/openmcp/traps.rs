//! Traps of the original, each from both sides: the recorded behaviour, and that of Kubewright on the same objects.

use std::collections::BTreeMap;
use std::time::Duration;

use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;

use super::hand::Act;
use super::kinds::OWNER;
use super::outside::{Parts, condition};
use super::play::{KINDS, Stage};
use super::recording::{RecordedScene, folder};

const LANDSCAPER_ALONE: Parts = Parts { owner: false, components: &["Landscaper"] };
const AUTHENTICATION_ALONE: Parts = Parts { owner: false, components: &["Authentication"] };

fn status_of(object: &Value, type_: &str) -> String {
    condition(object, type_)["status"].as_str().unwrap_or_default().to_owned()
}

// CL-3
#[tokio::test]
async fn a_teardown_continues_while_a_dependency_is_not_ready() {
    let Some(folder) = folder() else { return };
    let scene = RecordedScene::read(&folder, "teardown-dependency-not-ready");
    // The original stays in its state, however often a pass is requested.
    for number in [3, 4] {
        let stuck = scene.step(number);
        for kind in ["Authentication", "Authorization", "Landscaper", "CloudOrchestrator"] {
            let object = &stuck.objects[kind];
            assert!(object.deletion_timestamp().is_some(), "{kind}");
            assert_eq!(condition(object, &format!("{kind}Healthy"))["reason"], "WaitingForDependencies");
        }
    }
    // Kubewright asks the external systems to delete their objects, starting from the objects before the deletion and from the stuck ones.
    for (from, rest) in [(2, 3..=6), (4, 5..=6)] {
        let mut stage = Stage::set(&folder, &scene.until(from), "stuck").await;
        let mark = stage.cluster.journal().mark();
        stage.start(Parts::ALL).await;
        if from == 2 {
            stage.act(&Act::Delete(OWNER)).await;
        }
        stage
            .until("the systems are asked to go while the API server is not ready", |all| {
                let asked =
                    |kind: &str| condition(&all[kind], &format!("{kind}Reconciliation"))["reason"] == "ComponentIsInDeletion";
                asked("Landscaper") && asked("CloudOrchestrator") && status_of(&all["APIServer"], "APIServerHealthy") == "False"
            })
            .await;
        stage.outside.release();
        stage.signal().await;
        stage.until("all of them are gone", BTreeMap::is_empty).await;
        let ours: usize = stage.requests(mark).values().sum();
        let theirs: usize = rest.map(|number| scene.step(number).requests.values().sum::<usize>()).sum();
        println!("{} to the end: {ours} requests of ours in one go, {theirs} recorded", scene.step(from).id);
        assert!(ours <= theirs, "{ours} requests, recorded {theirs}");
        stage.stop().await;
    }
}

// CL-6
#[tokio::test]
async fn a_target_that_is_absent_does_not_hold_up_a_component() {
    let Some(folder) = folder() else { return };
    let scene = RecordedScene::read(&folder, "outlived-by-absent");
    // The original fails on the absent target.
    let theirs = scene.step(1);
    let failed = condition(&theirs.objects["Landscaper"], "LandscaperReconciliation");
    assert_eq!((failed["status"].as_str(), failed["reason"].as_str()), (Some("False"), Some("CrateClusterInteractionProblem")));
    // The test starts from the failed objects; the only change is that Kubewright runs.
    let mut stage = Stage::set(&folder, &scene.until(1), "noauthz").await;
    stage.outside_becomes(&scene.until(2)).await;
    stage.start(LANDSCAPER_ALONE).await;
    stage
        .until("the landscaper asks for its system", |all| {
            let told = condition(&all["Landscaper"], "LandscaperReconciliation");
            (told["status"].as_str(), told["reason"].as_str()) == (Some("True"), Some("WaitingForLaaS"))
        })
        .await;
    let all = stage.all().await;
    assert!(!all.contains_key("Authorization"));
    for target in ["APIServer", "Authentication"] {
        assert!(all[target].has_finalizer("dependency.openmcp.cloud/landscaper"), "{target}");
    }
    stage.stop().await;
}

// RDY-2
#[tokio::test]
async fn a_dependency_without_conditions_is_not_ready() {
    let Some(folder) = folder() else { return };
    let scene = RecordedScene::read(&folder, "failing-condition");
    let theirs = scene.step(11);
    assert!(theirs.objects["APIServer"]["status"]["conditions"].as_array().is_none_or(Vec::is_empty));
    assert_eq!(status_of(&theirs.objects["Landscaper"], "LandscaperHealthy"), "True");
    let mut stage = Stage::set(&folder, &scene.until(10), "mcp").await;
    stage.start(LANDSCAPER_ALONE).await;
    let reconcile = json!({ "metadata": { "annotations": { "openmcp.cloud/operation": "reconcile" } } });
    stage.act(&Act::Patch("Landscaper", reconcile)).await;
    stage
        .until("the landscaper waits", |all| {
            condition(&all["Landscaper"], "LandscaperHealthy")["reason"] == "WaitingForDependencies"
        })
        .await;
    stage.stop().await;
}

// TEAR-3
#[tokio::test]
async fn a_dependency_finalizer_of_a_component_that_is_gone_is_removed() {
    let Some(folder) = folder() else { return };
    let scene = RecordedScene::read(&folder, "teardown");
    let theirs = &scene.step(6).objects["Authentication"];
    assert!(theirs.has_finalizer("dependency.openmcp.cloud/foreign"));
    assert!(!scene.step(6).objects.contains_key("Landscaper"));
    // The same object is held by a component of the contract that is gone.
    let mut steps: Vec<_> = scene.until(6).into_iter().cloned().collect();
    let last = steps.last_mut().unwrap();
    let finalizers = json!(["authentication.openmcp.cloud", "dependency.openmcp.cloud/landscaper"]);
    last.objects.get_mut("Authentication").unwrap()["metadata"]["finalizers"] = finalizers;
    let mut stage = Stage::set(&folder, &steps.iter().collect::<Vec<_>>(), "mcp").await;
    stage.start(AUTHENTICATION_ALONE).await;
    stage
        .until("the authentication waits", |all| {
            condition(&all["Authentication"], "AuthenticationReconciliation")["reason"] == "DeletionWaitingForDependingComponents"
        })
        .await;
    if stage.cluster.is_embedded() {
        stage.cluster.pass(Duration::from_secs(300)).await;
        stage.until("the authentication is gone", |all| !all.contains_key("Authentication")).await;
    }
    stage.stop().await;
}

// TEAR-1, WAKE-1
#[tokio::test]
async fn the_last_dependency_finalizer_that_comes_off_starts_the_deletion() {
    let Some(folder) = folder() else { return };
    let scene = RecordedScene::read(&folder, "teardown");
    // The original does not notice, and sends nothing.
    let theirs = scene.step(7);
    assert!(theirs.objects["Authentication"].has_finalizer("authentication.openmcp.cloud"));
    assert_eq!(theirs.requests.values().sum::<usize>(), 0);
    let mut stage = Stage::set(&folder, &scene.until(6), "mcp").await;
    stage.start(Parts::ALL).await;
    stage
        .until("the authentication waits", |all| {
            condition(&all["Authentication"], "AuthenticationReconciliation")["reason"] == "DeletionWaitingForDependingComponents"
        })
        .await;
    let before = stage.cluster.clock().moment();
    let free = json!({ "metadata": { "finalizers": ["authentication.openmcp.cloud"] } });
    stage.act(&Act::Patch("Authentication", free)).await;
    stage.until("the authentication is gone", |all| !all.contains_key("Authentication")).await;
    if stage.cluster.is_embedded() {
        let taken = stage.cluster.clock().moment().since(before);
        assert!(taken < Duration::from_secs(2), "no timer is needed: {taken:?}");
    }
    stage.stop().await;
}

// WAKE-2
#[tokio::test]
async fn a_component_notices_at_once_that_its_dependency_is_ready_again() {
    let Some(folder) = folder() else { return };
    let scene = RecordedScene::read(&folder, "spec-changed");
    // The cloud orchestrator of the original still waits long after its API server is up to date.
    let (theirs, steps) = (scene.step(2), scene.until(2));
    let told = &theirs.objects["APIServer"]["status"]["observedGenerations"]["managedControlPlane"];
    assert_eq!(*told, theirs.objects[OWNER]["metadata"]["generation"]);
    let waiting = condition(&theirs.objects["CloudOrchestrator"], "CloudOrchestratorHealthy");
    assert_eq!(waiting["reason"], "WaitingForDependencies");
    let mut stage = Stage::set(&folder, &steps[..steps.len() - 2], "mcp").await;
    stage.start(Parts::ALL).await;
    let before = stage.cluster.clock().moment();
    let change = json!({ "spec": { "components": { "crossplane": { "version": "1.18.0" } } } });
    stage.act(&Act::Patch(OWNER, change)).await;
    stage
        .until("all are at the new generation, and the owner is ready", |all| {
            let seen = |kind: &str| all[kind]["status"]["observedGenerations"]["managedControlPlane"] == 2;
            KINDS.iter().filter(|kind| ![OWNER, "InternalConfiguration"].contains(kind)).all(|kind| seen(kind))
                && status_of(&all["CloudOrchestrator"], "CloudOrchestratorHealthy") == "True"
                && all[OWNER]["status"]["status"] == "Ready"
        })
        .await;
    if stage.cluster.is_embedded() {
        let taken = stage.cluster.clock().moment().since(before);
        assert!(taken < Duration::from_secs(5), "no timer is needed: {taken:?}");
    }
    stage.stop().await;
}

// OL-5
#[tokio::test]
async fn a_component_is_deleted_once() {
    let Some(folder) = folder() else { return };
    let scene = RecordedScene::read(&folder, "teardown");
    // The original sends the deletion in every pass.
    assert_eq!(scene.step(2).deletes, 15);
    let mut stage = Stage::set(&folder, &scene.until(1), "mcp").await;
    stage.start(Parts::ALL).await;
    stage.cluster.pass(Duration::from_secs(2)).await;
    let mark = stage.cluster.journal().mark();
    stage.act(&Act::Delete(OWNER)).await;
    stage.outside_becomes(&scene.until(2)).await;
    stage
        .until("the landscaper waits", |all| {
            condition(&all["Landscaper"], "LandscaperReconciliation")["reason"] == "WaitingForLaaS"
        })
        .await;
    stage.signal().await;
    stage.cluster.pass(Duration::from_secs(2)).await;
    let deletes = stage
        .cluster
        .journal()
        .since(mark)
        .filter(|record| record.target.resource().is_some_and(|target| target.verb.to_string() == "delete"));
    assert_eq!(deletes.iter().count(), 5, "{deletes:?}");
    stage.stop().await;
}

// OPA-4
#[tokio::test]
async fn an_ignore_that_was_set_by_hand_stays() {
    let Some(folder) = folder() else { return };
    let scene = RecordedScene::read(&folder, "ignore-annotation");
    let operation = "openmcp.cloud/operation";
    // The original drops the annotation with the next pass of the owner, and resets the spec.
    assert_eq!(scene.step(2).objects["Landscaper"].annotation(operation), Some("ignore"));
    assert_eq!(scene.step(3).objects["Landscaper"].annotation(operation), None);
    let mut stage = Stage::set(&folder, &scene.until(2), "mcp").await;
    let ignored = stage.get("Landscaper").await.unwrap();
    stage.start(Parts::ALL).await;
    let reconcile = json!({ "metadata": { "annotations": { operation: "reconcile" } } });
    stage.act(&Act::Patch(OWNER, reconcile)).await;
    stage
        .until("the operation is consumed everywhere", |all| {
            let asked = |object: &Value| object.annotation(operation) == Some("reconcile");
            !all.values().any(asked)
        })
        .await;
    stage.cluster.pass(Duration::from_secs(2)).await;
    assert_eq!(stage.get("Landscaper").await.unwrap(), ignored);
    stage.stop().await;
}
