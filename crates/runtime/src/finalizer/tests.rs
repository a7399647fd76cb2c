use std::sync::Arc;

use kubewright_core::backoff::Timing;
use kubewright_core::finalizer::{FinalizerName, FinalizerWrite};
use kubewright_machinery::object::{GroupVersionKind, ObjectExt as _};
use kubewright_machinery::patch::json_patch;
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::*;
use crate::cluster::{ApiResource, Cluster, RequestRetries};
use crate::task::Tasks;
use crate::testing::{ScriptedCall, client_of, cluster_of};

const OURS: &str = "demo.example.com/widget";

/// A server with one object whose finalizers other writers change before each patch.
#[derive(Default)]
struct World {
    object: Mutex<Option<Value>>,
    /// The lists of finalizers that other writers set before the next patches, one per patch.
    others: Mutex<Vec<Value>>,
    /// True if the server rejects all patches.
    refuses: bool,
    calls: Mutex<Vec<String>>,
}

fn object(finalizers: Value) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "namespace": "demo", "name": "a", "uid": "u-1", "resourceVersion": "1", "finalizers": finalizers },
    })
}

impl World {
    fn with(finalizers: Value) -> Arc<Self> {
        Arc::new(Self { object: Mutex::new(Some(object(finalizers))), ..Self::default() })
    }

    fn answer(&self, call: &ScriptedCall) -> (u16, Value) {
        self.calls.lock().push(call.method.clone());
        let mut object = self.object.lock();
        let Some(live) = object.as_mut() else { return refusal(404) };
        if call.method == "GET" {
            return (200, live.clone());
        }
        if let Some(finalizers) = self.others.lock().pop() {
            live["metadata"]["finalizers"] = finalizers;
            live["metadata"]["resourceVersion"] = json!("2");
        }
        let mut patched = live.clone();
        match json_patch(&mut patched, &call.body) {
            Ok(()) if !self.refuses => {
                live.clone_from(&patched);
                (200, patched)
            }
            _ => refusal(422),
        }
    }

    fn writer(self: &Arc<Self>) -> FinalizerWriter {
        let world = Arc::clone(self);
        writer(cluster_of(client_of(move |call| world.answer(&call)), &Tasks::new()))
    }

    fn finalizers(&self) -> Vec<String> {
        self.object.lock().iter().flat_map(|object| object.finalizers().map(str::to_owned).collect::<Vec<_>>()).collect()
    }

    fn calls(&self) -> String {
        self.calls.lock().join(" ")
    }
}

fn writer(cluster: Cluster) -> FinalizerWriter {
    let resource = ApiResource::known(&GroupVersionKind::new("", "v1", "ConfigMap"), "configmaps", true);
    let name = FinalizerName::parse(OURS).unwrap();
    FinalizerWriter::new(cluster, Arc::new(resource), "test".into(), name, Timing::default())
}

fn refusal(code: u16) -> (u16, Value) {
    (code, json!({ "apiVersion": "v1", "kind": "Status", "status": "Failure", "code": code, "message": "no" }))
}

// FZ-5, FZ-7
#[tokio::test(start_paused = true)]
async fn a_finalizer_is_added_once_beside_those_of_others() {
    let world = World::with(json!(["x/y"]));
    let writer = world.writer();
    let Ok(FinalizerOutcome::Changed(answer)) = writer.add(&object(json!(["x/y"])), |_| true).await else { panic!() };
    assert_eq!(world.finalizers(), ["x/y", OURS]);
    assert!(writer.holds(&answer));
    assert!(matches!(writer.add(&answer, |_| true).await, Ok(FinalizerOutcome::Unchanged)));
    assert_eq!(world.calls(), "PATCH");
}

// FZ-6
#[tokio::test(start_paused = true)]
async fn a_patch_that_came_too_late_is_made_anew_for_the_object_as_it_is() {
    let world = World::with(json!([]));
    world.others.lock().extend([json!(["c/d"]), json!(["x/y"])]);
    let settled = world.writer().add(&object(json!([])), |_| true).await;
    assert!(matches!(settled, Ok(FinalizerOutcome::Changed(_))), "{settled:?}");
    assert_eq!(world.finalizers(), ["c/d", OURS]);
    assert_eq!(world.calls(), "PATCH GET PATCH GET PATCH");
}

// FZ-6
#[tokio::test(start_paused = true)]
async fn writers_that_are_always_faster_end_the_attempts() {
    let world = World::with(json!([]));
    world.others.lock().extend((0..9).map(|number| json!([format!("x/{number}")])));
    let settled = world.writer().add(&object(json!([])), |_| true).await;
    assert!(matches!(settled, Ok(FinalizerOutcome::Overtaken(_))), "{settled:?}");
    assert_eq!(world.calls.lock().iter().filter(|call| *call == "PATCH").count(), 5);
}

// FZ-6
#[tokio::test(start_paused = true)]
async fn a_patch_that_the_server_does_not_want_is_its_error() {
    let world = Arc::new(World { object: Mutex::new(Some(object(json!([])))), refuses: true, ..World::default() });
    let refused = world.writer().add(&object(json!([])), |_| true).await;
    assert_eq!(refused.unwrap_err().code(), Some(422));
    assert_eq!(world.calls(), "PATCH GET");
}

// FNL-8, FNL-9
#[tokio::test(start_paused = true)]
async fn a_finalizer_removal_as_seen_sends_the_seen_resource_version_in_every_form() {
    let apply = FinalizerWrite::Apply { manager: "finalizers".to_owned(), force: false };
    for form in [FinalizerWrite::JsonPatch, FinalizerWrite::MergePatch, apply] {
        let bodies = Arc::new(Mutex::new(Vec::new()));
        let sent = Arc::clone(&bodies);
        let answer = move |call: ScriptedCall| {
            sent.lock().push(call.body);
            (200, object(json!([])))
        };
        let writer = writer(cluster_of(client_of(answer), &Tasks::new())).form(form.clone());
        let settled = writer.remove(&object(json!([OURS])), RemovalGuard::AsSeen, |_| true).await;
        assert!(matches!(settled, Ok(FinalizerOutcome::Changed(_))), "{form:?}: {settled:?}");
        let body = bodies.lock()[0].clone();
        let version = body.pointer("/metadata/resourceVersion").or_else(|| body.pointer("/0/value"));
        assert_eq!(version, Some(&json!("1")), "{form:?}");
    }
}

// FZ-7, FNL-6
#[tokio::test(start_paused = true)]
async fn a_finalizer_that_another_writer_removed_counts_as_removed() {
    let world = World::with(json!([OURS]));
    world.others.lock().push(json!(["x/y"]));
    let settled = world.writer().remove(&object(json!([OURS])), RemovalGuard::Anyhow, |_| true).await;
    assert!(matches!(settled, Ok(FinalizerOutcome::Changed(_))), "{settled:?}");
    assert_eq!(world.calls(), "PATCH GET");
}

// FNL-6
#[tokio::test(start_paused = true)]
async fn an_object_that_is_gone_or_another_one_is_gone() {
    let world = Arc::new(World::default());
    assert!(matches!(
        world.writer().remove(&object(json!([OURS])), RemovalGuard::Anyhow, |_| true).await,
        Ok(FinalizerOutcome::Gone)
    ));
    let world = World::with(json!([OURS]));
    world.object.lock().as_mut().unwrap()["metadata"]["uid"] = json!("u-2");
    assert!(matches!(
        world.writer().remove(&object(json!([OURS])), RemovalGuard::Anyhow, |_| true).await,
        Ok(FinalizerOutcome::Gone)
    ));
    assert_eq!(world.finalizers(), [OURS]);
}

// FZ-4, FNL-4
#[tokio::test(start_paused = true)]
async fn an_object_in_deletion_gets_no_finalizer_and_the_outcome_reports_the_deletion() {
    let world = World::with(json!(["x/y"]));
    world.object.lock().as_mut().unwrap()["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    world.others.lock().push(json!(["x/y", "c/d"]));
    let settled = world.writer().add(&object(json!(["x/y"])), |_| true).await;
    assert!(matches!(settled, Ok(FinalizerOutcome::Deleting(_))), "{settled:?}");
    assert_eq!(world.finalizers(), ["x/y", "c/d"]);
}

// FZ-8
#[tokio::test(start_paused = true)]
async fn a_former_finalizer_counts_as_the_own_one_and_is_removed() {
    let world = World::with(json!(["widgets.", "x/y"]));
    let writer = world.writer().former([FinalizerName::unqualified("widgets.").unwrap()]);
    let found = object(json!(["widgets.", "x/y"]));
    assert!(writer.holds(&found));
    assert!(matches!(writer.add(&found, |_| true).await, Ok(FinalizerOutcome::Unchanged)));
    assert!(matches!(writer.remove(&found, RemovalGuard::Anyhow, |_| true).await, Ok(FinalizerOutcome::Changed(_))));
    assert_eq!(world.finalizers(), ["x/y"]);
}

#[tokio::test(start_paused = true)]
async fn a_state_that_was_not_seen_keeps_the_finalizer_if_its_reader_does_not_go_on_with_it() {
    let world = World::with(json!([OURS]));
    world.others.lock().push(json!([OURS, "x/y"]));
    let settled =
        world.writer().remove(&object(json!([OURS])), RemovalGuard::AsSeen, |live| live.resource_version() == "1").await;
    assert!(matches!(settled, Ok(FinalizerOutcome::Dropped(_))), "{settled:?}");
    assert_eq!(world.finalizers(), [OURS, "x/y"]);
    let anyhow = world.writer().remove(&object(json!([OURS])), RemovalGuard::Anyhow, |_| false).await;
    assert!(matches!(anyhow, Ok(FinalizerOutcome::Changed(_))), "{anyhow:?}");
}

// ERR-7, OUT-3
#[tokio::test(start_paused = true)]
async fn failed_requests_are_repeated_only_where_that_is_asked_for() {
    let calls: Arc<Mutex<u32>> = Arc::default();
    let counted = Arc::clone(&calls);
    let client = client_of(move |_| {
        *counted.lock() += 1;
        refusal(500)
    });
    let writer = writer(cluster_of(client, &Tasks::new()));
    writer.add(&object(json!([])), |_| true).await.unwrap_err();
    assert_eq!(*calls.lock(), 1);
    writer.retrying(RequestRetries::default()).add(&object(json!([])), |_| true).await.unwrap_err();
    assert_eq!(*calls.lock(), 4);
}
