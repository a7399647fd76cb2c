//! Requests about leases.

use std::time::Duration;

use kubewright_testing::TestCluster;

use super::replicas::{RETRY, Replica, all_led, create, leases, ready, start_operator};
use crate::reconcile::widget::{Script, Widgets};
use crate::reconcile::world::until;

// LDR-15
#[tokio::test]
async fn renewals_do_not_wait_for_the_requests_of_passes() {
    let cluster = TestCluster::start().await;
    let script = Script::default();
    let operator = Widgets::operator(&script).leadership(leases(1)).options(|options| {
        options.kube_api_qps = 2.0;
        options.kube_api_burst = 1;
    });
    let operator = start_operator(&cluster, operator, "busy").await;
    create(&cluster, 60).await;
    until(&cluster, || "passes have begun".to_owned(), || !script.calls().is_empty()).await;
    let mark = cluster.journal().mark();
    cluster.pass(RETRY * 10).await;
    let updates = cluster.journal().since(mark).of("coordination.k8s.io", "leases").writes().len();
    assert!((8..=11).contains(&updates), "{updates} renewals in ten retry periods");
    assert!(script.calls().len() < 60, "its other requests wait: {}", script.calls().len());
    let labels = [("bucket", "widget-operator.test.kubewright.dev.00-of-01")];
    assert_eq!(operator.metric("kubewright_leader", &labels), Some(1.0));
    assert_eq!(operator.metric("kubewright_leader_transitions_total", &labels), Some(1.0), "it never lost its term");
    operator.stop().await;
    cluster.stop().await;
}

// LDR-4
#[tokio::test]
async fn idle_replicas_send_renewals_only() {
    let cluster = TestCluster::start().await;
    let replicas = Replica::start_all(&cluster, 3, &leases(3)).await;
    all_led(&cluster, &replicas, 3).await;
    let names = create(&cluster, 3).await;
    ready(&cluster, &names).await;
    cluster.pass(RETRY * 5).await;
    let time = if cluster.is_embedded() { Duration::from_mins(1) } else { RETRY * 5 };
    let mark = cluster.journal().mark();
    cluster.pass(time).await;
    let requests: Vec<String> = cluster.journal().since(mark).iter().map(ToString::to_string).collect();
    let (renewals, others): (Vec<&String>, Vec<&String>) =
        requests.iter().partition(|request| request.contains("update leases.coordination.k8s.io"));
    assert!(others.is_empty(), "{others:?}");
    let expected = 3 * (time.as_secs() / RETRY.as_secs()) as usize;
    assert!(renewals.len().abs_diff(expected) <= 3, "{} renewals, not {expected}", renewals.len());
    for replica in replicas {
        replica.operator.stop().await;
    }
    cluster.stop().await;
}
