//! The diagnostics of an operator: metrics, and the pages about its state and its queues.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kubewright::core::flow::{Delay, Wait};
use kubewright::core::tracker::SubjectReference;
use kubewright::prelude::*;
use kubewright::runtime::admin::QueueError;
use kubewright::runtime::config::Config;
use kubewright::runtime::controller::Lane;
use kubewright::runtime::reconcile::{ConditionAccess, Context, Controller, Reconcile};
use kubewright::runtime::store::Store;
use kubewright_testing::{TestCluster, TestOperator};
use tokio::sync::Semaphore;

use crate::reconcile::widget::{Widget, WidgetStatus, widget};
use crate::reconcile::world::until;

const CLASS: &str = "test.kubewright.dev/class";
const CONFIG: &str = "config-observability";

#[derive(FromConfigMap, Clone, Debug, PartialEq)]
#[config(name = "config-pool", optional)]
struct Pool {
    #[config(default = "1")]
    size: u32,
}

/// A reconciler that tracks, panics, emits events, grows or waits, depending on the name of a widget, so that each metric counts.
struct Busy {
    maps: Store<ConfigMap>,
    gate: Arc<Semaphore>,
}

impl Busy {
    fn new(maps: Store<ConfigMap>, _: Config<Pool>, State(gate): State<Arc<Semaphore>>) -> Self {
        Self { maps, gate }
    }

    fn operator(gate: &Arc<Semaphore>) -> Operator {
        let crd = serde_json::to_value(<Widget as kube::CustomResourceExt>::crd()).unwrap();
        let controller = Controller::new(Self::new).crd(Some(crd)).class(&[CLASS], "mine");
        Operator::new("widget-operator.test.kubewright.dev").state(Arc::clone(gate)).add_controller(controller)
    }
}

impl Reconcile for Busy {
    type Kind = Widget;
    type Status = WidgetStatus;

    async fn reconcile(&self, cx: &Context<Widget>, _: &Widget, status: &mut WidgetStatus) -> Flow {
        match cx.key().name() {
            "zz-tracks" => {
                let target =
                    json!({"apiVersion": "v1", "kind": "ConfigMap", "namespace": cx.key().namespace(), "name": "zz-target"});
                let target = serde_json::from_value::<SubjectReference>(target).unwrap();
                cx.track(&self.maps, &target)?;
            }
            "zz-panics" => panic!("on purpose"),
            // The number exceeds the event budget of an object.
            "zz-tells" => (0..40).for_each(|number| cx.recorder().normal(format!("Told{number}"), "told")),
            "zz-grows" => {
                let size = status.size.unwrap_or(0) + 1;
                status.size = Some(size);
                if size < 4 {
                    return Wait::after(Delay::secs::<1>(), "Growing").message("it grows").into();
                }
            }
            name if name.starts_with("zz-waits") => drop(self.gate.acquire().await),
            _ => {}
        }
        status.conditions.mark_true("Sized");
        Ok(())
    }

    fn conditions() -> Option<ConditionAccess<WidgetStatus>> {
        Some(ConditionAccess::derived())
    }
}

async fn create(cluster: &TestCluster, name: &str, class: &str) {
    let mut object = widget(cluster, name, 1);
    object["metadata"]["annotations"] = json!({CLASS: class});
    cluster.create(&object).await.unwrap();
}

async fn put(cluster: &TestCluster, name: &str, data: Value) {
    cluster.apply(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})).await;
}

/// Returns the names of all series, each with the names of its labels.
fn series(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut series: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let histograms: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.strip_suffix(" histogram")).collect();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let name = line.split(['{', ' ']).next().unwrap_or_default();
        let parts = ["_bucket", "_sum", "_count"].into_iter().filter_map(|part| name.strip_suffix(part));
        let name = parts.into_iter().find(|name| histograms.contains(name)).unwrap_or(name);
        let labels = line.split_once('{').and_then(|(_, rest)| rest.rsplit_once('}')).map_or("", |(labels, _)| labels);
        let keys = labels.split("\",").filter_map(|label| label.split_once("=\"")).map(|(key, _)| key.to_owned());
        series.entry(name.to_owned()).or_default().extend(keys.filter(|key| key != "le"));
    }
    series
}

/// The table of metrics in `reconciler.md`, 8.2, without metrics that are not implemented yet or not used here, and `requests_total` of
/// `component.md`.
const TABLE: &[(&str, &[&str])] = &[
    (
        "http_client_request_duration_seconds",
        &["http_request_method", "server_address", "server_port", "url_scheme", "url_template"],
    ),
    ("kubewright_class_filtered_objects", &["controller"]),
    ("kubewright_config_last_reload_success", &["config"]),
    ("kubewright_events_dropped_total", &["cause"]),
    ("kubewright_events_sent_total", &[]),
    (
        "kubewright_k8s_client_http_response_status_code_total",
        &["http_request_method", "http_response_status_code", "server_address"],
    ),
    ("kubewright_reads_ahead_of_watch_total", &["controller"]),
    ("kubewright_reconcile_duration_seconds", &["controller", "result"]),
    ("kubewright_reconcile_in_flight", &["controller"]),
    ("kubewright_reconcile_panics_total", &["controller"]),
    ("kubewright_reconcile_total", &["controller", "result"]),
    ("kubewright_requests_total", &["code", "controller", "method", "verb"]),
    ("kubewright_store_objects", &["kind", "scope"]),
    ("kubewright_tracker_references", &["controller"]),
    ("kubewright_watch_events_total", &["kind", "scope"]),
    ("kubewright_watch_failures_total", &["kind", "scope"]),
    ("kubewright_watch_last_event_age_seconds", &["kind", "scope"]),
    ("kubewright_workqueue_adds_total", &["name"]),
    ("kubewright_workqueue_depth", &["lane", "name"]),
    ("kubewright_workqueue_longest_running_processor_seconds", &["name"]),
    ("kubewright_workqueue_process_duration_seconds", &["name"]),
    ("kubewright_workqueue_queue_duration_seconds", &["name"]),
    ("kubewright_workqueue_retries_total", &["name"]),
    ("kubewright_workqueue_unfinished_work_seconds", &["name"]),
];

// 8.2, OBS-6
#[tokio::test]
async fn the_metrics_are_those_of_the_table_and_name_no_object() {
    let cluster = TestCluster::start().await;
    let gate = Arc::new(Semaphore::new(0));
    let operator = cluster.run(Busy::operator(&gate)).await;
    let Some(server) = cluster.embedded() else { return operator.stop().await };
    for name in ["zz-tracks", "zz-panics", "zz-tells"] {
        create(&cluster, name, "mine").await;
    }
    create(&cluster, "zz-theirs", "theirs").await;
    put(&cluster, "zz-target", json!({})).await;
    server.delay_events("test.kubewright.dev", "widgets", Duration::from_secs(3));
    create(&cluster, "zz-grows", "mine").await;
    cluster.expect::<Widget>("zz-grows").condition("Ready", "True", "Reconciled").await;
    let text = || operator.running().metrics().encode().unwrap();
    let expected: BTreeMap<String, BTreeSet<String>> = TABLE
        .iter()
        .map(|(name, labels)| ((*name).to_owned(), labels.iter().map(|label| (*label).to_owned()).collect()))
        .collect();
    let missing = || {
        let found = series(&text());
        expected.keys().filter(|name| !found.contains_key(*name)).cloned().collect::<Vec<_>>()
    };
    until(&cluster, || format!("all metrics are there: {:?} are missing", missing()), || missing().is_empty()).await;
    let text = text();
    assert_eq!(series(&text), expected);
    assert!(!text.contains("zz-") && !text.contains("on purpose"), "{text}");
    for line in [
        "kubewright_class_filtered_objects{controller=\"widget\"} 1",
        "kubewright_tracker_references{controller=\"widget\"} 1",
        "kubewright_config_last_reload_success{config=\"config-pool\"} 1",
        "kubewright_store_objects{kind=\"Widget.test.kubewright.dev\",scope=\"*\"} 5.0",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    operator.stop().await;
}

/// Returns the scope of a store of all objects that an operator of the test may access.
fn scope(cluster: &TestCluster) -> &str {
    if cluster.is_shared() { cluster.namespace() } else { "*" }
}

async fn state(operator: &TestOperator) -> Value {
    operator.running().diagnostics().state().await
}

// 2.5
#[tokio::test]
async fn the_diagnostics_report_the_state_of_an_operator_and_the_keys_of_its_queue() {
    let cluster = TestCluster::start().await;
    let gate = Arc::new(Semaphore::new(0));
    let operator = cluster.run(Busy::operator(&gate)).await;
    // There are two workers.
    for name in ["zz-waits-1", "zz-waits-2"] {
        create(&cluster, name, "mine").await;
    }
    until(&cluster, || "both workers are busy".to_owned(), || operator.running().metrics().queues()[0].running().len() == 2)
        .await;
    create(&cluster, "zz-waits-3", "mine").await;
    let depth = || operator.running().metrics().queues()[0].depth(Lane::Fast);
    until(&cluster, || "the third one is queued".to_owned(), || depth() == 1).await;
    cluster.pass(Duration::from_secs(2)).await;

    let page = state(&operator).await;
    assert_eq!(page["phase"], "Leading");
    let queue = json!({"controller": "widget", "depth": {"urgent": 0, "fast": 1, "slow": 0}, "inFlight": 2, "waiting": 0});
    assert_eq!(page["queues"], json!([queue]));
    let named = |list: &str, name: &str| {
        page[list].as_array().unwrap().iter().find(|entry| entry["name"] == name || entry["kind"] == name).cloned().unwrap()
    };
    assert_eq!(named("checks", "caches"), json!({"name": "caches", "kind": "ready", "ok": true}));
    assert_eq!(named("config", "config-pool"), json!({"name": "config-pool", "resourceVersion": null, "ok": true}));
    let watch = named("watches", "Widget.test.kubewright.dev");
    let expected = (&json!(scope(&cluster)), &json!("watching"), &json!(3));
    assert_eq!((&watch["scope"], &watch["state"], &watch["objects"]), expected);
    assert!(watch["lastEventAge"].as_f64().unwrap() >= 1.0 && watch["checksum"].as_str().unwrap().len() == 16, "{watch}");
    assert_eq!(page.get("buckets"), None, "there is no leadership");
    assert!(!page.to_string().contains("zz-"), "{page}");

    let diagnostics = operator.running().diagnostics();
    assert_eq!(diagnostics.queue("widget").await, Err(QueueError::TurnedOff));
    put(&cluster, CONFIG, json!({"runtime-profiling": "enabled"})).await;
    until(&cluster, || "profiling is enabled".to_owned(), || diagnostics.observability().profiles()).await;
    let page = diagnostics.queue("widget").await.unwrap();
    let key = |name: &str| format!("{}/{name}", cluster.namespace());
    let queued = &page["lanes"]["fast"]["keys"];
    assert_eq!((queued.as_array().map(Vec::len), &queued[0]["key"]), (Some(1), &json!(key("zz-waits-3"))));
    assert!(queued[0]["age"].as_f64().unwrap() >= 2.0, "{page}");
    let running: BTreeSet<&str> = page["running"].as_array().unwrap().iter().filter_map(|pass| pass["key"].as_str()).collect();
    assert_eq!(running, BTreeSet::from([&*key("zz-waits-1"), &*key("zz-waits-2")]));
    let told = state(&operator).await;
    let config = told["config"].as_array().unwrap().iter().find(|config| config["name"] == CONFIG).unwrap();
    assert!(config["ok"] == true && config["resourceVersion"].is_string(), "{config}");
    cluster.delete::<ConfigMap>(CONFIG).await;
    until(&cluster, || "profiling is disabled".to_owned(), || !diagnostics.observability().profiles()).await;
    gate.add_permits(3);
    operator.stop().await;
}

// 2.5: equal caches have equal checksums in all replicas.
#[tokio::test]
async fn two_replicas_report_equal_object_counts_and_checksums_of_their_caches() {
    let cluster = TestCluster::start().await;
    let gate = Arc::new(Semaphore::new(0));
    create_config_maps(&cluster, 0..20).await;
    let early = cluster.run(Busy::operator(&gate)).await;
    create_config_maps(&cluster, 20..40).await;
    cluster
        .apply(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "zz-7"}, "data": {"changed": "yes"}}))
        .await;
    let late = cluster.run(Busy::operator(&gate)).await;
    let mut found = (Value::Null, Value::Null);
    for _ in 0..100 {
        found = (watch_of_config_maps(&cluster, &early).await, watch_of_config_maps(&cluster, &late).await);
        if found.0 == found.1 {
            break;
        }
        cluster.pass(Duration::from_millis(50)).await;
    }
    assert!(found.0 == found.1 && found.0["objects"].as_u64() >= Some(40), "{found:?}");
    early.stop().await;
    late.stop().await;
}

async fn create_config_maps(cluster: &TestCluster, numbers: std::ops::Range<u32>) {
    for number in numbers {
        put(cluster, &format!("zz-{number}"), json!({"number": number.to_string()})).await;
    }
}

async fn watch_of_config_maps(cluster: &TestCluster, operator: &TestOperator) -> Value {
    let page = state(operator).await;
    let mut watches = page["watches"].as_array().unwrap().iter();
    let watch = watches.find(|watch| watch["kind"] == "ConfigMap" && watch["scope"] == scope(cluster)).unwrap();
    json!({"objects": watch["objects"], "checksum": watch["checksum"]})
}

// 8.2
#[tokio::test]
async fn operators_that_share_a_config_map_have_keys_of_their_own_by_a_prefix() {
    let cluster = TestCluster::start().await;
    let gate = Arc::new(Semaphore::new(0));
    let operator = Busy::operator(&gate).options(|options| options.observability_prefix = "widgets.".to_owned());
    let operator = cluster.run(operator).await;
    let diagnostics = operator.running().diagnostics();
    put(&cluster, CONFIG, json!({"runtime-profiling": "enabled", "other.runtime-profiling": "enabled"})).await;
    let is_read = async || {
        let page = state(&operator).await;
        page["config"].as_array().unwrap().iter().any(|config| config["name"] == CONFIG && config["resourceVersion"].is_string())
    };
    let mut looks = 0;
    while !is_read().await {
        assert!(looks < 100, "the ConfigMap is read: {}", state(&operator).await);
        cluster.pass(Duration::from_millis(100)).await;
        looks += 1;
    }
    assert!(!diagnostics.observability().profiles(), "those are of other operators");
    put(&cluster, CONFIG, json!({"widgets.runtime-profiling": "enabled"})).await;
    until(&cluster, || "profiling is enabled".to_owned(), || diagnostics.observability().profiles()).await;
    operator.stop().await;
    cluster.stop().await;
}
