//! Dependents in other clusters. Connections are real here, so time is real, too.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kubewright::component::DependentEvents;
use kubewright::prelude::*;
use kubewright_testing::{TestCluster, TestOptions};

use crate::types::{bundle, config_map};
use crate::world::{OPERATOR, World, condition, message_of, reason_of};

/// Returns a secret with a kubeconfig.
fn kubeconfig(text: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "target" }, "data": { "value": STANDARD.encode(text) },
    })
}

/// Returns a component whose dependents are in the cluster of that kubeconfig.
fn remote(objects: &[Value], namespace: &str) -> Value {
    let mut component = bundle("demo", objects);
    component["spec"]["namespace"] = namespace.into();
    component["spec"]["kubeConfig"] = json!({ "secretRef": { "name": "target" } });
    component
}

/// Returns a component whose dependents are written with the identity of this service account.
fn in_the_name_of(component: &str, account: Option<&str>) -> Value {
    let mut component = bundle(component, &[config_map(component, "a")]);
    component["spec"]["serviceAccountName"] = json!(account);
    component
}

fn clients(world: &World) -> (Option<u64>, Option<u64>) {
    let value = |name: &str| {
        let line = format!("kubewright_{name}{{controller=\"bundle\"}} ");
        world.metrics().lines().find_map(|text| text.strip_prefix(&line)?.parse().ok())
    };
    (value("created_clients_total"), value("active_clients_total"))
}

// TGT-4: the clock is virtual if no connection is real.
#[tokio::test]
async fn equal_identities_share_a_client_which_is_given_up_after_a_quarter_of_an_hour_without_use() {
    let world = World::start().await;
    let rules = json!([{ "apiGroups": [""], "resources": ["configmaps"], "verbs": ["*"] }]);
    let rbac =
        |kind: &str| json!({ "apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": { "name": "deployer" } });
    let (mut role, mut binding) = (rbac("Role"), rbac("RoleBinding"));
    role["rules"] = rules;
    binding["roleRef"] = json!({ "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "deployer" });
    let accounts = format!("system:serviceaccounts:{}", world.namespace());
    binding["subjects"] = json!([{ "apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": accounts }]);
    world.create(&role).await;
    world.create(&binding).await;
    assert_eq!(clients(&world), (Some(0), Some(0)));
    for name in ["a", "b"] {
        world.set(&in_the_name_of(name, Some("deployer"))).await;
        world.until_ready(name).await;
    }
    assert_eq!(clients(&world), (Some(1), Some(1)));
    world.set(&in_the_name_of("c", Some("other"))).await;
    world.until_ready("c").await;
    assert_eq!(clients(&world), (Some(2), Some(2)));
    if !world.cluster.is_embedded() {
        return;
    }
    world.set(&in_the_name_of("a", None)).await;
    world.until("a", "at revision 2", |component| component["status"]["revision"] == 2).await;
    world.pass(Duration::from_mins(20)).await;
    assert_eq!(clients(&world), (Some(2), Some(2)), "b uses it still");
    world.delete(&in_the_name_of("b", None)).await;
    world.until_gone(&in_the_name_of("b", None)).await;
    world.pass(Duration::from_mins(14)).await;
    assert_eq!(clients(&world), (Some(2), Some(2)));
    // A component that returns in time finds the client.
    world.set(&in_the_name_of("a", Some("deployer"))).await;
    world.until("a", "at revision 3", |component| component["status"]["revision"] == 3).await;
    world.pass(Duration::from_mins(10)).await;
    assert_eq!(clients(&world), (Some(2), Some(2)));
    world.set(&in_the_name_of("a", None)).await;
    world.until("a", "at revision 4", |component| component["status"]["revision"] == 4).await;
    world.pass(Duration::from_mins(14)).await;
    assert_eq!(clients(&world), (Some(2), Some(2)));
    world.pass(Duration::from_mins(2)).await;
    assert_eq!(clients(&world), (Some(2), Some(1)));
    world.set(&in_the_name_of("d", Some("deployer"))).await;
    world.until_ready("d").await;
    assert_eq!(clients(&world), (Some(3), Some(2)));
}

/// Returns the object in the namespace of the other cluster's test.
async fn there(other: &TestCluster, name: &str) -> Option<Value> {
    other.get::<k8s_openapi::api::core::v1::ConfigMap>(name).await
}

// TGT-2, TGT-4, DRIFT-1
#[tokio::test(flavor = "multi_thread")]
async fn dependents_live_in_the_cluster_of_the_kubeconfig() {
    let world = World::start().await;
    let other = TestCluster::start_with(TestOptions::default().exclusive()).await;
    let target_namespace = other.namespace().to_owned();
    world.create(&kubeconfig(&other.kubeconfig().await)).await;
    world.set(&remote(&[config_map("one", "a")], &target_namespace)).await;
    world.until_ready("demo").await;
    assert_eq!(there(&other, "one").await.unwrap()["data"]["value"], "a");
    assert!(world.get(&config_map("one", "")).await.is_none(), "nothing lives here");
    // The object is watched in the other cluster, too.
    other.delete::<k8s_openapi::api::core::v1::ConfigMap>("one").await;
    other.expect::<k8s_openapi::api::core::v1::ConfigMap>("one").matching("it is back", |_| true).await;
    world.until_ready("demo").await;
    world.delete(&remote(&[], &target_namespace)).await;
    world.until_gone(&remote(&[], &target_namespace)).await;
    assert!(there(&other, "one").await.is_none());
    world.kill_and_stop(other).await;
}

// EVT-3
#[tokio::test(flavor = "multi_thread")]
async fn events_about_dependents_stand_where_the_dependents_live() {
    let world = World::start_with(|builder| builder.dependent_events(DependentEvents::All)).await;
    let other = TestCluster::start_with(TestOptions::default().exclusive()).await;
    let target_namespace = other.namespace().to_owned();
    world.create(&kubeconfig(&other.kubeconfig().await)).await;
    world.set(&remote(&[config_map("one", "a")], &target_namespace)).await;
    world.until_ready("demo").await;
    let events = kube::Api::<k8s_openapi::api::events::v1::Event>::namespaced(other.client().clone(), &target_namespace);
    let mut told = None;
    for _ in 0..9000 {
        told = events.list(&kube::api::ListParams::default()).await.unwrap().items.into_iter().next();
        if told.is_some() {
            break;
        }
        world.pass(Duration::from_millis(20)).await;
    }
    let told = told.unwrap_or_else(|| panic!("expected an event in the other cluster"));
    assert_eq!(told.reason.as_deref(), Some("Created"));
    assert_eq!(told.reporting_controller.as_deref(), Some(OPERATOR));
    assert_eq!(told.regarding.unwrap().name.as_deref(), Some("one"));
    world.until_event("Ready").await;
    assert!(world.events("Created").await.is_empty(), "events about the component stand here, those about dependents there");
    world.delete(&remote(&[], &target_namespace)).await;
    world.until_gone(&remote(&[], &target_namespace)).await;
    world.kill_and_stop(other).await;
}

// TGT-4, TGT-5, TGT-7, DEL-10
#[tokio::test(flavor = "multi_thread")]
async fn a_kubeconfig_that_becomes_useless_loses_nothing_and_can_be_given_up() {
    let world = World::start().await;
    let other = TestCluster::start_with(TestOptions::default().exclusive()).await;
    let target_namespace = other.namespace().to_owned();
    let good = other.kubeconfig().await;
    let secret = kubeconfig(&good);
    world.create(&secret).await;
    world.set(&remote(&[config_map("one", "a")], &target_namespace)).await;
    world.until_ready("demo").await;

    let program = "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: 'https://a'}}]\n\
         contexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {exec: {command: /bin/true}}}]\n";
    world.patch(&secret, kubeconfig(program)).await;
    let refused = world.until("demo", "stalled", |component| condition(component, "Stalled").is_some()).await;
    assert_eq!(condition(&refused, "Stalled").unwrap()["reason"], "CredentialsRefused");
    assert!(message_of(&refused).contains("sets users[0].user.exec, which runs a program"), "{}", message_of(&refused));
    assert_eq!(refused["status"]["inventory"].as_array().unwrap().len(), 1);
    world.patch(&secret, kubeconfig(&good)).await;
    world.until_ready("demo").await;

    world.delete(&secret).await;
    // Events of two kinds arrive in any order, so the operator must learn of the deleted secret before the component is deleted.
    world.until("demo", "waiting for the secret", |component| message_of(component).contains("not found")).await;
    world.delete(&remote(&[], &target_namespace)).await;
    let waiting = world.until_state("demo", "DeletionPending", "DeletionRetrying").await;
    let way_out = format!("{OPERATOR}/abandon-dependents=true");
    assert!(
        message_of(&waiting).contains("target: not found") && message_of(&waiting).contains(&way_out),
        "{}",
        message_of(&waiting)
    );
    let annotation = json!({ "metadata": { "annotations": { format!("{OPERATOR}/abandon-dependents"): "true" } } });
    world.patch(&remote(&[], &target_namespace), annotation).await;
    world.until_gone(&remote(&[], &target_namespace)).await;
    world.until_event("DependentsAbandoned").await;
    assert!(there(&other, "one").await.is_some());
    world.kill_and_stop(other).await;
}

// TGT-7, REF-4: the process still knows the target.
#[tokio::test(flavor = "multi_thread")]
async fn a_namespace_and_remote_dependents_are_deleted_although_the_kubeconfig_is_gone() {
    let world = World::start().await;
    let other = TestCluster::start_with(TestOptions::default().exclusive()).await;
    let target_namespace = other.namespace().to_owned();
    let secret = kubeconfig(&other.kubeconfig().await);
    world.create(&secret).await;
    world.set(&remote(&[config_map("one", "a")], &target_namespace)).await;
    world.until_ready("demo").await;
    world.delete(&secret).await;
    world.until("demo", "waiting for the secret", |component| message_of(component).contains("not found")).await;
    let namespace = world.own_namespace();
    world.delete(&namespace).await;
    world.until_gone(&remote(&[], &target_namespace)).await;
    world.until_gone(&namespace).await;
    assert!(there(&other, "one").await.is_none());
    world.kill_and_stop(other).await;
}

// TGT-7, REF-4, DEL-10
#[tokio::test(flavor = "multi_thread")]
async fn dependents_abandoned_in_a_cluster_without_kubeconfig_are_counted_on_namespace_deletion() {
    let mut world = World::start().await;
    let other = TestCluster::start_with(TestOptions::default().exclusive()).await;
    let target_namespace = other.namespace().to_owned();
    let secret = kubeconfig(&other.kubeconfig().await);
    world.create(&secret).await;
    world.set(&remote(&[config_map("one", "a"), config_map("two", "a")], &target_namespace)).await;
    world.until_ready("demo").await;
    // The new process has never seen the kubeconfig.
    world.kill().await;
    world.delete(&secret).await;
    world.run(|builder| builder).await;
    world.until("demo", "waiting for the secret", |component| message_of(component).contains("not found")).await;
    let namespace = world.own_namespace();
    world.delete(&namespace).await;
    world.until_gone(&remote(&[], &target_namespace)).await;
    let told = world.until_event_about(&namespace, "DependentsAbandoned").await;
    assert!(told.starts_with("2 dependents of ") && told.ends_with(": 2 ConfigMap"), "{told}");
    assert!(there(&other, "one").await.is_some());
    world.kill_and_stop(other).await;
}

// TGT-4
#[tokio::test(flavor = "multi_thread")]
async fn a_target_out_of_reach_holds_back_only_its_own_components() {
    let world = World::start().await;
    // Nothing listens on port 1.
    let nowhere = "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}]\n\
         contexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {}}]\n";
    world.create(&kubeconfig(nowhere)).await;
    // The number of components exceeds the number of workers.
    for number in 0..20 {
        let mut far = remote(&[config_map("one", "a")], world.namespace());
        far["metadata"]["name"] = format!("far-{number}").into();
        world.create(&far).await;
    }
    world.set(&bundle("near", &[config_map("two", "a")])).await;
    world.until_ready("near").await;
    for number in [0, 19] {
        let far = world.until_state(&format!("far-{number}"), "Pending", "Retrying").await;
        let message = message_of(&far);
        assert!(message.starts_with("the target cluster cannot be reached: "), "{message}");
    }
    world.patch(&config_map("two", ""), json!({ "data": { "value": "b" } })).await;
    world.until_object(&config_map("two", ""), "repaired", |map| map["data"]["value"] == "a").await;
    assert_eq!(reason_of(&world.component("near").await.unwrap()), "Ready");
    world.pass(Duration::from_millis(10)).await;
}

// PERF-3, PERF-7: a component stays ready while its cluster is being connected.
#[tokio::test(flavor = "multi_thread")]
async fn components_of_another_cluster_stay_ready_when_the_operator_starts_again() {
    let mut world = World::start().await;
    let other = TestCluster::start_with(TestOptions::default().exclusive()).await;
    let target_namespace = other.namespace().to_owned();
    world.create(&kubeconfig(&other.kubeconfig().await)).await;
    let names = ["a", "b", "c", "d"];
    for name in names {
        let mut component = remote(&[config_map(name, "a")], &target_namespace);
        component["metadata"]["name"] = name.into();
        world.set(&component).await;
    }
    for name in names {
        world.until_ready(name).await;
    }
    world.kill().await;
    let mark = world.journal().mark();
    world.run(|builder| builder).await;
    world.pass(Duration::from_secs(3)).await;
    let statuses = world.journal().since(mark).writes().of("test.kubewright.dev", "bundles").subresource("status");
    statuses.exactly(0).unwrap();
    world.kill_and_stop(other).await;
}
