//! Take-over of the objects that an operator of the Go framework left in a cluster, loaded unchanged (TAKE-1 to TAKE-7).
//!
//! The recordings are in `shared/data/takeover` beside the repository, or in the folder that `KUBEWRIGHT_TAKEOVER` names.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use kubewright::prelude::*;
use kubewright::render::Generator;
use kubewright_machinery::object::ObjectExt as _;
use kubewright_testing::{TestCluster, TestOptions};

use crate::world::{World, condition, message_of, reason_of};

const OPERATOR: &str = "takeover-operator.kubewright.dev";

/// The variants that are in sync, for which only the status of the component may be written.
const IN_SYNC: [&str; 23] = [
    "adopted",
    "digest",
    "digest-recreate",
    "drift-replace",
    "drift-ssa",
    "immutable",
    "managed",
    "nested",
    "nested-child",
    "once",
    "orphan",
    "orphan-setting",
    "quirks-replace",
    "quirks-ssa",
    "recreate",
    "replace",
    "replace-to-ssa",
    "revision-3",
    "ssa",
    "ssa-merge",
    "ssa-to-replace",
    "unknown-fields-replace",
    "waves",
];
/// A variant in sync for which the server must be asked about unknown fields.
const UNKNOWN_FIELDS: &str = "unknown-fields-ssa";

/// The component type of the recordings.
#[derive(CustomResource, Component, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "testing.kubewright.dev", version = "v1alpha1", kind = "Takeover", namespaced, status = "ComponentStatus")]
#[serde(rename_all = "camelCase")]
pub(crate) struct TakeoverSpec {
    #[serde(flatten)]
    placement: Placement,
    #[serde(flatten)]
    policies: Policies,
    #[serde(flatten)]
    requeue: Requeue,
    #[serde(flatten)]
    retry: Retry,
    #[serde(flatten)]
    timeout: Timeout,
    #[serde(flatten)]
    reapply: Reapply,
    #[serde(flatten)]
    managed: ManagedTypes,
    #[serde(default)]
    suspend: Suspend,
    #[serde(default)]
    secret_key_ref: Option<SecretKeyRef>,
    #[serde(default)]
    payload: String,
    #[serde(default)]
    variant: String,
}

/// A generator that returns the last rendering of the recorded operator.
struct Recorded(BTreeMap<String, Vec<Value>>);

impl Generator<Takeover> for Recorded {
    async fn render(&self, cx: &RenderContext<Takeover>) -> Result<Vec<Manifest>, RenderError> {
        let name = cx.component().metadata.name.clone().unwrap_or_default();
        let desired = self.0.get(&name).cloned().unwrap_or_default();
        desired.into_iter().map(|object| Ok(Manifest::from_json(object)?)).collect()
    }
}

/// A recorded component.
struct Variant {
    component: Value,
    dependents: Vec<Value>,
    related: Vec<Value>,
    desired: Vec<Value>,
}

fn folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("KUBEWRIGHT_TAKEOVER") {
        return Some(folder.into());
    }
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().map(|folder| folder.join("shared/data/takeover")).find(|data| data.is_dir())
}

fn read(path: PathBuf) -> Value {
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap()
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

fn variants(folder: &std::path::Path) -> BTreeMap<String, Variant> {
    let mut variants = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if !path.is_dir() {
            continue;
        }
        let objects = read(path.join("objects.json"));
        let variant = Variant {
            component: objects["component"].clone(),
            dependents: list(&objects["dependents"]),
            related: list(&objects["related"]),
            desired: list(&read(path.join("desired.json"))),
        };
        variants.insert(path.file_name().unwrap().to_string_lossy().into_owned(), variant);
    }
    variants
}

/// Returns true if `whole` contains all of `part`. A server may add defaults of the CRD when it reads.
fn holds(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(name, part)| whole.get(name).is_some_and(|whole| holds(whole, part)))
        }
        _ => whole == part,
    }
}

struct Scene {
    world: World,
    variants: BTreeMap<String, Variant>,
}

impl Scene {
    /// Loads some variants unchanged, and starts an operator of the same name. `None` without recordings.
    async fn load(which: impl Fn(&str) -> bool) -> Option<Self> {
        let Some(folder) = folder() else {
            eprintln!("skipped: there is no shared/data/takeover beside the repository");
            return None;
        };
        let cluster = TestCluster::start_with(TestOptions::default().without_controllers()).await;
        let mut world = World::on(cluster);
        let mut variants = variants(&folder);
        variants.retain(|name, _| which(name));
        let operator = |variants: &BTreeMap<String, Variant>| {
            let desired = variants.iter().map(|(name, variant)| (name.clone(), variant.desired.clone())).collect();
            Operator::new(OPERATOR).component::<Takeover>(Recorded(desired))
        };
        // TAKE-6: the generated CRD is installed first.
        world.cluster.install_crds(&operator(&variants).into()).await;
        let crds = kubewright_machinery::yaml::documents(&std::fs::read_to_string(folder.join("crds.yaml")).unwrap()).unwrap();
        for crd in crds.iter().filter(|crd| crd.name() != "takeovers.testing.kubewright.dev") {
            world.cluster.apply(crd).await;
            world.until_object(crd, "established", |crd| crd["status"]["conditions"].to_string().contains("Established")).await;
        }
        let system = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "kube-system" } });
        let mut system = world.get(&system).await.unwrap();
        system["metadata"]["uid"] = read(folder.join("cluster.json"))["clusterId"].clone();
        world.cluster.load([system]).await;
        for variant in variants.values() {
            world.load_variant(variant).await;
        }
        world.run_other(operator(&variants)).await;
        Some(Self { world, variants })
    }

    fn variant(&self, name: &str) -> &Variant {
        &self.variants[name]
    }

    async fn component(&self, name: &str) -> Value {
        self.world.get(&self.variant(name).component).await.unwrap()
    }

    async fn until(&self, name: &str, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
        self.world.until_object(&self.variant(name).component, &format!("{name}: {what}"), holds).await
    }

    /// Waits until the operator has taken the component over.
    async fn until_taken(&self, name: &str) -> Value {
        let taken =
            |component: &Value| component["status"]["processingDigest"].as_str().is_some_and(|digest| digest.starts_with("k1:"));
        self.until(name, "taken over", taken).await
    }

    /// Returns the differences between the present and the loaded dependents, as far as a program wrote them.
    async fn changes(&self, name: &str) -> Vec<String> {
        let mut changes = Vec::new();
        for before in &self.variant(name).dependents {
            match self.world.get(before).await {
                None => changes.push(format!("{name}: {} is gone", before.title())),
                Some(after) => {
                    for pointer in
                        ["/metadata/uid", "/metadata/generation", "/metadata/labels", "/metadata/annotations", "/spec", "/data"]
                    {
                        let holds = match (before.pointer(pointer), after.pointer(pointer)) {
                            (Some(before), Some(after)) => holds(after, before),
                            (None, after) => after.is_none_or(|_| pointer != "/metadata/generation"),
                            (Some(_), None) => false,
                        };
                        if !holds {
                            changes.push(format!("{name}: {pointer} of {} changed", before.title()));
                        }
                    }
                }
            }
        }
        changes
    }

    /// Returns the writes of the operator other than to the status of components.
    fn writes(&self) -> Vec<String> {
        let records = self.world.journal().all().writes();
        let counts = records.filter(|record| {
            let resource = record.target.resource().unwrap();
            let status = resource.resource == "takeovers" && resource.subresource == "status";
            let dry = record.query.contains("dryRun");
            resource.resource != "events" && !status && !dry
        });
        counts.iter().map(ToString::to_string).collect()
    }

    /// Returns the number of writes to the status of a component.
    fn status_writes(&self, name: &str) -> usize {
        let records = self.world.journal().all().writes().of("testing.kubewright.dev", "takeovers").subresource("status");
        records.named(name).iter().count()
    }

    async fn restart(&mut self) {
        self.world.kill().await;
        let desired = self.variants.iter().map(|(name, variant)| (name.clone(), variant.desired.clone())).collect();
        self.world.run_other(Operator::new(OPERATOR).component::<Takeover>(Recorded(desired))).await;
    }
}

impl World {
    async fn load_variant(&self, variant: &Variant) {
        let objects: Vec<Value> =
            [&variant.component].into_iter().chain(&variant.dependents).chain(&variant.related).cloned().collect();
        for object in &objects {
            let namespace = json!({
                "apiVersion": "v1", "kind": "Namespace",
                "metadata": { "name": object.namespace(), "uid": format!("00000000-0000-4000-8000-{:012}", object.namespace().len()) },
                "spec": { "finalizers": ["kubernetes"] }, "status": { "phase": "Active" },
            });
            let loaded = objects.iter().any(|other| other.kind() == "Namespace" && other.name() == object.namespace());
            if !object.namespace().is_empty() && !loaded && self.get(&namespace).await.is_none() {
                self.cluster.load([namespace]).await;
            }
        }
        // A type must be served before its instances are loaded.
        let (types, others): (Vec<Value>, Vec<Value>) =
            objects.into_iter().partition(|object| object.kind() == "CustomResourceDefinition");
        for crd in types {
            self.cluster.load([crd.clone()]).await;
            let instance = json!({
                "apiVersion": format!("{}/{}", crd["spec"]["group"].as_str().unwrap(), crd["spec"]["versions"][0]["name"].as_str().unwrap()),
                "kind": crd["spec"]["names"]["kind"], "metadata": { "name": "none", "namespace": "default" },
            });
            self.until_served(&instance).await;
        }
        self.cluster.load(others).await;
    }
}

// TAKE-1, TAKE-2, TAKE-3, TAKE-4, TAKE-7
#[tokio::test]
async fn objects_in_sync_are_taken_over_without_a_write_to_them() {
    let Some(mut scene) = Scene::load(|name| IN_SYNC.contains(&name) || name == UNKNOWN_FIELDS).await else { return };
    assert_eq!(scene.variants.len(), IN_SYNC.len() + 1);
    let names: Vec<String> = scene.variants.keys().cloned().collect();
    for name in &names {
        scene.until_taken(name).await;
    }
    scene.world.pass(Duration::from_secs(5)).await;
    let mut wrong = scene.writes();
    for name in &names {
        wrong.extend(scene.changes(name).await);
        let (before, after) = (&scene.variant(name).component["status"], &scene.component(name).await["status"]);
        for field in ["state", "revision", "observedGeneration", "appliedGeneration", "conditions"] {
            if before[field] != after[field] {
                wrong.push(format!("{name}: {field} was {} and is {}", before[field], after[field]));
            }
        }
        let writes = scene.status_writes(name);
        if writes != 1 {
            wrong.push(format!("{name}: the status was written {writes} times"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "{wrong:#?}");

    scene.restart().await;
    let mark = scene.world.journal().mark();
    scene.world.idle(Duration::from_secs(600)).await;
    scene.world.journal().since(mark).no_writes().unwrap();
}

// TAKE-2, TAKE-3, TAKE-7
#[tokio::test]
async fn a_changed_component_is_upgraded_without_recreating_or_deleting_dependents() {
    let Some(scene) = Scene::load(|name| name == "changed").await else { return };
    let ready = scene.until("changed", "upgraded", |component| component["status"]["observedGeneration"] == 2).await;
    assert_eq!((ready["status"]["state"].as_str(), ready["status"]["revision"].as_i64()), (Some("Processing"), Some(2)));
    let changes = scene.changes("changed").await;
    assert!(
        !changes.is_empty() && !changes.iter().any(|change| change.contains("uid") || change.contains("gone")),
        "{changes:#?}"
    );
    for dependent in &scene.variant("changed").dependents {
        if dependent.kind() == "Deployment" {
            scene.world.play_deployment(dependent).await;
        }
    }
    scene.until("changed", "Ready", |component| component["status"]["state"] == "Ready").await;
}

// TAKE-7
#[tokio::test]
async fn a_component_taken_over_in_the_middle_of_its_waves_continues() {
    let Some(scene) = Scene::load(|name| name == "processing").await else { return };
    let taken = scene.until_taken("processing").await;
    assert_eq!((taken["status"]["state"].as_str(), taken["status"]["revision"].as_i64()), (Some("Processing"), Some(1)));
    scene.world.pass(Duration::from_secs(5)).await;
    assert_eq!(scene.writes(), Vec::<String>::new());
    for dependent in &scene.variant("processing").dependents {
        if dependent.kind() == "Deployment" {
            scene.world.play_deployment(dependent).await;
        }
    }
    scene.until("processing", "Ready", |component| component["status"]["state"] == "Ready").await;
    assert!(scene.changes("processing").await.is_empty());
    let inventory = list(&scene.component("processing").await["status"]["inventory"]);
    assert!(inventory.len() > scene.variant("processing").dependents.len(), "the later wave is there");
}

// TAKE-7
#[tokio::test]
async fn redundant_objects_that_were_on_their_way_out_go() {
    let Some(scene) = Scene::load(|name| name == "dropping").await else { return };
    scene.until_taken("dropping").await;
    scene.world.pass(Duration::from_secs(5)).await;
    assert_eq!(scene.writes(), Vec::<String>::new());
    for dependent in &scene.variant("dropping").dependents {
        if dependent.deletion_timestamp().is_some() {
            scene.world.patch_if_there(dependent, json!({ "metadata": { "finalizers": null } })).await;
        }
    }
    let ready = scene.until("dropping", "Ready", |component| component["status"]["state"] == "Ready").await;
    for dependent in &scene.variant("dropping").dependents {
        let listed = list(&ready["status"]["inventory"]).iter().any(|item| item["name"] == dependent.name());
        let live = scene.world.get(dependent).await;
        assert_eq!(live.is_some(), listed, "{}", dependent.title());
        assert!(live.is_none_or(|live| live.uid() == dependent.uid()));
    }
}

// TAKE-7, WRITE-14
#[tokio::test]
async fn an_upgrade_that_the_server_refuses_stays_an_error() {
    let Some(scene) = Scene::load(|name| name == "error").await else { return };
    let failed = scene.until("error", "in error again", |component| message_of(component).contains("immutable")).await;
    assert_eq!((failed["status"]["state"].as_str(), reason_of(&failed)), (Some("Error"), "Error"));
    assert_eq!(failed["status"]["revision"], 2);
    scene.world.pass(Duration::from_secs(3)).await;
    let gone: Vec<String> =
        scene.changes("error").await.into_iter().filter(|change| change.contains("uid") || change.contains("gone")).collect();
    assert!(gone.is_empty(), "{gone:#?}");
}

// TAKE-7, PASS-3
#[tokio::test]
async fn a_suspended_component_is_left_as_it_is() {
    let Some(scene) = Scene::load(|name| name == "suspended").await else { return };
    scene.world.pass(Duration::from_secs(5)).await;
    assert_eq!(scene.writes(), Vec::<String>::new());
    assert!(scene.changes("suspended").await.is_empty());
    let component = scene.component("suspended").await;
    assert_eq!((component["status"]["state"].as_str(), reason_of(&component)), (Some("Pending"), "Suspended"));
}

// TAKE-7
#[tokio::test]
async fn a_deletion_that_another_program_began_is_finished() {
    let Some(scene) = Scene::load(|name| name == "deleting" || name == "deletion-blocked").await else { return };
    scene.world.pass(Duration::from_secs(5)).await;
    let blocked = scene.until("deletion-blocked", "blocked", |component| condition(component, "Stalled").is_some()).await;
    assert_eq!((blocked["status"]["state"].as_str(), reason_of(&blocked)), (Some("Deleting"), "DeletionBlocked"));
    assert!(scene.changes("deletion-blocked").await.is_empty());
    let deleting = scene.component("deleting").await;
    assert_eq!((deleting["status"]["state"].as_str(), reason_of(&deleting)), (Some("Deleting"), "DeletionProcessing"));
    for dependent in &scene.variant("deleting").dependents {
        if dependent.deletion_timestamp().is_some() {
            scene.world.patch_if_there(dependent, json!({ "metadata": { "finalizers": null } })).await;
        }
    }
    for related in &scene.variant("deletion-blocked").related {
        scene.world.delete(related).await;
    }
    for name in ["deleting", "deletion-blocked"] {
        scene.world.until_gone(&scene.variant(name).component).await;
        for dependent in &scene.variant(name).dependents {
            scene.world.until_gone(dependent).await;
        }
    }
}
