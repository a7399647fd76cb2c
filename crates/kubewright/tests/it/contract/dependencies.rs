//! Components wait for their dependencies, and hold them with finalizers.

use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;

use super::platform::{ApiServer, Authentication, DOMAIN, Landscaper};
use super::world::{World, message_of, told_by};

const OF_AUTHENTICATION: &str = "dependency.platform.kubewright.dev/authentication";
const OF_LANDSCAPER: &str = "dependency.platform.kubewright.dev/landscaper";

// DEP-01, CL-2, 13.6, DEP-19, WAKE-2
#[tokio::test]
async fn a_component_waits_for_a_dependency_that_is_absent_and_then_for_one_that_is_not_ready() {
    let world = World::start().await;
    world.create::<Authentication>().await;
    let waits = world.condition::<Authentication>("AuthenticationHealthy", "False", "WaitingForDependencies").await;
    let reconciliation = ("True".to_owned(), "WaitingForDependencies".to_owned());
    assert_eq!(told_by(&waits, "AuthenticationReconciliation"), Some(reconciliation.clone()));
    assert_eq!(message_of(&waits, "Ready"), "waiting for dependencies: ApiServer: it does not exist");
    assert!(waits.finalizers().next().is_none(), "{waits}");
    assert_eq!(world.waits().await, json!([{"controller": "authentication", "for": "apiserver", "objects": 1}]));

    world.script.set("apply ApiServer", |_| Wait::after(Delay::secs::<2>(), "Starting").into());
    world.create::<ApiServer>().await;
    world.called("apply ApiServer", 2).await;
    let message = "waiting for dependencies: ApiServer: condition ApiServerHealthy is False (Starting)";
    let waits = world
        .cluster
        .expect::<Authentication>(super::world::NAME)
        .matching("another message", move |object| message_of(object, "Ready") == message)
        .await;
    assert_eq!(told_by(&waits, "AuthenticationReconciliation"), Some(reconciliation));
    assert_eq!(world.script.count("apply Authentication"), 0);

    world.script.set("apply ApiServer", |words| {
        words.healthy();
        Ok(())
    });
    world.ready::<Authentication>().await;
    assert_eq!(world.waits().await, json!([]));
    world.stop().await;
}

// DEP-06, CL-1
#[tokio::test]
async fn unusable_data_of_a_dependency_is_a_failure_that_is_retried() {
    let world = World::start().await;
    let mut api_server = world.component::<ApiServer>();
    api_server["spec"]["size"] = 13.into();
    world.cluster.create(api_server).await.unwrap();
    world.create::<Authentication>().await;
    let failed = world.condition::<Authentication>("AuthenticationReconciliation", "False", "DependencyStatusInvalid").await;
    assert_eq!(told_by(&failed, "AuthenticationHealthy"), Some(("False".to_owned(), "ReconciliationError".to_owned())));
    world.patch::<ApiServer>(json!({"spec": {"size": 1}})).await;
    world.ready::<Authentication>().await;
    world.stop().await;
}

// DEP-07, 13.5 4c, EDGE-1, FZ-11, CL-6, FIN-08
#[tokio::test]
async fn all_finalizers_stand_before_the_first_apply_and_those_of_later_targets_in_the_pass_after() {
    let world = World::start().await;
    world.create::<ApiServer>().await;
    let (seen, journal) = (std::sync::Arc::new(parking_lot::Mutex::new(Vec::new())), world.cluster.journal().clone());
    let at_apply = std::sync::Arc::clone(&seen);
    world.script.set("apply Landscaper", move |words| {
        words.healthy();
        words.condition("LandscaperInstalled", true);
        let writes = journal.all().of(DOMAIN, "apiservers").writes();
        at_apply.lock().push(writes.iter().filter(|write| !write.to_string().contains("status")).count());
        Ok(())
    });
    world.ready::<ApiServer>().await;
    world.create::<Landscaper>().await;
    let landscaper = world.ready::<Landscaper>().await;
    assert!(landscaper.has_finalizer("platform.kubewright.dev/landscaper"));
    assert!(world.get::<ApiServer>().await.unwrap().has_finalizer(OF_LANDSCAPER));
    assert!(world.told_writes::<Landscaper>().contains("ApiServer"), "{}", world.told_writes::<Landscaper>());
    // The component's own finalizer, and that of the landscaper.
    assert_eq!(seen.lock().first(), Some(&2));
    let held = world.get::<ApiServer>().await.unwrap();
    let managers = held["metadata"]["managedFields"].as_array().unwrap();
    let of_finalizers = managers.iter().filter(|entry| entry["fieldsV1"]["f:metadata"].get("f:finalizers").is_some());
    assert!(of_finalizers.clone().count() > 0);
    assert!(of_finalizers.into_iter().all(|entry| entry["manager"] == "platform-operator.platform.kubewright.dev/self"));

    world.create::<Authentication>().await;
    let held = world.cluster.expect::<Authentication>(super::world::NAME);
    held.matching("the finalizer of the landscaper", |object| object.has_finalizer(OF_LANDSCAPER)).await;
    world.ready::<Authentication>().await;
    assert!(world.get::<ApiServer>().await.unwrap().has_finalizer(OF_AUTHENTICATION));
    world.stop().await;
}

// FIN-07, RDY-5, FZ-4
#[tokio::test]
async fn no_finalizer_is_added_to_a_dependency_that_is_being_deleted() {
    let world = World::start().await;
    world.create::<ApiServer>().await;
    world.ready::<ApiServer>().await;
    let held = json!({"metadata": {"finalizers": ["platform.kubewright.dev/apiserver", "example.com/hold"]}});
    world.patch::<ApiServer>(held).await;
    world.delete::<ApiServer>().await;
    let is_alone = |object: &Value| object["metadata"]["finalizers"] == json!(["example.com/hold"]);
    world.cluster.expect::<ApiServer>(super::world::NAME).matching("only the foreign finalizer", is_alone).await;
    let writes = world.writes::<ApiServer>().len();

    world.create::<Authentication>().await;
    world.condition::<Authentication>("AuthenticationHealthy", "False", "WaitingForDependencies").await;
    world.idle(30).await;
    assert_eq!(world.writes::<ApiServer>().len(), writes, "{:?}", world.writes::<ApiServer>());
    assert_eq!(world.script.count("apply Authentication"), 0);

    world.patch::<ApiServer>(json!({"metadata": {"finalizers": null}})).await;
    world.gone::<ApiServer>().await;
    world.create::<ApiServer>().await;
    world.ready::<Authentication>().await;
    world.stop().await;
}

// DEP-16, 13.6
#[tokio::test]
async fn a_dependency_that_only_lags_behind_keeps_the_component_waiting_and_healthy() {
    let world = World::start().await;
    world.create::<ApiServer>().await;
    world.create::<Authentication>().await;
    let before = world.ready::<Authentication>().await;
    // The API server works, but has not applied its new generation yet.
    world.script.set("apply ApiServer", |words| {
        words.healthy();
        Wait::after(Delay::secs::<60>(), "Rolling").into()
    });
    world.patch::<ApiServer>(json!({"spec": {"size": 2}})).await;
    world.condition::<ApiServer>("Ready", "False", "Rolling").await;
    world.patch::<Authentication>(json!({"spec": {"size": 2}})).await;
    let waits = world.condition::<Authentication>("Ready", "False", "WaitingForDependencies").await;
    let healthy = |object: &Value| {
        let conditions = object["status"]["conditions"].as_array().cloned().unwrap_or_default();
        conditions.into_iter().find(|condition| condition["type"] == "AuthenticationHealthy")
    };
    assert!(message_of(&waits, "Ready").ends_with("its controller has not applied its current generations yet"), "{waits}");
    assert_eq!(healthy(&waits), healthy(&before));
    world.stop().await;
}

// DEP-19, WAKE-2
#[tokio::test]
async fn a_revision_change_or_deletion_of_a_dependency_starts_a_pass_of_the_depending_component() {
    let world = World::start().await;
    world.create::<ApiServer>().await;
    world.ready::<ApiServer>().await;
    world.create::<Landscaper>().await;
    world.ready::<Landscaper>().await;
    let mut calls = world.script.count("apply Landscaper");
    let mut passes = async |what: &str| {
        world.called("apply Landscaper", calls + 1).await;
        world.idle(2).await;
        let now = world.script.count("apply Landscaper");
        assert!(now > calls, "{what}");
        calls = now;
    };
    world.patch::<ApiServer>(json!({"metadata": {"labels": { format!("{DOMAIN}/owner-generation"): "2" }}})).await;
    passes("its revision").await;
    world.delete::<ApiServer>().await;
    passes("its deletion").await;
    world.stop().await;
}
