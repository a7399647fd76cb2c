//! A server that consists of one function, for tests that need only a few answers.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use http_body_util::BodyExt as _;
use kube::client::Body;
use serde_json::Value;

use crate::clock::{Clock, Random};
use crate::cluster::{Cluster, ClusterOptions};
use crate::task::Tasks;

/// A request in the form that the function receives.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ScriptedCall {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) body: Value,
}

/// Returns a client whose requests the function answers with code and body.
pub(crate) fn client_of(answer: impl Fn(ScriptedCall) -> (u16, Value) + Send + Sync + 'static) -> kube::Client {
    slow_client_of(Duration::ZERO, answer)
}

/// Returns a client whose requests the function answers with code and body after this latency.
pub(crate) fn slow_client_of(
    latency: Duration,
    answer: impl Fn(ScriptedCall) -> (u16, Value) + Send + Sync + 'static,
) -> kube::Client {
    let answer = Arc::new(answer);
    let service = tower::service_fn(move |request: Request<Body>| {
        let answer = answer.clone();
        async move {
            let (head, body) = request.into_parts();
            let bytes = body.collect().await.unwrap().to_bytes();
            let call = ScriptedCall {
                method: head.method.to_string(),
                path: head.uri.path().to_owned(),
                body: serde_json::from_slice(&bytes).unwrap_or_default(),
            };
            let (code, body) = answer(call);
            if !latency.is_zero() {
                tokio::time::sleep(latency).await;
            }
            let response = Response::builder().status(code).body(Body::from(serde_json::to_vec(&body).unwrap()));
            Ok::<_, Infallible>(response.unwrap())
        }
    });
    kube::Client::new(service, "default")
}

/// Returns a cluster in virtual time with such a client.
pub(crate) fn cluster_of(client: kube::Client, tasks: &Tasks) -> Cluster {
    let clock = Clock::virtual_from("2026-01-01T00:00:00Z".parse().unwrap());
    Cluster::new(client, ClusterOptions::new(clock, Random::seeded(1), tasks.clone()))
}
