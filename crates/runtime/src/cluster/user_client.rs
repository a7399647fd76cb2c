//! The client for hooks and reconcilers: its errors show no confidential values, and its writes are visible at once in all stores.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, Request, Response, header};
use http_body_util::BodyExt as _;
use kube::client::Body;
use kubewright_core::flow::Confidential;
use serde_json::Value;

use super::tell::tell;
use super::write_observer::{WriteObserver, observer};
use super::{ClusterOptions, Discovery};
use crate::api::{Exchange, FencedClient, WriteRequest, confidential, shown};
use crate::watch::Watches;

/// The parts of the client for users beside the client that sends.
pub(super) struct UserClient {
    pub(super) options: ClusterOptions,
    pub(super) credentials: Arc<Confidential>,
    /// The user agent of requests that have none.
    pub(super) user_agent: Option<HeaderValue>,
    pub(super) discovery: Discovery,
    pub(super) watches: Watches,
}

impl UserClient {
    /// Creates a client that shares the connections of `below`. In its failed answers, from which `kube` makes its errors, the confidential values of the
    /// request and the credentials are masked, and bodies that are not a `Status` are replaced. The watches learn of its writes before the answer is handed
    /// on (STORE-8).
    pub(super) fn around(self, below: &FencedClient) -> kube::Client {
        let (client, this) = (below.clone(), Arc::new(self));
        below.with_service(move |request: Request<Body>| {
            let (client, this) = (client.clone(), Arc::clone(&this));
            async move { this.send(&client, request).await }
        })
    }

    async fn send(&self, client: &FencedClient, request: Request<Body>) -> kube::Result<Response<Body>> {
        let observer = observer();
        let (mut head, body) = request.into_parts();
        if let Some(agent) = &self.user_agent {
            head.headers.entry(header::USER_AGENT).or_insert_with(|| agent.clone());
        }
        let path = head.uri.path().to_owned();
        let sent = body.collect().await?.to_bytes();
        let write = WriteRequest::of(&head.method, &head.uri, &sent);
        let exchange = Exchange::begin(&self.options, &head.method, &head.uri);
        let answer = client.send(Request::from_parts(head, Body::from(sent.clone()))).await?;
        exchange.answered(answer.status());
        drop(exchange);
        match (answer.status().as_u16(), write) {
            (400.., _) => masked(answer, &self.credentials, &confidential(&path, &sent)).await,
            (200..300, Some(write)) if is_json(&answer) => self.told(answer, &write, observer.as_deref()).await,
            _ => Ok(answer),
        }
    }

    /// Reports the effect of a write, and hands its answer on unchanged.
    async fn told(
        &self,
        answer: Response<Body>,
        write: &WriteRequest,
        observer: Option<&dyn WriteObserver>,
    ) -> kube::Result<Response<Body>> {
        let (head, body) = answer.into_parts();
        let body: Bytes = body.collect().await?.to_bytes();
        if let Ok(answered) = serde_json::from_slice::<Value>(&body) {
            self.tell(write, &answered, observer);
        }
        Ok(Response::from_parts(head, Body::from(body)))
    }

    fn tell(&self, write: &WriteRequest, answered: &Value, observer: Option<&dyn WriteObserver>) {
        let path = &write.path;
        // A store with objects has resolved its kind before, so no store has objects of a kind that the cache lacks.
        let known = self.discovery.cached_plural(&path.group, &path.version, &path.plural).map(|resource| resource.group_kind());
        tell(&self.watches, write, answered, known, observer);
    }
}

fn is_json(answer: &Response<Body>) -> bool {
    let kind = answer.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_none_or(|kind| kind.starts_with("application/json"))
}

async fn masked(answer: Response<Body>, credentials: &Confidential, of_request: &Confidential) -> kube::Result<Response<Body>> {
    let (mut head, body) = answer.into_parts();
    let told: Bytes = body.collect().await?.to_bytes();
    let status = shown(head.status.as_u16(), &told, |status| {
        of_request.mask_value(status);
        credentials.mask_value(status);
    });
    head.headers.remove(header::CONTENT_LENGTH);
    Ok(Response::from_parts(head, Body::from(status.to_string().into_bytes())))
}
