use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use kubewright_machinery::object::ObjectReference;
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::*;
use crate::cluster::{ApiRequest, Cluster};
use crate::metrics::Metrics;
use crate::task::Tasks;
use crate::testing::{Fault, ScriptedCall, Server, cluster_of, slow_client_of};

struct Scene {
    cluster: Cluster,
    recorder: Recorder,
    calls: Arc<Mutex<Vec<ScriptedCall>>>,
    metrics: Metrics,
    tasks: Tasks,
}

impl Scene {
    /// Creates a scene whose server answers the n-th request with this status code.
    fn new(answer: impl Fn(usize) -> u16 + Send + Sync + 'static) -> Self {
        Self::on(Duration::ZERO, move |number, _| answer(number))
    }

    /// Creates a scene whose server has this latency, and answers by number and path.
    fn on(latency: Duration, answer: impl Fn(usize, &str) -> u16 + Send + Sync + 'static) -> Self {
        let calls: Arc<Mutex<Vec<ScriptedCall>>> = Arc::default();
        let journal = calls.clone();
        let client = slow_client_of(latency, move |call| {
            let mut journal = journal.lock();
            journal.push(call.clone());
            let code = answer(journal.len(), &call.path);
            (code, if code < 400 { call.body } else { json!({"kind": "Status", "code": code, "message": "no"}) })
        });
        let (tasks, metrics) = (Tasks::new(), Metrics::new("test"));
        let cluster = cluster_of(client, &tasks);
        let options = RecorderOptions { reporter: "demo.example.com".to_owned(), instance: "pod-1".to_owned() };
        let recorder = Recorder::start(&cluster, options, &tasks, &metrics);
        Self { cluster, recorder, calls, metrics, tasks }
    }

    fn metric(&self, line: &str) -> bool {
        self.metrics.encode().unwrap().lines().any(|found| found == line)
    }
}

fn regarding() -> ObjectReference {
    ObjectReference::of(&json!({
        "apiVersion": "demo.example.com/v1", "kind": "Widget",
        "metadata": {"namespace": "ns", "name": "a", "uid": "u-1", "resourceVersion": "7"},
    }))
}

fn named(namespace: &str, number: usize) -> ObjectReference {
    ObjectReference { namespace: namespace.to_owned(), name: format!("demo-{number}"), ..regarding() }
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
    scene.recorder.flush().await;
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

// EMIT-8, EVT-4: 10,000 components record one event each when they are installed.
#[tokio::test(start_paused = true)]
async fn a_burst_of_events_on_many_objects_arrives_whole() {
    let scene = Scene::on(Duration::from_millis(50), |_, _| 201);
    for n in 0..10_000 {
        scene.recorder.record(&named("ns", n), Event::normal("DependentsChanged", "created 10"));
        if n % 16 == 0 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    scene.recorder.flush().await;
    assert_eq!(scene.calls.lock().len(), 10_000);
    assert!(scene.metric("test_events_sent_total 10000"));
    assert!(!scene.metrics.encode().unwrap().contains("test_events_dropped_total{"));
}

// EMIT-8
#[tokio::test(start_paused = true)]
async fn events_about_one_object_arrive_in_order() {
    let scene = Scene::on(Duration::from_millis(50), |number, _| if number % 7 == 0 { 500 } else { 201 });
    for n in 0..60 {
        scene.recorder.record(&named("ns", n % 3), Event::normal(format!("R{n}"), "b"));
    }
    scene.recorder.flush().await;
    let calls = scene.calls.lock();
    for object in 0..3 {
        let name = format!("demo-{object}");
        let mut reasons: Vec<_> = calls
            .iter()
            .filter(|call| call.body["regarding"]["name"] == name.as_str())
            .map(|call| call.body["reason"].as_str().unwrap().to_owned())
            .collect();
        reasons.dedup();
        let expected: Vec<_> = (0..60).filter(|n| n % 3 == object).map(|n| format!("R{n}")).collect();
        assert_eq!(reasons, expected);
    }
}

// EMIT-8: a failing webhook on the events of one namespace must not delay those of others.
#[tokio::test(start_paused = true)]
async fn events_that_are_refused_hold_no_others() {
    let scene = Scene::on(Duration::ZERO, |_, path| if path.contains("/bad/") { 500 } else { 201 });
    for n in 0..100 {
        scene.recorder.record(&named("bad", n), Event::normal("A", "b"));
    }
    scene.recorder.record(&named("good", 1), Event::normal("A", "b"));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(scene.calls.lock().iter().any(|call| call.path.contains("/good/")));
    assert!(scene.calls.lock().len() <= 5, "and are not sent again at once");
}

// EMIT-8
#[tokio::test(start_paused = true)]
async fn a_server_that_is_away_is_asked_now_and_then() {
    let scene = Scene::on(Duration::ZERO, |number, _| if number <= 12 { 503 } else { 201 });
    for n in 0..1000 {
        scene.recorder.record(&named("ns", n), Event::normal("A", "b"));
    }
    tokio::time::sleep(Duration::from_secs(29)).await;
    assert_eq!(scene.calls.lock().len(), 12, "four at once, every 10 seconds");
    scene.recorder.flush().await;
    assert!(scene.metric("test_events_sent_total 1000"));
}

// EMIT-8
#[tokio::test(start_paused = true)]
async fn events_neither_wait_for_other_requests_nor_keep_them_waiting() {
    let server = Server::new();
    server.fail_always("configmaps", Fault::Hang);
    let cluster = server.cluster_with(|options| options.in_flight = 1);
    let (tasks, metrics) = (Tasks::new(), Metrics::new("test"));
    let options = RecorderOptions { reporter: "demo.example.com".to_owned(), instance: "pod-1".to_owned() };
    let recorder = Recorder::start(&cluster, options, &tasks, &metrics);
    let list = ApiRequest::raw("/api/v1/configmaps");
    let busy = cluster.send(&list);
    tokio::pin!(busy);
    assert!(cluster.clock().limit(Duration::from_secs(1), &mut busy).await.is_err());
    recorder.record(&regarding(), Event::normal("A", "b"));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(server.requests("POST"), 1);
}

// EMIT-8
#[tokio::test(start_paused = true)]
async fn a_full_buffer_drops_the_oldest_normal_events_and_never_blocks() {
    let scene = Scene::new(|_| 503);
    scene.recorder.record(&named("ns", 0), Event::warning("Broken", "b"));
    for n in 1..16_484 {
        scene.recorder.record(&named("ns", n), Event::normal("A", "b"));
    }
    assert!(scene.metric("test_events_dropped_total{cause=\"buffer\"} 100"));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let first: Vec<_> = scene.calls.lock().iter().map(|call| call.body["regarding"]["name"].clone()).collect();
    assert_eq!(first, ["demo-0", "demo-101", "demo-102", "demo-103"]);
    assert!(scene.tasks.stop(Duration::from_secs(1)).await.is_empty());
    assert!(scene.metric("test_events_dropped_total{cause=\"shutdown\"} 16384"));
}

// EMIT-4
#[tokio::test(start_paused = true)]
async fn a_repeat_that_is_not_yet_under_way_takes_no_request() {
    let scene = Scene::on(Duration::from_millis(50), |_, _| 201);
    for _ in 0..3 {
        scene.recorder.record(&regarding(), Event::normal("Waiting", "for tea"));
    }
    scene.recorder.flush().await;
    let calls = scene.calls.lock();
    assert_eq!((calls.len(), &calls[0].body["series"]["count"]), (1, &json!(2)), "the third is held back");
}

// EMIT-4
#[tokio::test(start_paused = true)]
async fn finish_writes_the_event_counts_that_are_not_yet_sent() {
    let scene = Scene::new(|_| 201);
    for _ in 0..5 {
        scene.recorder.record(&regarding(), Event::normal("Waiting", "for tea"));
        scene.recorder.flush().await;
    }
    scene.recorder.finish().await;
    let counts: Vec<_> = scene.calls.lock().iter().map(|call| call.body["series"]["count"].clone()).collect();
    assert_eq!(counts, [Value::Null, json!(2), json!(5)]);
}

#[tokio::test(start_paused = true)]
async fn the_end_waits_for_the_events_of_all_clusters() {
    let scene = Scene::new(|_| 201);
    let other = Scene::on(Duration::from_secs(3), |_, _| 201);
    let elsewhere = scene.recorder.on(&other.cluster, &scene.tasks);
    elsewhere.record(&regarding(), Event::normal("A", "b"));
    scene.recorder.finish().await;
    assert!(scene.metric("test_events_sent_total 1"));
}

#[tokio::test(start_paused = true)]
async fn a_dropped_recorder_sends_its_pending_events_and_its_task_ends() {
    let scene = Scene::on(Duration::from_secs(1), |_, _| 201);
    let elsewhere = scene.recorder.on(&scene.cluster, &scene.tasks);
    for n in 0..9 {
        elsewhere.record(&named("ns", n), Event::normal("A", "b"));
    }
    drop(elsewhere);
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert!(scene.metric("test_events_sent_total 9"));
    assert_eq!(scene.tasks.running(), ["events"], "that of the other recorder");
}

// EMIT-4, EMIT-8
#[tokio::test(start_paused = true)]
async fn a_repeated_event_is_sent_again_after_a_refused_attempt() {
    let scene = Scene::new(|number| if number == 1 { 403 } else { 201 });
    for _ in 0..5 {
        scene.recorder.record(&regarding(), Event::warning("Broken", "it broke"));
        tokio::time::sleep(Duration::from_secs(240)).await;
    }
    let methods: Vec<_> = scene.calls.lock().iter().map(|call| call.method.clone()).collect();
    assert_eq!(methods[..3], ["POST", "POST", "PATCH"]);
}

// EMIT-4: events are kept for an hour, and a problem may last longer.
#[tokio::test(start_paused = true)]
async fn an_event_that_is_gone_is_made_again() {
    let scene = Scene::new(|number| if number == 2 { 404 } else { 201 });
    for _ in 0..3 {
        scene.recorder.record(&regarding(), Event::warning("Broken", "it broke"));
        scene.recorder.flush().await;
    }
    let methods: Vec<_> = scene.calls.lock().iter().map(|call| call.method.clone()).collect();
    assert_eq!(methods, ["POST", "PATCH", "POST"]);
}
