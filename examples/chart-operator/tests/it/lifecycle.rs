//! A website from its installation to its deletion.

use chart_operator::{Website, operator};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kubewright_testing::TestCluster;
use serde_json::json;

use crate::scene::{Scene, website};

const ALL: [&str; 7] = [
    "ConfigMap/demo-pages",
    "Deployment/demo",
    "Deployment/demo-cache",
    "Job/demo-migration",
    "Secret/demo-session",
    "Service/demo",
    "Service/demo-cache",
];

// HELM-14
#[tokio::test]
async fn an_install_runs_the_migration_before_all_other_objects() {
    let scene = Scene::start().await;
    let mark = scene.cluster.journal().mark();
    scene.cluster.apply(website("demo", &json!({ "title": "First" }))).await;
    let ready = scene.cluster.expect::<Website>("demo").ready().await;
    assert_eq!(scene.dependents().await, ALL);
    assert_eq!(ready["status"]["inventory"].as_array().unwrap().len(), ALL.len());
    assert_eq!(ready["status"]["deletionHooks"], 1);
    for other in [("Create", "deployments", "demo"), ("Create", "configmaps", "demo-pages"), ("Create", "services", "demo-cache")]
    {
        scene.assert_order(mark, ("Create", "jobs", "demo-migration"), other);
    }
    let (job, server) = (scene.cluster.get::<Job>("demo-migration").await, scene.cluster.get::<Deployment>("demo").await);
    let (job, server) = (job.unwrap(), server.unwrap());
    let completed = job["status"]["completionTime"].as_str().unwrap();
    assert!(
        completed <= server["metadata"]["creationTimestamp"].as_str().unwrap(),
        "the server waits for the end of the migration"
    );
    assert_eq!(job["spec"]["template"]["spec"]["containers"][0]["args"][1], "revision 1");
    scene.end().await;
}

// HELM-14
#[tokio::test]
async fn an_upgrade_runs_the_migration_again_before_the_new_version() {
    let scene = Scene::installed().await;
    let before = scene.cluster.get::<Job>("demo-migration").await.unwrap();
    let mark = scene.cluster.journal().mark();
    scene.cluster.patch::<Website>("demo", json!({ "spec": { "title": "Second", "image": { "tag": "1.30" } } })).await;
    scene.cluster.expect::<Website>("demo").ready().await;
    assert_eq!(scene.dependents().await, ALL);
    let job = scene.cluster.get::<Job>("demo-migration").await.unwrap();
    assert_ne!(job["metadata"]["uid"], before["metadata"]["uid"]);
    assert_eq!(job["spec"]["template"]["spec"]["containers"][0]["args"][1], "revision 2");
    scene.assert_order(mark, ("Delete", "jobs", "demo-migration"), ("Create", "jobs", "demo-migration"));
    scene.assert_order(mark, ("Create", "jobs", "demo-migration"), ("Update", "configmaps", "demo-pages"));
    scene.assert_order(mark, ("Create", "jobs", "demo-migration"), ("Update", "deployments", "demo"));
    let pages = scene.cluster.get::<ConfigMap>("demo-pages").await.unwrap();
    assert!(pages["data"]["index.html"].as_str().unwrap().contains("<h1>Second</h1>"));
    let server = scene.cluster.get::<Deployment>("demo").await.unwrap();
    assert_eq!(server["spec"]["template"]["spec"]["containers"][0]["image"], "nginx:1.30");
    scene.end().await;
}

// HELM-8
#[tokio::test]
async fn the_cache_is_a_subchart_that_values_switch_off() {
    let scene = Scene::installed().await;
    let server = scene.cluster.get::<Deployment>("demo").await.unwrap();
    let container = &server["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(container["env"], json!([{ "name": "CACHE", "value": "demo-cache:11211" }]));
    scene.cluster.patch::<Website>("demo", json!({ "spec": { "cache": { "enabled": false } } })).await;
    scene.cluster.expect::<Deployment>("demo-cache").to_be_gone().await;
    scene.cluster.expect::<Website>("demo").ready().await;
    let without: Vec<&str> = ALL.into_iter().filter(|name| !name.ends_with("demo-cache")).collect();
    assert_eq!(scene.dependents().await, without);
    scene.end().await;
}

// TPL: lookup
#[tokio::test]
async fn the_key_of_sessions_survives_upgrades() {
    let scene = Scene::installed().await;
    let key = async || scene.cluster.get::<Secret>("demo-session").await.unwrap()["data"]["key"].clone();
    let first = key().await;
    assert!(first.as_str().unwrap().len() >= 32, "{first}");
    scene.cluster.patch::<Website>("demo", json!({ "spec": { "title": "Second" } })).await;
    let is_new = |pages: &serde_json::Value| pages["data"]["index.html"].as_str().unwrap().contains("Second");
    scene.cluster.expect::<ConfigMap>("demo-pages").matching("the pages are new", is_new).await;
    scene.cluster.expect::<Website>("demo").ready().await;
    assert_eq!(key().await, first);
    scene.end().await;
}

// HELM-14, DEL-5
#[tokio::test]
async fn a_deletion_runs_the_farewell_first_and_leaves_nothing() {
    let scene = Scene::installed().await;
    let mark = scene.cluster.journal().mark();
    scene.cluster.delete::<Website>("demo").await;
    scene.cluster.expect::<Website>("demo").to_be_gone().await;
    assert_eq!(scene.dependents().await, [""; 0]);
    scene.assert_order(mark, ("Create", "jobs", "demo-farewell"), ("Delete", "jobs", "demo-farewell"));
    for other in [("Delete", "deployments", "demo"), ("Delete", "secrets", "demo-session"), ("Delete", "jobs", "demo-migration")]
    {
        scene.assert_order(mark, ("Delete", "jobs", "demo-farewell"), other);
    }
    scene.end().await;
}

// COM-2
#[tokio::test]
async fn a_server_has_nothing_to_warn_about_in_the_definition() {
    let cluster = TestCluster::start().await;
    assert_eq!(cluster.crd_warnings(&operator().into()).await, [""; 0]);
    cluster.stop().await;
}
