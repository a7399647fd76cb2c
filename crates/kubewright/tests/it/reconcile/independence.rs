//! Controllers of one operator that do not depend on each other.

use std::time::Duration;

use k8s_openapi::api::core::v1::Secret;
use kubewright::prelude::*;
use kubewright::runtime::reconcile::{Context, Controller, NoStatus, Reconcile};
use kubewright_middleware::Verb;
use kubewright_testing::TestCluster;
use serde_json::json;

use super::widget::{Script, Widget, Widgets};
use super::world::World;

/// A reconciler that does nothing for Secrets.
struct Secrets(Script);

impl Reconcile for Secrets {
    type Kind = Secret;
    type Status = NoStatus;

    async fn reconcile(&self, cx: &Context<Secret>, _: &Secret, _: &mut NoStatus) -> Flow {
        self.0.called("secret", cx.key().name());
        Ok(())
    }
}

fn ready() -> Script {
    Script::default().reconcile(|_, widget, status| {
        Box::pin(async move {
            status.size = Some(widget.spec.size);
            status.conditions.mark_true("Sized");
            Ok(())
        })
    })
}

#[tokio::test]
async fn a_permanently_failing_watch_of_one_kind_does_not_affect_other_controllers() {
    let mut runs = Vec::new();
    for is_disturbed in [false, true] {
        let script = ready();
        let operator = Widgets::operator(&script).add_controller(Controller::new(|State(script): State<Script>| Secrets(script)));
        let cluster = TestCluster::start().await;
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "early"}});
        cluster.apply(secret).await;
        if is_disturbed {
            cluster.faults().on(Verb::Watch).of("", "secrets").internal_error();
        }
        let world = World::start_on(cluster, script, operator).await;
        world.until("the secret of the first list has its pass", || world.script.count("secret") > 0).await;
        world.create("demo", 3).await;
        world.condition("demo", "Ready", "True", "Reconciled").await;
        world.idle(Duration::from_hours(1)).await;
        world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 4}})).await;
        world.cluster.expect::<Widget>("demo").matching("the new size", |widget| widget["status"]["size"] == 4).await;
        world.idle(Duration::from_secs(4)).await;
        let refused = world.cluster.journal().all().of("", "secrets").verb(Verb::Watch).len();
        let at_least = if world.cluster.is_embedded() { 3 } else { 1 };
        assert!(!is_disturbed || (at_least..200).contains(&refused), "{refused} watches in an hour");
        // Verb and resource, without number and time.
        let writes: Vec<Vec<String>> =
            world.writes().iter().map(|write| write.split(' ').skip(2).take(2).map(str::to_owned).collect()).collect();
        assert_eq!(writes.len(), 3, "the finalizer, and twice the status");
        runs.push((writes, world.script.calls()));
        world.stop().await;
    }
    assert_eq!(runs[0], runs[1]);
}
