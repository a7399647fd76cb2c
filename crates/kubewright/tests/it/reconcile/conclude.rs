//! Reconcilers that report outcomes in a status of their own.

use std::time::Duration;

use kubewright::core::flow::{Blocked, Prior};
use kubewright::prelude::*;
use kubewright::runtime::reconcile::{Conclude, EndedMethod, Method};

use super::widget::{FINALIZER, Script, Widget, WidgetStatus, widget};
use super::world::World;

/// A reconciler of widgets that notes each outcome.
struct Noting(Script);

impl Noting {
    fn new(State(script): State<Script>) -> Self {
        Self(script)
    }

    fn operator(script: &Script) -> Operator {
        let crd = serde_json::to_value(<Widget as kube::CustomResourceExt>::crd()).unwrap();
        let controller = Controller::new(Self::new).crd(Some(crd)).finalizer(Some(FINALIZER)).conclude();
        let controller = controller.timeout(Duration::from_secs(5));
        Operator::new("widget-operator.test.kubewright.dev").state(script.clone()).add_controller(controller)
    }
}

impl Reconcile for Noting {
    type Kind = Widget;
    type Status = WidgetStatus;

    async fn reconcile(&self, cx: &Context<Widget>, object: &Widget, status: &mut WidgetStatus) -> Flow {
        self.0.called("reconcile", cx.key().name());
        (self.0.reconcile)(cx, object, status).await
    }
}

impl Finalize for Noting {
    async fn finalize(&self, cx: &Context<Widget>, object: &Widget, status: &mut WidgetStatus) -> Flow {
        self.0.called("finalize", cx.key().name());
        (self.0.finalize)(cx, object, status).await
    }
}

impl Conclude for Noting {
    fn prior(_: &WidgetStatus) -> Prior {
        Prior::Memory
    }

    fn conclude(&self, _: &Context<Widget>, ended: &mut EndedMethod<'_>, status: &mut WidgetStatus) {
        let method = if ended.method() == Method::Finalize { "finalize" } else { "reconcile" };
        let reason = ended.report().ready.as_ref().map_or_else(String::new, |(_, texts)| texts.reason.to_string());
        status.note = Some(format!("{method} {reason}"));
        ended.drop_event();
    }
}

/// Returns a reconciler whose pass ends as the size of its widget selects.
fn script() -> Script {
    Script::default()
        .reconcile(|_, widget, status| {
            Box::pin(async move {
                status.size = Some(widget.spec.size);
                match widget.spec.size {
                    1 => Ok(()),
                    2 => Blocked::new("Locked", "somebody holds the lock").into(),
                    3 => Err(std::io::Error::other("the backend is away").into()),
                    4 => panic!("out of widgets"),
                    _ => std::future::pending().await,
                }
            })
        })
        .finalize(|_, _, _| Box::pin(async { Blocked::new("Cleaning", "a person has to look").into() }))
}

async fn noted(world: &World, note: &str) -> Value {
    let note = note.to_owned();
    world.cluster.expect::<Widget>("demo").matching("the note", move |object| object["status"]["note"] == *note).await
}

// STAGE-15, ACT-13
#[tokio::test]
async fn every_outcome_is_reported_by_conclude_in_the_status_of_the_reconciler() {
    let world = World::start_operator(script(), Noting::operator(&script())).await;
    world.create("demo", 1).await;
    noted(&world, "reconcile Reconciled").await;
    for (size, note) in
        [(2, "reconcile Locked"), (3, "reconcile InternalError"), (4, "reconcile Panic"), (5, "reconcile Timeout")]
    {
        world.cluster.patch::<Widget>("demo", json!({"spec": {"size": size}})).await;
        let told = noted(&world, note).await;
        // A pass that was interrupted leaves no partial result.
        assert_eq!(told["status"]["size"], size.min(3), "{told}");
    }
    world.cluster.delete::<Widget>("demo").await;
    noted(&world, "finalize Cleaning").await;
    assert_eq!(world.events("demo").await.iter().filter(|event| !event.contains("FinalizerUpdate")).count(), 0);
    world.cluster.finalize(&kube::core::GroupVersionKind::gvk("test.kubewright.dev", "v1", "Widget"), "demo").await;
    world.stop().await;
}

// STAGE-15, STAGE-8, SW-5
#[tokio::test]
async fn a_failure_to_set_the_finalizer_is_concluded_by_the_reconciler() {
    let world = World::start_operator(script(), Noting::operator(&script())).await;
    let refused = world.cluster.faults().on_writes().of("test.kubewright.dev", "widgets").subresource("").internal_error();
    world.cluster.create(widget(&world.cluster, "demo", 1)).await.unwrap();
    noted(&world, "reconcile InternalError").await;
    assert_eq!(world.script.count("reconcile"), 0);
    refused.remove();
    noted(&world, "reconcile Reconciled").await;
    world.stop().await;
}
