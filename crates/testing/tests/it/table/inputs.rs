//! The inputs of rows.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::ConfigMap;
use kubewright_core::config::{ConfigErrors, FromConfigMap, Parsed};
use kubewright_core::flow::Class;
use kubewright_runtime::config::Config;
use kubewright_runtime::inject::State;
use kubewright_runtime::reconcile::{Controller, Registered as _};
use kubewright_runtime::store::Store;
use kubewright_testing::table::{ExpectedOutcome, RowEnd, TableRow, TableTest};
use serde_json::json;

use super::only;
use super::widget::{Script, Widgets, map, row, table, table_with_finalizer, widget};

// TTBL-1
#[tokio::test]
async fn a_table_row_gives_its_objects_and_its_time_to_a_pass_without_writes() {
    if !super::is_embedded_tier() {
        return;
    }
    let mut given = widget();
    given["metadata"]["uid"] = json!("u-1");
    given["metadata"]["generation"] = json!(7);
    given["status"]["observedGeneration"] = json!(7);
    given["status"]["conditions"][0]["observedGeneration"] = json!(7);
    let now = "2030-05-06T07:08:09Z".parse().unwrap();
    let script = Script::new(move |widgets, cx, object, _| {
        Box::pin(async move {
            assert_eq!((object.metadata.uid.as_deref(), object.metadata.generation), (Some("u-1"), Some(7)));
            assert_eq!(widgets.maps.list().len(), 1, "caches are filled");
            assert_eq!(cx.clock().now(), now);
            Ok(())
        })
    });
    let row = TableRow::<Widgets>::new("as written")
        .key("ns/demo")
        .given([given, map("a", "1")])
        .state(script)
        .now(now)
        .other("word", "yes".to_owned())
        .post(async |row, cluster, widgets| {
            assert_eq!(row.other_value::<String>("word").map(String::as_str), Some("yes"));
            assert_eq!(widgets.maps.len(), 1);
            assert!(cluster.journal().all().writes().is_empty(), "what is given is not in the journal");
        });
    table().row(row).run().await;
}

// TTBL-1
#[tokio::test]
async fn a_malformed_key_is_refused_and_that_can_be_expected() {
    if !super::is_embedded_tier() {
        return;
    }
    let rows = [
        TableRow::new("expected").key("a/b/c").expect_ignored(),
        TableRow::new("not expected").key("a/b/c"),
        // The object does not exist, and no cleanup is due for it.
        TableRow::new("absent").key("ns/none").state(Script::nothing()).expect_ignored(),
        row("called", Script::nothing()).expect_ignored(),
    ];
    let report = table().rows(rows).report().await;
    assert_eq!(report.rows()[0].end, RowEnd::Passed);
    let refused =
        "the key is refused: read \"a/b/c\" as a key; it must be <name> or <namespace>/<name>; `.expect_ignored()` expects that";
    assert_eq!(report.differences("not expected"), [refused]);
    assert_eq!(report.rows()[2].end, RowEnd::Passed);
    assert_eq!(report.differences("called"), ["Extra pass: expected the key to be ignored, and a method was called"]);
}

// TTBL-1, FNL-7
#[tokio::test]
async fn an_object_that_is_being_deleted_is_finalized() {
    if !super::is_embedded_tier() {
        return;
    }
    let mut given = widget();
    given["metadata"]["finalizers"] = serde_json::json!(["example.com/other", super::widget::FINALIZER]);
    given["metadata"]["deletionTimestamp"] = serde_json::json!("2026-01-01T00:00:00Z");
    let row = |name: &str| TableRow::new(name).key("ns/demo").given([given.clone()]).state(Script::nothing()).ignoring("/status");
    let events = ["Normal FinalizerUpdate Updated \"demo\" finalizers"];
    let released = row("released").expect_finalizer_removed(super::widget::FINALIZER).expect_events(events);
    let kept = row("kept");
    let other = row("other").expect_finalizer_removed("example.com/other").expect_events(events);
    let added = row("added").expect_finalizer_added(super::widget::FINALIZER).expect_events(events);
    let report = table_with_finalizer().rows([released, kept, other, added]).report().await;
    assert_eq!(report.rows()[0].end, RowEnd::Passed, "{report}");
    assert!(report.differences("kept")[0].starts_with("Extra patch widgets.table.kubewright.dev ns/demo\n"), "{report}");
    for wrong in ["other", "added"] {
        assert!(report.differences(wrong)[0].starts_with("Different patch widgets.table.kubewright.dev ns/demo\n"), "{report}");
    }
}

// TTBL-1
#[tokio::test]
async fn a_finalizer_is_added_before_the_first_pass() {
    if !super::is_embedded_tier() {
        return;
    }
    let events = ["Normal FinalizerUpdate Updated \"demo\" finalizers"];
    let added = row("added", Script::nothing()).expect_finalizer_added(super::widget::FINALIZER).expect_events(events);
    let missing = row("missing", Script::nothing());
    let mut held = widget();
    held["metadata"]["finalizers"] = serde_json::json!([super::widget::FINALIZER]);
    let surplus = TableRow::new("surplus").key("ns/demo").given([held]).state(Script::nothing());
    let surplus = surplus.expect_finalizer_added(super::widget::FINALIZER);
    let report = table_with_finalizer().rows([added, missing, surplus]).report().await;
    assert_eq!(report.rows()[0].end, RowEnd::Passed, "{report}");
    assert!(report.differences("missing")[0].starts_with("Extra patch widgets.table.kubewright.dev ns/demo\n"), "{report}");
    let text = "Missing patch widgets.table.kubewright.dev ns/demo: the finalizer \"table.kubewright.dev/widget\" is added";
    assert_eq!(report.differences("surplus"), [text]);
}

// TTBL-1
#[tokio::test]
async fn induced_request_failures_report_the_verb_and_the_resource() {
    if !super::is_embedded_tier() {
        return;
    }
    let create = || {
        Script::sending(|client| {
            Box::pin(async move {
                let maps: kube::Api<ConfigMap> = kube::Api::namespaced(client, "ns");
                let map = serde_json::from_value(map("a", "1")).map_err(kube::Error::SerdeError)?;
                maps.create(&kube::api::PostParams::default(), &map).await.map(drop)
            })
        })
    };
    let text = "inducing failure for create configmaps";
    let failed = ExpectedOutcome::failed().reason("InternalError").class(Class::Backoff).text(text);
    let event = format!("Warning InternalError {text}; next try in 5ms");
    let mut told = widget();
    let ready = &mut told["status"]["conditions"][0];
    (ready["status"], ready["reason"], ready["message"]) = ("False".into(), "InternalError".into(), text.into());
    // The request is compared although it failed.
    let one =
        [("create", "configmaps"), ("create", "configmaps/"), ("*", "configmaps"), ("create", "*")].map(|(verb, resource)| {
            let row = row(&format!("{verb} {resource}"), create()).induce_failure(verb, resource).expect_create(map("a", "1"));
            row.expect_outcome(failed.clone()).expect_status(told.clone()).expect_events([event.as_str()])
        });
    table().rows(one).run().await;
    let all = row("all", create()).induce_failure("*", "*");
    let report = table().row(all).report().await;
    for text in [text, "inducing failure for patch widgets/status"] {
        assert!(only(&report).contains(text), "{report}");
    }
    let unknown = row("unknown", create()).induce_failure("make", "configmaps");
    let report = table().row(unknown).report().await;
    assert!(only(&report).starts_with("failed to induce a failure of the verb \"make\"; allowed: create, delete, "), "{report}");
}

// TTBL-8
#[tokio::test]
async fn a_pass_changes_only_its_own_copies_of_objects() {
    if !super::is_embedded_tier() {
        return;
    }
    let script = Script::new(|widgets, _, object, _| {
        Box::pin(async move {
            let mut mine = object.clone();
            mine.spec.size = 4;
            // Each reader of a store gets an object of its own.
            let key = kubewright_machinery::object::Key::new("ns", "a");
            let (mut one, other) = (widgets.maps.get(&key).unwrap(), widgets.maps.get(&key).unwrap());
            std::sync::Arc::get_mut(&mut one).unwrap().data = None;
            assert!(other.data.is_some());
            Ok(())
        })
    });
    table().row(row("own copies", script).given([map("a", "1")])).run().await;
}

/// A configuration for the tests.
#[derive(Clone, Debug, PartialEq)]
struct Largest(i64);

impl FromConfigMap for Largest {
    const NAME: &'static str = "config-largest";
    const REQUIRED: bool = true;
    const EXAMPLE_CHECKSUM: bool = false;

    fn from_data(_: &BTreeMap<String, String>) -> Result<Parsed<Self>, ConfigErrors> {
        unreachable!("the ConfigMap is not read")
    }
}

// TTBL-1, INJ-6
#[tokio::test]
async fn configuration_can_be_given_to_a_row_without_a_config_map() {
    if !super::is_embedded_tier() {
        return;
    }
    let constructor = |config: Config<Largest>, script: State<Script>, maps: Store<ConfigMap>| {
        assert_eq!(*config.snapshot(), Largest(5));
        Widgets::new(script, maps)
    };
    let table = TableTest::of_controller(move || Widgets::configure(Controller::new(constructor)));
    table.row(row("configured", Script::nothing()).config(Largest(5))).run().await;
}
