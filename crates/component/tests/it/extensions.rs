//! Extensions by the author of an operator: rules of readiness, watches on other objects, passes on demand.

use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kubewright::component::{Key, Readiness, Trigger, custom_resource_definition};
use kubewright::core::time::Moment;
use kubewright::prelude::*;
use kubewright::runtime::admin::CheckKind;
use kubewright_middleware::Verb;
use kubewright_testing::{TestCluster, TestOptions};
use parking_lot::Mutex;

use crate::kinds::Kinds;
use crate::types::{Bundle, bundle, config_map, objects};
use crate::world::{OPERATOR, World, message_of};

// READY-7
#[tokio::test]
async fn a_rule_of_the_author_decides_when_a_kind_is_ready() {
    let mut world = World::new().await;
    let kinds = Kinds::install(&world).await;
    let group = kinds.foo()["apiVersion"].as_str().unwrap().split('/').next().unwrap().to_owned();
    let rule = |foo: &Value| {
        let stuck = foo["spec"]["value"] != "go";
        Some(if stuck { Readiness::in_progress("it does not go") } else { Readiness::current() })
    };
    world.run(|builder| builder.readiness(group, "Foo", rule)).await;
    // No controller observes the object, so without the rule it would never be ready.
    let mut foo = kinds.foo();
    foo["status"] = json!({});
    world.set(&bundle("demo", &[foo.clone()])).await;
    world.until_present(&kinds.foo()).await;
    world.observe(&kinds.foo()).await;
    let waits = |component: &Value| message_of(component).contains("it does not go");
    world.until("demo", "waiting by the rule", waits).await;
    foo["spec"]["value"] = "go".into();
    world.set(&bundle("demo", &[foo])).await;
    world.until_inventory("demo", "Processing", &[("foo", "Updating", "InProgress")]).await;
    world.observe(&kinds.foo()).await;
    world.until_ready("demo").await;
}

/// Starts an operator whose passes are counted.
async fn counting(
    configure: impl FnOnce(ComponentBuilder<Bundle>) -> ComponentBuilder<Bundle>,
) -> (World, Arc<AtomicUsize>, Trigger<Bundle>) {
    counting_in(World::new().await, configure).await
}

async fn counting_in(
    mut world: World,
    configure: impl FnOnce(ComponentBuilder<Bundle>) -> ComponentBuilder<Bundle>,
) -> (World, Arc<AtomicUsize>, Trigger<Bundle>) {
    let passes = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&passes);
    let builder = Operator::new(OPERATOR).component::<Bundle>(objects);
    let builder = configure(builder).post_read(move |_: &ReadContext<Bundle>, _: &Bundle, _: &mut ComponentStatus| {
        counted.fetch_add(1, Ordering::SeqCst);
        ready(Ok(()))
    });
    let trigger = builder.trigger();
    trigger.queue(world.namespace(), "before-the-start");
    world.run_other(builder).await;
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    world.until_ready("demo").await;
    world.idle(Duration::from_secs(5)).await;
    (world, passes, trigger)
}

// OPT-3, TRG-5
#[tokio::test]
async fn a_trigger_queues_one_pass() {
    let (world, passes, trigger) = counting(|builder| builder).await;
    let before = passes.load(Ordering::SeqCst);
    trigger.queue(world.namespace(), "demo");
    world.until_true("it is passed", || passes.load(Ordering::SeqCst) > before).await;
    world.pass(Duration::from_secs(1)).await;
    assert_eq!(passes.load(Ordering::SeqCst), before + 1);
    trigger.queue(world.namespace(), "nobody");
    world.pass(Duration::from_secs(1)).await;
    assert_eq!(passes.load(Ordering::SeqCst), before + 1);
}

// TRG-5
#[tokio::test]
async fn a_change_of_a_foreign_object_queues_the_components_of_its_old_and_its_new_state() {
    let concerns = |map: &ConfigMap| {
        let data = map.data.clone().unwrap_or_default();
        let namespace = map.metadata.namespace.clone().unwrap_or_default();
        data.get("concerns").map(|name| Key::new(&namespace, name)).into_iter().collect()
    };
    let (world, passes, _) = counting(|builder| builder.foreign_watch(concerns)).await;
    // Waits for the number of passes, and checks that no more follow within a second.
    let seen = async |count: usize| {
        world.until_true("it is passed", || passes.load(Ordering::SeqCst) >= count).await;
        world.pass(Duration::from_secs(1)).await;
        passes.load(Ordering::SeqCst)
    };
    let before = seen(0).await;
    let mut foreign = config_map("foreign", "x");
    world.create(&foreign).await;
    assert_eq!(seen(before).await, before, "it concerns nobody");
    world.patch(&foreign, json!({ "data": { "concerns": "demo" } })).await;
    assert_eq!(seen(before + 1).await, before + 1);
    world.patch(&foreign, json!({ "data": { "concerns": "other" } })).await;
    assert_eq!(seen(before + 2).await, before + 2, "its old state concerned the component");
    foreign["data"] = json!({});
    world.delete(&foreign).await;
    assert_eq!(seen(before + 2).await, before + 2);
}

// TRG-5: a change before the first list of a watch is not missed.
#[tokio::test]
async fn foreign_objects_that_can_only_be_listed_later_queue_their_components() {
    let world = World::new().await;
    let rule = world.faults().on(Verb::List).of("", "secrets").forbidden();
    let concerns = |secret: &Secret| {
        let namespace = secret.metadata.namespace.clone().unwrap_or_default();
        vec![Key::new(&namespace, "demo")]
    };
    let (world, passes, _) = counting_in(world, |builder| builder.foreign_watch(concerns)).await;
    let mut component = bundle("demo", &[config_map("one", "a")]);
    component["spec"]["requeueInterval"] = "1h".into();
    world.set(&component).await;
    let namespace = world.namespace();
    world.create(&json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": namespace, "name": "foreign"}})).await;
    world.until_ready("demo").await;
    world.idle(Duration::from_secs(60)).await;
    let before = passes.load(Ordering::SeqCst);
    // A forbidden watch is tried again at least once a minute.
    rule.remove();
    world.until_true("the component is passed", || passes.load(Ordering::SeqCst) > before).await;
    world.idle(Duration::from_secs(60)).await;
    assert_eq!(passes.load(Ordering::SeqCst), before + 1);
}

// WAIT-4
#[tokio::test]
async fn a_component_that_is_made_again_waits_no_longer_than_a_new_one() {
    let mut world = World::new().await;
    if !world.cluster.is_embedded() {
        return; // the test takes minutes
    }
    let tried: Arc<Mutex<Vec<Moment>>> = Arc::default();
    let (clock, seen) = (world.cluster.clock().clone(), Arc::clone(&tried));
    world
        .run(|builder| {
            builder.pre_reconcile(move |_: &HookContext<Bundle>, _: &Bundle, _: &mut ComponentStatus| {
                seen.lock().push(clock.moment());
                ready(Failure::backoff("it does not work").into())
            })
        })
        .await;
    let component = bundle("demo", &[config_map("one", "a")]);
    let waits = |from: usize| -> Vec<Duration> { tried.lock()[from..].windows(2).map(|two| two[1].since(two[0])).collect() };
    world.set(&component).await;
    world.pass(Duration::from_secs(120)).await;
    let first = waits(0);
    assert!(first[first.len() - 1] > 20 * first[0], "{first:?}");
    world.delete(&component).await;
    world.until_gone(&component).await;
    let from = tried.lock().len();
    world.set(&component).await;
    world.pass(Duration::from_secs(5)).await;
    let second = waits(from);
    assert!(second[0] < 2 * first[0], "{first:?}, then {second:?}");
}

// OPT-2
#[tokio::test]
async fn a_crd_that_lacks_a_status_field_is_reported_and_its_component_becomes_ready() {
    let cluster = TestCluster::start_with(TestOptions::default().exclusive()).await;
    let world = World::on(cluster);
    let mut old = custom_resource_definition::<Bundle>().unwrap();
    let status = old.pointer_mut("/spec/versions/0/schema/openAPIV3Schema/properties/status/properties").unwrap();
    status["inventory"]["items"]["properties"].as_object_mut().unwrap().remove("fingerprint");
    world.create(&old).await;
    let running = world.cluster.start_operator(Operator::new(OPERATOR).component::<Bundle>(objects)).await;
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    world.until_ready("demo").await;
    let metrics = running.running().metrics().encode().unwrap();
    assert!(metrics.contains("kubewright_crd_outdated{controller=\"bundle\"} 1"), "{metrics}");
    let notes = running.running().checks().results(CheckKind::Note);
    let told = notes.iter().find(|(name, _)| name == "crd of bundle").and_then(|(_, result)| result.clone().err());
    assert!(told.as_ref().is_some_and(|told| told.contains("lacks status.inventory[].fingerprint")), "{notes:?}");
    running.stop().await;
}
