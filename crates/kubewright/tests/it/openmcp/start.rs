//! The start of the operator, and the refusals by the API server of the original: its admission policy and the rules of its definitions.

use std::collections::BTreeMap;
use std::time::Duration;

use kube::api::{Api, Patch, PatchParams};
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;

use super::hand::{Act, acts};
use super::kinds::{GROUP, Landscaper, OWNER};
use super::outside::Parts;
use super::play::Stage;
use super::recording::{RecordedScene, folder, policies, refusals};
use super::scenes::OWNER_ALONE;

const ARCHITECTURE: &str = "architecture.openmcp.cloud/version";

// INJ-5, WAKE-4
#[tokio::test]
async fn an_operator_that_starts_reads_the_recorded_kinds_once_and_writes_nothing() {
    let Some(folder) = folder() else { return };
    // The original sends one watch per kind, which begins with a list.
    let theirs = RecordedScene::read(&folder, "startup").step(2).clone();
    assert_eq!(theirs.requests, BTreeMap::new());
    let mut stage = Stage::set(&folder, &[], "mcp").await;
    let mark = stage.cluster.journal().mark();
    stage.start(OWNER_ALONE).await;
    stage.cluster.pass(Duration::from_secs(2)).await;
    let (mut counts, mut by_kind) = (BTreeMap::<String, usize>::new(), BTreeMap::<String, BTreeMap<String, usize>>::new());
    for record in stage.cluster.journal().since(mark).iter() {
        let Some(target) = record.target.resource() else {
            *counts.entry("discovery".to_owned()).or_default() += 1;
            continue;
        };
        let verb = target.verb.to_string();
        if target.group == GROUP {
            *by_kind.entry(verb.clone()).or_default().entry(target.resource.clone()).or_default() += 1;
        }
        *counts.entry(format!("{verb} {}", target.group)).or_default() += 1;
    }
    println!("startup: {counts:?} of ours, watches {:?} recorded", theirs.watched);
    // A real server ends watches of a kind whose definition it has just completed, and they are opened again.
    if let Some(watches) = by_kind.get_mut("watch").filter(|_| !stage.cluster.is_embedded()) {
        for count in watches.values_mut() {
            *count = 1;
        }
    }
    // Kubewright lists before it watches. Access reviews and discovery are not compared.
    let wanted: BTreeMap<String, BTreeMap<String, usize>> =
        ["list", "watch"].map(|verb| (verb.to_owned(), theirs.watched.clone())).into();
    assert_eq!(by_kind, wanted);
    stage.stop().await;
}

/// Prepares a stage with the admission policy of the original, and waits until the API server enforces it.
async fn guarded(folder: &std::path::Path) -> Stage {
    let stage = Stage::set(folder, &[], "mcp").await;
    // Policies are cluster-scoped: tests that run in parallel install the same ones.
    for policy in policies(folder) {
        stage.cluster.apply(policy).await;
    }
    let probe =
        json!({ "apiVersion": format!("{GROUP}/v1alpha1"), "kind": "Landscaper", "metadata": { "name": "probe" }, "spec": {} });
    // The embedded server evaluates no policies; a real one begins some time after their creation.
    while !stage.cluster.is_embedded() && stage.cluster.create(&probe).await.is_ok() {
        stage.cluster.delete::<Landscaper>("probe").await;
        stage.cluster.pass(Duration::from_millis(250)).await;
    }
    stage
}

// 13.13
#[tokio::test]
async fn the_admission_policy_of_the_original_lets_ours_write() {
    let Some(folder) = folder() else { return };
    let scene = RecordedScene::read(&folder, "created");
    let mut stage = guarded(&folder).await;
    stage.start(Parts::ALL).await;
    for act in acts(None, &stage.here(scene.step(1))) {
        stage.act(&act).await;
    }
    stage.until("all components are there", |all| all.len() == 6).await;
    let all = stage.all().await;
    for (kind, object) in all.iter().filter(|(kind, _)| *kind != OWNER) {
        let recorded = scene.step(1).objects[kind].label(ARCHITECTURE);
        assert_eq!((object.label(ARCHITECTURE), recorded.is_some()), (recorded, true), "{kind}");
    }
    stage.stop().await;
}

// 13.13, CT-1
#[tokio::test]
async fn requests_that_the_api_server_of_the_original_refuses_are_never_sent() {
    let Some(folder) = folder() else { return };
    let refusals = refusals(&folder);
    let [name_too_long, changed_architecture] = refusals.as_slice() else { panic!("{refusals:?}") };
    let mut stage = guarded(&folder).await;
    let mark = stage.cluster.journal().mark();
    stage.start(Parts::ALL).await;
    let created = stage.here(RecordedScene::read(&folder, "created").step(1));
    for act in acts(None, &created) {
        stage.act(&act).await;
    }
    stage.until("all components are there", |all| all.len() == 6).await;
    let before = stage.all().await;
    // A section that the definition restores, and another architecture for components that have one.
    stage.act(&Act::Patch(OWNER, json!({ "spec": { "components": { "apiServer": null } } }))).await;
    let labels = ["APIServer", "Landscaper"].map(|kind| (format!("{}.{ARCHITECTURE}", kind.to_lowercase()), "v2"));
    let labels: BTreeMap<String, &str> = labels.into_iter().collect();
    stage.act(&Act::Patch(OWNER, json!({ "metadata": { "labels": labels } }))).await;
    stage.cluster.pass(Duration::from_secs(2)).await;
    let after = stage.all().await;
    for (kind, object) in &before {
        let same = |object: &Value| (object.uid().to_owned(), object.label(ARCHITECTURE).map(ToOwned::to_owned));
        assert_eq!(same(&after[kind]), same(object), "{kind}");
        assert_eq!(after[kind].deletion_timestamp(), None, "{kind}");
    }
    // Owners whose name does not fit a label.
    let mut long = created.objects[OWNER].clone();
    long["metadata"] = json!({ "name": "a".repeat(37) });
    long.as_object_mut().unwrap().remove("status");
    let refused = stage.cluster.create(long).await.unwrap_err().to_string();
    assert!(refused.contains(name_too_long), "{refused}");
    let sent = stage.cluster.journal().since(mark);
    let refused: Vec<String> = sent.iter().filter(|record| record.status() == Some(422)).map(ToString::to_string).collect();
    assert_eq!(refused, [""; 0]);
    if !stage.cluster.is_embedded() {
        let api = Api::<Landscaper>::namespaced(stage.cluster.client().clone(), stage.cluster.namespace());
        let patch = Patch::Merge(json!({ "metadata": { "labels": { ARCHITECTURE: "v2" } } }));
        let kube::Error::Api(status) = api.patch("mcp", &PatchParams::default(), &patch).await.unwrap_err() else { panic!() };
        let of_policy = |text: &str| text.find("ValidatingAdmissionPolicy").map(|at| text[at..].to_owned());
        assert!(of_policy(changed_architecture).is_some(), "{changed_architecture}");
        assert_eq!(of_policy(&status.message), of_policy(changed_architecture), "{}", status.message);
    }
    stage.stop().await;
}
