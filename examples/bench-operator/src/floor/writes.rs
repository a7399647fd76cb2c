//! The requests that an operator must send for a Bench, and those that remove its objects.

use std::error::Error;

use kubewright::machinery::object::GroupVersionKind;
use kubewright::runtime::cluster::{ApiError, ApiRequest, ApiResource, Cluster, PatchKind};
use kubewright::serde_json::{Value, json};

/// The field manager of the writes.
const MANAGER: &str = "bench-floor";
/// The finalizer that keeps a Bench until its dependents are gone.
const FINALIZER: &str = "bench.kubewright.dev/floor";
/// A text with the length of a digest.
const DIGEST: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// The result of requests. The text of the error fits after "failed to".
pub(crate) type Answered = Result<(), Box<dyn Error>>;

/// The desired state of a Bench.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    /// The namespace of the Bench.
    pub(super) namespace: String,
    /// The name of the Bench.
    pub(super) name: String,
    /// The generation of the Bench.
    pub(super) generation: i64,
    /// The number of dependents.
    pub(super) dependents: u64,
    /// The payload of the dependents.
    pub(super) payload: String,
}

/// The writer to a cluster.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    cluster: Cluster,
}

impl Writer {
    pub(super) fn new(cluster: Cluster) -> Self {
        Self { cluster }
    }

    /// Creates a namespace unless it exists.
    pub(super) async fn create_namespace(&self, name: &str) -> Answered {
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
        let create = ApiRequest::create(&resource("", "v1", "Namespace", "namespaces"), &namespace);
        unless(self.cluster.send(&create).await, ApiError::is_already_exists)
    }

    /// Creates a Bench unless it exists.
    pub(super) async fn create(&self, bench: &Wanted) -> Answered {
        let object = json!({
            "apiVersion": "bench.kubewright.dev/v1alpha1",
            "kind": "Bench",
            "metadata": {"name": bench.name, "namespace": bench.namespace},
            "spec": {"count": bench.dependents, "payload": bench.payload},
        });
        unless(self.cluster.send(&ApiRequest::create(&benches(), &object)).await, ApiError::is_already_exists)
    }

    /// Writes a finalizer, a status with the inventory, the dependents, a status that is Ready, and an event.
    pub(super) async fn install(&self, bench: &Wanted) -> Answered {
        let finalizers = json!({"metadata": {"finalizers": [FINALIZER]}});
        self.cluster.send(&Self::patch(bench, &finalizers)).await?;
        self.status(bench, "Processing").await?;
        for number in 0..bench.dependents {
            let create = ApiRequest::create(&config_maps(), &Self::dependent(bench, number)).field_manager(MANAGER);
            self.cluster.send(&create).await?;
        }
        self.status(bench, "Ready").await?;
        let events = resource("events.k8s.io", "v1", "Event", "events");
        self.cluster.send(&ApiRequest::create(&events, &Self::event(bench)).field_manager(MANAGER)).await?;
        Ok(())
    }

    /// Writes a status, the dependents, and a status that is Ready.
    pub(super) async fn upgrade(&self, bench: &Wanted) -> Answered {
        self.status(bench, "Processing").await?;
        let data = json!({"data": {"payload": bench.payload}});
        for number in 0..bench.dependents {
            let name = format!("{}-{number}", bench.name);
            let patch = ApiRequest::patch(&config_maps(), &bench.namespace, &name, PatchKind::Merge, &data);
            self.cluster.send(&patch.field_manager(MANAGER)).await?;
        }
        self.status(bench, "Ready").await
    }

    /// Deletes the dependents, and releases the Bench.
    pub(super) async fn remove(&self, bench: &Wanted) -> Answered {
        for number in 0..bench.dependents {
            let delete = ApiRequest::delete(&config_maps(), &bench.namespace, &format!("{}-{number}", bench.name));
            unless(self.cluster.send(&delete).await, ApiError::is_not_found)?;
        }
        let released = json!({"metadata": {"finalizers": null}});
        unless(self.cluster.send(&Self::patch(bench, &released)).await, ApiError::is_not_found)
    }

    /// Deletes a Bench.
    pub(super) async fn delete(&self, bench: &Wanted) -> Answered {
        let delete = ApiRequest::delete(&benches(), &bench.namespace, &bench.name);
        unless(self.cluster.send(&delete).await, ApiError::is_not_found)
    }

    async fn status(&self, bench: &Wanted, state: &str) -> Answered {
        let (phase, status) = if state == "Ready" { ("Ready", "Current") } else { ("ScheduledForApplication", "Unknown") };
        let item = |number| {
            json!({
                "group": "", "version": "v1", "kind": "ConfigMap", "namespace": bench.namespace,
                "name": format!("{}-{number}", bench.name),
                "managedBy": MANAGER, "digest": DIGEST, "phase": phase, "status": status,
                "adoptionPolicy": "IfUnowned", "reconcilePolicy": "OnObjectChange", "updatePolicy": "Replace",
                "deletePolicy": "Delete", "applyOrder": 0, "deleteOrder": 0,
            })
        };
        let inventory: Vec<Value> = (0..bench.dependents).map(item).collect();
        let status = json!({"status": {"state": state, "observedGeneration": bench.generation, "inventory": inventory}});
        self.cluster.send(&Self::patch(bench, &status).subresource("status")).await?;
        Ok(())
    }

    fn patch(bench: &Wanted, patch: &Value) -> ApiRequest {
        ApiRequest::patch(&benches(), &bench.namespace, &bench.name, PatchKind::Merge, patch).field_manager(MANAGER)
    }

    fn dependent(bench: &Wanted, number: u64) -> Value {
        json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {
                "name": format!("{}-{number}", bench.name),
                "namespace": bench.namespace,
                "labels": {"bench.kubewright.dev/owner-id": "floor"},
                "annotations": {"bench.kubewright.dev/owner-id": bench.name, "bench.kubewright.dev/digest": DIGEST},
            },
            "data": {"payload": bench.payload},
        })
    }

    fn event(bench: &Wanted) -> Value {
        json!({
            "apiVersion": "events.k8s.io/v1",
            "kind": "Event",
            "metadata": {"generateName": format!("{}-", bench.name), "namespace": bench.namespace},
            "eventTime": "2026-01-01T00:00:00.000000Z",
            "reportingController": MANAGER,
            "reportingInstance": MANAGER,
            "action": "Reconcile",
            "reason": "Ready",
            "note": "written without an operator",
            "type": "Normal",
            "regarding": {
                "apiVersion": "bench.kubewright.dev/v1alpha1", "kind": "Bench", "namespace": bench.namespace, "name": bench.name,
            },
        })
    }
}

/// Ignores harmless errors: objects that an interrupted run has left, or has already deleted.
fn unless(answer: Result<Value, ApiError>, harmless: impl Fn(&ApiError) -> bool) -> Answered {
    match answer {
        Err(error) if !harmless(&error) => Err(error.into()),
        _ => Ok(()),
    }
}

fn benches() -> ApiResource {
    resource("bench.kubewright.dev", "v1alpha1", "Bench", "benches")
}

fn config_maps() -> ApiResource {
    resource("", "v1", "ConfigMap", "configmaps")
}

fn resource(group: &str, version: &str, kind: &str, plural: &str) -> ApiResource {
    ApiResource::known(&GroupVersionKind::new(group, version, kind), plural, kind != "Namespace")
}
