//! The write fence: no write is sent for a term that has ended (LDR-30).

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures::future::BoxFuture;
use http::{Method, Request, Response, Uri};
use kube::client::Body;
use kubewright_core::flow::LeadershipLost;
use tokio::task_local;

use super::own_write::asks_for_dry_run;
use crate::clock::Clock;

task_local! {
    static FENCE: Arc<dyn WriteFence>;
}

/// A fence that permits or rejects writes.
pub trait WriteFence: Send + Sync + 'static {
    /// Returns the bucket of the objects that are written.
    fn bucket(&self) -> &Arc<str>;

    /// Returns the time in which a write that is sent now must be answered, or None if no write may be sent any more.
    fn time_left(&self) -> Option<Duration>;

    /// Ends when a sent write must be abandoned before its time has passed, because another replica may write by now. By default it never ends.
    fn revoked(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::pending())
    }
}

/// Runs a future under a fence: writes that it makes through any client of the operator are sent only while the fence has time left. Tasks that the future
/// spawns are not fenced. If fences are nested, the inner one counts.
pub async fn fenced<F: Future>(fence: Arc<dyn WriteFence>, future: F) -> F::Output {
    FENCE.scope(fence, future).await
}

/// The lowest client of an operator, which checks the fence of the running task before each write.
#[derive(Clone)]
pub(crate) struct FencedClient {
    client: kube::Client,
    clock: Clock,
}

impl FencedClient {
    pub(crate) fn new(client: kube::Client, clock: Clock) -> Self {
        Self { client, clock }
    }

    /// Puts the same fence before another client, usually a layer around this one.
    pub(crate) fn layered<E>(&self, layer: impl FnOnce(&kube::Client) -> Result<kube::Client, E>) -> Result<Self, E> {
        Ok(Self { client: layer(&self.client)?, clock: self.clock.clone() })
    }

    /// Creates a client that sends requests with a function and has the default namespace of this one.
    pub(crate) fn with_service<F>(&self, send: impl Fn(Request<Body>) -> F + Send + 'static) -> kube::Client
    where
        F: Future<Output = kube::Result<Response<Body>>> + Send + 'static,
    {
        // The services of kube's clients are called in a task of their own; only the futures that they return run in the task of the caller.
        let service = tower::service_fn(send);
        kube::Client::new(service, self.client.default_namespace()).with_valid_until(*self.client.valid_until())
    }

    /// Sends a request. The fence of the running task may reject a write.
    pub(crate) async fn send(&self, request: Request<Body>) -> kube::Result<Response<Body>> {
        let fence = if is_write(request.method(), request.uri()) { FENCE.try_with(Arc::clone).ok() } else { None };
        let Some(fence) = fence else { return self.client.send(request).await };
        let lost = |is_sent| kube::Error::Service(Box::new(LeadershipLost::new(Arc::clone(fence.bucket()), is_sent)));
        let begun = self.clock.moment();
        let end = begun + fence.time_left().ok_or_else(|| lost(false))?;
        let mut sending = pin!(self.client.send(request));
        // The clock is read before each poll: a process that was suspended must not send the write that it was about to send. Expired timers alone do not
        // suffice, since they may be polled after that.
        let in_time =
            poll_fn(|cx| if self.clock.moment() < end { sending.as_mut().poll(cx) } else { Poll::Ready(Err(lost(true))) });
        tokio::select! {
            biased;
            () = self.clock.sleep_until(end) => Err(lost(true)),
            () = fence.revoked() => Err(lost(true)),
            answer = in_time => answer,
        }
    }
}

/// Returns true if a request may change stored objects.
fn is_write(method: &Method, uri: &Uri) -> bool {
    matches!(*method, Method::POST | Method::PUT | Method::PATCH | Method::DELETE) && !asks_for_dry_run(uri)
}
