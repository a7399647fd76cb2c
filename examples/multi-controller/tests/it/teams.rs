//! The work of a single replica.

use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::api::rbac::v1::RoleBinding;
use kubewright::prelude::*;
use kubewright_testing::TestCluster;
use multi_controller::{Access, Report, Team, operator};

use crate::world::{access, access_of_class, expiring, report, team};

fn names(binding: &Value) -> Vec<&str> {
    binding["subjects"].as_array().unwrap().iter().filter_map(|subject| subject["name"].as_str()).collect()
}

#[tokio::test]
async fn an_access_binds_the_team_that_it_finds_or_waits_for() {
    let cluster = TestCluster::start().await;
    let running = cluster.run(operator()).await;
    cluster.apply(access("edits", "billing")).await;
    cluster.expect::<Access>("edits").condition("Ready", "False", "TeamMissing").await;
    cluster.apply(team("billing", &["ada"])).await;
    cluster.expect::<Access>("edits").ready().await;
    cluster.expect::<ServiceAccount>("team-billing").to_exist().await;
    let binding = cluster.expect::<RoleBinding>("edits").to_exist().await;
    assert_eq!((&binding["roleRef"]["name"], names(&binding)), (&json!("view"), vec!["ada", "team-billing"]));
    cluster.patch::<Team>("billing", json!({"spec": {"members": ["ada", "grace"]}})).await;
    cluster.patch::<Access>("edits", json!({"spec": {"role": "edit"}})).await;
    let bound = |binding: &Value| binding["roleRef"]["name"] == "edit" && names(binding) == ["ada", "grace", "team-billing"];
    cluster.expect::<RoleBinding>("edits").matching("role and members are the new ones", bound).await;
    running.stop().await;
    cluster.second_pass_writes_nothing(operator()).await;

    let running = cluster.run(operator()).await;
    cluster.delete::<Team>("billing").await;
    cluster.expect::<RoleBinding>("edits").to_be_gone().await;
    cluster.expect::<Access>("edits").condition("Ready", "False", "TeamMissing").await;
    cluster.delete::<Access>("edits").await;
    cluster.expect::<Access>("edits").to_be_gone().await;
    running.stop().await;
    cluster.stop().await;
}

#[tokio::test]
async fn a_report_follows_teams_and_accesses() {
    let cluster = TestCluster::start().await;
    let running = cluster.run(operator()).await;
    cluster.apply(report()).await;
    cluster.apply(team("billing", &["ada", "grace"])).await;
    cluster.apply(team("search", &["grace"])).await;
    cluster.apply(access("edits", "billing")).await;
    cluster.apply(access("early", "absent")).await;
    let told = |status: Value| {
        let expectation = cluster.expect::<Report>("summary");
        expectation.matching("the report is complete", move |report| {
            ["teams", "members", "granted", "waiting"].iter().all(|field| report["status"][*field] == status[*field])
        })
    };
    told(json!({"teams": 2, "members": 2, "granted": ["edits"], "waiting": ["early"]})).await;
    cluster.apply(team("absent", &[])).await;
    told(json!({"teams": 3, "members": 2, "granted": ["early", "edits"], "waiting": []})).await;
    running.stop().await;
    cluster.stop().await;
}

#[tokio::test]
async fn a_foreign_role_binding_stays_unchanged_and_blocks_the_access_of_the_same_name() {
    let cluster = TestCluster::start().await;
    let theirs = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "edits", "namespace": cluster.namespace()},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "admin"}, "subjects": [],
    });
    let theirs = cluster.create(theirs).await.unwrap();
    let running = cluster.run(operator()).await;
    cluster.apply(access("edits", "billing")).await;
    cluster.expect::<Access>("edits").condition("Ready", "False", "NameTaken").await;
    cluster.apply(team("billing", &["ada"])).await;
    cluster.expect::<Team>("billing").ready().await;
    cluster.delete::<Access>("edits").await;
    cluster.expect::<Access>("edits").to_be_gone().await;
    let still = cluster.expect::<RoleBinding>("edits").to_exist().await;
    assert_eq!(still["metadata"]["resourceVersion"], theirs["metadata"]["resourceVersion"]);
    // An access gets the name as soon as it is free.
    cluster.apply(access("edits", "billing")).await;
    cluster.expect::<Access>("edits").condition("Ready", "False", "NameTaken").await;
    cluster.delete::<RoleBinding>("edits").await;
    cluster.expect::<Access>("edits").ready().await;
    running.stop().await;
    cluster.stop().await;
}

// CLS-1, CLS-3
#[tokio::test]
async fn an_access_of_another_class_is_left_alone() {
    let cluster = TestCluster::start().await;
    let running = cluster.run(operator()).await;
    cluster.apply(team("billing", &["ada"])).await;
    let theirs = cluster.create(expiring(access_of_class("directory", "theirs", "billing"))).await.unwrap();
    cluster.apply(access("ours", "billing")).await;
    cluster.expect::<Access>("ours").ready().await;
    cluster.pass(std::time::Duration::from_secs(15)).await;
    let still = cluster.expect::<Access>("theirs").to_exist().await;
    assert_eq!(still["metadata"]["resourceVersion"], theirs["metadata"]["resourceVersion"], "nothing is written about it");
    assert!(cluster.list::<RoleBinding>().await.iter().all(|binding| binding["metadata"]["name"] != "theirs"));
    // An access that leaves the class loses its binding and the finalizer.
    let class = json!({"metadata": {"annotations": {multi_controller::CLASS_KEY: "directory"}}});
    cluster.patch::<Access>("ours", class).await;
    cluster.expect::<RoleBinding>("ours").to_be_gone().await;
    let released = |access: &Value| access["metadata"].get("finalizers").is_none();
    cluster.expect::<Access>("ours").matching("it has no finalizer", released).await;
    running.stop().await;
    cluster.stop().await;
}
