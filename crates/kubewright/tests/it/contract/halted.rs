//! Components whose methods are pipelines: their conditions during a pause and during a wait with a deadline.

use kubewright::contract::{ApplyContext, CleanupContext, ComponentController, ContractExt as _, Maybe, Ready};
use kubewright::prelude::*;
use kubewright_testing::TestCluster;

use super::platform::{ApiServer, DOMAIN};
use super::world::{NAME, told_by};

/// The specification as the input of the steps: a size of 0 pauses, one above 1 waits for an election.
struct Work {
    size: i64,
}

/// The deadline of the election.
const DEADLINE: Delay = Delay::secs::<6>();

fn elect(work: &mut Work) -> std::future::Ready<Flow> {
    let wait = Wait::for_event("Electing").message("a leader is elected").deadline(DEADLINE);
    std::future::ready(if work.size > 1 { wait.into() } else { Ok(()) })
}

fn write(_: &mut Work) -> std::future::Ready<Flow> {
    std::future::ready(Ok(()))
}

/// A controller of API servers whose only work is a pipeline.
struct Stepping(Pipeline<Work>);

impl Stepping {
    fn new() -> Self {
        let pipeline =
            Pipeline::new("apply").group("serve", |group| group.write(step!("write", write)).wait(step!("elect", elect)));
        Self(pipeline.pause_when(|work: &Work| work.size == 0))
    }
}

impl ComponentController for Stepping {
    type Component = ApiServer;

    async fn apply(&self, cx: &ApplyContext<ApiServer>, _: Ready<ApiServer>) -> Flow {
        self.0.run(&mut Work { size: cx.component().spec.size }).await?;
        cx.healthy();
        Ok(())
    }

    async fn cleanup(&self, _: &CleanupContext<ApiServer>, _: Maybe<ApiServer>) -> Flow {
        Ok(())
    }
}

fn operator() -> Operator {
    Operator::new("stepping-operator.platform.kubewright.dev").component_controller(Stepping::new).into()
}

async fn create(cluster: &TestCluster, size: i64) {
    let labels = json!({ format!("{DOMAIN}/owner-generation"): "1" });
    let component = json!({
        "apiVersion": format!("{DOMAIN}/v1"), "kind": "ApiServer", "metadata": { "name": NAME, "labels": labels },
        "spec": { "size": size },
    });
    cluster.create(component).await.unwrap();
}

fn condition(component: &Value, type_: &str) -> Value {
    let mut all = component["status"]["conditions"].as_array().into_iter().flatten();
    all.find(|condition| condition["type"] == type_).cloned().unwrap_or_default()
}

// 13.6, STEP-8, FPIPE-05
#[tokio::test]
async fn the_paused_condition_of_a_component_is_set_and_cleared_again() {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(operator()).await;
    create(&cluster, 0).await;
    let paused = cluster.expect::<ApiServer>(NAME).condition("Paused", "True", "Paused").await;
    assert_eq!(told_by(&paused, "Ready"), Some(("False".to_owned(), "Paused".to_owned())));
    assert_eq!(told_by(&paused, "ApiServerReconciliation"), Some(("True".to_owned(), "Paused".to_owned())));
    cluster.patch::<ApiServer>(NAME, json!({ "spec": { "size": 1 } })).await;
    let works = cluster.expect::<ApiServer>(NAME).condition("Ready", "True", "Reconciled").await;
    assert_eq!(told_by(&works, "Paused"), Some(("False".to_owned(), "NotPaused".to_owned())));
    operator.stop().await;
    cluster.stop().await;
}

// 13.6, STEP-9
#[tokio::test]
async fn the_deadline_of_a_component_outlasts_a_restart() {
    let cluster = TestCluster::start().await;
    let first = cluster.run(operator()).await;
    create(&cluster, 2).await;
    let waits = cluster.expect::<ApiServer>(NAME).condition("Waiting", "True", "Electing").await;
    let since = condition(&waits, "Waiting")["lastTransitionTime"].clone();
    assert_eq!(told_by(&waits, "Ready"), Some(("False".to_owned(), "Electing".to_owned())));
    first.kill().await;
    let second = cluster.run(operator()).await;
    let late = cluster.expect::<ApiServer>(NAME).condition("Ready", "False", "DeadlineExceeded").await;
    assert_eq!(condition(&late, "Waiting")["lastTransitionTime"], since, "{late:#}");
    cluster.patch::<ApiServer>(NAME, json!({ "spec": { "size": 1 } })).await;
    let works = cluster.expect::<ApiServer>(NAME).condition("Ready", "True", "Reconciled").await;
    assert_eq!(told_by(&works, "Waiting"), None);
    second.stop().await;
    cluster.stop().await;
}
