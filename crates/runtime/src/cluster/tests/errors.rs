//! Tests of the errors of requests.

use std::time::Duration;

use kubewright_core::flow::{Class, Flow, Halt};

use super::super::ApiError;
use super::list;
use crate::testing::{Fault, Server};

#[derive(Debug, thiserror::Error)]
#[error("read the config")]
struct ConfigNotRead<E: std::error::Error + 'static>(#[source] E);

#[tokio::test(start_paused = true)]
async fn a_refusal_keeps_code_reason_and_message() {
    let server = Server::new();
    server.fail_next("configmaps", Fault::Status(403, "Forbidden"));
    let error = server.cluster().send(&list()).await.unwrap_err();
    let status = error.status().unwrap();
    assert_eq!((status.code, status.reason.as_str(), status.message.as_str()), (403, "Forbidden", "told Forbidden"));
    assert!(error.is_forbidden() && !error.is_transient());
}

// ERR-10
#[tokio::test(start_paused = true)]
async fn a_server_that_never_answers_costs_thirty_seconds() {
    let server = Server::new();
    server.fail_next("configmaps", Fault::Hang);
    let cluster = server.cluster();
    let before = cluster.clock().moment();
    let error = cluster.send(&list()).await.unwrap_err();
    assert!(matches!(error, ApiError::TimedOut { after, .. } if after == Duration::from_secs(30)), "{error}");
    assert_eq!(cluster.clock().moment().since(before), Duration::from_secs(30));
    assert!(error.is_transient());
}

#[tokio::test(start_paused = true)]
async fn connection_failures_and_invalid_json_are_distinct_errors() {
    let server = Server::new();
    let cluster = server.cluster();
    server.fail_next("configmaps", Fault::Reset);
    let error = cluster.send(&list()).await.unwrap_err();
    assert!(matches!(error, ApiError::Connection { .. }) && error.is_transient());
    assert_eq!(error.to_string(), "list /api/v1/configmaps: no connection to the API server: connection reset");
    server.fail_next("configmaps", Fault::Garbage);
    let error = cluster.send(&list()).await.unwrap_err();
    assert!(matches!(error, ApiError::Decode { .. }) && !error.is_transient());
}

// ERR-2: a single table decides which errors are transient.
#[tokio::test(start_paused = true)]
async fn the_status_code_decides_which_errors_are_transient() {
    let server = Server::new();
    let cluster = server.cluster();
    for (code, passes) in [
        (408, true),
        (409, true),
        (429, true),
        (500, true),
        (503, true),
        (507, true),
        (520, true),
        (403, false),
        (404, false),
        (422, false),
    ] {
        server.fail_next("configmaps", Fault::Status(code, "Whatever"));
        assert_eq!(cluster.send(&list()).await.unwrap_err().is_transient(), passes, "{code}");
    }
}

// ERR-2: core classifies the errors of requests anywhere in a chain.
#[tokio::test(start_paused = true)]
async fn errors_classify_themselves_through_any_wrapper() {
    let server = Server::new();
    let cluster = server.cluster();
    server.fail_next("configmaps", Fault::Busy(7));
    let halt = Halt::from(ConfigNotRead(cluster.send(&list()).await.unwrap_err()));
    let Halt::Failed(failure) = halt else { panic!("{halt:?}") };
    assert!(matches!(failure.class(), Class::After(delay) if delay.as_duration() == Duration::from_secs(7)), "{failure:?}");
    assert_eq!(failure.classification().reason.as_str(), "TooManyRequests");
}

// ERR-2: core recognises the errors of kube by their type, and no client has to be made before, in unit tests of user code for instance.
#[test]
fn errors_of_kube_are_classified_without_a_cluster() {
    let status = kube::core::Status { code: 403, reason: "Forbidden".into(), ..kube::core::Status::default() };
    let read = || -> Flow { Err(ConfigNotRead(kube::Error::Api(Box::new(status))))? };
    let Err(Halt::Failed(failure)) = read() else { panic!("an error is a failure") };
    assert_eq!(failure.classification().reason.as_str(), "Forbidden");
}
