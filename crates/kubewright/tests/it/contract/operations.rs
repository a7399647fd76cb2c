//! Operations that are requested by annotation.

use kubewright::core::flow::{Delay, Wait};
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;

use super::platform::{ApiServer, Authentication, DOMAIN, Landscaper};
use super::world::{World, told_by};

const OF_AUTHENTICATION: &str = "dependency.platform.kubewright.dev/authentication";

// OP-01, OP-03, OP-07, OPA-2, OPA-3
#[tokio::test]
async fn an_ignored_component_gets_no_request_whatever_starts_the_pass() {
    let world = World::start().await;
    world.create::<ApiServer>().await;
    world.script.set("apply Authentication", |words| {
        words.healthy();
        Wait::after(Delay::secs::<2>(), "Growing").into()
    });
    world.create::<Authentication>().await;
    world.condition::<Authentication>("Ready", "False", "Growing").await;
    world.annotate::<Authentication>("operation", "ignore".into()).await;
    let before = world.patch::<Authentication>(json!({"spec": {"size": 2}})).await;
    world.idle(3).await;
    let (mark, applies) = (world.cluster.journal().mark(), world.script.count("apply Authentication"));
    // A dependency changes, and timers expire.
    world.patch::<ApiServer>(json!({"metadata": {"labels": { format!("{DOMAIN}/owner-generation"): "2" }}})).await;
    world.idle(600).await;
    assert_eq!(world.script.count("apply Authentication"), applies);
    let of_authentication = world.cluster.journal().since(mark).of(DOMAIN, "authentications");
    of_authentication.no_writes().unwrap();
    assert_eq!(world.get::<Authentication>().await.unwrap(), before);
    // Another value of the annotation is no operation.
    world.annotate::<Authentication>("operation", "later".into()).await;
    world.called("apply Authentication", applies + 1).await;
    world.stop().await;
}

// OP-02, OPA-1
#[tokio::test]
async fn reconcile_is_consumed_once_and_causes_one_pass() {
    let world = World::start().await;
    world.create::<Landscaper>().await;
    world.ready::<Landscaper>().await;
    world.idle(2).await;
    let (applies, writes) = (world.script.count("apply Landscaper"), world.writes::<Landscaper>().len());
    world.annotate::<Landscaper>("operation", "reconcile".into()).await;
    world.called("apply Landscaper", applies + 1).await;
    world.idle(5).await;
    assert_eq!(world.script.count("apply Landscaper"), applies + 1);
    assert_eq!(world.writes::<Landscaper>().len(), writes + 1, "only the annotation: {:?}", world.writes::<Landscaper>());
    let consumed = world.get::<Landscaper>().await.unwrap();
    assert_eq!(consumed.annotation(&format!("{DOMAIN}/operation")), None);
    world.stop().await;
}

// STAT-05, OPA-1, STH-8
#[tokio::test]
async fn a_refused_removal_of_the_operation_annotation_fails_the_pass_and_shows_in_the_status() {
    let world = World::start().await;
    world.create::<Landscaper>().await;
    world.ready::<Landscaper>().await;
    let applies = world.script.count("apply Landscaper");
    let refused = world.cluster.faults().on_writes().of(DOMAIN, "landscapers").subresource("").internal_error();
    world.annotate::<Landscaper>("operation", "reconcile".into()).await;
    world.condition::<Landscaper>("LandscaperReconciliation", "False", "InternalError").await;
    assert_eq!(world.script.count("apply Landscaper"), applies);
    refused.remove();
    world.ready::<Landscaper>().await;
    world.stop().await;
}

// OP-06, OPA-6
#[tokio::test]
async fn a_token_is_acknowledged_and_only_another_one_causes_a_pass() {
    let world = World::start().await;
    world.create::<Landscaper>().await;
    world.ready::<Landscaper>().await;
    for (token, passes) in [("one", 1), ("one", 0), ("two", 1)] {
        world.idle(2).await;
        let applies = world.script.count("apply Landscaper");
        world.annotate::<Landscaper>("requested-at", token.into()).await;
        let told = world.cluster.expect::<Landscaper>(super::world::NAME);
        told.matching("the token", move |object| object["status"]["handledRequest"] == token).await;
        world.idle(2).await;
        assert_eq!(world.script.count("apply Landscaper"), applies + passes, "{token}");
    }
    world.stop().await;
}

// OP-08, OPA-4, RDY-6
#[tokio::test]
async fn an_ignored_dependency_counts_as_absent_and_keeps_the_finalizer_on_it() {
    let world = World::start().await;
    world.create::<ApiServer>().await;
    world.create::<Authentication>().await;
    world.ready::<Authentication>().await;
    world.annotate::<ApiServer>("operation", "ignore".into()).await;
    let waits = world.condition::<Authentication>("Ready", "False", "WaitingForDependencies").await;
    assert_eq!(told_by(&waits, "AuthenticationHealthy").map(|(status, _)| status), Some("True".to_owned()));
    let mark = world.cluster.journal().mark();
    world.delete::<Authentication>().await;
    world.condition::<Authentication>("Ready", "False", "DependencyIgnored").await;
    world.cluster.journal().since(mark).of(DOMAIN, "apiservers").no_writes().unwrap();
    assert!(world.get::<ApiServer>().await.unwrap().has_finalizer(OF_AUTHENTICATION));
    assert_eq!(world.script.count("cleanup without ApiServer"), world.script.count("cleanup Authentication"));
    world.annotate::<ApiServer>("operation", Value::Null).await;
    world.gone::<Authentication>().await;
    assert!(!world.get::<ApiServer>().await.unwrap().has_finalizer(OF_AUTHENTICATION));
    world.stop().await;
}
