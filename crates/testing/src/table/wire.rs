//! The mutating requests of a row, as they were sent.

use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use kube::client::Body;
use kubewright_machinery::yaml;
use kubewright_middleware::{RequestTarget, ResourceTarget};
use parking_lot::Mutex;
use serde_json::Value;

/// The media type of server-side apply.
const APPLY: &str = "application/apply-patch+yaml";

/// A mutating request and its answer.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) target: ResourceTarget,
    query: String,
    pub(super) content_type: String,
    pub(super) text: Bytes,
    /// The body as JSON; null without a body.
    pub(super) body: Value,
    /// The object that a successful request was answered with.
    pub(super) answer: Option<Value>,
}

impl Sent {
    pub(super) fn is_apply(&self) -> bool {
        self.content_type == APPLY
    }

    /// Returns a parameter of the query.
    pub(super) fn parameter(&self, name: &str) -> String {
        let pair = self.query.split('&').find_map(|pair| pair.split_once('=').filter(|(key, _)| *key == name));
        pair.map_or_else(String::new, |(_, value)| unescaped(value))
    }
}

fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let hex = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => match (hex(rest.next()), hex(rest.next())) {
                (Some(high), Some(low)) => (high * 16 + low) as u8,
                _ => b'%',
            },
            byte => byte,
        });
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A recorder of mutating requests.
#[derive(Clone, Debug, Default)]
pub(super) struct Wire(Arc<Mutex<Vec<Sent>>>);

impl Wire {
    /// Returns a client whose mutating requests are recorded.
    pub(super) fn client(&self, inner: kube::Client, namespace: &str) -> kube::Client {
        let wire = self.clone();
        let send = tower::service_fn(move |request: Request<Body>| {
            let (wire, inner) = (wire.clone(), inner.clone());
            async move { wire.send(&inner, request).await }
        });
        kube::Client::new(send, namespace.to_owned())
    }

    /// Returns the requests that were sent, in order.
    pub(super) fn sent(&self) -> Vec<Sent> {
        self.0.lock().clone()
    }

    async fn send(&self, inner: &kube::Client, request: Request<Body>) -> Result<Response<Body>, kube::Error> {
        let target = RequestTarget::of(request.method(), request.uri());
        let query = request.uri().query().unwrap_or_default().to_owned();
        let Some(target) = target.resource().filter(|target| counts(target) && !query.contains("dryRun=")).cloned() else {
            return inner.send(request).await;
        };
        let (parts, body) = request.into_parts();
        let text = body.collect_bytes().await?;
        let content_type = parts.headers.get(http::header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let content_type = content_type.unwrap_or_default().to_owned();
        let index = {
            let mut sent = self.0.lock();
            sent.push(Sent { target, query, content_type, text: text.clone(), body: read(&text), answer: None });
            sent.len() - 1
        };
        let response = inner.send(Request::from_parts(parts, Body::from(text))).await?;
        let (parts, body) = response.into_parts();
        let text = body.collect_bytes().await?;
        if parts.status.is_success()
            && let Some(sent) = self.0.lock().get_mut(index)
        {
            sent.answer = serde_json::from_slice(&text).ok();
        }
        Ok(Response::from_parts(parts, Body::from(text)))
    }
}

/// Returns true if the request is recorded: a write, but not of events or leases.
fn counts(target: &ResourceTarget) -> bool {
    let name = (target.group.as_str(), target.resource.as_str());
    target.is_write() && !matches!(name, ("" | "events.k8s.io", "events") | ("coordination.k8s.io", "leases"))
}

/// Reads a body as JSON; the body of an apply may be YAML.
fn read(text: &[u8]) -> Value {
    let as_yaml = || yaml::document(std::str::from_utf8(text).ok()?).ok();
    serde_json::from_slice(text).ok().or_else(as_yaml).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_without_escapes() {
        assert_eq!(unescaped("app%3Dweb%2Ctier+x"), "app=web,tier x");
    }
}
