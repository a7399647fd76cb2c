//! A server under test with helper methods.

use std::time::Duration;

use futures::FutureExt as _;
use http::{HeaderMap, Request};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};
use kubewright_apiserver::{ApiServer, Identity};
use serde_json::{Value, json};
use tower::ServiceExt as _;

/// A server with a fixed seed and virtual time.
pub(crate) struct Cluster {
    pub(crate) server: ApiServer,
}

/// An answer with its complete body.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

/// An open watch.
pub(crate) struct Watch {
    body: UnsyncBoxBody<bytes::Bytes, String>,
    pub(crate) code: u16,
}

impl Cluster {
    pub(crate) fn start() -> Self {
        Self::from(ApiServer::builder().epoch("2026-01-01T00:00:00Z".parse().unwrap()).seed(7).build().unwrap())
    }

    pub(crate) async fn send(&self, method: &str, path: &str, body: Option<Value>, headers: &[(&str, &str)]) -> Answer {
        let text = body.map(|body| body.to_string()).unwrap_or_default();
        self.send_text(method, path, text, headers).await
    }

    pub(crate) async fn send_text(&self, method: &str, path: &str, body: String, headers: &[(&str, &str)]) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(bytes::Bytes::from(body))).unwrap();
        let response = self.server.service(Identity::admin()).oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Answer {
            code: parts.status.as_u16(),
            headers: parts.headers,
            body: serde_json::from_slice(&bytes).unwrap_or(Value::String(text)),
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, None, &[]).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        self.send("POST", path, Some(body), &[]).await
    }

    pub(crate) async fn put(&self, path: &str, body: Value) -> Answer {
        self.send("PUT", path, Some(body), &[]).await
    }

    pub(crate) async fn merge(&self, path: &str, body: Value) -> Answer {
        self.send("PATCH", path, Some(body), &[("content-type", "application/merge-patch+json")]).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, None, &[]).await
    }

    pub(crate) async fn watch(&self, path: &str) -> Watch {
        self.watch_as(path, "application/json").await
    }

    pub(crate) async fn watch_as(&self, path: &str, accept: &str) -> Watch {
        let request = Request::builder().uri(path).header("accept", accept).body(Full::new(bytes::Bytes::new())).unwrap();
        let response = self.server.service(Identity::admin()).oneshot(request).await.unwrap();
        Watch {
            code: response.status().as_u16(),
            body: response.into_body().map_err(|error| format!("{error:?}")).boxed_unsync(),
        }
    }

    /// Creates a ConfigMap in `default`.
    pub(crate) async fn map(&self, name: &str, extra: Value) -> Value {
        let mut object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
        merge(&mut object, extra);
        let answer = self.post(MAPS, object).await;
        assert_eq!(answer.code, 201, "{}", answer.body);
        answer.body
    }
}

impl From<ApiServer> for Cluster {
    fn from(server: ApiServer) -> Self {
        Self { server }
    }
}

/// The ConfigMaps of `default`.
pub(crate) const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// Returns the path of a ConfigMap in `default`.
pub(crate) fn map_path(name: &str) -> String {
    format!("{MAPS}/{name}")
}

/// Returns the definition of widgets of ex.io, with the schema of their only version.
pub(crate) fn widgets(schema: Value) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.ex.io"},
        "spec": {
            "group": "ex.io",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
        },
    })
}

fn merge(target: &mut Value, extra: Value) {
    match (target, extra) {
        (Value::Object(target), Value::Object(extra)) => {
            for (key, value) in extra {
                merge(target.entry(key).or_insert(Value::Null), value);
            }
        }
        (target, extra) => *target = extra,
    }
}

impl Answer {
    pub(crate) fn reason(&self) -> &str {
        self.body["reason"].as_str().unwrap_or_default()
    }

    pub(crate) fn message(&self) -> &str {
        self.body["message"].as_str().unwrap_or_default()
    }

    pub(crate) fn version(&self) -> &str {
        self.body["metadata"]["resourceVersion"].as_str().unwrap_or_default()
    }

    /// Returns the names of the items of a list.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.body["items"].as_array().unwrap().iter().map(|item| item["metadata"]["name"].as_str().unwrap()).collect()
    }
}

impl Watch {
    /// Returns the next event; `None` at the end of the stream. Waits in virtual time.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        let frame = self.body.frame().await?.unwrap();
        Some(serde_json::from_slice(&frame.into_data().unwrap()).unwrap())
    }

    /// Returns the bytes of the next event.
    pub(crate) async fn bytes(&mut self) -> bytes::Bytes {
        self.body.frame().await.unwrap().unwrap().into_data().unwrap()
    }

    /// Returns all events that are available without waiting.
    pub(crate) fn ready(&mut self) -> Vec<Value> {
        let mut events = Vec::new();
        while let Some(Some(event)) = self.next().now_or_never() {
            events.push(event);
        }
        events
    }

    /// Returns type and name of all events that are available without waiting.
    pub(crate) fn seen(&mut self) -> Vec<String> {
        let shown = |event: &Value| {
            format!("{} {}", event["type"].as_str().unwrap(), event["object"]["metadata"]["name"].as_str().unwrap_or("-"))
        };
        self.ready().iter().map(shown).collect()
    }
}

/// Lets virtual time pass.
pub(crate) async fn pass(duration: Duration) {
    tokio::time::sleep(duration).await;
}
