//! A reconciler without the macro.

use kubewright::prelude::*;
use kubewright_testing::TestCluster;

use super::kinds::{Counter, CounterStatus, defined};

struct Doubling;

impl Reconcile for Doubling {
    type Kind = Counter;
    type Status = CounterStatus;

    async fn reconcile(&self, _: &Context<Counter>, object: &Counter, status: &mut CounterStatus) -> Flow {
        status.doubled = object.spec.count * 2;
        Ok(())
    }
}

impl Finalize for Doubling {
    async fn finalize(&self, _: &Context<Counter>, _: &Counter, _: &mut CounterStatus) -> Flow {
        Ok(())
    }
}

impl Observe for Doubling {
    async fn observe(&self, _: &Context<Counter>, _: &Counter) -> Flow {
        Ok(())
    }
}

impl ObserveDeleted for Doubling {
    async fn observe_deleted(&self, _: &Context<Counter>, _: &Key) -> Flow {
        Ok(())
    }
}

fn controller() -> Controller<Doubling> {
    Controller::new(|| Doubling).finalizer(Some("test.kubewright.dev/doubling")).observe().observe_deleted()
}

// REC-1
#[tokio::test]
async fn a_reconciler_can_be_written_by_hand() {
    let definition = kubewright::runtime::definition::custom_resource_definition::<Counter>().unwrap();
    let operator = Operator::new("doubling.test.kubewright.dev").add_controller(controller().crd(Some(definition)));
    assert_eq!(defined(&operator), ["Counter"]);
    let cluster = TestCluster::start().await;
    let operator = cluster.run(operator).await;
    let counter = json!({
        "apiVersion": "test.kubewright.dev/v1", "kind": "Counter", "metadata": { "name": "a" }, "spec": { "count": 4 },
    });
    cluster.apply(counter).await;
    let counted = cluster.expect::<Counter>("a").matching("is doubled", |counter| counter["status"]["doubled"] == 8).await;
    assert_eq!(counted["metadata"]["finalizers"], json!(["test.kubewright.dev/doubling"]));
    operator.stop().await;
    cluster.stop().await;
}
