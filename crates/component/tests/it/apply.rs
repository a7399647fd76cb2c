use kubewright::prelude::*;
use kubewright_apiserver::workloads::Workloads;

use crate::types::{annotated, bundle, config_map, deployment};
use crate::world::{OPERATOR, World, condition, item, reason_of};

async fn with_workloads() -> World {
    World::start_with(|server| server.workloads(Workloads::Status), |builder| builder).await
}

// A1, MARK-1
#[tokio::test(start_paused = true)]
async fn a_dependent_carries_owner_and_digest() {
    let world = World::start().await;
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    let component = world.until_ready("demo").await;
    assert_eq!(item(&component, "ConfigMap", "one"), Some(("Ready", "Current")));
    let live = world.get(&config_map("one", "")).await.unwrap();
    let owner = live["metadata"]["annotations"][format!("{OPERATOR}/owner-id")].as_str().unwrap();
    assert!(owner.ends_with("/default/demo"), "{owner}");
    assert_eq!(live["metadata"]["labels"][format!("{OPERATOR}/owner-id")].as_str().unwrap().len(), 52);
    let digest = &live["metadata"]["annotations"][format!("{OPERATOR}/digest")];
    assert_eq!(component["status"]["inventory"][0]["digest"], *digest);
}

// A2, READY-2
#[tokio::test(start_paused = true)]
async fn a_component_is_ready_when_its_workload_is() {
    let world = World::start().await;
    world.set(&bundle("demo", &[deployment("web")])).await;
    let component = world.until_state("demo", "Processing", "Processing").await;
    assert_eq!(item(&component, "Deployment", "web"), Some(("Creating", "InProgress")));
    let live = world.get(&deployment("web")).await.unwrap();
    let status = json!({
        "observedGeneration": live["metadata"]["generation"], "replicas": 1, "updatedReplicas": 1, "readyReplicas": 1, "availableReplicas": 1,
        "conditions": [
            { "type": "Available", "status": "True", "reason": "MinimumReplicasAvailable" },
            { "type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable" },
        ],
    });
    world.patch_status(&deployment("web"), status).await;
    let component = world.until_ready("demo").await;
    assert_eq!(item(&component, "Deployment", "web"), Some(("Ready", "Current")));
}

// A2, ORD-1
#[tokio::test(start_paused = true)]
async fn waves_wait_for_each_other() {
    let world = with_workloads().await;
    let later = annotated(config_map("later", "a"), "apply-order", "1");
    world.set(&bundle("demo", &[later, deployment("web")])).await;
    world.until_ready("demo").await;
    let journal = world.journal().all().by_user("operator").writes();
    let creates = |resource: &'static str| {
        move |record: &kubewright_apiserver::middleware::journal::Record| {
            record.target.resource().is_some_and(|target| target.resource == resource && target.name.is_empty())
        }
    };
    journal.in_order(creates("deployments"), creates("configmaps")).unwrap();
}

// WAVE-3, DRIFT-1
#[tokio::test(start_paused = true)]
async fn a_deleted_dependent_comes_back_with_one_write() {
    let world = World::start().await;
    world.set(&bundle("demo", &[config_map("one", "a"), config_map("two", "a")])).await;
    world.until_ready("demo").await;
    let mark = world.journal().mark();
    world.delete(&config_map("one", "")).await;
    world.until_present(&config_map("one", "")).await;
    world.until_ready("demo").await;
    let writes = world.journal().since(mark).by_user("operator").writes().of("", "configmaps");
    writes.exactly(1).unwrap();
}

// A5
#[tokio::test(start_paused = true)]
async fn a_changed_manifest_is_written_and_an_unchanged_one_is_not() {
    let world = World::start().await;
    world.set(&bundle("demo", &[config_map("one", "a"), config_map("two", "a")])).await;
    world.until_ready("demo").await;
    let untouched = world.get(&config_map("one", "")).await.unwrap();
    world.set(&bundle("demo", &[config_map("one", "a"), config_map("two", "b")])).await;
    world.until_ready("demo").await;
    let two = world.get(&config_map("two", "")).await.unwrap();
    assert_eq!(two["data"]["value"], "b");
    assert_eq!(world.get(&config_map("one", "")).await.unwrap(), untouched);
}

// A6
#[tokio::test(start_paused = true)]
async fn policy_recreate_gives_another_object() {
    let world = World::start().await;
    let one = |value| annotated(config_map("one", value), "update-policy", "recreate");
    world.set(&bundle("demo", &[one("a")])).await;
    world.until_ready("demo").await;
    let before = world.get(&one("")).await.unwrap();
    world.set(&bundle("demo", &[one("b")])).await;
    world.until_ready("demo").await;
    let after = world.get(&one("")).await.unwrap();
    assert_eq!(after["data"]["value"], "b");
    assert_ne!(after["metadata"]["uid"], before["metadata"]["uid"]);
}

// A8, WAVE-6
#[tokio::test(start_paused = true)]
async fn policy_once_writes_once() {
    let world = World::start().await;
    let one = |value| annotated(config_map("one", value), "reconcile-policy", "once");
    world.set(&bundle("demo", &[one("a")])).await;
    world.until_ready("demo").await;
    world.set(&bundle("demo", &[one("b")])).await;
    world.until("demo", "at revision 2", |component| component["status"]["revision"] == 2).await;
    assert_eq!(world.get(&one("")).await.unwrap()["data"]["value"], "a");
}

// A9
#[tokio::test(start_paused = true)]
async fn redundant_objects_go_or_are_orphaned_as_their_policy_says() {
    let world = World::start().await;
    let orphan = annotated(config_map("orphan", "a"), "delete-policy", "orphan");
    let on_apply = annotated(config_map("on-apply", "a"), "delete-policy", "orphan-on-apply");
    let on_delete = annotated(config_map("on-delete", "a"), "delete-policy", "orphan-on-delete");
    let kept = config_map("kept", "a");
    world.set(&bundle("demo", &[orphan.clone(), on_apply.clone(), on_delete.clone(), kept.clone()])).await;
    world.until_ready("demo").await;
    world.set(&bundle("demo", &[kept])).await;
    let component = world.until_ready("demo").await;
    assert_eq!(component["status"]["inventory"].as_array().unwrap().len(), 1);
    assert!(world.get(&on_delete).await.is_none());
    for object in [&orphan, &on_apply] {
        let live = world.get(object).await.unwrap();
        assert!(live["metadata"]["labels"].get(format!("{OPERATOR}/owner-id")).is_none(), "{live:#}");
    }
}

// A11, OWN-2
#[tokio::test(start_paused = true)]
async fn an_object_without_owner_is_adopted_and_one_of_another_owner_is_not() {
    let world = World::start().await;
    world.create(&config_map("free", "x")).await;
    world.set(&bundle("other", &[config_map("taken", "x")])).await;
    world.until_ready("other").await;
    world.set(&bundle("demo", &[config_map("free", "a"), config_map("taken", "a")])).await;
    let component = world.until("demo", "blocked", |component| condition(component, "Stalled").is_some()).await;
    assert_eq!(component["status"]["state"], "Error");
    assert_eq!(condition(&component, "Stalled").unwrap()["reason"], "OwnerConflict");
    let message = condition(&component, "Ready").unwrap()["message"].as_str().unwrap();
    assert!(message.contains("taken") && message.contains("/default/other"), "{message}");
    assert_eq!(world.get(&config_map("free", "")).await.unwrap()["data"]["value"], "a");
    assert_eq!(world.get(&config_map("taken", "")).await.unwrap()["data"]["value"], "x");
    // The owner lets go: the waiting component takes over without a timer (OWN-3).
    world.set(&bundle("other", &[])).await;
    world.until_ready("demo").await;
    assert_eq!(world.get(&config_map("taken", "")).await.unwrap()["data"]["value"], "a");
}

// A12, A13
#[tokio::test(start_paused = true)]
async fn adoption_never_refuses_and_always_takes() {
    let world = World::start().await;
    world.create(&config_map("one", "x")).await;
    world.create(&config_map("two", "x")).await;
    let never = annotated(config_map("one", "a"), "adoption-policy", "never");
    let always = annotated(config_map("two", "a"), "adoption-policy", "always");
    world.set(&bundle("demo", &[never])).await;
    world.until("demo", "blocked", |component| condition(component, "Stalled").is_some()).await;
    assert_eq!(world.get(&config_map("one", "")).await.unwrap()["data"]["value"], "x");
    world.set(&bundle("all", &[always])).await;
    world.until_ready("all").await;
    assert_eq!(world.get(&config_map("two", "")).await.unwrap()["data"]["value"], "a");
}

// MARK-2, OUT-4
#[tokio::test(start_paused = true)]
async fn bad_manifests_are_named_and_nothing_is_lost() {
    let world = World::start().await;
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    world.until_ready("demo").await;
    let bad = annotated(config_map("two", "a"), "apply-order", "first");
    world.set(&bundle("demo", &[config_map("one", "b"), bad])).await;
    let component = world.until("demo", "stalled", |component| condition(component, "Stalled").is_some()).await;
    assert_eq!(condition(&component, "Stalled").unwrap()["reason"], "InvalidManifest");
    let message = condition(&component, "Ready").unwrap()["message"].as_str().unwrap();
    assert!(message.contains("ConfigMap") && message.contains("apply-order") && message.contains("first"), "{message}");
    assert_eq!(world.get(&config_map("one", "")).await.unwrap()["data"]["value"], "a");
    world.set(&bundle("demo", &[config_map("one", "b")])).await;
    world.until_ready("demo").await;
}

// PREP-7
#[tokio::test(start_paused = true)]
async fn an_unknown_kind_is_named() {
    let world = World::start().await;
    let unknown = json!({ "apiVersion": "nowhere.example.com/v1", "kind": "Nothing", "metadata": { "name": "x" } });
    world.set(&bundle("demo", &[unknown])).await;
    let component = world.until("demo", "stalled", |component| condition(component, "Stalled").is_some()).await;
    assert!(condition(&component, "Ready").unwrap()["message"].as_str().unwrap().contains("Nothing"));
}

// NS-1
#[tokio::test(start_paused = true)]
async fn missing_namespaces_are_created_unless_the_policy_says_no() {
    let world = World::start().await;
    let mut far = config_map("one", "a");
    far["metadata"]["namespace"] = "far".into();
    world.set(&bundle("demo", &[far.clone()])).await;
    let component = world.until_ready("demo").await;
    assert_eq!(component["status"]["createdNamespaces"], json!(["far"]));
    assert_eq!(world.events("NamespaceCreated").await.len(), 1);

    far["metadata"]["namespace"] = "farther".into();
    let mut strict = bundle("strict", &[far]);
    strict["spec"]["missingNamespacesPolicy"] = "DoNotCreate".into();
    world.set(&strict).await;
    world.until_state("strict", "Pending", "Retrying").await;
}

// READY-4
#[tokio::test(start_paused = true)]
async fn a_failed_dependent_is_an_error_and_the_component_recovers() {
    let world = World::start().await;
    world.set(&bundle("demo", &[deployment("web")])).await;
    world.until_state("demo", "Processing", "Processing").await;
    let generation = world.get(&deployment("web")).await.unwrap()["metadata"]["generation"].clone();
    let failed = json!({
        "observedGeneration": generation,
        "conditions": [{ "type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "no image" }],
    });
    world.patch_status(&deployment("web"), failed).await;
    let component = world.until("demo", "failed", |component| reason_of(component) == "DependentFailed").await;
    assert_eq!(component["status"]["state"], "Error");
    let done = json!({
        "observedGeneration": generation, "replicas": 1, "updatedReplicas": 1, "readyReplicas": 1, "availableReplicas": 1,
        "conditions": [
            { "type": "Available", "status": "True", "reason": "MinimumReplicasAvailable" },
            { "type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable" },
        ],
    });
    world.patch_status(&deployment("web"), done).await;
    let component = world.until_ready("demo").await;
    assert!(condition(&component, "Stalled").is_none());
}
