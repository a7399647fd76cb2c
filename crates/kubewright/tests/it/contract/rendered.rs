//! A component whose dependents a generator renders, together with a component that has a controller of its own.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kubewright::contract::{
    ApplyContext, CleanupContext, ComponentController, ComponentType, Components, Contract, ContractComponent, ContractExt as _,
    ContractMember, ContractStatus, DependsOn, Maybe, MaybeOf, Needs, NeedsEdge, NoInternal, NoPart, OwnerStatus, Ready, ReadyOf,
    RenderedComponentExt as _, RenderedPart, StandardForm, WithDependencies,
};
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use kubewright_testing::{Calm, TestCluster, TestOperator};

use super::world::{message_of, told_by};

const DOMAIN: &str = "garden.kubewright.dev";

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "garden.kubewright.dev", version = "v1", kind = "Garden", namespaced, status = "GardenStatus")]
struct GardenSpec {}

type GardenStatus = OwnerStatus<NoPart>;

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "garden.kubewright.dev", version = "v1", kind = "Well", namespaced, status = "WellStatus")]
struct WellSpec {
    #[serde(default)]
    depth: i64,
}

type WellStatus = ContractStatus<WellExternal, NoPart>;

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct WellExternal {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    address: Option<String>,
}

#[derive(CustomResource, Component, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "garden.kubewright.dev", version = "v1", kind = "Bed", namespaced, status = "BedStatus")]
struct BedSpec {
    #[serde(flatten)]
    placement: Placement,
    #[serde(default)]
    plants: Vec<String>,
}

type BedStatus = ContractStatus<NoPart, RenderedPart>;

struct Gardens;

impl Contract for Gardens {
    type Owner = Garden;
    type Internal = NoInternal;
    type Form = StandardForm;

    fn components(components: &mut Components<Self>) {
        components.add::<Well>().add::<Bed>();
    }
}

impl ContractMember for Well {
    type Contract = Gardens;
    type Edges = ();

    const TYPE: ComponentType = ComponentType::new("Well");
}

impl ContractComponent for Well {
    type Spec = WellSpec;
    type External = WellExternal;
    type Private = NoPart;

    fn configured(_: &Garden) -> bool {
        true
    }

    fn convert(_: &Garden, _: Option<&NoInternal>) -> Result<WellSpec, Failure> {
        Ok(WellSpec::default())
    }

    fn publish(_: WellExternal, _: &mut NoPart) {}
}

impl ContractMember for Bed {
    type Contract = Gardens;
    type Edges = (NeedsEdge<Well>,);

    const TYPE: ComponentType = ComponentType::new("Bed");
}

impl ContractComponent for Bed {
    type Spec = BedSpec;
    type External = NoPart;
    type Private = RenderedPart;

    fn configured(_: &Garden) -> bool {
        true
    }

    fn convert(_: &Garden, _: Option<&NoInternal>) -> Result<BedSpec, Failure> {
        Ok(BedSpec::default())
    }

    fn publish(_: NoPart, _: &mut NoPart) {}
}

impl DependsOn<Well> for Bed {
    fn maybe(dependencies: &MaybeOf<Self>) -> Option<&Arc<Well>> {
        dependencies.0.as_ref()
    }
}

impl Needs<Well> for Bed {
    fn ready(dependencies: &ReadyOf<Self>) -> &Arc<Well> {
        &dependencies.0
    }
}

struct Wells;

impl ComponentController for Wells {
    type Component = Well;

    async fn apply(&self, cx: &ApplyContext<Well>, _: Ready<Well>) -> Flow {
        cx.external(|external| external.address = Some(format!("well-{}", cx.component().spec.depth)));
        cx.healthy();
        Ok(())
    }

    async fn cleanup(&self, _: &CleanupContext<Well>, _: Maybe<Well>) -> Flow {
        Ok(())
    }
}

/// Renders a ConfigMap for each plant, with the address of the well. Plant `thistle` is ready only with a label, and is deleted first.
async fn plants(cx: &RenderContext<WithDependencies<Bed>>) -> Result<Vec<Manifest>, RenderError> {
    let well = cx.component().needed::<Well>()?;
    let address = well.status.as_ref().and_then(|status| status.external.address.clone());
    let Some(address) = address else {
        return Err(Wait::for_event("NoAddress").message("the well has no address").into());
    };
    let plant = |name: &String| {
        let object = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": format!("{}-{name}", cx.name()) },
            "data": { "water": address },
        });
        Ok(Manifest::from_json(object)?.annotate(DeleteOrder(i16::from(name != "thistle"))))
    };
    cx.component().spec.plants.iter().map(plant).collect()
}

fn readiness(object: &Value) -> Option<Readiness> {
    let is_waiting = object.name().ends_with("thistle") && object.label("ready") != Some("yes");
    is_waiting.then(|| Readiness::in_progress("it is not green"))
}

fn operator() -> Operator {
    Operator::new("garden-operator.garden.kubewright.dev")
        .component_controller(|| Wells)
        .rendered_component::<Bed>(plants)
        .set(|set| set.dependent_types([("", "configmaps")]).readiness("", "ConfigMap", readiness))
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
        let calm = Calm::of(&cluster);
        let operator = Some(cluster.run(operator()).await);
        Self { cluster, operator, _calm: calm }
    }

    async fn stop(mut self) {
        if let Some(operator) = self.operator.take() {
            operator.stop().await;
        }
    }

    async fn create(&self, kind: &str, spec: Value) {
        let labels = json!({ format!("{DOMAIN}/owner-generation"): "1" });
        let component = json!({
            "apiVersion": format!("{DOMAIN}/v1"), "kind": kind,
            "metadata": { "name": "demo", "namespace": self.cluster.namespace(), "labels": labels }, "spec": spec,
        });
        self.cluster.create(component).await.unwrap();
    }

    async fn bed(&self, type_: &str, status: &str, reason: &str) -> Value {
        self.cluster.expect::<Bed>("demo").condition(type_, status, reason).await
    }

    async fn water(&self, plant: &str, water: &str) -> Value {
        let plant = self.cluster.expect::<ConfigMap>(&format!("demo-{plant}"));
        plant.matching(&format!("water of {water}"), |plant| plant["data"]["water"] == water).await
    }

    async fn idle(&self, seconds: u64) {
        let time = Duration::from_secs(seconds);
        self.cluster.pass(if self.cluster.is_embedded() { time } else { time.min(Duration::from_secs(3)) }).await;
    }

    /// Returns the numbers of writes of the operator: to beds, to their statuses, and to plants.
    fn writes(&self) -> [usize; 3] {
        let all = || self.cluster.journal().all().writes();
        let statuses = all().of(DOMAIN, "beds").subresource("status").iter().count();
        [all().of(DOMAIN, "beds").iter().count() - statuses, statuses, all().of("", "configmaps").iter().count()]
    }

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

// RND-2, RND-6, RND-7
#[tokio::test]
async fn a_rendered_component_is_installed_when_its_dependency_is_ready() {
    let world = World::start().await;
    world.create("Bed", json!({ "plants": ["rose", "tulip"] })).await;
    world.bed("BedHealthy", "False", "WaitingForDependencies").await;
    assert_eq!(world.writes()[2], 0);
    world.create("Well", json!({ "depth": 3 })).await;
    world.water("rose", "well-3").await;
    let bed = world.bed("Ready", "True", "Reconciled").await;
    assert_eq!(told_by(&bed, "BedHealthy").map(|told| told.0), Some("True".to_owned()));
    assert_eq!(bed["status"]["rendered"]["inventory"].as_array().map(Vec::len), Some(2));
    assert_eq!(bed["status"]["rendered"]["state"], "Ready");
    // The finalizer; the waits for a well and for its readiness, the inventory that is written ahead, and the end; the plants.
    assert_eq!(world.writes(), [1, 4, 2]);
    world.idle(3000).await;
    assert_eq!(world.writes(), [1, 4, 2], "a component in order costs nothing");
    world.stop().await;
}

// RND-7
#[tokio::test]
async fn a_dependency_that_changes_is_rendered_anew_without_a_new_revision() {
    let world = World::start().await;
    world.create("Well", json!({ "depth": 3 })).await;
    world.create("Bed", json!({ "plants": ["rose"] })).await;
    world.bed("Ready", "True", "Reconciled").await;
    world.cluster.patch::<Well>("demo", json!({ "spec": { "depth": 4 } })).await;
    world.water("rose", "well-4").await;
    let bed = world.bed("Ready", "True", "Reconciled").await;
    assert_eq!(bed["status"]["rendered"]["revision"], 1);
    world.cluster.patch::<Bed>("demo", json!({ "spec": { "plants": ["tulip"] } })).await;
    world.water("tulip", "well-4").await;
    world.cluster.expect::<ConfigMap>("demo-rose").to_be_gone().await;
    world.stop().await;
}

// RND-6
#[tokio::test]
async fn the_health_follows_the_dependents() {
    let world = World::start().await;
    world.create("Well", json!({})).await;
    world.create("Bed", json!({ "plants": ["thistle"] })).await;
    let bed = world.bed("BedHealthy", "False", "Processing").await;
    assert!(message_of(&bed, "BedHealthy").contains("it is not green"), "{}", message_of(&bed, "BedHealthy"));
    assert_eq!(told_by(&bed, "BedReconciliation").map(|told| told.0), Some("True".to_owned()), "a wait is no failure");
    world.cluster.patch::<ConfigMap>("demo-thistle", json!({ "metadata": { "labels": { "ready": "yes" } } })).await;
    world.bed("BedHealthy", "True", "BedHealthy_True").await;
    world.bed("Ready", "True", "Reconciled").await;
    world.cluster.patch::<ConfigMap>("demo-thistle", json!({ "metadata": { "labels": { "ready": null } } })).await;
    world.bed("BedHealthy", "False", "Processing").await;
    world.stop().await;
}

// RND-5, RND-6
#[tokio::test]
async fn a_cleanup_deletes_the_dependents_in_order_before_the_finalizers_go() {
    let world = World::start().await;
    world.create("Well", json!({})).await;
    world.create("Bed", json!({ "plants": ["rose", "thistle"] })).await;
    let green = json!({ "metadata": { "labels": { "ready": "yes" }, "finalizers": ["example.com/hold"] } });
    world.cluster.expect::<ConfigMap>("demo-thistle").to_exist().await;
    world.cluster.patch::<ConfigMap>("demo-thistle", green).await;
    world.bed("Ready", "True", "Reconciled").await;
    world.cluster.delete::<Bed>("demo").await;
    world.cluster.delete::<Well>("demo").await;
    world.bed("BedHealthy", "False", "DeletionProcessing").await;
    world.idle(5).await;
    assert!(world.cluster.get::<ConfigMap>("demo-rose").await.is_some(), "the second wave waits for the first");
    assert!(world.cluster.get::<Well>("demo").await.is_some(), "what the bed needs stays");
    world.cluster.patch::<ConfigMap>("demo-thistle", json!({ "metadata": { "finalizers": null } })).await;
    world.cluster.expect::<Bed>("demo").to_be_gone().await;
    world.cluster.expect::<Well>("demo").to_be_gone().await;
    for plant in ["demo-rose", "demo-thistle"] {
        assert!(world.cluster.get::<ConfigMap>(plant).await.is_none(), "{plant}");
    }
    world.stop().await;
}

// RND-2, PLAN-4
#[tokio::test]
async fn a_cut_after_any_write_leaves_nothing_behind() {
    for writes in 0..8 {
        let mut world = World::start().await;
        world.create("Well", json!({})).await;
        world.cluster.expect::<Well>("demo").condition("Ready", "True", "Reconciled").await;
        world.cut_after(writes, async |world| world.create("Bed", json!({ "plants": ["rose", "tulip"] })).await).await;
        let bed = world.bed("Ready", "True", "Reconciled").await;
        assert_eq!(bed["status"]["rendered"]["inventory"].as_array().map(Vec::len), Some(2), "cut after {writes} writes");
        world.cut_after(writes, async |world| world.cluster.delete::<Bed>("demo").await).await;
        world.cluster.expect::<Bed>("demo").to_be_gone().await;
        for plant in ["demo-rose", "demo-tulip"] {
            assert!(world.cluster.get::<ConfigMap>(plant).await.is_none(), "cut after {writes} writes");
        }
        let well = world.cluster.get::<Well>("demo").await.unwrap();
        assert!(!well.finalizers().any(|name| name.starts_with("dependency.")), "cut after {writes} writes");
        world.stop().await;
    }
}
