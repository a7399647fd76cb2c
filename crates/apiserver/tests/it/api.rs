//! The API without HTTP: the options of its verbs.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use kubewright_apiserver::api::{
    ApplyRequest, DeleteOptions, FieldValidation, ListQuery, ListVersion, ObjectApi, PatchRequest, Selection, Update,
    WatchEventType, WatchOutput, WatchQuery, WatchStart, WriteContext,
};
use kubewright_apiserver::kinds::KindSpec;
use kubewright_apiserver::model::Endpoint;
use kubewright_apiserver::store::ObjectName;
use kubewright_apiserver::{Clock, Identity, Status};
use kubewright_machinery::selector::{FieldSelector, LabelSelector};
use kubewright_middleware::Seed;
use serde_json::{Value, json};

/// An API with the namespace `n`, and its administrator.
struct Alone {
    api: Arc<ObjectApi>,
    admin: Identity,
}

impl Alone {
    async fn start() -> Self {
        let clock = Clock::tokio(jiff::Timestamp::from_second(1_767_225_600).unwrap());
        let alone = Self { api: Arc::new(ObjectApi::new(clock, Seed::new(7))), admin: Identity::admin() };
        let namespace = json!({"metadata": {"name": "n"}});
        alone.api.create(&mut alone.context(), &alone.kind("v1", "Namespace"), "", None, namespace).await.unwrap();
        alone
    }

    fn kind(&self, api_version: &str, kind: &str) -> Arc<KindSpec> {
        self.api.registry().kind_of(api_version, kind).unwrap().clone()
    }

    fn config_maps(&self) -> Arc<KindSpec> {
        self.kind("v1", "ConfigMap")
    }

    fn context(&self) -> WriteContext<'_> {
        WriteContext::new(&self.admin, "test".to_owned())
    }

    async fn create(&self, name: &str, data: Value) -> u64 {
        let object = json!({"metadata": {"name": name}, "data": data});
        let written = self.api.create(&mut self.context(), &self.config_maps(), "n", None, object).await.unwrap();
        written.object.revision()
    }

    fn data(&self, name: &str) -> Value {
        let found = self.api.find(&self.config_maps(), &ObjectName::new("n", name)).unwrap();
        found.value()["data"].clone()
    }

    /// Returns the names of a page, and the token of the next one.
    async fn page(&self, query: &ListQuery) -> Result<(Vec<String>, Option<String>), Status> {
        let (items, page) = self.api.list(&self.config_maps(), query).await?;
        let names = items.iter().map(|item| item.value()["metadata"]["name"].as_str().unwrap().to_owned());
        Ok((names.collect(), page.next))
    }
}

#[tokio::test(start_paused = true)]
async fn pages_of_a_list_have_the_version_of_the_first_page() {
    let alone = Alone::start().await;
    let revision = alone.create("a", json!({})).await;
    alone.create("b", json!({})).await;
    let query = ListQuery::default().in_namespace("n").limited_to(1);
    let (names, next) = alone.page(&query).await.unwrap();
    assert_eq!(names, ["a"]);
    alone.create("c", json!({})).await;
    let (names, next) = alone.page(&query.clone().continued(&next.unwrap()).unwrap()).await.unwrap();
    assert_eq!((names, next), (vec!["b".to_owned()], None));
    assert_eq!(alone.page(&query.clone().limited_to(0).at(ListVersion::Exact(revision))).await.unwrap().0, ["a"]);
    assert_eq!(query.continued("no token").unwrap_err().code, 400);
    let future = ListQuery::default().at(ListVersion::NotOlderThan(u64::MAX));
    assert_eq!(alone.page(&future).await.unwrap_err().code, 504);
}

#[tokio::test(start_paused = true)]
async fn a_selection_by_an_unsupported_field_is_refused() {
    let alone = Alone::start().await;
    alone.create("a", json!({})).await;
    let select =
        |field: &str| Selection::new(&alone.config_maps(), LabelSelector::everything(), FieldSelector::equal(field, "a"));
    assert_eq!(select("data").unwrap_err().code, 400);
    let by_field = ListQuery::default().selecting(select("metadata.name").unwrap());
    assert_eq!(alone.page(&by_field).await.unwrap().0, ["a"]);
}

#[tokio::test(start_paused = true)]
async fn a_watch_yields_initial_objects_bookmarks_and_changes_until_its_end() {
    let alone = Alone::start().await;
    alone.create("a", json!({})).await;
    let query = WatchQuery::new(WatchStart::Initial(0)).in_namespace("n").with_bookmarks().lasting(Duration::from_secs(30));
    let mut watch = pin!(alone.api.watch(&alone.config_maps(), query, None));
    assert!(matches!(watch.next().await, Some(WatchOutput::Initial { .. })));
    assert!(matches!(watch.next().await, Some(WatchOutput::Bookmark { is_initial_end: true, .. })));
    let created = alone.create("b", json!({})).await;
    match watch.next().await {
        Some(WatchOutput::Changed { event, event_type: WatchEventType::Added, .. }) => assert_eq!(event.revision, created),
        other => panic!("expected the new object, found {other:?}"),
    }
    let rest: Vec<WatchOutput> = watch.collect().await;
    assert!(
        matches!(rest.as_slice(), [WatchOutput::Bookmark { revision, is_initial_end: false }] if *revision == created),
        "{rest:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_watch_from_now_with_a_selection_yields_later_changes_of_one_object() {
    let alone = Alone::start().await;
    alone.create("a", json!({})).await;
    let query = WatchQuery::new(WatchStart::Now).selecting(Selection::by_name("c")).lasting(Duration::from_secs(30));
    let watch = alone.api.watch(&alone.config_maps(), query, None);
    alone.create("b", json!({})).await;
    let created = alone.create("c", json!({})).await;
    let outputs: Vec<WatchOutput> = watch.collect().await;
    assert!(matches!(outputs.as_slice(), [WatchOutput::Changed { event, .. }] if event.revision == created), "{outputs:?}");
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_has_the_outcome_of_the_write_and_stores_nothing() {
    let alone = Alone::start().await;
    let object = json!({"metadata": {"name": "a"}, "data": {"k": "v"}});
    let mut context = alone.context().as_dry_run();
    let written = alone.api.create(&mut context, &alone.config_maps(), "n", None, object).await.unwrap();
    assert_eq!((written.created, written.object.value()["data"]["k"].as_str()), (true, Some("v")));
    assert_eq!(alone.page(&ListQuery::default()).await.unwrap().0, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn unknown_fields_are_dropped_warned_of_or_refused() {
    let alone = Alone::start().await;
    for (name, validation) in [("a", FieldValidation::Ignore), ("b", FieldValidation::Warn), ("c", FieldValidation::Strict)] {
        let object = json!({"metadata": {"name": name}, "dta": {}});
        let mut context = alone.context().validating_fields(validation);
        let written = alone.api.create(&mut context, &alone.config_maps(), "n", None, object).await;
        let warnings: Vec<&str> = context.warnings().collect();
        match name {
            "a" => assert_eq!((written.unwrap().created, warnings), (true, vec![])),
            "b" => assert_eq!((written.unwrap().created, warnings), (true, vec!["unknown field \"dta\""])),
            _ => assert_eq!(written.unwrap_err().code, 400),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn json_and_strategic_patches_change_an_object() {
    let alone = Alone::start().await;
    let (config_maps, name) = (alone.config_maps(), ObjectName::new("n", "a"));
    alone.create("a", json!({"k": "v"})).await;
    let update = Update::of(&config_maps, &name);
    let patch = PatchRequest::json(r#"[{"op": "replace", "path": "/data/k", "value": "w"}]"#);
    alone.api.patch(&mut alone.context(), update, &patch).await.unwrap();
    assert_eq!(alone.data("a"), json!({"k": "w"}));
    let patch = PatchRequest::strategic(&config_maps, r#"{"data": {"l": "x"}}"#).unwrap();
    alone.api.patch(&mut alone.context(), update, &patch).await.unwrap();
    assert_eq!(alone.data("a"), json!({"k": "w", "l": "x"}));
    let missing = ObjectName::new("n", "b");
    let refused = alone.api.patch(&mut alone.context(), Update::of(&config_maps, &missing).or_create(), &patch).await;
    assert_eq!(refused.unwrap_err().code, 404, "a patch creates nothing");
}

#[tokio::test(start_paused = true)]
async fn an_update_needs_the_current_version_and_creates_only_on_request() {
    let alone = Alone::start().await;
    let (config_maps, name) = (alone.config_maps(), ObjectName::new("n", "a"));
    let object = |version: u64| json!({"metadata": {"name": "a", "resourceVersion": version.to_string()}, "data": {"k": "v"}});
    let update = Update::of(&config_maps, &name);
    let unversioned = json!({"metadata": {"name": "a"}});
    let missing = alone.api.update(&mut alone.context(), update, unversioned.clone()).await;
    assert_eq!(missing.unwrap_err().code, 404);
    let created = alone.api.update(&mut alone.context(), update.or_create(), unversioned).await.unwrap();
    assert!(created.created);
    let stale = alone.api.update(&mut alone.context(), update, object(1)).await;
    assert_eq!(stale.unwrap_err().code, 409);
    let current = created.object.revision();
    assert!(alone.api.update(&mut alone.context(), update, object(current)).await.unwrap().stored);
    let of_another_type = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}});
    let refused = alone.api.update(&mut alone.context(), update, of_another_type).await;
    assert_eq!(refused.unwrap_err().code, 400);
}

#[tokio::test(start_paused = true)]
async fn a_write_through_the_status_endpoint_changes_the_status_and_not_the_spec() {
    let alone = Alone::start().await;
    let (namespaces, name) = (alone.kind("v1", "Namespace"), ObjectName::new("", "n"));
    let object = json!({"metadata": {"name": "n"}, "spec": {"finalizers": []}, "status": {"phase": "Active", "conditions": [{"type": "Checked", "status": "True"}]}});
    let update = Update::of(&namespaces, &name).through(Endpoint::Status);
    let written = alone.api.update(&mut alone.context(), update, object).await.unwrap();
    assert_eq!(written.object.value()["status"]["conditions"][0]["type"], "Checked");
    assert_eq!(written.object.value()["spec"]["finalizers"], json!(["kubernetes"]));
}

#[tokio::test(start_paused = true)]
async fn an_apply_takes_fields_of_another_manager_only_with_force() {
    let alone = Alone::start().await;
    let (config_maps, name) = (alone.config_maps(), ObjectName::new("n", "a"));
    alone.create("a", json!({"k": "v"})).await;
    let other = Identity::admin();
    let declared = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "w"}});
    for force in [false, true] {
        let mut context = WriteContext::new(&other, "other".to_owned());
        let request = ApplyRequest::new(declared.clone(), force);
        let applied = alone.api.apply(&mut context, Update::of(&config_maps, &name), &request).await;
        assert_eq!(applied.map(|written| written.stored).map_err(|status| status.code), if force { Ok(true) } else { Err(409) });
        assert_eq!(alone.data("a"), json!({"k": if force { "w" } else { "v" }}));
    }
}

#[tokio::test(start_paused = true)]
async fn a_deletion_of_an_object_with_another_uid_is_refused() {
    let alone = Alone::start().await;
    let (config_maps, name) = (alone.config_maps(), ObjectName::new("n", "a"));
    alone.create("a", json!({})).await;
    let another = DeleteOptions::default().of_uid("another");
    let refused = alone.api.delete(&mut alone.context(), &config_maps, &name, &another).await;
    assert_eq!(refused.unwrap_err().code, 409);
    let deleted = alone.api.delete(&mut alone.context(), &config_maps, &name, &DeleteOptions::default()).await.unwrap();
    assert!(deleted.gone && alone.api.find(&config_maps, &name).is_err());
}
