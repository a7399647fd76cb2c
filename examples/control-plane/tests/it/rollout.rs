//! From the order of a customer to the components, and changes of the order.

use control_plane::{ApiServer, Authentication, Authorization, ControlPlane, Landscaper};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::api::rbac::v1::RoleBinding;
use kubewright::prelude::*;
use kubewright_middleware::Verb;

use crate::world::{NAME, World, condition};

// PAR-01, PAR-10, OL-2
#[tokio::test]
async fn all_components_become_ready_and_the_owner_status_shows_their_published_values() {
    let world = World::start().await;
    let owner = world.ready().await;
    let endpoint = format!("https://demo-apiserver.{}.svc", world.cluster.namespace());
    assert_eq!(owner["status"]["endpoint"], endpoint);
    assert_eq!(owner["status"]["identityProviders"], json!(["corporate"]));
    for component in ["ApiServer", "Authentication", "Authorization", "Landscaper", "CloudOrchestrator"] {
        let healthy = condition(&owner, &format!("{component}Healthy")).unwrap();
        assert_eq!((healthy.0.as_str(), healthy.2.as_str()), ("True", component), "{owner:#}");
    }
    // The private part of the API server's status stays on the component.
    let server = world.cluster.get::<ApiServer>(NAME).await.unwrap();
    assert!(server["status"]["kubeconfig"].as_str().unwrap().contains("token"), "{server:#}");
    assert!(!owner.to_string().contains("token"), "{owner:#}");
    world.stop().await;
}

// DEP-01, WAKE-2
#[tokio::test]
async fn the_others_wait_for_the_api_server_and_say_so() {
    let world = World::start().await;
    let is_told = |component: &Value| {
        let conditions = component["status"]["conditions"].as_array();
        conditions.is_some_and(|conditions| {
            conditions
                .iter()
                .any(|one| one["type"] == "Ready" && one["message"].as_str().unwrap_or_default().contains("ApiServer"))
        })
    };
    world.cluster.expect::<Landscaper>(NAME).matching("it says what it waits for", is_told).await;
    world.ready().await;
    world.stop().await;
}

// PAR-01, CT-6
#[tokio::test]
async fn a_change_of_the_order_changes_one_component() {
    let world = World::start().await;
    world.ready().await;
    let uid_of = |object: Option<Value>| object.unwrap()["metadata"]["uid"].clone();
    let before = uid_of(world.cluster.get::<Deployment>("demo-landscaper").await);
    world.patch(json!({"spec": {"authorization": {"admins": ["ada"]}}})).await;
    let has_one = |binding: &Value| binding["subjects"].as_array().is_some_and(|subjects| subjects.len() == 1);
    world.cluster.expect::<RoleBinding>("demo-admins").matching("one admin", has_one).await;
    world.ready().await;
    assert_eq!(uid_of(world.cluster.get::<Deployment>("demo-landscaper").await), before);
    world.stop().await;
}

// LOOP-04, PAR-03
#[tokio::test]
async fn an_invalid_spec_of_one_component_blocks_only_this_component() {
    let world = World::start().await;
    world.ready().await;
    let twice = json!([{"name": "corporate", "issuer": "https://a"}, {"name": "corporate", "issuer": "https://b"}]);
    world.patch(json!({"spec": {"authentication": {"identityProviders": twice}, "authorization": {"admins": ["grace"]}}})).await;
    let blocked = world.cluster.expect::<Authentication>(NAME).condition("AuthenticationHealthy", "False", "InvalidSpec").await;
    assert!(blocked.to_string().contains("spec.identityProviders[1].name"), "{blocked:#}");
    let is_told = |owner: &Value| {
        let summary = condition(owner, "ComponentsSuccessful").is_some_and(|summary| summary.0 == "False");
        summary && condition(owner, "AuthenticationHealthy").is_some_and(|healthy| healthy.1 == "InvalidSpec")
    };
    world.cluster.expect::<ControlPlane>(NAME).matching("it tells of the component", is_told).await;
    let is_changed = |binding: &Value| binding["subjects"][0]["name"] == "grace";
    world.cluster.expect::<RoleBinding>("demo-admins").matching("the other change", is_changed).await;
    world.patch(json!({"spec": {"authentication": {"identityProviders": [{"name": "other", "issuer": "https://b"}]}}})).await;
    let owner = world.ready().await;
    assert_eq!(owner["status"]["identityProviders"], json!(["other"]));
    world.stop().await;
}

// PAR-01, OL-2
#[tokio::test]
async fn a_component_removed_from_the_spec_is_deleted_with_its_objects_and_published_data() {
    let world = World::start().await;
    world.ready().await;
    world.patch(json!({"spec": {"landscaper": null, "cloudOrchestrator": null, "authentication": null}})).await;
    world.cluster.expect::<Authentication>(NAME).to_be_gone().await;
    assert_eq!(world.cluster.get::<Landscaper>(NAME).await, None, "it goes first");
    assert_eq!(world.cluster.get::<ConfigMap>("demo-identity-providers").await, None);
    let is_forgotten = |owner: &Value| owner["status"].get("identityProviders").is_none() && owner["status"]["phase"] == "Ready";
    world.cluster.expect::<ControlPlane>(NAME).matching("nothing published is left", is_forgotten).await;
    world.cluster.expect::<Authorization>(NAME).ready().await;
    world.stop().await;
}

// RND-2, RND-6
#[tokio::test]
async fn rendered_objects_follow_changes_of_the_owner_spec_and_are_restored_after_deletion() {
    let world = World::start().await;
    world.ready().await;
    let providers = |wanted: &'static str| move |config: &Value| config["data"]["providers"] == wanted;
    world.cluster.expect::<ConfigMap>("demo-providers").matching("those of the order", providers("network")).await;
    world.patch(json!({"spec": {"cloudOrchestrator": {"providers": ["network", "storage"]}}})).await;
    world.cluster.expect::<ConfigMap>("demo-providers").matching("both", providers("network\nstorage")).await;
    world.cluster.delete::<ConfigMap>("demo-providers").await;
    world.cluster.expect::<ConfigMap>("demo-providers").matching("it is back", providers("network\nstorage")).await;
    world.ready().await;
    world.stop().await;
}

// Each change causes one write, and the answers of the server update the stores.
#[tokio::test]
async fn a_roll_out_reads_no_object_and_no_request_is_refused() {
    let world = World::start().await;
    world.ready().await;
    world.cluster.pass(std::time::Duration::from_secs(2)).await;
    let journal = world.cluster.journal().all();
    let is_odd = |record: &kubewright_middleware::journal::Record| {
        let has_verb = |verb: Verb| record.target.resource().is_some_and(|target| target.verb == verb);
        // The identity of the cluster is read once.
        let is_read = has_verb(Verb::Get) && !record.to_string().contains("namespaces kube-system");
        // A real server answers 429 to watches of a new definition until its watch cache is filled.
        let is_early_watch = !world.cluster.is_embedded() && record.status() == Some(429) && has_verb(Verb::Watch);
        is_read || !is_early_watch && record.status().is_some_and(|code| code >= 300)
    };
    let odd: Vec<String> = journal.iter().filter(|record| is_odd(record)).map(ToString::to_string).collect();
    assert_eq!(odd, Vec::<String>::new());
    world.stop().await;
}
