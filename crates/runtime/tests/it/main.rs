//! Tests of the runtime against the embedded API server.

#![allow(clippy::unwrap_used)] // helpers of tests fail as tests do

mod cluster;
mod connect;
mod operator;
mod watch;

use std::time::Duration;

use kubewright_apiserver::{ApiServer, Identity};
use kubewright_machinery::object::GroupVersionKind;
use kubewright_runtime::clock::{Clock, Random};
use kubewright_runtime::cluster::{ApiRequest, ApiResource, Cluster, ClusterOptions};
use kubewright_runtime::task::Tasks;
use serde_json::{Value, json};

const EPOCH: &str = "2026-01-01T00:00:00Z";

fn server() -> ApiServer {
    let epoch = EPOCH.parse().unwrap();
    ApiServer::builder().epoch(epoch).seed(1).build().unwrap()
}

fn cluster(server: &ApiServer) -> Cluster {
    let clock = Clock::virtual_from(EPOCH.parse().unwrap());
    let options = ClusterOptions::new(clock, Random::seeded(1), Tasks::new());
    Cluster::new(server.client(Identity::admin()), options)
}

fn config_maps() -> ApiResource {
    ApiResource::known(&GroupVersionKind::new("", "v1", "ConfigMap"), "configmaps", true)
}

fn config_map(name: &str, text: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"namespace": "default", "name": name, "labels": {"app": "demo"}},
        "data": {"text": text},
    })
}

fn widgets() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.dev"},
        "spec": {
            "group": "example.dev",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object"}},
            }],
        },
    })
}

async fn create(cluster: &Cluster, object: &Value) -> Value {
    cluster.send(&ApiRequest::create(&config_maps(), object)).await.unwrap()
}

/// Waits a moment, in which all tasks that are ready run.
async fn settle() {
    tokio::time::sleep(Duration::from_millis(10)).await;
}
