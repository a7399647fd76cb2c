use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::*;
use crate::metrics::Metrics;
use crate::task::Tasks;
use crate::testing::{Call, client_of, cluster_of};

struct Scene {
    recorder: Recorder,
    calls: Arc<Mutex<Vec<Call>>>,
    metrics: Metrics,
    tasks: Tasks,
}

impl Scene {
    fn new(answer: impl Fn(usize) -> u16 + Send + Sync + 'static) -> Self {
        let calls: Arc<Mutex<Vec<Call>>> = Arc::default();
        let journal = calls.clone();
        let client = client_of(move |call| {
            let mut journal = journal.lock();
            journal.push(call.clone());
            let code = answer(journal.len());
            (code, if code < 400 { call.body } else { json!({"kind": "Status", "code": code, "message": "no"}) })
        });
        let (tasks, metrics) = (Tasks::new(), Metrics::new("test"));
        let cluster = cluster_of(client, &tasks);
        let options = RecorderOptions { reporter: "demo.example.com".to_owned(), instance: "pod-1".to_owned() };
        let recorder = Recorder::start(&cluster, options, &tasks, &metrics);
        Self { recorder, calls, metrics, tasks }
    }

    fn metric(&self, line: &str) -> bool {
        self.metrics.encode().unwrap().lines().any(|found| found == line)
    }
}

fn regarding() -> Reference {
    Reference::of(&json!({
        "apiVersion": "demo.example.com/v1", "kind": "Widget",
        "metadata": {"namespace": "ns", "name": "a", "uid": "u-1", "resourceVersion": "7"},
    }))
}

// EMIT-1
#[tokio::test(start_paused = true)]
async fn an_event_is_created_in_the_namespace_of_its_object() {
    let scene = Scene::new(|_| 201);
    let annotations = BTreeMap::from([("digest".to_owned(), "d".to_owned())]);
    scene.recorder.record_with(&regarding(), None, annotations, Event::warning("Broken", "it broke").action("Install"));
    scene.recorder.flush().await;
    let mut call = scene.calls.lock()[0].clone();
    assert_eq!((call.method.as_str(), call.path.as_str()), ("POST", "/apis/events.k8s.io/v1/namespaces/ns/events"));
    let name = call.body["metadata"]["name"].take();
    assert!(name.as_str().is_some_and(|name| name.starts_with("a.") && name.len() == 18), "{name}");
    let expected = json!({
        "apiVersion": "events.k8s.io/v1", "kind": "Event",
        "metadata": {"namespace": "ns", "name": Value::Null, "annotations": {"digest": "d"}},
        "eventTime": "2026-01-01T00:00:00.000000Z",
        "reportingController": "demo.example.com", "reportingInstance": "pod-1",
        "action": "Install", "reason": "Broken", "type": "Warning", "note": "it broke",
        "regarding": {
            "apiVersion": "demo.example.com/v1", "kind": "Widget", "namespace": "ns", "name": "a", "uid": "u-1", "resourceVersion": "7",
        },
    });
    assert_eq!(call.body, expected);
    assert!(scene.metric("test_events_sent_total 1"));
}

// EMIT-4
#[tokio::test(start_paused = true)]
async fn a_repeat_is_counted_on_the_first_event() {
    let scene = Scene::new(|_| 200);
    scene.recorder.record(&regarding(), Event::normal("Waiting", "for tea"));
    scene.recorder.record(&regarding(), Event::normal("Waiting", "for tea"));
    scene.recorder.flush().await;
    let calls = scene.calls.lock();
    assert_eq!(calls.len(), 2);
    assert_eq!((calls[1].method.as_str(), &calls[1].body["series"]["count"]), ("PATCH", &json!(2)));
    assert!(calls[1].path.ends_with(calls[0].body["metadata"]["name"].as_str().unwrap()));
}

// EMIT-8
#[tokio::test(start_paused = true)]
async fn a_busy_server_is_asked_again() {
    let scene = Scene::new(|call| if call < 4 { 503 } else { 201 });
    scene.recorder.record(&regarding(), Event::normal("A", "b"));
    scene.recorder.flush().await;
    assert_eq!(scene.calls.lock().len(), 4);
    assert!(scene.metric("test_events_sent_total 1"));
}

// EMIT-8
#[tokio::test(start_paused = true)]
async fn a_refused_event_is_dropped_at_once() {
    let scene = Scene::new(|_| 403);
    scene.recorder.record(&regarding(), Event::normal("A", "b"));
    scene.recorder.flush().await;
    assert_eq!(scene.calls.lock().len(), 1);
    assert!(scene.metric("test_events_dropped_total{cause=\"refused\"} 1"));
}

// EMIT-8
#[tokio::test(start_paused = true)]
async fn a_full_buffer_drops_and_never_blocks() {
    let scene = Scene::new(|_| 503);
    for n in 0..1100 {
        scene.recorder.record(&regarding(), Event::normal(format!("R{n}"), "b"));
    }
    assert!(scene.metric("test_events_dropped_total{cause=\"buffer\"} 100"));
    assert!(scene.tasks.stop(Duration::from_secs(1)).await.is_empty());
}
