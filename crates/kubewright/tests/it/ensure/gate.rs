//! The update gate of children.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use k8s_openapi::api::core::v1::ConfigMap;
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;

use super::world::{DOMAIN, Log, child_of, holds, requests};
use crate::reconcile::widget::{Script, Widget, Widgets};
use crate::reconcile::world::World;

/// The desired state of the children besides the size: the version of their image.
#[derive(Clone, Default)]
struct Upgrades {
    version: Arc<parking_lot::Mutex<String>>,
    fails: Arc<AtomicBool>,
    log: Log,
}

impl Upgrades {
    fn script(&self) -> Script {
        let upgrades = self.clone();
        Script::default().reconcile(move |cx, widget, status| {
            let upgrades = upgrades.clone();
            Box::pin(async move {
                let mut child = child_of(cx.key().name(), widget.spec.size);
                child.data.get_or_insert_default().insert("version".to_owned(), upgrades.version.lock().clone());
                let change = cx.ensure(child).gate(cx.update_gate()).await.map(|ensured| ensured.change);
                upgrades.log.note(&change);
                change?;
                if upgrades.fails.load(Ordering::Relaxed) {
                    return Blocked::new("Stuck", "a test holds the pass").into();
                }
                status.size = Some(widget.spec.size);
                status.conditions.mark_true("Sized");
                Ok(())
            })
        })
    }

    async fn start(&self) -> World {
        let script = self.script();
        let operator = Widgets::operator_with(&script, super::world::owning);
        World::start_operator(script, operator).await
    }

    /// Sets a new version of the operator, which the widgets get in their next passes.
    async fn upgrade(&self, world: &World, version: &str) {
        version.clone_into(&mut self.version.lock());
        touch(world, version).await;
    }
}

/// Starts a pass without changing the generation.
async fn touch(world: &World, value: &str) {
    world.cluster.patch::<Widget>("demo", json!({ "metadata": { "annotations": { "touched": value } } })).await;
}

async fn annotate(world: &World, value: Value) {
    let annotation = json!({ format!("{DOMAIN}/autoupdate-spec"): value });
    world.cluster.patch::<Widget>("demo", json!({ "metadata": { "annotations": annotation } })).await;
}

async fn has_version(world: &World, version: &str) -> Value {
    world.cluster.expect::<ConfigMap>("demo").matching("its version", |child| child["data"]["version"] == version).await
}

async fn autoupdate(world: &World) -> Option<String> {
    let widget = world.get("demo").await?;
    widget.annotation(&format!("{DOMAIN}/autoupdate-spec")).map(str::to_owned)
}

// ENS-12, KID-7, KID-13, KID-15
#[tokio::test]
async fn a_closed_gate_holds_back_updates_and_reports_them() {
    let upgrades = Upgrades::default();
    let world = upgrades.start().await;
    world.create("demo", 3).await;
    super::world::told(&world, "demo", 3).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    assert!(
        world.get("demo").await.unwrap()["status"]["conditions"]
            .as_array()
            .unwrap()
            .iter()
            .all(|c| c["type"] != "RequiresUpdate")
    );

    // Generation 1, applied 1: closed.
    let writes = requests(&world, "configmaps").len();
    upgrades.upgrade(&world, "2").await;
    let widget = world.condition("demo", "RequiresUpdate", "True", "UpdateHeld").await;
    assert!(widget["status"]["conditions"].to_string().contains(&format!("ConfigMap {}/demo", world.cluster.namespace())));
    assert_eq!((upgrades.log.last(), requests(&world, "configmaps").len()), ("Held".to_owned(), writes));

    // Generation 2, applied 1: open.
    world.cluster.patch::<Widget>("demo", json!({ "spec": { "size": 4 } })).await;
    has_version(&world, "2").await;
    holds(&world, "demo", 4).await;
    world.condition("demo", "RequiresUpdate", "False", "UpToDate").await;

    // Generation 2, applied 2, with the annotation: open; another value does not open it.
    upgrades.upgrade(&world, "3").await;
    world.condition("demo", "RequiresUpdate", "True", "UpdateHeld").await;
    let held = upgrades.log.count("Held");
    annotate(&world, json!("sometimes")).await;
    touch(&world, "again").await;
    world.until("it is held again", || upgrades.log.count("Held") > held).await;
    annotate(&world, json!("always")).await;
    has_version(&world, "3").await;
    world.condition("demo", "RequiresUpdate", "False", "UpToDate").await;
    world.stop().await;
}

// ENS-17, KID-14
#[tokio::test]
async fn once_opens_the_gate_until_a_pass_succeeds_and_always_stays() {
    let upgrades = Upgrades::default();
    let world = upgrades.start().await;
    world.create("demo", 3).await;
    super::world::told(&world, "demo", 3).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;

    upgrades.fails.store(true, Ordering::Relaxed);
    "2".clone_into(&mut upgrades.version.lock());
    annotate(&world, json!("once")).await;
    has_version(&world, "2").await;
    world.condition("demo", "Ready", "False", "Stuck").await;
    assert_eq!(autoupdate(&world).await.as_deref(), Some("once"));

    upgrades.fails.store(false, Ordering::Relaxed);
    touch(&world, "again").await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    let lacks = |widget: &Value| widget.annotation(&format!("{DOMAIN}/autoupdate-spec")).is_none();
    world.cluster.expect::<Widget>("demo").matching("no annotation", lacks).await;
    upgrades.upgrade(&world, "3").await;
    world.condition("demo", "RequiresUpdate", "True", "UpdateHeld").await;

    annotate(&world, json!("always")).await;
    has_version(&world, "3").await;
    upgrades.upgrade(&world, "4").await;
    has_version(&world, "4").await;
    assert_eq!(autoupdate(&world).await.as_deref(), Some("always"));
    world.stop().await;
}

// KID-7: a gate is for updates only
#[tokio::test]
async fn a_closed_gate_lets_absent_children_be_created() {
    let upgrades = Upgrades::default();
    let world = upgrades.start().await;
    world.create("demo", 3).await;
    super::world::told(&world, "demo", 3).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    world.cluster.delete::<ConfigMap>("demo").await;
    world.until("it is there again", || upgrades.log.count("Created") == 2).await;
    holds(&world, "demo", 3).await;
    world.stop().await;
}
