//! Tests of the repetition of requests after transient errors.

use std::time::Duration;

use super::super::RequestRetries;
use super::list;
use crate::testing::{Fault, Server};

// ERR-7, RTY-23
#[tokio::test(start_paused = true)]
async fn a_request_is_sent_once_unless_asked_otherwise() {
    let server = Server::new();
    server.fail_always("configmaps", Fault::Status(503, "ServiceUnavailable"));
    let cluster = server.cluster();
    cluster.send(&list()).await.unwrap_err();
    assert_eq!(server.requests("configmaps"), 1);
}

// OUT-3
#[tokio::test(start_paused = true)]
async fn transient_errors_are_retried_twice_after_100_and_500_milliseconds() {
    let server = Server::new();
    server.fail_always("configmaps", Fault::Status(503, "ServiceUnavailable"));
    let cluster = server.cluster();
    let before = cluster.clock().moment();
    let error = cluster.send_retrying(&list(), &RequestRetries::default()).await.unwrap_err();
    assert_eq!(error.code(), Some(503));
    assert_eq!(server.requests("configmaps"), 3);
    assert_eq!(cluster.clock().moment().since(before), Duration::from_millis(600));
}

// OUT-3
#[tokio::test(start_paused = true)]
async fn a_short_retry_after_is_honoured_and_a_long_one_ends_the_attempts() {
    let server = Server::new();
    let cluster = server.cluster();
    server.fail_next("configmaps", Fault::Busy(2));
    let before = cluster.clock().moment();
    cluster.send_retrying(&list(), &RequestRetries::default()).await.unwrap();
    assert_eq!(cluster.clock().moment().since(before), Duration::from_secs(2));
    server.fail_next("configmaps", Fault::Busy(3));
    let error = cluster.send_retrying(&list(), &RequestRetries::default()).await.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3)));
}

// OUT-3, WRITE-9: repeating a conflicting write as it is cannot help.
#[tokio::test(start_paused = true)]
async fn conflicts_and_refusals_are_not_repeated() {
    for (code, reason) in [(409, "Conflict"), (403, "Forbidden"), (422, "Invalid"), (404, "NotFound")] {
        let server = Server::new();
        server.fail_always("configmaps", Fault::Status(code, reason));
        server.cluster().send_retrying(&list(), &RequestRetries::default()).await.unwrap_err();
        assert_eq!(server.requests("configmaps"), 1, "{code}");
    }
}
