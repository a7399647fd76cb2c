//! Deletion of components in the order of their edges.

use kubewright::contract::Dangling;
use kubewright::core::flow::{Blocked, Delay};
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;

use super::platform::{ApiServer, Authentication, DOMAIN, Landscaper, Script, operator_with};
use super::world::{NAME, World, message_of, told_by};

const OF_AUTHENTICATION: &str = "dependency.platform.kubewright.dev/authentication";
const OF_LANDSCAPER: &str = "dependency.platform.kubewright.dev/landscaper";
const WAITS: &str = "DeletionWaitingForDependingComponents";

// DEP-08, DEP-09, TEAR-1, 13.5 5b, FZ-10, FZ-14
#[tokio::test]
async fn components_go_in_the_order_of_their_edges_each_at_once_after_the_last_that_depends_on_it() {
    let world = World::start().await;
    world.create_all().await;
    world.script.set("cleanup Landscaper", |_| Blocked::new("Draining", "a person has to drain it").into());
    world.delete::<Landscaper>().await;
    world.condition::<Landscaper>("LandscaperDeletionBlocked", "True", "Draining").await;
    world.delete::<Authentication>().await;
    world.delete::<ApiServer>().await;
    let held = world.condition::<ApiServer>("ApiServerDeletionBlocked", "True", WAITS).await;
    assert_eq!(message_of(&held, "Ready"), "the deletion waits for depending components: authentication, landscaper");
    assert_eq!(told_by(&held, "ApiServerHealthy"), Some(("True".to_owned(), "ApiServerHealthy_True".to_owned())));
    assert!(held.has_finalizer("platform.kubewright.dev/apiserver"));
    world.condition::<Authentication>("Ready", "False", WAITS).await;
    assert_eq!(world.script.count("cleanup ApiServer") + world.script.count("cleanup Authentication"), 0);

    world.script.set("cleanup Landscaper", |_| Ok(()));
    let begin = world.now();
    world.annotate::<Landscaper>("requested-at", "now".into()).await;
    world.gone::<ApiServer>().await;
    let cleanups: Vec<String> = world.script.calls().into_iter().filter(|call| call.starts_with("cleanup ")).collect();
    let cleanups: Vec<&str> = cleanups.iter().map(String::as_str).filter(|call| !call.contains("with")).collect();
    assert_eq!(cleanups[cleanups.len() - 3..], ["cleanup Landscaper", "cleanup Authentication", "cleanup ApiServer"]);
    assert!(world.now().since(begin).as_secs() < 60, "no safety net was waited for");
    assert!(world.get::<Authentication>().await.is_none() && world.get::<Landscaper>().await.is_none());
    world.stop().await;
}

// DEP-10, DEP-15, CL-3, LOOP-02, STH-2
#[tokio::test]
async fn a_cleanup_needs_no_dependency_and_no_labels() {
    let world = World::start().await;
    world.create::<ApiServer>().await;
    world.ready::<ApiServer>().await;
    world.create::<Authentication>().await;
    world.ready::<Authentication>().await;
    // The dependency is removed by force, which no controller would do.
    world.patch::<ApiServer>(json!({"metadata": {"finalizers": null}})).await;
    world.annotate::<ApiServer>("operation", "ignore".into()).await;
    world.patch::<ApiServer>(json!({"metadata": {"finalizers": null}})).await;
    world.delete::<ApiServer>().await;
    world.gone::<ApiServer>().await;
    world.patch::<Authentication>(json!({"metadata": {"labels": { format!("{DOMAIN}/owner-generation"): "none" }}})).await;
    world.delete::<Authentication>().await;
    world.gone::<Authentication>().await;
    assert_eq!(world.script.count("cleanup without ApiServer"), 1);
    world.stop().await;
}

// DEP-10, CL-3
#[tokio::test]
async fn a_cleanup_gets_a_dependency_that_is_not_ready() {
    let world = World::start().await;
    world.create::<ApiServer>().await;
    world.create::<Authentication>().await;
    world.ready::<Authentication>().await;
    world.script.set("apply ApiServer", |_| Blocked::new("Broken", "a person has to look").into());
    world.patch::<ApiServer>(json!({"spec": {"size": 2}})).await;
    world.condition::<ApiServer>("ApiServerHealthy", "False", "Broken").await;
    world.delete::<Authentication>().await;
    world.gone::<Authentication>().await;
    assert_eq!(world.script.count("cleanup with ApiServer"), 1);
    let left = world.cluster.expect::<ApiServer>(NAME);
    left.matching("no dependency finalizer", |object| !object.has_finalizer(OF_AUTHENTICATION)).await;
    world.stop().await;
}

// DEP-12, TEAR-3
#[tokio::test]
async fn a_dependency_finalizer_of_a_component_that_is_not_there_is_removed_after_a_while() {
    let script = Script::default();
    let dangling = Dangling::RemoveAfter(Delay::secs::<6>());
    let operator = operator_with(&script, |api_server| api_server.dangling(dangling), |landscaper| landscaper);
    let world = World::start_operator(script, operator).await;
    world.create::<ApiServer>().await;
    world.ready::<ApiServer>().await;
    let finalizers = json!(["platform.kubewright.dev/apiserver", OF_LANDSCAPER]);
    world.patch::<ApiServer>(json!({"metadata": {"finalizers": finalizers}})).await;
    let begin = world.now();
    world.delete::<ApiServer>().await;
    world.condition::<ApiServer>("Ready", "False", WAITS).await;
    world.gone::<ApiServer>().await;
    assert!((6..60).contains(&world.now().since(begin).as_secs()));
    world
        .told::<ApiServer>("Warning DanglingDependencyRemoved removed finalizer dependency.platform.kubewright.dev/landscaper")
        .await;
    world.stop().await;
}

// DEP-12, TEAR-3
#[tokio::test]
async fn a_dangling_dependency_finalizer_can_be_kept() {
    let script = Script::default();
    let operator = operator_with(&script, |api_server| api_server.dangling(Dangling::Keep), |landscaper| landscaper);
    let world = World::start_operator(script, operator).await;
    world.create::<ApiServer>().await;
    world.ready::<ApiServer>().await;
    let finalizers = json!(["platform.kubewright.dev/apiserver", OF_LANDSCAPER]);
    world.patch::<ApiServer>(json!({"metadata": {"finalizers": finalizers}})).await;
    world.delete::<ApiServer>().await;
    world.condition::<ApiServer>("Ready", "False", WAITS).await;
    world.idle(1200).await;
    assert!(world.get::<ApiServer>().await.unwrap().has_finalizer(OF_LANDSCAPER));
    world.stop().await;
}

// DEP-14, TEAR-2
#[tokio::test]
async fn a_component_that_keeps_running_follows_its_spec_while_its_deletion_waits() {
    let world = World::start().await;
    world.create_all().await;
    world.delete::<ApiServer>().await;
    world.condition::<ApiServer>("Ready", "False", WAITS).await;
    world.patch::<ApiServer>(json!({"spec": {"size": 5}})).await;
    let api_server = world.cluster.expect::<ApiServer>(NAME);
    let changed = api_server.matching("the new endpoint", |object| object["status"]["endpoint"] == "https://api-5").await;
    assert_eq!(told_by(&changed, "Ready"), Some(("False".to_owned(), WAITS.to_owned())));
    world.script.set("apply ApiServer", |_| Err(std::io::Error::other("the backend is away").into()));
    world.patch::<ApiServer>(json!({"spec": {"size": 6}})).await;
    world.condition::<ApiServer>("ApiServerReconciliation", "False", "InternalError").await;
    world.stop().await;
}

// DEP-18, CL-5
#[tokio::test]
async fn a_target_that_cannot_be_released_stops_no_other_and_keeps_the_component() {
    let world = World::start().await;
    world.create_all().await;
    let refused = world.cluster.faults().on_writes().of(DOMAIN, "apiservers").subresource("").internal_error();
    world.delete::<Landscaper>().await;
    let failed = world.condition::<Landscaper>("LandscaperDeletionBlocked", "True", "InternalError").await;
    assert!(message_of(&failed, "Ready").starts_with("failed to clear dependency finalizers: "), "{failed}");
    assert!(failed.has_finalizer("platform.kubewright.dev/landscaper"));
    assert!(!world.get::<Authentication>().await.unwrap().has_finalizer(OF_LANDSCAPER));
    assert!(world.get::<ApiServer>().await.unwrap().has_finalizer(OF_LANDSCAPER));
    refused.remove();
    world.gone::<Landscaper>().await;
    assert!(!world.get::<ApiServer>().await.unwrap().has_finalizer(OF_LANDSCAPER));
    world.stop().await;
}

// FDEL-01, TEAR-5, FDEL-05, 13.5 5d
#[tokio::test]
async fn a_cleanup_of_two_passes_ends_without_a_request_for_the_status() {
    let world = World::start().await;
    world.create::<Landscaper>().await;
    world.ready::<Landscaper>().await;
    world.script.set("cleanup Landscaper", |_| Wait::after(Delay::secs::<30>(), "Deleting").into());
    world.delete::<Landscaper>().await;
    let waits = world.condition::<Landscaper>("Ready", "False", "Deleting").await;
    assert_eq!(told_by(&waits, "LandscaperDeletionBlocked"), None);
    assert!(waits.has_finalizer("platform.kubewright.dev/landscaper"));
    let writes = world.writes::<Landscaper>().len();
    world.script.set("cleanup Landscaper", |_| Ok(()));
    world.annotate::<Landscaper>("requested-at", "now".into()).await;
    world.gone::<Landscaper>().await;
    world.idle(30).await;
    let writes = world.writes::<Landscaper>().split_off(writes);
    assert_eq!(writes.len(), 1, "{writes:?}");
    assert!(!writes[0].contains("status"), "{writes:?}");
    world.stop().await;
}
