//! The requests about leases.

use std::sync::Arc;
use std::time::Duration;

use kubewright_core::lease::{LeaseAnswer, LeaseWrite, ObservedLease, UnusedLease};
use kubewright_machinery::object::{GroupKind, GroupVersionKind, ObjectExt as _, Propagation};
use serde_json::Value;

use crate::clock::Clock;
use crate::cluster::{ApiError, ApiRequest, ApiResource, Cluster};
use crate::watch::{ProjectedStore, WatchSpec, project_with};

/// The client that reads and writes the leases of a namespace. Each request is sent once, waits for no other, and ends within a retry period (LDR-15).
#[derive(Clone)]
pub(super) struct LeaseRequests {
    cluster: Cluster,
    namespace: Arc<str>,
    resource: Arc<ApiResource>,
    labels: Arc<[(String, String)]>,
}

impl LeaseRequests {
    pub(super) fn new(cluster: &Cluster, namespace: &Arc<str>, retry_period: Duration, labels: [(String, String); 2]) -> Self {
        let kind = GroupVersionKind::new("coordination.k8s.io", "v1", "Lease");
        Self {
            cluster: cluster.unhindered(retry_period),
            namespace: Arc::clone(namespace),
            resource: Arc::new(ApiResource::known(&kind, "leases", true)),
            labels: Arc::new(labels),
        }
    }

    pub(super) fn namespace(&self) -> &str {
        &self.namespace
    }

    fn clock(&self) -> &Clock {
        self.cluster.clock()
    }

    /// Reads a lease; None if it does not exist.
    pub(super) async fn read(&self, name: &str) -> LeaseAnswer<Option<ObservedLease>> {
        match self.send(ApiRequest::get(&self.resource, &self.namespace, name), name).await {
            Ok(lease) => LeaseAnswer::Ok(Some(ObservedLease::of(lease))),
            Err(error) if error.is_not_found() => LeaseAnswer::Ok(None),
            Err(_) => LeaseAnswer::Error,
        }
    }

    /// Creates a lease.
    pub(super) async fn create(&self, name: &str, write: &LeaseWrite) -> LeaseAnswer<ObservedLease> {
        let object = write.create(&self.namespace, name, &self.labels, self.clock().now());
        answered(self.send(ApiRequest::create(&self.resource, &object), name).await, ObservedLease::of)
    }

    /// Replaces a lease if it still has the version that was seen.
    pub(super) async fn update(&self, name: &str, write: &LeaseWrite, seen: &ObservedLease) -> LeaseAnswer<ObservedLease> {
        let object = write.replace(seen, &self.labels, self.clock().now());
        answered(self.send(ApiRequest::update(&self.resource, &object), name).await, ObservedLease::of)
    }

    /// Lists all leases of the namespace from the API server, not from the watch.
    pub(super) async fn list(&self) -> LeaseAnswer<Vec<(String, ObservedLease)>> {
        match self.send(ApiRequest::list(&self.resource, Some(&self.namespace)), "").await {
            Ok(mut list) => {
                let items = list.get_mut("items").and_then(Value::as_array_mut).map(std::mem::take).unwrap_or_default();
                LeaseAnswer::Ok(items.into_iter().map(|lease| (lease.name().to_owned(), ObservedLease::of(lease))).collect())
            }
            Err(_) => LeaseAnswer::Error,
        }
    }

    /// Deletes a lease if it still is in the state that was seen.
    pub(super) async fn delete(&self, lease: &UnusedLease) -> LeaseAnswer<()> {
        let request = ApiRequest::delete_exactly(
            &self.resource,
            (&self.namespace, &lease.name),
            (&lease.uid, Some(&lease.resource_version)),
            Propagation::Background,
        );
        let answer = answered(self.send(request, &lease.name).await, drop);
        if answer == LeaseAnswer::Ok(()) {
            tracing::info!(lease = %lease.name, "no replica used the lease any more; it is deleted");
        }
        answer
    }

    async fn send(&self, request: ApiRequest, lease: &str) -> Result<Value, ApiError> {
        let answer = self.cluster.send(&request).await;
        if let Err(error) = &answer {
            let is_usual = error.is_not_found() || error.is_conflict() || error.is_already_exists();
            if is_usual {
                tracing::debug!(lease, %error, "the lease is not as it was seen");
            } else {
                tracing::warn!(lease, %error, "a request about a lease failed");
            }
        }
        answer
    }
}

/// Returns the answer to a write; a refusal because of the state of the lease means that the write was not done.
fn answered<T>(answer: Result<Value, ApiError>, read: impl FnOnce(Value) -> T) -> LeaseAnswer<T> {
    match answer {
        Ok(object) => LeaseAnswer::Ok(read(object)),
        Err(error) if error.is_conflict() || error.is_already_exists() || error.is_not_found() => LeaseAnswer::Conflict,
        Err(_) => LeaseAnswer::Error,
    }
}

/// Watches the leases of a namespace.
pub(super) fn watch_leases(cluster: &Cluster, namespace: &str) -> ProjectedStore<ObservedLease> {
    let spec = WatchSpec::new(GroupKind::new("coordination.k8s.io", "Lease")).in_namespace(namespace);
    cluster.watches().subscribe(spec, project_with(|lease: &Value| ObservedLease::of(lease.clone())))
}
