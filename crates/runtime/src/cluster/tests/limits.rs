//! Tests of the limits that a client sets itself.

use std::time::Duration;

use super::super::{Cluster, Rate};
use super::list;
use crate::testing::{Fault, Server};

async fn send_once(cluster: &Cluster) {
    drop(cluster.send(&list()).await);
}

// TGT-6
#[tokio::test(start_paused = true)]
async fn no_more_requests_are_in_flight_than_allowed() {
    let server = Server::new();
    server.fail_always("configmaps", Fault::Hang);
    let cluster = server.cluster_with(|options| options.in_flight = 3);
    let requests = (0..5).map(|_| send_once(&cluster));
    let all = futures::future::join_all(requests);
    tokio::pin!(all);
    assert!(cluster.clock().limit(Duration::from_secs(29), &mut all).await.is_err());
    assert_eq!(server.requests("configmaps"), 3);
    all.await;
}

// ERR-10: the 30 seconds of the server begin when the request is sent.
#[tokio::test(start_paused = true)]
async fn the_time_limit_of_a_request_starts_when_it_is_sent() {
    let server = Server::new();
    server.fail_always("configmaps", Fault::Late(20));
    let cluster = server.cluster_with(|options| options.in_flight = 1);
    let before = cluster.clock().moment();
    let requests = (0..3).map(|_| {
        let cluster = cluster.clone();
        async move { cluster.send(&list()).await.map(drop) }
    });
    for answer in futures::future::join_all(requests).await {
        answer.unwrap();
    }
    assert_eq!(cluster.clock().moment().since(before), Duration::from_secs(60));
}

// 2.2
#[tokio::test(start_paused = true)]
async fn a_client_limits_its_own_rate_of_requests() {
    let server = Server::new();
    let cluster = server.cluster_with(|options| options.rate = Rate::new(10.0, 5));
    let before = cluster.clock().moment();
    for _ in 0..25 {
        send_once(&cluster).await;
    }
    assert_eq!(cluster.clock().moment().since(before), Duration::from_secs(2));
    assert_eq!(Rate::new(10.0, 0), Rate::new(10.0, 20));
    assert_eq!((Rate::new(0.0, 5), Rate::new(f64::NAN, 5)), (None, None));
}
