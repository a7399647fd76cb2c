use std::time::Duration;

use kubewright_core::backoff::Policy;
use kubewright_core::flow::ApiStatus;

use super::super::{ApiError, Cluster, Matcher, RetryPolicy};
use super::list;
use crate::testing::{Fault, Server};

const MATCHERS: [Matcher; 2] = [ApiStatus::is_conflict, ApiStatus::is_timeout];

fn exact() -> RetryPolicy {
    RetryPolicy { delays: RetryPolicy::default().delays.jitter(0.0), ..RetryPolicy::default() }
}

/// Returns the result of a list that first meets these faults, the number of attempts, and the milliseconds that they took.
async fn listed(policy: &RetryPolicy, faults: &[Fault]) -> (Result<serde_json::Value, ApiError>, u32, u128) {
    let server = Server::new();
    for fault in faults {
        server.fail_next("configmaps", fault.clone());
    }
    let cluster: Cluster = server.cluster();
    let before = cluster.clock().moment();
    let mut attempts = 0;
    let operation = |attempt| {
        assert_eq!(attempt, attempts);
        attempts += 1;
        let cluster = cluster.clone();
        async move { cluster.send(&list()).await }
    };
    let result = cluster.retry(policy, &MATCHERS, operation).await;
    (result, attempts, cluster.clock().moment().since(before).as_millis())
}

// HLP-4
#[tokio::test(start_paused = true)]
async fn an_operation_is_repeated_while_a_matcher_selects_its_error() {
    let conflict = || Fault::Status(409, "Conflict");
    let (result, attempts, took) = listed(&exact(), &[conflict(), Fault::Status(504, "Timeout"), conflict()]).await;
    assert!(result.is_ok());
    assert_eq!((attempts, took), (4, 10 + 50 + 250));
    let (result, attempts, _) = listed(&exact(), &[conflict(), conflict(), conflict(), conflict()]).await;
    assert_eq!((result.unwrap_err().code(), attempts), (Some(409), 4), "the error of the last attempt");
    let (result, attempts, took) = listed(&exact(), &[conflict(), Fault::Status(404, "NotFound")]).await;
    assert_eq!((result.unwrap_err().code(), attempts, took), (Some(404), 2, 10), "no matcher selects it");
    let few = RetryPolicy::new(0, Policy::new(Duration::from_secs(1), Duration::from_secs(1)));
    let (result, attempts, took) = listed(&few, &[conflict()]).await;
    assert_eq!((result.is_err(), attempts, took), (true, 1, 0));
}

// HLP-4
#[tokio::test(start_paused = true)]
async fn the_answer_of_the_server_is_found_in_the_chain_of_an_error() {
    #[derive(Debug, thiserror::Error)]
    #[error("register the widget")]
    struct Wrapped(#[source] kube::Error);

    let cluster = Server::new().cluster();
    let refused = || {
        let status = kube::core::Status { code: 409, reason: "Conflict".to_owned(), ..kube::core::Status::default() };
        Wrapped(kube::Error::Api(Box::new(status)))
    };
    let operation = |attempt| async move { if attempt < 2 { Err(refused()) } else { Ok(attempt) } };
    assert_eq!(cluster.retry(&exact(), &MATCHERS, operation).await.unwrap(), 2);
    let hopeless = |_| async move { Err::<(), _>(refused()) };
    assert!(cluster.retry(&exact(), &[ApiStatus::is_quota as Matcher], hopeless).await.is_err());
}
