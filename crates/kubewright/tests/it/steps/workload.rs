//! A pipeline with a child: the effect of its steps, and their repetition in each pass.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::{Patch, PatchParams};
use kubewright::core::flow::{Delay, Wait};
use kubewright::prelude::*;

use crate::reconcile::widget::{Script, Widget, Widgets};
use crate::reconcile::world::World;

pub(super) type WidgetPass<'a> = Pass<'a, Widget>;

fn children(pass: &WidgetPass<'_>) -> Api<ConfigMap> {
    Api::namespaced(pass.cx.client().clone(), pass.cx.key().namespace())
}

/// A step that checks the size: 0 is invalid.
pub(super) struct Validate;

impl Step<WidgetPass<'_>> for Validate {
    const NAME: &'static str = "validate";

    async fn run(&self, pass: &mut WidgetPass<'_>) -> Flow {
        pass.status.note = Some("validated".to_owned());
        if pass.object.spec.size == 0 {
            return Blocked::new("InvalidSpec", "spec.size: it is 0; allowed: every other number").into();
        }
        Ok(())
    }
}

/// A step that writes the size into a ConfigMap, unless the ConfigMap exists.
pub(super) struct Child;

impl Step<WidgetPass<'_>> for Child {
    const NAME: &'static str = "child";

    async fn run(&self, pass: &mut WidgetPass<'_>) -> Flow {
        let (name, size) = (pass.cx.key().name(), pass.object.spec.size.to_string());
        let live = children(pass).get_opt(name).await?;
        if live.is_some_and(|live| live.data.is_some_and(|data| data.get("size") == Some(&size))) {
            return Ok(());
        }
        let child = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": { "size": size } });
        children(pass).patch(name, &PatchParams::apply("widget"), &Patch::Apply(child)).await?;
        Ok(())
    }
}

/// Waits until the size is 9, the size at which all children are ready, for at most six seconds.
pub(super) async fn rollout(pass: &mut WidgetPass<'_>) -> Flow {
    pass.status.size = Some(pass.object.spec.size);
    if pass.object.spec.size == 9 {
        pass.status.conditions.mark_true("Sized");
        return Ok(());
    }
    Wait::for_event("RolloutPending").message("no pod is ready").deadline(Delay::secs::<6>()).into()
}

pub(super) fn apply<'a>() -> Pipeline<WidgetPass<'a>> {
    Pipeline::new("apply")
        .group("decide", |group| group.check(Validate))
        .group("workload", |group| group.write(Child).wait(step!("rollout", rollout)))
        .pause_when(|pass: &WidgetPass<'_>| pass.object.spec.size < 0)
}

pub(super) fn script() -> Script {
    Script::default()
        .reconcile(|cx, widget, status| Box::pin(async move { apply().run(&mut Pass::new(cx, widget, status)).await }))
}

/// Starts a cluster with an operator of widgets without finalizer, whose passes run the pipeline.
pub(super) async fn start() -> World {
    let script = script();
    let operator = operator(&script);
    World::start_operator(script, operator).await
}

pub(super) fn operator(script: &Script) -> Operator {
    Widgets::operator_with(script, |controller| controller)
}

/// Returns the writes of the operator to children.
pub(super) fn child_writes(world: &World) -> Vec<String> {
    let records = world.cluster.journal().all().of("", "configmaps").writes();
    records.iter().map(ToString::to_string).filter(|write| write.contains("demo")).collect()
}

pub(super) async fn child_of(world: &World, size: i64) {
    let size = size.to_string();
    world.cluster.expect::<ConfigMap>("demo").matching("its size", |child| child["data"]["size"] == size.as_str()).await;
}

// FPIPE-02, STEP-1, STEP-2
#[tokio::test]
async fn steps_that_all_succeed_make_the_object_ready() {
    assert_eq!(apply().order(), ["validate", "pause", "child", "rollout"]);
    let world = start().await;
    world.create("demo", 9).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    // A pass is counted after its status write.
    let done = || world.metric("kubewright_reconcile_total", &[("controller", "widget"), ("result", "done")]);
    world.until("the pass is counted", || done().is_some_and(|passes| passes >= 1.0)).await;
    assert_eq!(child_writes(&world).len(), 1, "{:#?}", child_writes(&world));
    world.stop().await;
}

// FPIPE-03, STEP-10
#[tokio::test]
async fn a_halt_names_its_step_in_message_metrics_and_record_of_the_pass() {
    let world = start().await;
    world.create("demo", 1).await;
    let widget = world.condition("demo", "Ready", "False", "RolloutPending").await;
    let conditions = widget["status"]["conditions"].as_array().unwrap();
    let ready = conditions.iter().find(|condition| condition["type"] == "Ready").unwrap();
    assert_eq!(ready["message"], "step rollout: no pod is ready");
    let took = |step| {
        let labels = [("controller", "widget"), ("pipeline", "apply"), ("step", step)];
        world.metric("kubewright_step_duration_seconds_count", &labels)
    };
    world.until("the steps are measured", || took("rollout").is_some()).await;
    assert!(took("validate") == took("rollout") && took("validate").is_some(), "{:?}", took("validate"));
    world.until("the pass is recorded", || world.last_step("demo").is_some()).await;
    assert_eq!(world.last_step("demo").as_deref(), Some("rollout"));
    world.stop().await;
}

// FPIPE-06, STEP-3, STEP-4
#[tokio::test]
async fn a_new_specification_is_written_although_the_child_is_not_ready() {
    let world = start().await;
    world.create("demo", 1).await;
    world.condition("demo", "Ready", "False", "RolloutPending").await;
    child_of(&world, 1).await;
    world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 2}})).await;
    child_of(&world, 2).await;
    world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 9}})).await;
    child_of(&world, 9).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    assert_eq!(child_writes(&world).len(), 3, "{:#?}", child_writes(&world));
    world.stop().await;
}

// FPIPE-07, STEP-9
#[tokio::test]
async fn writes_before_an_exceeded_wait_still_happen() {
    let world = start().await;
    world.create("demo", 1).await;
    let widget = world.condition("demo", "Stalled", "True", "DeadlineExceeded").await;
    let conditions = widget["status"]["conditions"].as_array().unwrap();
    let stalled = conditions.iter().find(|condition| condition["type"] == "Stalled").unwrap();
    assert_eq!(stalled["message"], "RolloutPending for more than 6s: step rollout: no pod is ready");
    world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 2}})).await;
    child_of(&world, 2).await;
    world.condition("demo", "Stalled", "True", "DeadlineExceeded").await;
    world.stop().await;
}
