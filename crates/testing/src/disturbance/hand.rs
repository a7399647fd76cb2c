//! Requests of users and of controllers other than the operator.

use std::fmt;
use std::time::Duration;

use http::{Method, Request};
use kubewright_machinery::object::ObjectExt as _;
use serde_json::{Value, json};

use crate::TestCluster;

/// The number of attempts of a request that is answered with 429, and the wait between them.
const TRIES: usize = 30;
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// The cluster-scoped kinds of scenarios.
const CLUSTER_SCOPED: [&str; 12] = [
    "APIService",
    "ClusterRole",
    "ClusterRoleBinding",
    "CustomResourceDefinition",
    "IngressClass",
    "MutatingWebhookConfiguration",
    "Namespace",
    "Node",
    "PersistentVolume",
    "PriorityClass",
    "StorageClass",
    "ValidatingWebhookConfiguration",
];

/// The client of users and of controllers other than the operator. It derives plurals from kinds and knows the cluster-scoped kinds, so that no run
/// needs discovery. Errors are texts for the report.
#[derive(Clone)]
pub struct Hand {
    client: kube::Client,
    namespace: String,
}

impl Hand {
    pub(super) fn of(cluster: &TestCluster) -> Self {
        Self { client: cluster.client().clone(), namespace: cluster.namespace().to_owned() }
    }

    /// Returns the namespace of the test.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    fn collection(&self, object: &Value) -> String {
        let api = object.api_version();
        let root = if api.contains('/') { format!("/apis/{api}") } else { format!("/api/{api}") };
        let plural = plural(object.kind());
        let own = object.namespace();
        let namespace = if own.is_empty() { self.namespace.as_str() } else { own };
        if CLUSTER_SCOPED.contains(&object.kind()) {
            format!("{root}/{plural}")
        } else {
            format!("{root}/namespaces/{namespace}/{plural}")
        }
    }

    fn path(&self, object: &Value) -> String {
        format!("{}/{}", self.collection(object), object.name())
    }

    /// Sends a request and returns the answer; `None` if the object or its kind does not exist. Retries after 429, which a real server
    /// sends for a kind whose definition is new.
    async fn send(&self, method: Method, path: &str, media: &str, body: &Value) -> Result<Option<Value>, String> {
        let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let mut tries = 0;
        loop {
            let request = Request::builder().method(method.clone()).uri(path).header("content-type", media).body(body.clone());
            match self.client.request_text(request.map_err(|error| error.to_string())?).await {
                Ok(text) => return serde_json::from_str(&text).map(Some).map_err(|error| error.to_string()),
                Err(kube::Error::Api(status)) if status.code == 404 => return Ok(None),
                Err(kube::Error::Api(status)) if status.code == 429 && tries < TRIES => {
                    tokio::time::sleep(RETRY_AFTER).await;
                    tries += 1;
                }
                Err(error) => return Err(format!("{method} {path}: {error}")),
            }
        }
    }

    /// Returns the object; `None` if it does not exist.
    pub async fn get(&self, object: &Value) -> Result<Option<Value>, String> {
        self.send(Method::GET, &self.path(object), "application/json", &Value::Null).await
    }

    /// Returns all objects of the kind of this one; an empty list if the kind is not served.
    pub async fn list(&self, like: &Value) -> Result<Vec<Value>, String> {
        let list = self.send(Method::GET, &self.collection(like), "application/json", &Value::Null).await?;
        let mut items = match list {
            Some(mut list) => std::mem::take(&mut list["items"]),
            None => return Ok(Vec::new()),
        };
        let items = items.as_array_mut().map(std::mem::take).unwrap_or_default();
        let typed = items.into_iter().map(|mut item| {
            item["apiVersion"] = like["apiVersion"].clone();
            item["kind"] = like["kind"].clone();
            item
        });
        Ok(typed.collect())
    }

    /// Creates an object; returns `None` if its kind is not served.
    pub async fn create(&self, object: &Value) -> Result<Option<Value>, String> {
        self.send(Method::POST, &self.collection(object), "application/json", object).await
    }

    /// Sends a merge patch of an object; returns `None` if the object does not exist.
    pub async fn patch(&self, object: &Value, patch: &Value) -> Result<Option<Value>, String> {
        self.send(Method::PATCH, &self.path(object), "application/merge-patch+json", patch).await
    }

    /// Sends a merge patch of a status. Errors are ignored, such as a conflict with another writer.
    pub async fn patch_status(&self, object: &Value, patch: &Value) {
        let path = format!("{}/status", self.path(object));
        drop(self.send(Method::PATCH, &path, "application/merge-patch+json", patch).await);
    }

    /// Deletes an object if it exists.
    pub async fn delete(&self, object: &Value) -> Result<(), String> {
        self.send(Method::DELETE, &self.path(object), "application/json", &Value::Null).await.map(drop)
    }

    /// Creates an object, or merges its spec into the existing one.
    pub async fn set(&self, object: &Value) -> Result<(), String> {
        let patch = json!({ "spec": object["spec"] });
        match self.patch(object, &patch).await? {
            Some(_) => Ok(()),
            None => self.create(object).await.map(drop),
        }
    }
}

impl fmt::Debug for Hand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hand").field("namespace", &self.namespace).finish_non_exhaustive()
    }
}

fn plural(kind: &str) -> String {
    let singular = kind.to_lowercase();
    if singular == "endpoints" {
        return singular;
    }
    let after_vowel = |stem: &str| stem.ends_with(['a', 'e', 'i', 'o', 'u']);
    if let Some(stem) = singular.strip_suffix('y').filter(|stem| !after_vowel(stem)) {
        return format!("{stem}ies");
    }
    let hisses = ["s", "x", "ch", "sh"].iter().any(|end| singular.ends_with(end));
    if hisses { format!("{singular}es") } else { format!("{singular}s") }
}
