//! Tests of the write fence.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DeleteParams, Patch, PatchParams};
use kubewright_machinery::object::GroupVersionKind;
use parking_lot::Mutex;
use serde_json::json;

use super::super::*;
use crate::task::Tasks;
use crate::testing::{ScriptedCall, client_of, cluster_of};

/// A fence with this time left.
struct Left(Arc<str>, Option<Duration>);

impl WriteFence for Left {
    fn bucket(&self) -> &Arc<str> {
        &self.0
    }

    fn time_left(&self) -> Option<Duration> {
        self.1
    }
}

fn fence(left: Option<Duration>) -> Arc<dyn WriteFence> {
    Arc::new(Left("shop.00-of-01".into(), left))
}

/// Returns a cluster, and the requests that its server records.
fn noting() -> (Cluster, Arc<Mutex<Vec<String>>>) {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let of_server = Arc::clone(&seen);
    let client = client_of(move |call: ScriptedCall| {
        of_server.lock().push(format!("{} {}", call.method, call.path));
        (200, json!({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "a", "namespace": "ns"}}))
    });
    (cluster_of(client, &Tasks::new()), seen)
}

fn maps() -> ApiResource {
    ApiResource::known(&GroupVersionKind::new("", "v1", "ConfigMap"), "configmaps", true)
}

// LDR-30
#[tokio::test(start_paused = true)]
async fn no_client_sends_a_write_when_the_term_has_ended() {
    let (cluster, seen) = noting();
    let write = ApiRequest::patch(&maps(), "ns", "a", PatchKind::Merge, &json!({}));
    let layered = cluster.layered(|client| client);
    let other = cluster.acting_as(&ImpersonatedIdentity::user("jane")).unwrap();
    for cluster in [&cluster, &cluster.for_controller("shop"), &layered, &other] {
        let api: Api<ConfigMap> = Api::namespaced(cluster.client().clone(), "ns");
        let (own, patched, deleted) = fenced(fence(None), async {
            let patched = api.patch("a", &PatchParams::default(), &Patch::Merge(json!({}))).await;
            (cluster.send(&write).await, patched, api.delete("a", &DeleteParams::default()).await)
        })
        .await;
        let own = own.unwrap_err();
        assert!(matches!(&own, ApiError::LeadershipLost { .. }) && !own.is_transient(), "{own}");
        assert_eq!(
            own.to_string(),
            "patch /api/v1/namespaces/ns/configmaps/a: this replica does not lead the bucket \"shop.00-of-01\" any more; the write was not sent"
        );
        for error in [patched.unwrap_err(), deleted.unwrap_err()] {
            assert!(error.to_string().contains("the write was not sent"), "{error}");
        }
    }
    assert!(seen.lock().is_empty(), "{:?}", seen.lock());
}

// LDR-30, LDR-32
#[tokio::test(start_paused = true)]
async fn the_write_fence_admits_reads_dry_runs_and_writes_outside_the_pass() {
    let (cluster, seen) = noting();
    let write = ApiRequest::patch(&maps(), "ns", "a", PatchKind::Merge, &json!({}));
    fenced(fence(None), async {
        cluster.send(&ApiRequest::get(&maps(), "ns", "a")).await.unwrap();
        cluster.send(&write.clone().dry_run()).await.unwrap();
        let (spawned, write) = (cluster.clone(), write.clone());
        Tasks::new().spawn("other", async move { spawned.send(&write).await.map(drop) }).await.unwrap().unwrap();
    })
    .await;
    cluster.send(&write).await.unwrap();
    let _ = fenced(fence(Some(Duration::from_secs(1))), cluster.send(&write)).await.unwrap();
    assert_eq!(seen.lock().len(), 5, "{:?}", seen.lock());
}

// LDR-30
#[tokio::test(start_paused = true)]
async fn a_write_is_given_no_more_time_than_is_left_of_the_lease() {
    let service = tower::service_fn(|_: http::Request<kube::client::Body>| {
        std::future::pending::<Result<http::Response<kube::client::Body>, std::convert::Infallible>>()
    });
    let cluster = cluster_of(kube::Client::new(service, "default"), &Tasks::new());
    let write = ApiRequest::patch(&maps(), "ns", "a", PatchKind::Merge, &json!({}));
    let start = cluster.clock().moment();
    let error = fenced(fence(Some(Duration::from_secs(4))), cluster.send(&write)).await.unwrap_err();
    assert_eq!(cluster.clock().moment().since(start), Duration::from_secs(4));
    assert!(error.to_string().contains("the write may have been done"), "{error}");
}

/// A fence with much time left that can be revoked.
#[derive(Default)]
struct Revocable(Arc<str>, tokio_util::sync::CancellationToken);

impl WriteFence for Revocable {
    fn bucket(&self) -> &Arc<str> {
        &self.0
    }

    fn time_left(&self) -> Option<Duration> {
        Some(Duration::from_mins(1))
    }

    fn revoked(&self) -> futures::future::BoxFuture<'_, ()> {
        Box::pin(self.1.cancelled())
    }
}

/// Returns a cluster and the number of requests that its server received, each this delay after it was sent.
fn distant(delay: Duration) -> (Cluster, Arc<Mutex<usize>>) {
    let arrived: Arc<Mutex<usize>> = Arc::default();
    let of_server = Arc::clone(&arrived);
    let service = tower::service_fn(move |_: http::Request<kube::client::Body>| {
        let arrived = Arc::clone(&of_server);
        async move {
            tokio::time::sleep(delay).await;
            *arrived.lock() += 1;
            std::future::pending::<Result<http::Response<kube::client::Body>, std::convert::Infallible>>().await
        }
    });
    (cluster_of(kube::Client::new(service, "default"), &Tasks::new()), arrived)
}

// LDR-22, LDR-30
#[tokio::test(start_paused = true)]
async fn a_write_that_is_under_way_is_given_up_when_its_term_is_revoked() {
    let (cluster, arrived) = distant(Duration::from_secs(5));
    let write = ApiRequest::patch(&maps(), "ns", "a", PatchKind::Merge, &json!({}));
    let fence = Arc::new(Revocable::default());
    let (revoking, clock) = (Arc::clone(&fence), cluster.clock().clone());
    let start = clock.moment();
    let (error, ()) = tokio::join!(fenced(fence, cluster.send(&write)), async {
        clock.sleep(Duration::from_secs(2)).await;
        revoking.1.cancel();
    });
    assert!(matches!(error.unwrap_err(), ApiError::LeadershipLost { .. }));
    assert_eq!(cluster.clock().moment().since(start), Duration::from_secs(2));
    cluster.clock().sleep(Duration::from_secs(10)).await;
    assert_eq!(*arrived.lock(), 0);
}

// LDR-30
#[tokio::test(start_paused = true)]
async fn a_suspended_process_does_not_send_its_pending_write_after_the_fence_expired() {
    let (cluster, arrived) = distant(Duration::from_secs(1));
    let process = Tasks::new();
    let write = ApiRequest::patch(&maps(), "ns", "a", PatchKind::Merge, &json!({}));
    let sending = cluster.clone();
    let sent =
        process.spawn("pass", async move { fenced(fence(Some(Duration::from_secs(4))), sending.send(&write)).await.map(drop) });
    tokio::task::yield_now().await;
    process.suspend();
    cluster.clock().sleep(Duration::from_mins(1)).await;
    process.resume();
    let error = sent.await.unwrap().unwrap_err();
    assert!(error.to_string().contains("the write may have been done"), "{error}");
    assert_eq!(*arrived.lock(), 0);
}
