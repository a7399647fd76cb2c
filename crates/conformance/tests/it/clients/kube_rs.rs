//! kube-rs: typed API, discovery, watcher, controller, events, and a definition with rules from a derive.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::core::{CustomResourceExt as _, PartialObjectMetaExt as _, Resource as _, ResourceExt as _};
use kube::discovery::{self, Discovery, Scope, verbs};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use kube::runtime::wait::{await_condition, conditions};
use kube::runtime::{WatchStreamExt as _, watcher};
use kubewright_testing::TestCluster;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The time limit of a single step.
const LIMIT: Duration = Duration::from_secs(150);

/// A definition as users of kube-rs write it.
#[derive(kube::CustomResource, kube::KubeSchema, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[kube(
    group = "clients.kubewright.dev",
    version = "v1",
    kind = "RustWidget",
    namespaced,
    status = "RustWidgetStatus",
    shortname = "rw",
    printcolumn = r#"{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}"#
)]
#[x_kube(validation = Rule::new("self.size <= self.limit").message("size must not exceed limit"))]
struct RustWidgetSpec {
    size: i64,
    #[serde(default = "limit")]
    limit: i64,
    #[x_kube(validation = ("self == oldSelf", "colour is immutable"))]
    #[serde(default)]
    colour: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
struct RustWidgetStatus {
    ready: bool,
}

fn limit() -> i64 {
    10
}

fn map(name: &str) -> ConfigMap {
    serde_json::from_value(json!({"metadata": {"name": name}, "data": {"k": "v"}})).unwrap()
}

fn code<T: std::fmt::Debug>(outcome: Result<T, kube::Error>) -> u16 {
    match outcome {
        Err(kube::Error::Api(status)) => status.code,
        other => panic!("expected a refusal, got {other:?}"),
    }
}

// SCLI-20, CRUD-1 to CRUD-3, UPD-2, SSA-6, NEG-1
#[tokio::test]
async fn the_typed_api_reads_and_writes() {
    let cluster = TestCluster::start().await;
    let maps: Api<ConfigMap> = Api::namespaced(cluster.client().clone(), cluster.namespace());
    let created = maps.create(&PostParams::default(), &map("a")).await.unwrap();
    assert_eq!(code(maps.create(&PostParams::default(), &map("a")).await), 409);
    let mut changed = created.clone();
    changed.data.as_mut().unwrap().insert("k".into(), "w".into());
    maps.replace("a", &PostParams::default(), &changed).await.unwrap();
    assert_eq!(code(maps.replace("a", &PostParams::default(), &changed).await), 409);
    let applied = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"k": "x"}});
    assert_eq!(code(maps.patch("a", &PatchParams::apply("kube-rs"), &Patch::Apply(&applied)).await), 409);
    let forced = maps.patch("a", &PatchParams::apply("kube-rs").force(), &Patch::Apply(&applied)).await.unwrap();
    assert_eq!(forced.data.unwrap()["k"], "x");
    let partial = ConfigMap::default().meta().clone().into_request_partial::<ConfigMap>();
    maps.patch_metadata("a", &PatchParams::default(), &Patch::Merge(&partial)).await.unwrap();
    let metadata = maps.list_metadata(&ListParams::default().fields("metadata.name=a")).await.unwrap();
    assert_eq!(metadata.items.len(), 1);
    maps.entry("b").await.unwrap().or_insert(|| map("b")).commit(&PostParams::default()).await.unwrap();
    assert_eq!(maps.get("b").await.unwrap().data.unwrap()["k"], "v");
    maps.delete("a", &DeleteParams::default()).await.unwrap();
    assert!(maps.get_opt("a").await.unwrap().is_none());
    cluster.stop().await;
}

// DISC-3, DISC-4
#[tokio::test]
async fn discovery_finds_kinds_both_ways() {
    let cluster = TestCluster::start().await;
    let client = cluster.client();
    for found in
        [Discovery::new(client.clone()).run().await.unwrap(), Discovery::new(client.clone()).run_aggregated().await.unwrap()]
    {
        let apps = found.get("apps").unwrap();
        let (deployment, capabilities) = apps.recommended_kind("Deployment").unwrap();
        assert_eq!((deployment.plural.as_str(), &capabilities.scope), ("deployments", &Scope::Namespaced));
        assert!(capabilities.supports_operation(verbs::WATCH));
        assert!(capabilities.subresources.iter().any(|(subresource, _)| subresource.plural == "scale"));
    }
    let kind = kube::core::GroupVersionKind::gvk("", "v1", "ConfigMap");
    let (resource, _) = discovery::pinned_kind(client, &kind).await.unwrap();
    let maps: Api<DynamicObject> = Api::namespaced_with(client.clone(), cluster.namespace(), &resource);
    maps.create(&PostParams::default(), &DynamicObject::new("dynamic", &resource).data(json!({"data": {"k": "v"}})))
        .await
        .unwrap();
    assert_eq!(maps.get("dynamic").await.unwrap().data["data"]["k"], "v");
    cluster.stop().await;
}

// SCLI-21, SWATCH-3, SWATCH-8
#[tokio::test]
async fn watchers_report_existing_objects_and_later_changes() {
    let cluster = TestCluster::start().await;
    let maps: Api<ConfigMap> = Api::namespaced(cluster.client().clone(), cluster.namespace());
    for (strategy, config) in [("listed", watcher::Config::default()), ("streamed", watcher::Config::default().streaming_lists())]
    {
        let label = json!({"metadata": {"labels": {"watch": strategy}}});
        let labelled = async |name: &str| {
            maps.create(&PostParams::default(), &map(name)).await.unwrap();
            maps.patch(name, &PatchParams::default(), &Patch::Merge(&label)).await.unwrap();
        };
        labelled(&format!("{strategy}-before")).await;
        let config = config.labels(&format!("watch={strategy}"));
        let mut touched = watcher(maps.clone(), config).default_backoff().touched_objects().boxed();
        let mut next = async || touched.next().await.unwrap().unwrap().name_any();
        assert_eq!(next().await, format!("{strategy}-before"));
        labelled(&format!("{strategy}-after")).await;
        assert_eq!(next().await, format!("{strategy}-after"));
        maps.delete(&format!("{strategy}-before"), &DeleteParams::default()).await.unwrap();
        assert_eq!(next().await, format!("{strategy}-before"));
    }
    cluster.stop().await;
}

// GC-1, SSA-2
#[tokio::test]
async fn a_controller_keeps_children() {
    let cluster = TestCluster::start().await;
    let client = cluster.client().clone();
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), cluster.namespace());
    let parents = watcher::Config::default().labels("role=parent");
    let children = watcher::Config::default().labels("role=child");
    let reconcile = |parent: Arc<ConfigMap>, maps: Arc<Api<ConfigMap>>| async move {
        let name = format!("{}-child", parent.name_any());
        let child = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "data": parent.data,
            "metadata": {"name": name, "labels": {"role": "child"}, "ownerReferences": [parent.controller_owner_ref(&()).unwrap()]},
        });
        maps.patch(&name, &PatchParams::apply("parent-controller"), &Patch::Apply(&child)).await?;
        Ok::<_, kube::Error>(Action::requeue(Duration::from_secs(3600)))
    };
    let mut runs = Controller::new(maps.clone(), parents)
        .owns(maps.clone(), children)
        .run(reconcile, |_, error, _| panic!("reconcile failed: {error}"), Arc::new(maps.clone()))
        .boxed();
    let mut parent = map("p");
    parent.labels_mut().insert("role".into(), "parent".into());
    maps.create(&PostParams::default(), &parent).await.unwrap();
    let mut reconciled = async |what: &str| {
        let next = tokio::time::timeout(LIMIT, runs.next()).await;
        next.unwrap_or_else(|_| panic!("no reconciliation within {LIMIT:?}, but expected that {what}")).unwrap().unwrap();
    };
    reconciled("the child is created").await;
    assert_eq!(maps.get("p-child").await.unwrap().data.unwrap()["k"], "v");
    maps.delete("p-child", &DeleteParams::default()).await.unwrap();
    while maps.get_opt("p-child").await.unwrap().is_none() {
        reconciled("the deleted child is created again").await;
    }
    maps.patch("p", &PatchParams::default(), &Patch::Merge(json!({"data": {"k": "w"}}))).await.unwrap();
    while maps.get("p-child").await.unwrap().data.unwrap()["k"] != "w" {
        reconciled("the child follows its parent").await;
    }
    maps.delete("p", &DeleteParams::background()).await.unwrap();
    drop(runs);
    cluster.expect::<ConfigMap>("p-child").to_be_gone().await;
    cluster.stop().await;
}

// BI-1
#[tokio::test]
async fn a_recorder_attaches_events() {
    let cluster = TestCluster::start().await;
    let client = cluster.client().clone();
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), cluster.namespace());
    let object = maps.create(&PostParams::default(), &map("a")).await.unwrap();
    let recorder = Recorder::new(client.clone(), Reporter { controller: "kube-rs".into(), instance: None });
    let event = Event {
        type_: EventType::Normal,
        reason: "Checked".into(),
        note: Some("seen".into()),
        action: "Check".into(),
        secondary: None,
    };
    for _ in 0..2 {
        recorder.publish(&event, &object.object_ref(&())).await.unwrap();
    }
    let events: Api<k8s_openapi::api::core::v1::Event> = Api::namespaced(client.clone(), cluster.namespace());
    let found = events.list(&ListParams::default().fields("involvedObject.name=a")).await.unwrap();
    assert_eq!(found.items.len(), 1);
    assert_eq!(
        (found.items[0].reason.as_deref(), found.items[0].series.as_ref().and_then(|series| series.count)),
        (Some("Checked"), Some(2))
    );
    cluster.stop().await;
}

// CRD-1, CRD-5, CRD-6, CRD-7, SUB-1
#[tokio::test]
async fn a_derived_definition_with_rules_is_kept_to() {
    let cluster = TestCluster::start_exclusive().await;
    let client = cluster.client().clone();
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let definition = RustWidget::crd();
    let name = definition.name_any();
    definitions.patch(&name, &PatchParams::apply("kube-rs"), &Patch::Apply(&definition)).await.unwrap();
    let established = await_condition(definitions.clone(), &name, conditions::is_crd_established());
    tokio::time::timeout(LIMIT, established).await.expect("the definition is established").unwrap();

    let widgets: Api<RustWidget> = Api::namespaced(client, cluster.namespace());
    // A real server serves the kind a little later.
    let served = async {
        while widgets.list(&ListParams::default()).await.is_err() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(LIMIT, served).await.expect("widgets can be listed");
    let spec = |size, limit, colour: &str| RustWidgetSpec { size, limit, colour: colour.into() };
    assert_eq!(code(widgets.create(&PostParams::default(), &RustWidget::new("big", spec(11, 10, ""))).await), 422);
    widgets.create(&PostParams::default(), &RustWidget::new("w", spec(1, 10, "red"))).await.unwrap();
    let paint = |colour: &str| Patch::Merge(json!({"spec": {"colour": colour}}));
    let refusal = widgets.patch("w", &PatchParams::default(), &paint("blue")).await.unwrap_err();
    assert!(refusal.to_string().contains("colour is immutable"), "{refusal}");
    widgets.patch("w", &PatchParams::default(), &Patch::Merge(json!({"spec": {"size": 2}}))).await.unwrap();
    let status = widgets
        .patch_status("w", &PatchParams::default(), &Patch::Merge(json!({"status": {"ready": true}, "spec": {"size": 9}})))
        .await;
    let widget = status.unwrap();
    assert_eq!(
        (widget.spec.size, widget.status, widget.metadata.generation),
        (2, Some(RustWidgetStatus { ready: true }), Some(2))
    );
    let names: BTreeSet<_> =
        widgets.list(&ListParams::default()).await.unwrap().iter().map(kube::ResourceExt::name_any).collect();
    assert_eq!(names, BTreeSet::from(["w".to_owned()]));
    definitions.delete(&name, &DeleteParams::default()).await.unwrap();
    cluster.stop().await;
}
