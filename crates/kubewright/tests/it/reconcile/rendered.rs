//! Rendered sets: the dependents engine as a step of a hand-written reconciler.

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kubewright::component::ComponentStatus;
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use kubewright_testing::{Calm, TestCluster, TestOperator};

pub(super) const GROUP: &str = "rendered.kubewright.dev";

#[derive(CustomResource, Component, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "rendered.kubewright.dev", version = "v1", kind = "Site", namespaced, status = "SiteStatus")]
struct SiteSpec {
    #[serde(default)]
    suspend: Suspend,
    #[serde(flatten)]
    timeout: Timeout,
    #[serde(default)]
    pages: BTreeMap<String, Page>,
    /// Whether the site is switched off: its pages go, and it stays.
    #[serde(default)]
    off: bool,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Page {
    #[serde(default)]
    text: String,
    /// Whether it is ready only with the label `ready`.
    #[serde(default)]
    waits: bool,
    #[serde(default)]
    order: i16,
    #[serde(default)]
    delete_order: i16,
}

#[derive(ConditionSet, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[conditions(ready = "Ready")]
#[serde(rename_all = "camelCase", default)]
struct SiteStatus {
    observed_generation: Option<i64>,
    conditions: Conditions,
    #[serde(skip_serializing_if = "Option::is_none")]
    pages: Option<usize>,
    rendered: ComponentStatus,
}

impl EmbedsStatus for SiteStatus {
    fn component_status(&self) -> &ComponentStatus {
        &self.rendered
    }

    fn component_status_mut(&mut self) -> &mut ComponentStatus {
        &mut self.rendered
    }
}

async fn pages(cx: &RenderContext<Site>) -> Result<Vec<Manifest>, RenderError> {
    let pages = &cx.component().spec.pages;
    if pages.contains_key("refused") {
        return Err(Blocked::new("PageRefused", "page refused is not allowed").into());
    }
    let page = |(name, page): (&String, &Page)| {
        let labels = if page.waits { json!({ "waits": "yes" }) } else { json!({}) };
        let object = json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": { "name": format!("{}-{name}", cx.name()), "labels": labels },
            "data": { "text": page.text },
        });
        let manifest = Manifest::from_json(object)?;
        Ok(manifest.annotate(ApplyOrder(page.order)).annotate(DeleteOrder(page.delete_order)))
    };
    pages.iter().map(page).collect()
}

struct Sites {
    dependents: RenderedSet<Site>,
}

#[allow(clippy::unused_async)] // a step is an async function
async fn count(pass: &mut Pass<'_, Site>) -> Flow {
    pass.status.pages = Some(pass.object.spec.pages.len());
    Ok(())
}

#[reconciler(kind = Site)]
impl Sites {
    #[inject]
    fn new(dependents: RenderedSet<Site>) -> Self {
        Self { dependents }
    }

    async fn reconcile(&self, cx: &Context<Site>, site: &Site, status: &mut SiteStatus) -> Flow {
        let pipeline = Pipeline::new("apply")
            .group("pages", |group| group.write(self.dependents.clone()).wait(step!("count", count)))
            .skip_if_stopped(|pass: &Pass<'_, Site>| pass.object.spec.off)
            .group("off", |group| group.write(self.dependents.deletion()))
            .when("is off", |pass: &Pass<'_, Site>| pass.object.spec.off);
        pipeline.run(&mut Pass::new(cx, site, status)).await
    }

    async fn finalize(&self, cx: &Context<Site>, site: &Site, status: &mut SiteStatus) -> Flow {
        self.dependents.delete(cx, site, &mut status.rendered).await
    }
}

fn readiness(object: &Value) -> Option<Readiness> {
    let is_waiting = object.label("waits") == Some("yes") && object.label("ready") != Some("yes");
    is_waiting.then(|| Readiness::in_progress("it has no label ready"))
}

pub(super) fn operator() -> Operator {
    Operator::new("site-operator.rendered.kubewright.dev")
        .rendered_set::<Site>(pages)
        .dependent_types([("", "configmaps")])
        .readiness("", "ConfigMap", readiness)
        .controller(Sites::new)
        .into()
}

struct World {
    cluster: TestCluster,
    operator: Option<TestOperator>,
    _calm: Calm,
}

impl World {
    async fn start() -> Self {
        let cluster = TestCluster::start().await;
        cluster.journal().keep_bodies(true);
        let calm = Calm::of(&cluster);
        let operator = Some(cluster.run(operator()).await);
        Self { cluster, operator, _calm: calm }
    }

    async fn stop(mut self) {
        if let Some(operator) = self.operator.take() {
            operator.stop().await;
        }
    }

    /// Creates the site, or changes it to this spec.
    async fn set(&self, spec: Value) {
        if self.cluster.get::<Site>("demo").await.is_some() {
            self.cluster.patch::<Site>("demo", json!({ "spec": spec })).await;
            return;
        }
        let site = json!({
            "apiVersion": format!("{GROUP}/v1"), "kind": "Site",
            "metadata": { "name": "demo", "namespace": self.cluster.namespace() }, "spec": spec,
        });
        self.cluster.create(site).await.unwrap();
    }

    async fn ready(&self) -> Value {
        self.cluster.expect::<Site>("demo").matching("ready in its generation", is_ready).await
    }

    async fn condition(&self, status: &str, reason: &str) -> Value {
        self.cluster.expect::<Site>("demo").condition("Ready", status, reason).await
    }

    async fn page(&self, name: &str) -> Option<Value> {
        self.cluster.get::<ConfigMap>(&format!("demo-{name}")).await
    }

    /// Waits until a page contains this text.
    async fn text(&self, name: &str, text: &str) -> Value {
        let page = self.cluster.expect::<ConfigMap>(&format!("demo-{name}"));
        page.matching(&format!("the text {text}"), |page| page["data"]["text"] == text).await
    }

    async fn patch_page(&self, name: &str, patch: Value) {
        self.cluster.patch::<ConfigMap>(&format!("demo-{name}"), patch).await;
    }

    /// Lets time pass in which nothing should happen: the whole time if it is virtual, a few seconds if it is real.
    async fn idle(&self, seconds: u64) {
        let time = Duration::from_secs(seconds);
        self.cluster.pass(if self.cluster.is_embedded() { time } else { time.min(Duration::from_secs(3)) }).await;
    }

    /// Returns the numbers of writes of the operator: to sites, to their statuses, and to pages.
    fn writes(&self) -> [usize; 3] {
        let all = || self.cluster.journal().all().writes();
        let statuses = all().of(GROUP, "sites").subresource("status").iter().count();
        [all().of(GROUP, "sites").iter().count() - statuses, statuses, all().of("", "configmaps").iter().count()]
    }
}

pub(super) fn is_ready(site: &Value) -> bool {
    let is_true = |condition: &Value| condition["type"] == "Ready" && condition["status"] == "True";
    let conditions = site["status"]["conditions"].as_array();
    site["status"]["observedGeneration"] == site["metadata"]["generation"]
        && site["status"]["rendered"]["observedGeneration"] == site["metadata"]["generation"]
        && conditions.is_some_and(|conditions| conditions.iter().any(is_true))
}

fn message_of(site: &Value) -> &str {
    let conditions = site["status"]["conditions"].as_array();
    let ready = conditions.and_then(|conditions| conditions.iter().find(|condition| condition["type"] == "Ready"));
    ready.and_then(|ready| ready["message"].as_str()).unwrap_or_default()
}

fn two() -> Value {
    json!({ "pages": { "a": { "text": "1" }, "b": { "text": "1" } } })
}

// RND-1, RND-2, RND-3
#[tokio::test]
async fn an_install_is_one_status_ahead_the_creations_and_one_status_at_the_end() {
    let world = World::start().await;
    world.set(two()).await;
    let site = world.ready().await;
    assert_eq!(site["status"]["rendered"]["state"], "Ready");
    assert_eq!(site["status"]["rendered"]["inventory"].as_array().map(Vec::len), Some(2));
    assert_eq!(site["status"]["pages"], 2, "the steps after the set run when it is ready");
    assert_eq!(world.writes(), [1, 2, 2]);
    let statuses = world.cluster.journal().all().of(GROUP, "sites").subresource("status");
    let ahead = statuses.iter().next().and_then(|first| first.body.clone()).unwrap_or_default();
    assert_eq!(ahead["status"]["rendered"]["inventory"].as_array().map(Vec::len), Some(2), "{ahead}");
    world.idle(3000).await;
    assert_eq!(world.writes(), [1, 2, 2], "a site in order costs nothing");
    world.stop().await;
}

// RND-1, RND-2
#[tokio::test]
async fn an_upgrade_changes_adds_and_removes() {
    let world = World::start().await;
    world.set(two()).await;
    let uid = world.ready().await["status"]["rendered"]["revision"].clone();
    assert_eq!(uid, 1);
    world.set(json!({ "pages": { "a": { "text": "2" }, "b": null, "c": { "text": "1" } } })).await;
    let site = world.ready().await;
    assert_eq!(site["status"]["rendered"]["revision"], 2);
    assert_eq!(site["status"]["rendered"]["inventory"].as_array().map(Vec::len), Some(2));
    world.text("a", "2").await;
    world.text("c", "1").await;
    assert!(world.page("b").await.is_none());
    world.stop().await;
}

// RND-1, DRIFT-1
#[tokio::test]
async fn drift_is_repaired_while_the_object_stays_ready() {
    let world = World::start().await;
    world.set(two()).await;
    world.ready().await;
    world.patch_page("a", json!({ "data": { "text": "drifted" } })).await;
    world.text("a", "1").await;
    world.cluster.delete::<ConfigMap>("demo-b").await;
    world.text("b", "1").await;
    world.ready().await;
    world.stop().await;
}

// RND-4
#[tokio::test]
async fn dependents_that_are_not_ready_are_a_wait_for_an_event() {
    let world = World::start().await;
    let pages = json!({ "pages": { "a": { "waits": true, "order": 0 }, "b": { "text": "1", "order": 1 } } });
    world.set(pages).await;
    let site = world.condition("False", "Processing").await;
    assert_eq!(site["status"]["rendered"]["state"], "Processing");
    let message = message_of(&site).to_owned();
    assert!(message.starts_with("step rendered-set: ") && message.contains("it has no label ready"), "{message}");
    assert!(world.page("b").await.is_none(), "the second wave waits for the first");
    assert_eq!(site["status"].get("pages"), None, "the steps behind it are not run");
    let writes = world.writes();
    world.idle(120).await;
    assert_eq!(world.writes(), writes, "a wait costs nothing");
    world.patch_page("a", json!({ "metadata": { "labels": { "ready": "yes" } } })).await;
    world.ready().await;
    world.text("b", "1").await;
    world.stop().await;
}

// RND-4
#[tokio::test]
async fn a_wait_that_takes_too_long_and_a_generator_that_is_blocked_are_blocked() {
    let world = World::start().await;
    world.set(json!({ "timeout": "2s", "pages": { "a": { "waits": true } } })).await;
    let site = world.condition("False", "Timeout").await;
    assert_eq!(site["status"]["rendered"]["state"], "Error");
    world.patch_page("a", json!({ "metadata": { "labels": { "ready": "yes" } } })).await;
    world.ready().await;
    world.set(json!({ "pages": { "refused": {} } })).await;
    let site = world.condition("False", "PageRefused").await;
    assert!(message_of(&site).contains("page refused is not allowed"), "{}", message_of(&site));
    world.set(json!({ "pages": { "refused": null } })).await;
    world.ready().await;
    world.set(json!({ "suspend": true })).await;
    world.condition("False", "Suspended").await;
    world.stop().await;
}

// RND-5, DEL-1
#[tokio::test]
async fn a_deletion_follows_the_delete_order_and_removes_the_finalizer_last() {
    let world = World::start().await;
    world.set(json!({ "pages": { "a": { "deleteOrder": 0 }, "b": { "deleteOrder": 1 } } })).await;
    world.ready().await;
    world.patch_page("a", json!({ "metadata": { "finalizers": ["example.com/hold"] } })).await;
    world.cluster.delete::<Site>("demo").await;
    let site =
        world.cluster.expect::<Site>("demo").matching("deleting", |site| site["status"]["rendered"]["state"] == "Deleting");
    let site = site.await;
    assert!(site.finalizers().next().is_some());
    world.idle(5).await;
    assert!(world.page("b").await.is_some(), "the second wave waits for the first");
    world.patch_page("a", json!({ "metadata": { "finalizers": null } })).await;
    world.cluster.expect::<Site>("demo").to_be_gone().await;
    assert!(world.page("a").await.is_none() && world.page("b").await.is_none());
    world.stop().await;
}

// RND-5
#[tokio::test]
async fn a_set_that_is_deleted_while_its_owner_stays_can_be_applied_again() {
    let world = World::start().await;
    world.set(two()).await;
    world.ready().await;
    world.set(json!({ "off": true })).await;
    world.cluster.expect::<ConfigMap>("demo-a").to_be_gone().await;
    world.cluster.expect::<ConfigMap>("demo-b").to_be_gone().await;
    let empty = |site: &Value| site["status"]["rendered"].get("inventory").is_none();
    world.cluster.expect::<Site>("demo").matching("an empty inventory", empty).await;
    world.set(json!({ "off": false })).await;
    world.ready().await;
    world.text("a", "1").await;
    world.stop().await;
}

// RND-2, PLAN-4
#[tokio::test]
async fn a_cut_after_any_write_leads_to_the_same_end() {
    for writes in 0..7 {
        let mut world = World::start().await;
        world.cut_after(writes, async |world| world.set(two()).await).await;
        world.ready().await;
        world
            .cut_after(writes, async |world| {
                world.set(json!({ "pages": { "a": { "text": "2" }, "b": null, "c": { "text": "1" } } })).await;
            })
            .await;
        let site = world.ready().await;
        assert_eq!(site["status"]["rendered"]["inventory"].as_array().map(Vec::len), Some(2), "cut after {writes} writes");
        world.text("a", "2").await;
        world.text("c", "1").await;
        assert!(world.page("b").await.is_none(), "cut after {writes} writes");
        world.cut_after(writes, async |world| world.cluster.delete::<Site>("demo").await).await;
        world.cluster.expect::<Site>("demo").to_be_gone().await;
        for page in ["a", "b", "c"] {
            assert!(world.page(page).await.is_none(), "cut after {writes} writes");
        }
        world.stop().await;
    }
}

impl World {
    /// Makes a change while the operator is cut off after a number of writes, and restarts it.
    async fn cut_after(&mut self, writes: u64, change: impl AsyncFnOnce(&Self)) {
        let cut = self.cluster.faults().cut_after(writes).writes_only().start();
        change(self).await;
        self.idle(2).await;
        if let Some(operator) = self.operator.take() {
            operator.kill().await;
        }
        cut.resume();
        self.operator = Some(self.cluster.run(operator()).await);
    }
}

#[derive(CustomResource, Component, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "rendered.kubewright.dev", version = "v1", kind = "Flat", namespaced, status = "ComponentStatus")]
struct FlatSpec {}

struct Flats;

#[reconciler(kind = Flat)]
impl Flats {
    #[inject]
    fn new(_: RenderedSet<Flat>, _: RenderedSet<Site>) -> Self {
        Self
    }

    async fn reconcile(&self, _: &Context<Flat>, _: &Flat, _: &mut ComponentStatus) -> Flow {
        Ok(())
    }
}

// RND-1, RND-2
#[test]
fn a_set_without_generator_or_without_a_field_of_its_own_does_not_start() {
    let operator: Operator =
        Operator::new("flats.rendered.kubewright.dev").rendered_set::<Flat>(Empty).controller(Flats::new).into();
    let problems = operator.declarations().problems().join("\n");
    assert!(problems.contains("the operator has none; add it with `.rendered_set::<Site>(generator)`"), "{problems}");
    assert!(problems.contains("give it a field of its own, such as `rendered: ComponentStatus`"), "{problems}");
}
