use std::sync::Weak;

use http::{Request, Response};
use kube::client::Body;

use super::used::UsedCluster;
use crate::clock::Clock;
use crate::defaults::REQUEST_DEADLINE;

/// Creates a client that shares the connections of `below`. A request without an answer fails in time, and makes the target's reachability doubtful.
pub(super) fn limited(below: &kube::Client, clock: Clock, target: Weak<UsedCluster>) -> kube::Client {
    let client = below.clone();
    let service = tower::service_fn(move |request: Request<Body>| {
        let (client, clock, target) = (client.clone(), clock.clone(), Weak::clone(&target));
        async move { send(&client, &clock, &target, request).await }
    });
    kube::Client::new(service, below.default_namespace()).with_valid_until(*below.valid_until())
}

async fn send(
    client: &kube::Client,
    clock: &Clock,
    target: &Weak<UsedCluster>,
    request: Request<Body>,
) -> kube::Result<Response<Body>> {
    let asked = format!("{} {}", request.method(), request.uri().path());
    // An unreachable cluster must not hold a worker for ever.
    let answer = match clock.limit(REQUEST_DEADLINE, client.send(request)).await {
        Ok(answer) => answer,
        Err(elapsed) => Err(kube::Error::Service(format!("{asked}: no answer within {:?}", elapsed.after).into())),
    };
    if answer.is_err()
        && let Some(target) = Weak::upgrade(target)
    {
        target.failed();
    }
    answer
}
