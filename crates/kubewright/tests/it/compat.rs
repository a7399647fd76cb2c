//! An operator that writes the formats of operators that are built with `knative.dev/pkg`: with the preset, and with each switch alone.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, LazyLock};

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ConfigMap;
use kubewright::core::backoff::Timing;
use kubewright::core::condition::{ConditionPolicy, ConditionShape, TransitionTime};
use kubewright::core::finalizer::{FinalizerName, FinalizerWrite};
use kubewright::core::status::StatusWrite;
use kubewright::machinery::object::GroupVersionKind;
use kubewright::prelude::*;
use kubewright::runtime::cluster::ApiResource;
use kubewright::runtime::finalizer::{FinalizerOutcome, FinalizerWriter, RemovalGuard};
use kubewright::runtime::operator::cli::json_log_layer;
use kubewright::runtime::reconcile::Controller;
use kubewright_middleware::Verb;
use kubewright_testing::TestCluster;
use parking_lot::Mutex;
use tracing_subscriber::layer::SubscriberExt as _;

use crate::leadership::replicas::{leases, start_operator};
use crate::logs::SECOND;
use crate::reconcile::widget::{FINALIZER, Script, Widget, Widgets, widget};
use crate::reconcile::world::{World, until};

/// A request to widgets.
#[derive(Debug)]
struct Write {
    verb: Verb,
    subresource: String,
    manager: String,
    body: Value,
}

/// Returns the writes of the operator to widgets, in order.
fn writes(cluster: &TestCluster) -> Vec<Write> {
    let records = cluster.journal().all().of("test.kubewright.dev", "widgets").writes();
    let by_operator = records.iter().filter(|record| record.user_agent.starts_with("widget-operator"));
    by_operator
        .filter_map(|record| {
            let target = record.target.resource()?;
            Some(Write {
                verb: target.verb,
                subresource: target.subresource.clone(),
                manager: record.query_value("fieldManager").unwrap_or_default().to_owned(),
                body: record.body.clone().unwrap_or_default(),
            })
        })
        .collect()
}

/// The writes of the operator for a widget that was created and deleted.
struct Life {
    widget: Value,
    writes: Vec<Write>,
    metrics: String,
    leases: Vec<Value>,
    events: Vec<String>,
}

impl Life {
    /// Runs this operator, creates a widget, waits until it is ready, and deletes it.
    async fn of(operator: Operator) -> Self {
        let cluster = TestCluster::start().await;
        cluster.journal().keep_bodies(true);
        let operator = start_operator(&cluster, operator, "one").await;
        cluster.create(widget(&cluster, "demo", 3)).await.unwrap();
        let ready = cluster.expect::<Widget>("demo").ready().await;
        cluster.delete::<Widget>("demo").await;
        cluster.expect::<Widget>("demo").to_be_gone().await;
        let metrics = operator.running().metrics().encode().unwrap();
        let leases = cluster.list::<Lease>().await;
        operator.stop().await;
        let events = cluster.list::<k8s_openapi::api::events::v1::Event>().await;
        let events = events.iter().filter_map(|event| event["note"].as_str().map(str::to_owned)).collect();
        let life = Self { widget: ready, writes: writes(&cluster), metrics, leases, events };
        cluster.stop().await;
        life
    }

    /// Returns the first write to a subresource; an empty name stands for the object itself.
    fn first(&self, subresource: &str) -> &Write {
        self.writes.iter().find(|write| write.subresource == subresource).unwrap()
    }

    /// Returns the last write to the object itself.
    fn last(&self) -> &Write {
        self.writes.iter().rev().find(|write| write.subresource.is_empty()).unwrap()
    }

    fn condition(&self) -> &Value {
        let conditions = self.widget["status"]["conditions"].as_array().unwrap();
        conditions.iter().find(|condition| condition["type"] == "Ready").unwrap()
    }

    fn lease(&self) -> (&str, &Value) {
        (self.leases[0]["metadata"]["name"].as_str().unwrap(), &self.leases[0]["metadata"]["labels"])
    }

    /// Returns the formats that are those of Knative, each detected in the written objects.
    fn formats(&self) -> Vec<&'static str> {
        let (name, labels) = self.lease();
        let condition = self.condition();
        let formats = [
            ("label domain", labels.get("knative.dev/operator").is_some()),
            ("metric prefix", self.metrics.contains("kn_leader{") && !self.metrics.contains("kubewright_leader")),
            ("condition shape", condition.get("observedGeneration").is_none() && condition["reason"] == ""),
            ("status put", self.first("status").verb == Verb::Update),
            ("finalizer merge patch", self.first("").body.is_object() && self.last().body.is_object()),
            ("leases per controller", name.contains(".widget.00-of-01")),
        ];
        formats.into_iter().filter_map(|(format, is_theirs)| is_theirs.then_some(format)).collect()
    }
}

fn operator() -> Operator {
    Widgets::operator(&Script::default()).leadership(leases(1))
}

// CMPT-3, CMPT-4
#[tokio::test]
async fn the_preset_writes_all_formats_of_the_predecessor() {
    let life = Life::of(operator().compat(Compat::knative())).await;
    let all =
        ["label domain", "metric prefix", "condition shape", "status put", "finalizer merge patch", "leases per controller"];
    assert_eq!(life.formats(), all);
    let (name, labels) = life.lease();
    assert_eq!(name, "widget-operator.test.kubewright.dev.widget.00-of-01");
    assert_eq!(labels, &json!({"knative.dev/operator": "widget-operator.test.kubewright.dev", "knative.dev/buckets": "1"}));
    let mut condition = life.condition().clone();
    condition["lastTransitionTime"].take();
    assert_eq!(condition, json!({"type": "Ready", "status": "True", "reason": "", "message": "", "lastTransitionTime": null}));

    // The writes are as recorded: the finalizer with its version, then the whole object.
    let [finalizer, status] = [life.first(""), life.first("status")];
    let version = &finalizer.body["metadata"]["resourceVersion"];
    assert_eq!(finalizer.body, json!({"metadata": {"finalizers": [FINALIZER], "resourceVersion": version}}));
    assert!(version.as_str().is_some_and(|version| !version.is_empty()));
    assert_eq!((&status.body["spec"]["size"], &status.body["status"]["size"]), (&json!(3), &json!(3)));
    assert_eq!(status.body["metadata"]["finalizers"], json!([FINALIZER]));
    assert_eq!(life.last().body["metadata"]["finalizers"], json!([]));
    // STW-2 holds: the predecessor's conflicting write, its read and its repetition do not occur.
    assert_eq!(life.writes.len(), 4, "{:#?}", life.writes);
    assert!(life.events.iter().any(|note| note == "Updated \"demo\" finalizers"), "{:?}", life.events);
}

// CMPT-4, LDR-2: the predecessor has an identity for each controller.
#[tokio::test]
async fn replicas_of_the_preset_have_one_identity_for_all_leases() {
    let cluster = TestCluster::start().await;
    let two = Operator::from(operator().controller(Maps::new)).compat(Compat::knative());
    let operator = start_operator(&cluster, two, "one").await;
    let leases = cluster.list::<Lease>().await;
    let holders: BTreeSet<&str> = leases.iter().filter_map(|lease| lease["spec"]["holderIdentity"].as_str()).collect();
    assert_eq!((leases.len(), holders.len()), (2, 1), "{holders:?}");
    operator.stop().await;
    cluster.stop().await;
}

// CMPT-3
#[tokio::test]
async fn each_switch_changes_one_format() {
    let domain = operator().label_domain("knative.dev");
    let leases_of_controllers = Widgets::operator(&Script::default()).leadership(leases(1).per_controller());
    for (operator, expected) in [
        (operator(), None),
        (domain, Some("label domain")),
        (operator().metrics_prefix("kn"), Some("metric prefix")),
        (operator().condition_shape(ConditionShape::Knative), Some("condition shape")),
        (operator().status_write(StatusWrite::Put), Some("status put")),
        (operator().finalizer_write(FinalizerWrite::MergePatch), Some("finalizer merge patch")),
        (leases_of_controllers, Some("leases per controller")),
    ] {
        assert_eq!(Life::of(operator).await.formats(), expected.into_iter().collect::<Vec<_>>());
    }
}

// CMPT-3
#[tokio::test]
async fn explicit_settings_of_a_controller_or_the_operator_override_the_preset() {
    let of_controller = |controller: Controller<Widgets>| {
        let controller = controller.finalizer(Some(FINALIZER)).conditions(ConditionPolicy::default());
        controller.status_write(StatusWrite::Patch).finalizer_write(FinalizerWrite::JsonPatch)
    };
    let operator = Widgets::operator_with(&Script::default(), of_controller)
        .leadership(leases(1).per_operator())
        .metrics_prefix("mine")
        .compat(Compat::knative())
        .label_domain("mine.example.com");
    let life = Life::of(operator).await;
    assert!(life.formats().is_empty(), "{:?}", life.formats());
    assert!(life.metrics.contains("mine_leader{"));
    let labels = json!({"mine.example.com/operator": "widget-operator.test.kubewright.dev", "mine.example.com/buckets": "1"});
    assert_eq!(life.lease(), ("widget-operator.test.kubewright.dev.00-of-01", &labels));

    let named = Widgets::operator(&Script::default()).leadership(leases(1).lease_name("exactly")).compat(Compat::knative());
    assert_eq!(Life::of(named).await.lease().0, "exactly", "a lease with a name of its own is one for all controllers");
}

// CSET-4, CMPT-3
#[tokio::test]
async fn a_transition_time_moves_with_the_message_where_it_is_asked_for() {
    let moves = async |change: fn(Operator) -> Operator| {
        let script = Script::default().reconcile(|_, widget, status| {
            Box::pin(async move {
                status.conditions.mark_true_with("Sized", "Fits", format!("size {}", widget.spec.size));
                Ok(())
            })
        });
        let world = World::start_operator(script.clone(), change(Widgets::operator(&script))).await;
        world.create("demo", 3).await;
        let sized = |message: &'static str| {
            world.cluster.expect::<Widget>("demo").matching(message, move |widget| {
                let conditions = widget["status"]["conditions"].as_array();
                conditions.is_some_and(|list| list.iter().any(|condition| condition["message"] == message))
            })
        };
        let before = sized("size 3").await;
        world.cluster.pass(std::time::Duration::from_secs(3)).await;
        world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 4}})).await;
        let after = sized("size 4").await;
        world.stop().await;
        let time = |widget: &Value| {
            let conditions = widget["status"]["conditions"].as_array().unwrap();
            conditions.iter().find(|condition| condition["type"] == "Sized").unwrap()["lastTransitionTime"].clone()
        };
        time(&before) != time(&after)
    };
    assert!(!moves(|operator| operator).await);
    assert!(moves(|operator| operator.transition_time(TransitionTime::OnAnyChange)).await);
    assert!(moves(|operator| operator.compat(Compat::knative())).await);
}

// FNL-9, FNL-10
#[tokio::test]
async fn an_applied_finalizer_is_owned_by_its_manager_alone_and_is_removed_again() {
    let form = FinalizerWrite::Apply { manager: "finalizers".to_owned(), force: false };
    let life = Life::of(operator().finalizer_write(form)).await;
    let metadata = &life.widget["metadata"];
    let applied = |finalizers: Value| {
        json!({"apiVersion": "test.kubewright.dev/v1", "kind": "Widget", "metadata": {
            "name": "demo", "namespace": metadata["namespace"], "uid": metadata["uid"], "finalizers": finalizers}})
    };
    assert_eq!((&life.first("").body, &*life.first("").manager), (&applied(json!([FINALIZER])), "finalizers"));
    assert_eq!(life.last().body, applied(json!([])));
    assert_eq!(life.writes.iter().filter(|write| write.subresource.is_empty()).count(), 2);
    let told = "Updated finalizers for \"demo\" via server-side apply";
    assert!(life.events.iter().any(|note| note == told), "{:?}", life.events);
}

// FNL-9: the predecessor's release has no effect in this case, and the object is stuck.
#[tokio::test]
async fn a_finalizer_set_by_a_former_patch_is_removed_although_the_apply_does_not_own_it() {
    let script = Script::default();
    let mut world = World::start(script.clone()).await;
    world.create("demo", 3).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    let form = FinalizerWrite::Apply { manager: "finalizers".to_owned(), force: false };
    world.restart_with(Widgets::operator(&script).finalizer_write(form)).await;
    world.cluster.delete::<Widget>("demo").await;
    world.cluster.expect::<Widget>("demo").to_be_gone().await;
    world.stop().await;
}

// FNL-9, FZ-8
#[tokio::test]
async fn a_former_finalizer_alone_is_removed_by_one_write() {
    let cluster = TestCluster::start().await;
    let api = cluster.connect(cluster.tasks()).await;
    let metadata = json!({"name": "mine", "namespace": cluster.namespace(), "finalizers": ["example.com/former"]});
    let created = cluster.create(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})).await.unwrap();
    let maps = Arc::new(ApiResource::known(&GroupVersionKind::new("", "v1", "ConfigMap"), "configmaps", true));
    let [name, former] = [FINALIZER, "example.com/former"].map(|name| FinalizerName::parse(name).unwrap());
    let form = FinalizerWrite::Apply { manager: "finalizers".to_owned(), force: false };
    let writer = FinalizerWriter::new(api, maps, "self".into(), name, Timing::default()).former([former]).form(form);
    let mark = cluster.journal().mark();
    let removed = writer.remove(&created, RemovalGuard::AsSeen, |_| true).await.unwrap();
    assert!(matches!(&removed, FinalizerOutcome::Changed(map) if map["metadata"].get("finalizers").is_none()), "{removed:?}");
    cluster.journal().since(mark).writes().of("", "configmaps").exactly(1).unwrap();
    cluster.stop().await;
}

// FNL-9
#[tokio::test]
async fn an_apply_of_a_finalizer_does_not_create_an_object_that_is_gone() {
    let cluster = TestCluster::start().await;
    let api = cluster.connect(cluster.tasks()).await;
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "mine", "namespace": cluster.namespace()}});
    let created = cluster.create(map).await.unwrap();
    cluster.delete::<ConfigMap>("mine").await;
    cluster.expect::<ConfigMap>("mine").to_be_gone().await;
    let maps = Arc::new(ApiResource::known(&GroupVersionKind::new("", "v1", "ConfigMap"), "configmaps", true));
    let name = FinalizerName::parse(FINALIZER).unwrap();
    let form = FinalizerWrite::Apply { manager: "finalizers".to_owned(), force: true };
    let writer = FinalizerWriter::new(api, maps, "self".into(), name, Timing::default()).form(form);
    let added = writer.add(&created, |_| true).await.unwrap();
    assert!(matches!(added, FinalizerOutcome::Gone), "{added:?}");
    assert_eq!(cluster.get::<ConfigMap>("mine").await, None);
    cluster.stop().await;
}

// STW-4
#[tokio::test]
async fn an_applied_status_loses_fields_no_longer_set_and_keeps_fields_of_other_managers() {
    let form = StatusWrite::Apply { manager: "statuses".to_owned() };
    let script = Script::default().reconcile(|_, widget, status| {
        Box::pin(async move {
            status.size = (widget.spec.size > 0).then_some(widget.spec.size);
            status.conditions.mark_true("Sized");
            Ok(())
        })
    });
    // The first operator patches, so that its manager owns the field too.
    let mut world = World::start(script.clone()).await;
    world.create("demo", 3).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    world.cluster.patch_status::<Widget>("demo", json!({"note": "theirs"})).await;
    world.restart_with(Widgets::operator(&script).status_write(form)).await;
    for size in [4, 0] {
        world.cluster.patch::<Widget>("demo", json!({"spec": {"size": size}})).await;
        let expected = if size == 0 { Value::Null } else { json!(size) };
        let is_there = move |widget: &Value| {
            widget["status"]["observedGeneration"] == widget["metadata"]["generation"] && widget["status"]["size"] == expected
        };
        let widget = world.cluster.expect::<Widget>("demo").matching("the new size", is_there).await;
        assert_eq!(widget["status"]["note"], "theirs");
    }
    let applied = writes(&world.cluster).into_iter().find(|write| write.manager == "statuses").unwrap();
    assert_eq!((applied.verb, &*applied.subresource), (Verb::Patch, "status"));
    assert_eq!((&applied.body["kind"], &applied.body["status"]["size"]), (&json!("Widget"), &json!(4)));
    assert_eq!(applied.body.get("spec"), None);
    world.stop().await;
}

// STW-3, STW-4, CMPT-4: the predecessor's PUT loses the fields of another writer.
#[tokio::test]
async fn a_co_writers_field_survives_in_every_form_of_status_writes() {
    for form in [StatusWrite::Patch, StatusWrite::Put, StatusWrite::Apply { manager: "statuses".to_owned() }] {
        let other: Arc<Mutex<Option<kube::Client>>> = Arc::default();
        let client = Arc::clone(&other);
        let script = Script::default().reconcile(move |cx, widget, status| {
            let client = client.lock().take();
            Box::pin(async move {
                if let Some(client) = client {
                    // Another writer changes the object between the read and the write of this pass, through another client.
                    let api = kube::Api::<Widget>::namespaced(client, cx.key().namespace());
                    let patch = kube::api::Patch::Merge(json!({"status": {"note": "theirs"}}));
                    api.patch_status(cx.key().name(), &kube::api::PatchParams::default(), &patch).await?;
                }
                status.size = Some(widget.spec.size);
                status.conditions.mark_true("Sized");
                Ok(())
            })
        });
        let world = World::start_operator(script.clone(), Widgets::operator(&script).status_write(form.clone())).await;
        world.create("demo", 3).await;
        world.condition("demo", "Ready", "True", "Reconciled").await;
        *other.lock() = Some(world.cluster.client().clone());
        world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 4}})).await;
        let widget = world.cluster.expect::<Widget>("demo").matching("size 4", |widget| widget["status"]["size"] == 4).await;
        assert_eq!(widget["status"]["note"], "theirs", "{form:?}");
        world.stop().await;
    }
}

/// A reconciler with a finalizer on ConfigMaps, which are of the core group.
struct Maps;

#[reconciler(kind = ConfigMap)]
impl Maps {
    #[inject]
    fn new() -> Self {
        Self
    }

    async fn reconcile(&self, _: &Context<ConfigMap>, _: &ConfigMap) -> Flow {
        Ok(())
    }

    async fn finalize(&self, _: &Context<ConfigMap>, _: &ConfigMap) -> Flow {
        Ok(())
    }
}

// CMPT-2
#[tokio::test]
async fn the_default_finalizer_of_a_kind_of_the_core_group_has_the_label_domain() {
    for (change, domain) in [
        ((|operator| operator) as fn(Operator) -> Operator, "kubewright.dev"),
        (|operator| operator.label_domain("mine.example.com"), "mine.example.com"),
        (|operator| operator.compat(Compat::knative()), "knative.dev"),
    ] {
        let cluster = TestCluster::start().await;
        let operator = cluster.run(change(Operator::new("maps.test.kubewright.dev").controller(Maps::new).into())).await;
        cluster.apply(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "mine"}})).await;
        let expected = json!([format!("{domain}/maps.test.kubewright.dev-configmap")]);
        let is_marked = move |map: &Value| map["metadata"]["finalizers"] == expected;
        cluster.expect::<ConfigMap>("mine").matching("the finalizer is there", is_marked).await;
        // Every ConfigMap of the namespace loses the finalizer before the operator ends.
        for map in cluster.list::<ConfigMap>().await {
            let name = map["metadata"]["name"].as_str().unwrap().to_owned();
            cluster.delete::<ConfigMap>(&name).await;
        }
        cluster.expect::<ConfigMap>("mine").to_be_gone().await;
        operator.stop().await;
        cluster.stop().await;
    }
}

/// The captured log output.
#[derive(Clone, Default)]
struct Logged(Arc<Mutex<Vec<u8>>>);

impl io::Write for Logged {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Logged {
    fn lines(&self) -> Vec<Value> {
        let text = String::from_utf8(self.0.lock().clone()).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Returns the log line about the end of the first pass for a widget under this operator.
async fn line_of_a_pass(operator: Operator, key: &str) -> Value {
    LazyLock::force(&SECOND);
    let cluster = TestCluster::start().await;
    let logged = Logged::default();
    let writer = logged.clone();
    let layer = json_log_layer(&operator, move || writer.clone());
    let guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(layer));
    let operator = cluster.run(operator).await;
    cluster.create(widget(&cluster, "demo", 3)).await.unwrap();
    cluster.expect::<Widget>("demo").ready().await;
    let demo = format!("{}/demo", cluster.namespace());
    let of_demo = || logged.lines().into_iter().find(|line| line[key] == demo.as_str() && line["message"] != "");
    until(&cluster, || format!("a line tells the pass: {:#?}", logged.lines()), || of_demo().is_some()).await;
    operator.stop().await;
    drop(guard);
    cluster.stop().await;
    of_demo().unwrap()
}

// CMPT-3, LOG-1, LOG-2
#[tokio::test]
async fn json_lines_have_prefixed_fields_where_they_are_asked_for() {
    let operator =
        || Widgets::operator(&Script::default()).commit("abc1234").options(|options| options.instance = Some("p".into()));
    let line = line_of_a_pass(operator(), "key").await;
    assert_eq!(
        (&line["controller"], &line["commit"], &line["pod"]),
        (&json!("widget"), &json!("abc1234"), &json!("p")),
        "{line}"
    );
    assert_eq!(line["trace"].as_str().map(str::len), Some(32), "{line}");
    for prefixed in [operator().log_field_prefix("knative.dev/"), operator().compat(Compat::knative())] {
        let line = line_of_a_pass(prefixed, "knative.dev/key").await;
        assert_eq!((&line["knative.dev/controller"], &line["knative.dev/pod"]), (&json!("widget"), &json!("p")), "{line}");
        assert_eq!(line["knative.dev/traceid"].as_str().map(str::len), Some(32), "{line}");
        assert_eq!((&line["commit"], line.get("key"), line.get("controller")), (&json!("abc1234"), None, None), "{line}");
        assert_eq!(line["logger"], "widget-operator.test.kubewright.dev");
        let time = line["timestamp"].as_str().unwrap();
        assert!(time.len() == "2026-01-01T00:00:00.123456789Z".len() && time.ends_with('Z'), "{time}");
        assert!(["DEBUG", "INFO", "WARNING", "ERROR"].contains(&line["severity"].as_str().unwrap()), "{line}");
        assert!(line["caller"].as_str().unwrap().contains(".rs:"), "{line}");
    }
}

// CMPT-3, OPR-4: the permissions depend on the forms of writes, and a domain is validated.
#[tokio::test]
async fn permissions_follow_the_write_forms_and_an_invalid_label_domain_is_refused() {
    let verbs = |operator: Operator, resource: &str| {
        let rules = operator.declarations().rules();
        let of_resource =
            rules.into_iter().filter(|rule| rule.resource == resource && rule.verbs.iter().all(|verb| verb != "list"));
        of_resource.flat_map(|rule| rule.verbs).collect::<Vec<_>>()
    };
    assert_eq!(verbs(operator(), "widgets/status"), ["patch"]);
    assert_eq!(verbs(operator().compat(Compat::knative()), "widgets/status"), ["update"]);
    assert_eq!(verbs(operator().status_write(StatusWrite::Apply { manager: "a".into() }), "widgets/status"), ["patch"]);
    let cluster = TestCluster::start().await;
    let error = operator().label_domain("No Domain").start(cluster.client().clone()).unwrap_err().to_string();
    assert!(error.contains("the domain of labels, \"No Domain\", cannot be used"), "{error}");
    cluster.stop().await;
}
