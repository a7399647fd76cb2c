use std::sync::Arc;

use kubewright_core::backoff::Timing;
use kubewright_core::status::diff;
use kubewright_machinery::object::{GroupVersionKind, ObjectExt as _};
use kubewright_machinery::patch::merge_patch;
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::*;
use crate::cluster::{ApiResource, RequestRetries};
use crate::task::Tasks;
use crate::testing::{ScriptedCall, client_of, cluster_of};

/// A server with one object whose status other writers change before each write.
#[derive(Default)]
struct World {
    object: Mutex<Option<Value>>,
    /// The statuses that other writers set before the next writes, one per write.
    others: Mutex<Vec<Value>>,
    /// The status codes with which the next requests fail.
    failures: Mutex<Vec<u16>>,
    calls: Mutex<Vec<String>>,
}

fn object(status: Value) -> Value {
    json!({
        "apiVersion": "demo.example.com/v1", "kind": "Widget",
        "metadata": { "namespace": "demo", "name": "a", "uid": "u-1", "resourceVersion": "1" },
        "status": status,
    })
}

impl World {
    fn with(status: Value) -> Arc<Self> {
        Arc::new(Self { object: Mutex::new(Some(object(status))), ..Self::default() })
    }

    fn answer(&self, call: &ScriptedCall) -> (u16, Value) {
        self.calls.lock().push(call.method.clone());
        if let Some(code) = self.failures.lock().pop() {
            return refusal(code);
        }
        let mut object = self.object.lock();
        let Some(live) = object.as_mut() else { return refusal(404) };
        if call.method == "GET" {
            return (200, live.clone());
        }
        assert!(call.path.ends_with("/status"), "{}", call.path);
        let bump = |live: &mut Value| {
            let version: u64 = live.resource_version().parse().unwrap();
            live["metadata"]["resourceVersion"] = (version + 1).to_string().into();
        };
        if let Some(status) = self.others.lock().pop() {
            live["status"] = status;
            bump(live);
        }
        if call.body["metadata"]["resourceVersion"] != live["metadata"]["resourceVersion"] {
            return refusal(409);
        }
        merge_patch(live, &json!({ "status": call.body["status"] }));
        bump(live);
        (200, live.clone())
    }

    fn writer(self: &Arc<Self>) -> StatusWriter {
        let world = Arc::clone(self);
        let cluster = cluster_of(client_of(move |call| world.answer(&call)), &Tasks::new());
        let resource = ApiResource::known(&GroupVersionKind::new("demo.example.com", "v1", "Widget"), "widgets", true);
        StatusWriter::new(cluster, Arc::new(resource), "test".into(), Timing::default())
    }

    fn status(&self) -> Value {
        self.object.lock().as_ref().unwrap()["status"].clone()
    }

    fn calls(&self) -> String {
        self.calls.lock().join(" ")
    }
}

fn refusal(code: u16) -> (u16, Value) {
    (code, json!({ "apiVersion": "v1", "kind": "Status", "status": "Failure", "code": code, "message": "no" }))
}

/// Writes the change from one status to another, rebased on the changes of other writers.
async fn rebased(world: &Arc<World>, start: Value, new: Value) -> Written {
    let change = diff(&start, &new).unwrap().to_string();
    let found = object(start.clone());
    world.writer().write(&found, change, Meanwhile::Rebase { start: &start, new: &new, is_known: &|| true }).await.unwrap()
}

// SW-2, SW-3
#[tokio::test(start_paused = true)]
async fn a_change_is_one_request_that_carries_the_version() {
    let world = World::with(json!({ "ours": 1, "gone": 1 }));
    let written = rebased(&world, json!({ "ours": 1, "gone": 1 }), json!({ "ours": 2 })).await;
    assert!(matches!(written, Written::Persisted(answer) if answer["status"] == json!({ "ours": 2 })));
    assert_eq!(world.calls(), "PATCH");
}

// STW-3, SW-3
#[tokio::test(start_paused = true)]
async fn a_status_change_is_rebased_on_the_status_of_a_co_writer_whose_fields_survive() {
    let world = World::with(json!({ "ours": 1, "theirs": 1 }));
    world.others.lock().extend([json!({ "ours": 1, "theirs": 3 }), json!({ "ours": 1, "theirs": 2 })]);
    let written = rebased(&world, json!({ "ours": 1, "theirs": 1 }), json!({ "ours": 2, "theirs": 1 })).await;
    assert!(matches!(written, Written::Persisted(_)), "{written:?}");
    assert_eq!(world.status(), json!({ "ours": 2, "theirs": 3 }));
    assert_eq!(world.calls(), "PATCH GET PATCH GET PATCH");
}

// STW-3
#[tokio::test(start_paused = true)]
async fn a_status_change_that_a_co_writer_already_made_is_not_sent_again() {
    let world = World::with(json!({ "ours": 1 }));
    world.others.lock().push(json!({ "ours": 2 }));
    let written = rebased(&world, json!({ "ours": 1 }), json!({ "ours": 2 })).await;
    assert!(matches!(written, Written::Persisted(live) if live.resource_version() == "2"));
    assert_eq!(world.calls(), "PATCH GET");
}

// STW-3, STA-7
#[tokio::test(start_paused = true)]
async fn writers_that_are_always_faster_end_the_attempts() {
    let world = World::with(json!({ "ours": 1 }));
    world.others.lock().extend((0..9).map(|number| json!({ "ours": 1, "theirs": number })));
    let written = rebased(&world, json!({ "ours": 1 }), json!({ "ours": 2 })).await;
    assert!(matches!(written, Written::Overtaken(_)), "{written:?}");
    assert_eq!(world.calls.lock().iter().filter(|call| *call == "PATCH").count(), 5);
}

// STA-7
#[tokio::test(start_paused = true)]
async fn a_change_that_fits_one_state_only_is_given_up_when_it_is_another() {
    let world = World::with(json!({ "ours": 1 }));
    world.others.lock().extend([json!({ "ours": 1 }), json!({ "ours": 1 })]);
    let fits = |live: &Value| live["status"] == json!({ "ours": 1 });
    let change = || json!({ "ours": 2 }).to_string();
    let found = object(json!({ "ours": 1 }));
    let written = world.writer().write(&found, change(), Meanwhile::Only(&fits)).await.unwrap();
    assert!(matches!(written, Written::Persisted(_)), "{written:?}");
    let written = world.writer().write(&found, change(), Meanwhile::Only(&fits)).await.unwrap();
    assert!(matches!(written, Written::Overtaken(live) if live["status"] == json!({ "ours": 2 })));
}

// STW-3, SW-4, STAT-11
#[tokio::test(start_paused = true)]
async fn an_object_that_is_gone_or_another_one_is_gone() {
    let world = Arc::new(World::default());
    assert!(matches!(rebased(&world, json!({}), json!({ "ours": 1 })).await, Written::Gone));
    let world = World::with(json!({}));
    world.object.lock().as_mut().unwrap()["metadata"]["uid"] = json!("u-2");
    world.others.lock().push(json!({}));
    assert!(matches!(rebased(&world, json!({}), json!({ "ours": 1 })).await, Written::Gone));
    assert_eq!(world.status(), json!({}));
}

#[tokio::test(start_paused = true)]
async fn no_status_is_written_for_an_object_absent_from_the_store_of_the_writer() {
    let world = World::with(json!({}));
    let (start, new) = (json!({}), json!({ "ours": 1 }));
    let meanwhile = Meanwhile::Rebase { start: &start, new: &new, is_known: &|| false };
    let written = world.writer().write(&object(json!({})), new.to_string(), meanwhile).await.unwrap();
    assert!(matches!(written, Written::Gone));
    assert_eq!(world.calls(), "");
}

// ERR-7, OUT-3
#[tokio::test(start_paused = true)]
async fn failed_requests_are_repeated_only_where_that_is_asked_for() {
    let world = World::with(json!({}));
    world.failures.lock().extend([500, 500, 500]);
    let write = |writer: StatusWriter| async move {
        let found = object(json!({}));
        writer.write(&found, json!({ "ours": 1 }).to_string(), Meanwhile::Only(&|_| true)).await
    };
    assert_eq!(write(world.writer()).await.unwrap_err().code(), Some(500));
    assert!(write(world.writer().retrying(RequestRetries::default())).await.is_ok());
    assert_eq!(world.calls(), "PATCH PATCH PATCH PATCH");
}
