//! Components that are processed by several replicas.

use std::sync::Arc;
use std::time::Duration;

use kubewright::prelude::*;
use kubewright::runtime::leadership::Leadership;
use kubewright_testing::{TestCluster, TestOperator};
use tokio::sync::Semaphore;

use crate::types::{Bundle, bundle, config_map, objects};
use crate::world::{OPERATOR, World, condition};

fn leases() -> Leadership {
    let seconds = Duration::from_secs;
    Leadership::leases().timing(seconds(15), seconds(10), seconds(2))
}

async fn replica(cluster: &TestCluster, name: &str) -> TestOperator {
    run(cluster, name, Operator::new(OPERATOR).component::<Bundle>(objects).into()).await
}

async fn run(cluster: &TestCluster, name: &str, operator: Operator) -> TestOperator {
    let operator = operator.leadership(leases());
    cluster.install_crds(&operator).await;
    cluster.run_replica(operator, name).await
}

fn agent(name: &str) -> String {
    format!("{OPERATOR}/{name}")
}

fn leads(operator: &TestOperator) -> bool {
    operator.running().leadership().borrow().leads_any()
}

// LDR-4: kinds that inventories name are watched on standby replicas, too.
#[tokio::test]
async fn ready_components_are_taken_over_without_a_list_or_a_write() {
    let world = World::new().await;
    let count = if world.cluster.is_embedded() { 1000 } else { 50 };
    let first = replica(&world.cluster, "first").await;
    let second = replica(&world.cluster, "second").await;
    let name = |number: usize| format!("c{number}");
    for number in 0..count {
        world.set(&bundle(&name(number), &[config_map(&format!("of-{number}"), "a")])).await;
    }
    for number in 0..count {
        world.until_ready(&name(number)).await;
    }
    world.idle(Duration::from_secs(5)).await;
    let mark = world.journal().mark();
    first.kill().await;
    world.until_true("the second leads", || leads(&second)).await;
    let passes =
        || second.metric("kubewright_reconcile_total", &[("controller", "bundle"), ("result", "done")]).unwrap_or_default();
    world.until_true("all are looked at", || passes() >= count as f64).await;
    world.idle(Duration::from_secs(60)).await;
    let requests = world.journal().since(mark).by_user_agent(&agent("second"));
    let texts = requests.iter().map(ToString::to_string);
    let others: Vec<String> = texts.filter(|text| !text.contains(" leases.") && !text.contains("watch ")).collect();
    assert!(others.is_empty(), "{} requests: {:?}", others.len(), &others[..others.len().min(5)]);
    // It also watches dependents, so it repairs at once.
    world.delete(&config_map("of-7", "")).await;
    world.until_present(&config_map("of-7", "")).await;
    second.stop().await;
    world.cluster.stop().await;
}

// STA-7
#[tokio::test]
async fn a_pass_that_loses_its_term_is_abandoned_without_a_write() {
    let world = World::new().await;
    let (gate, begun) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let (of_hook, of_test) = (Arc::clone(&gate), Arc::clone(&begun));
    let slow = Operator::new(OPERATOR).component::<Bundle>(objects).pre_reconcile(
        move |_: &HookContext<Bundle>, _: &Bundle, _: &mut ComponentStatus| {
            let (gate, begun) = (Arc::clone(&of_hook), Arc::clone(&of_test));
            async move {
                begun.add_permits(1);
                drop(gate.acquire().await);
                Ok(())
            }
        },
    );
    let first = run(&world.cluster, "first", slow.into()).await;
    let second = replica(&world.cluster, "second").await;
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    drop(begun.acquire().await);
    let cut = world.faults().cut_after(0).by_user_agent(&agent("first")).start();
    world.until_true("the term of the first has ended", || !leads(&first)).await;
    let mark = world.journal().mark();
    gate.add_permits(100);
    world.until_ready("demo").await;
    world.idle(Duration::from_secs(30)).await;
    cut.resume();
    world.idle(Duration::from_secs(30)).await;
    let late = world.journal().since(mark).by_user_agent(&agent("first")).writes();
    let late: Vec<String> = late.iter().map(ToString::to_string).filter(|text| !text.contains(" leases.")).collect();
    assert!(late.is_empty(), "{late:?}");
    let component = world.component("demo").await.unwrap();
    assert_eq!(condition(&component, "Ready").map(|ready| &ready["status"]), Some(&json!("True")));
    assert!(leads(&second) && !leads(&first));
    first.stop().await;
    second.stop().await;
    world.cluster.stop().await;
}
