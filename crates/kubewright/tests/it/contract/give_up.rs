//! Release of components although their cleanup does not succeed.

use kubewright::core::flow::Delay;
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;

use super::platform::{ApiServer, Authentication, Landscaper, Script, operator_with};
use super::world::World;

const OF_LANDSCAPER: &str = "dependency.platform.kubewright.dev/landscaper";

fn away(world: &World, method: &str) {
    world.script.set(method, |_| Err(std::io::Error::other("the backend is away").into()));
}

// FDEL-06, FZ-12, TEAR-4
#[tokio::test]
async fn an_abandoned_component_releases_its_dependencies_too() {
    let script = Script::default();
    let operator = operator_with(&script, |api_server| api_server, |landscaper| landscaper.abandon_after(Delay::secs::<10>()));
    let world = World::start_operator(script, operator).await;
    world.create_all().await;
    away(&world, "cleanup Landscaper");
    let begin = world.now();
    world.delete::<Landscaper>().await;
    world.condition::<Landscaper>("LandscaperDeletionBlocked", "True", "InternalError").await;
    world.gone::<Landscaper>().await;
    assert!((8..60).contains(&world.now().since(begin).as_secs()));
    assert!(!world.get::<ApiServer>().await.unwrap().has_finalizer(OF_LANDSCAPER));
    assert!(!world.get::<Authentication>().await.unwrap().has_finalizer(OF_LANDSCAPER));
    world.told::<Landscaper>("Warning FinalizerAbandoned").await;
    world.stop().await;
}

// FDEL-06, FZ-13
#[tokio::test]
async fn a_forced_component_is_cleaned_up_once_more_and_deleted_despite_a_blocked_cleanup() {
    let world = World::start().await;
    world.create::<ApiServer>().await;
    world.ready::<ApiServer>().await;
    world.create::<Landscaper>().await;
    world.ready::<Landscaper>().await;
    world.script.set("cleanup Landscaper", |_| Blocked::new("Locked", "somebody holds the lock").into());
    world.delete::<Landscaper>().await;
    world.condition::<Landscaper>("LandscaperDeletionBlocked", "True", "Locked").await;
    let (begin, cleanups) = (world.now(), world.script.count("cleanup Landscaper"));
    world.annotate::<Landscaper>("force-finalize", "true".into()).await;
    world.gone::<Landscaper>().await;
    assert_eq!(world.script.count("cleanup Landscaper"), cleanups + 1);
    assert!(world.now().since(begin).as_secs() < 60, "the annotation starts a pass");
    assert!(!world.get::<ApiServer>().await.unwrap().has_finalizer(OF_LANDSCAPER));
    world.told::<Landscaper>("Warning FinalizerForced").await;
    world.stop().await;
}

// FDEL-06, FZ-13
#[tokio::test]
async fn a_forced_component_with_depending_components_is_released_without_a_cleanup() {
    let world = World::start().await;
    world.create_all().await;
    world.delete::<Authentication>().await;
    world.condition::<Authentication>("AuthenticationDeletionBlocked", "True", "DeletionWaitingForDependingComponents").await;
    world.annotate::<Authentication>("force-finalize", "true".into()).await;
    world.told::<Authentication>("Warning FinalizerForced").await;
    let left = world.get::<Authentication>().await.unwrap();
    assert_eq!(left["metadata"]["finalizers"], json!([OF_LANDSCAPER]), "foreign finalizers stay");
    assert_eq!(world.script.count("cleanup Authentication"), 0);
    world.delete::<Landscaper>().await;
    world.gone::<Authentication>().await;
    world.stop().await;
}
