//! Requests about leases.

use std::time::Duration;

use kubewright_middleware::{Status, Verb};
use kubewright_testing::TestCluster;

use super::replicas::{RENEW, RETRY, Replica, all_led, create, leases, ready, start_operator};
use crate::reconcile::widget::{FINALIZER, Script, Widgets};
use crate::reconcile::world::until;

const BUCKET: &str = "widget-operator.test.kubewright.dev.00-of-01";

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
    let labels = [("bucket", BUCKET)];
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

// LDR-15
#[tokio::test]
async fn renewals_do_not_wait_for_the_answers_of_other_requests() {
    let cluster = TestCluster::start().await;
    let slow = cluster.faults().on(Verb::Patch).of("test.kubewright.dev", "widgets").delay(Duration::from_secs(28));
    let operator = Widgets::operator_with(&Script::default(), |controller| controller.finalizer(Some(FINALIZER)));
    let operator = operator.leadership(leases(1)).options(|options| options.workers = Some(20));
    let operator = start_operator(&cluster, operator, "busy").await;
    // Each pass begins with a patch, and the operator has at most 16 requests in flight.
    create(&cluster, 20).await;
    until(&cluster, || format!("patches wait: {}", slow.hits()), || slow.hits() >= 16).await;
    assert_eq!(slow.hits(), 16, "the others wait for those");
    let mark = cluster.journal().mark();
    cluster.pass(RETRY * 10).await;
    let updates = cluster.journal().since(mark).of("coordination.k8s.io", "leases").writes().len();
    assert!((8..=11).contains(&updates), "{updates} renewals in ten retry periods");
    operator.kill().await;
    cluster.stop().await;
}

// LDR-15: a request of 30 s, the usual limit, would outlast the renew deadline.
#[tokio::test]
async fn a_renewal_without_an_answer_is_given_up_after_a_retry_period_and_one_that_fails_is_not_repeated_before() {
    let cluster = TestCluster::start().await;
    let replica = Replica::start(&cluster, "only", Script::default(), leases(1)).await;
    let is_lost = || replica.operator.metric("kubewright_leader_transitions_total", &[("bucket", BUCKET)]) != Some(1.0);
    let renewals = || cluster.faults().on(Verb::Update).of("coordination.k8s.io", "leases").by_user_agent(&replica.agent());

    let hanging = renewals().times(1).delay(RENEW * 3);
    until(&cluster, || "a renewal hangs".to_owned(), || hanging.hits() == 1).await;
    cluster.pass(RENEW + RETRY).await;
    assert_eq!(replica.held(), [BUCKET]);
    assert!(!is_lost(), "the next renewal came in time");

    let failing = renewals().respond(Status::new(503, "ServiceUnavailable", "later"));
    until(&cluster, || "a renewal fails".to_owned(), || failing.hits() == 1).await;
    cluster.pass(RETRY * 3).await;
    let hits = failing.hits();
    assert!((3..=4).contains(&hits), "{hits} renewals in three retry periods after the first");
    drop(failing);
    cluster.pass(RENEW).await;
    assert!(!is_lost());
    replica.operator.stop().await;
    cluster.stop().await;
}
