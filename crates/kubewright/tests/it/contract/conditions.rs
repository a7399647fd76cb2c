//! Reports about the passes of a component in its status.

use kubewright::core::flow::{Blocked, Delay, Wait};
use kubewright::prelude::*;

use super::platform::{ApiServer, DOMAIN, Landscaper};
use super::world::{NAME, World, message_of, told_by};

/// Returns true if a condition has this status and reason.
fn says(object: &Value, type_: &str, status: &str, reason: &str) -> bool {
    told_by(object, type_) == Some((status.to_owned(), reason.to_owned()))
}

// STAT-01, STH-1, STH-3, 13.6
#[tokio::test]
async fn a_failure_is_appended_to_the_message_of_the_author_whose_conditions_are_kept() {
    let world = World::start().await;
    world.script.set("apply Landscaper", |words| {
        words.reconciliation("Installing", "installing the chart");
        words.condition("LandscaperDegraded", true);
        Err(Failure::backoff(std::io::Error::other("quota exceeded")).reason("Internal Error").into())
    });
    world.create::<Landscaper>().await;
    let failed = world.condition::<Landscaper>("LandscaperReconciliation", "False", "Internal_Error").await;
    assert_eq!(message_of(&failed, "LandscaperReconciliation"), "installing the chart\nquota exceeded");
    assert!(says(&failed, "LandscaperHealthy", "False", "ReconciliationError"), "{failed}");
    assert!(says(&failed, "LandscaperDegraded", "True", "Test"), "{failed}");
    assert!(says(&failed, "Ready", "False", "Internal_Error"), "{failed}");
    world.told::<Landscaper>("Warning Internal_Error quota exceeded").await;
    world.stop().await;
}

// STAT-02, LOOP-06, STH-4, STH-5, STH-9
#[tokio::test]
async fn a_successful_pass_sets_required_conditions_and_removes_untouched_ones() {
    let world = World::start().await;
    world.script.set("apply Landscaper", |words| {
        words.healthy();
        words.condition("LandscaperDegraded", true);
        words.condition("LandscaperExtra", true);
        words.condition("LandscaperInstalled", true);
        Ok(())
    });
    world.create::<Landscaper>().await;
    world.ready::<Landscaper>().await;
    world.script.set("apply Landscaper", |_| Wait::after(Delay::secs::<30>(), "Upgrading").into());
    world.patch::<Landscaper>(json!({"spec": {"size": 2}})).await;
    let waits = world.condition::<Landscaper>("LandscaperHealthy", "False", "Upgrading").await;
    assert!(says(&waits, "LandscaperExtra", "True", "Test"), "it stays after a wait");
    world.script.set("apply Landscaper", |words| {
        words.healthy();
        Ok(())
    });
    world.patch::<Landscaper>(json!({"spec": {"size": 3}})).await;
    let applied = world.condition::<Landscaper>("LandscaperInstalled", "Unknown", "MissingExpectedCondition").await;
    assert_eq!(told_by(&applied, "LandscaperExtra"), None);
    assert_eq!(told_by(&applied, "LandscaperDegraded"), None);
    assert!(says(&applied, "LandscaperReconciliation", "True", "Reconciled"), "{applied}");
    assert!(says(&applied, "Ready", "Unknown", "MissingExpectedCondition"), "{applied}");
    world.script.set("apply Landscaper", |words| {
        words.condition("LandscaperInstalled", true);
        Ok(())
    });
    world.patch::<Landscaper>(json!({"spec": {"size": 4}})).await;
    world.condition::<Landscaper>("LandscaperHealthy", "Unknown", "MissingExpectedCondition").await;
    world.stop().await;
}

// STAT-09, SW-7, SW-8, STH-6
#[tokio::test]
async fn seen_generations_advance_with_every_pass_and_applied_ones_with_success() {
    let world = World::start().await;
    world.create::<Landscaper>().await;
    world.ready::<Landscaper>().await;
    let mut size = 1;
    for (act, applied) in [("fail", 1), ("wait", 1), ("block", 1), ("succeed", 5), ("panic", 5)] {
        world.script.set("apply Landscaper", move |words| match act {
            "fail" => Err(std::io::Error::other("the backend is away").into()),
            "wait" => Wait::after(Delay::secs::<60>(), "Growing").into(),
            "block" => Blocked::new("Locked", "somebody holds the lock").into(),
            "panic" => panic!("out of landscapes"),
            _ => {
                words.healthy();
                words.condition("LandscaperInstalled", true);
                Ok(())
            }
        });
        size += 1;
        world.patch::<Landscaper>(json!({"spec": {"size": size}})).await;
        let seen = json!({"resource": size, "owner": 1, "internal": -1});
        let landscaper = world.cluster.expect::<Landscaper>(NAME);
        let landscaper =
            landscaper.matching("the seen generations", move |object| object["status"]["observedGenerations"] == seen).await;
        let expected = json!({"resource": applied, "owner": 1, "internal": -1});
        assert_eq!(landscaper["status"]["appliedGenerations"], expected, "{act}");
    }
    world.stop().await;
}

// LOOP-02, 13.5, PRV-1
#[tokio::test]
async fn broken_provenance_labels_are_a_failure_before_apply() {
    let world = World::start().await;
    let mut landscaper = world.component::<Landscaper>();
    landscaper["metadata"]["labels"] = json!({ format!("{DOMAIN}/owner-generation"): "many" });
    world.cluster.create(landscaper).await.unwrap();
    let failed = world.condition::<Landscaper>("LandscaperReconciliation", "False", "InvalidProvenanceLabels").await;
    assert_eq!(failed["status"]["observedGenerations"], json!({"resource": 1, "owner": -1, "internal": -1}));
    assert_eq!(world.script.count("apply Landscaper"), 0);
    world.patch::<Landscaper>(json!({"metadata": {"labels": { format!("{DOMAIN}/owner-generation"): "7" }}})).await;
    let applied = world.ready::<Landscaper>().await;
    assert_eq!(applied["status"]["appliedGenerations"], json!({"resource": 1, "owner": 7, "internal": -1}));
    world.stop().await;
}

// 13.3, STAT-03, SW-6
#[tokio::test]
async fn the_parts_of_a_status_are_one_object_and_a_steady_component_is_not_written() {
    let world = World::start().await;
    world.create::<ApiServer>().await;
    let ready = world.ready::<ApiServer>().await;
    assert_eq!(ready["status"]["endpoint"], "https://api-1");
    assert_eq!(ready["status"]["kubeconfig"], "secret");
    let writes = world.writes::<ApiServer>();
    assert_eq!(writes.len(), 2, "finalizer and status: {writes:?}");
    world.annotate::<ApiServer>("operation", "reconcile".into()).await;
    world.called("apply ApiServer", 2).await;
    world.idle(3).await;
    assert_eq!(world.writes::<ApiServer>().len(), 3, "only the annotation");
    world.stop().await;
}
