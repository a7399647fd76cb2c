//! Helpers of a cleanup.

use k8s_openapi::api::batch::v1::Job;
use kube::Api;
use kube::api::DeleteParams;
use kubewright::core::flow::Delay;
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use kubewright::runtime::ensure::ChildChange;
use kubewright_middleware::Verb;

use super::world::gone;
use crate::ensure::world::{DOMAIN, Log};
use crate::reconcile::widget::{FINALIZER, Script, Widget, Widgets};
use crate::reconcile::world::World;

fn job() -> Job {
    let job = json!({
        "apiVersion": "batch/v1", "kind": "Job", "metadata": { "name": "clean-up" },
        "spec": { "suspend": true, "template": { "spec": {
            "restartPolicy": "Never", "containers": [{ "name": "main", "image": "example.com/clean-up:1" }],
        } } },
    });
    serde_json::from_value(job).unwrap()
}

/// Returns a cleanup that is done when its job existed in an earlier pass.
fn script() -> (Script, Log) {
    let log = Log::default();
    let noted = log.clone();
    let script = Script::default().finalize(move |cx, _, _| {
        let log = noted.clone();
        Box::pin(async move {
            let change = cx.helper(job()).await.map(|ensured| ensured.change);
            log.note(&change);
            match change? {
                ChildChange::Created => Wait::after(Delay::secs::<1>(), "CleaningUp").into(),
                _ => Ok(()),
            }
        })
    });
    (script, log)
}

async fn start() -> (World, Log) {
    let (script, log) = script();
    let operator =
        Widgets::operator_with(&script, |controller| controller.owns::<Job>().creates::<Job>().finalizer(Some(FINALIZER)));
    let world = World::start_operator(script, operator).await;
    world.create("demo", 3).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    (world, log)
}

// FDEL-12, KID-6
#[tokio::test]
async fn a_helper_is_created_by_a_cleanup_and_deleted_before_the_finalizer_is_released() {
    for params in [DeleteParams::background(), DeleteParams::foreground()] {
        let (world, log) = start().await;
        let widgets: Api<Widget> = Api::namespaced(world.cluster.client().clone(), world.cluster.namespace());
        widgets.delete("demo", &params).await.unwrap();
        let helper = world.cluster.expect::<Job>("clean-up").to_exist().await;
        assert_eq!((helper.owner_references().count(), helper.label(&format!("{DOMAIN}/owner-name"))), (0, Some("demo")));
        gone(&world).await;
        world.cluster.expect::<Job>("clean-up").to_be_gone().await;
        assert_eq!(log.count("Created"), 1, "{:?}", log.all());
        let requests = world.cluster.journal().all().writes();
        let of = |group: &'static str, resource: &'static str, verb| {
            move |record: &kubewright_middleware::journal::Record| {
                record
                    .target
                    .resource()
                    .is_some_and(|target| (&*target.group, &*target.resource, target.verb) == (group, resource, verb))
            }
        };
        let deleted = requests.iter().position(|record| of("batch", "jobs", Verb::Delete)(record));
        let is_release = of("test.kubewright.dev", "widgets", Verb::Patch);
        let released = requests.iter().enumerate().filter(|(_, record)| {
            is_release(record) && record.target.resource().is_some_and(|target| target.subresource.is_empty())
        });
        let released = released.map(|(place, _)| place).next_back();
        assert!(deleted.is_some() && deleted < released, "{deleted:?} {released:?}");
        world.stop().await;
    }
}

// FDEL-12, KID-6: a helper that cannot be deleted keeps the finalizer
#[tokio::test]
async fn the_finalizer_stays_while_a_helper_cannot_be_deleted() {
    let (world, _) = start().await;
    let refused = world.cluster.faults().on(Verb::Delete).of("batch", "jobs").times(1).internal_error();
    world.cluster.delete::<Widget>("demo").await;
    gone(&world).await;
    assert_eq!(refused.hits(), 1);
    world.cluster.expect::<Job>("clean-up").to_be_gone().await;
    world.stop().await;
}
