//! Conditions of reconcilers: completed by the framework if the status declares them.

use kubewright::prelude::*;
use kubewright_testing::TestCluster;

use super::kinds::{Counter, CounterStatus, Lamp, LampStatus, defined};

struct Lamps;

#[reconciler(kind = Lamp)]
impl Lamps {
    #[inject]
    fn new() -> Self {
        Self
    }

    async fn reconcile(&self, _: &Context<Lamp>, object: &Lamp, status: &mut LampStatus) -> Flow {
        if !object.spec.on {
            return Blocked::new("SwitchedOff", "the lamp is off").into();
        }
        status.conditions.mark_true("Lit");
        Ok(())
    }

    async fn finalize(&self, _: &Context<Lamp>, _: &Lamp, status: &mut LampStatus) -> Flow {
        status.conditions.mark_false("Lit", "Deleted", "the lamp is being removed");
        Ok(())
    }
}

struct Counters;

#[reconciler(kind = Counter)]
impl Counters {
    #[inject]
    fn new() -> Self {
        Self
    }

    async fn reconcile(&self, _: &Context<Counter>, object: &Counter, status: &mut CounterStatus) -> Flow {
        status.doubled = object.spec.count * 2;
        Ok(())
    }
}

/// A reconciler of any status. The declaration of conditions is looked up at the place where the type is known.
struct Generic<S>(std::marker::PhantomData<fn() -> S>);

#[reconciler(kind = Counter, name = "generic")]
impl<S: kubewright::runtime::reconcile::ReconciledStatus> Generic<S> {
    #[inject]
    fn new() -> Self {
        Self(std::marker::PhantomData)
    }

    async fn reconcile(&self, _: &Context<Counter>, _: &Counter, _: &mut S) -> Flow {
        Ok(())
    }
}

// REC-3
#[test]
fn only_statuses_that_declare_conditions_have_them() {
    assert!(Lamps::conditions().is_some());
    assert!(Counters::conditions().is_none());
    assert!(Generic::<CounterStatus>::conditions().is_none());
    for operator in [
        Operator::from(Operator::new("counters").controller(Counters::new).workers(3)),
        Operator::new("generic").controller(Generic::<CounterStatus>::new).into(),
    ] {
        assert_eq!(defined(&operator), ["Counter"]);
    }
}

// REC-3
#[tokio::test]
async fn conditions_of_a_status_are_completed() {
    let cluster = TestCluster::start().await;
    let operator = Operator::new("lamps.test.kubewright.dev").controller(Lamps::new);
    let operator = cluster.run(operator).await;
    let lamp = |on: bool| json!({ "apiVersion": "test.kubewright.dev/v1", "kind": "Lamp", "metadata": { "name": "a" }, "spec": { "on": on } });
    cluster.apply(lamp(true)).await;
    cluster.expect::<Lamp>("a").matching("is ready", |lamp| lamp["status"]["observedGeneration"] == 1).await;
    let lit = cluster.expect::<Lamp>("a").matching("has conditions", |lamp| lamp["status"]["conditions"][1].is_object()).await;
    let types: Vec<_> = lit["status"]["conditions"].as_array().unwrap().iter().map(|it| (&it["type"], &it["status"])).collect();
    assert_eq!(types, [(&json!("Lit"), &json!("True")), (&json!("Ready"), &json!("True"))]);
    cluster.apply(lamp(false)).await;
    cluster.expect::<Lamp>("a").condition("Ready", "False", "SwitchedOff").await;
    operator.stop().await;
    cluster.stop().await;
}
