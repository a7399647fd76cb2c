//! The package pipeline under every disturbance (see `kubewright_testing::disturbance`), of which a cut after each request is the first.

use std::time::Duration;

use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use kubewright_testing::TestCluster;
use kubewright_testing::disturbance::{Hand, Pace, Scenario, ScenarioStep, survives};
use kubewright_testing::fixtures::package::{AccountProducer, Package, PackageSpec, PackageVolume, Scripts, operator};

use super::world::{CLASS, condition, descriptor, shop, storage_class};

/// A package `shop` with a volume in a namespace where two versions of it are published.
struct PackageScenario {
    name: &'static str,
    /// True if the package is installed before the disturbances begin.
    is_installed: bool,
    steps: fn() -> Vec<ScenarioStep>,
}

fn package(change: fn(&mut PackageSpec)) -> Value {
    let mut spec = shop();
    spec.volume = Some(PackageVolume { size: "1Gi".to_owned(), storage_class: Some(CLASS.to_owned()) });
    change(&mut spec);
    let name = spec.name.clone();
    json!(Package::new(&name, spec))
}

/// Returns the step that waits until the package is ready in its newest generation, with this version installed and a volume of this size.
pub(crate) fn until_installed(object: Value, version: &str, size: &str) -> ScenarioStep {
    let holds = |live: &Value, wanted: &str| {
        let ready = condition(live, "Ready");
        let is_current = ready["observedGeneration"].as_i64() == live.generation() && ready["status"] == "True";
        let size = live["spec"]["volume"]["size"].as_str().unwrap_or("no volume");
        let installed = live["status"]["installedVersion"].as_str().unwrap_or_default();
        is_current && format!("{installed} with {size}") == wanted
    };
    ScenarioStep::Until(object, format!("{version} with {size}"), holds)
}

fn install() -> Vec<ScenarioStep> {
    vec![ScenarioStep::Set(package(|_| {})), until_installed(package(|_| {}), "1.0.0", "1Gi")]
}

fn upgrade() -> Vec<ScenarioStep> {
    vec![
        ScenarioStep::Set(package(|spec| "2.0.0".clone_into(&mut spec.version))),
        until_installed(package(|_| {}), "2.0.0", "1Gi"),
    ]
}

fn grow(spec: &mut PackageSpec) {
    spec.volume = Some(PackageVolume { size: "2Gi".to_owned(), storage_class: Some(CLASS.to_owned()) });
}

fn resize() -> Vec<ScenarioStep> {
    vec![ScenarioStep::Set(package(grow)), until_installed(package(|_| {}), "1.0.0", "2Gi")]
}

fn removal() -> Vec<ScenarioStep> {
    vec![ScenarioStep::Delete(package(|_| {})), ScenarioStep::Gone(package(|_| {}))]
}

/// Plays the storage: claims are bound, and get the requested capacity.
pub(crate) async fn play_storage(hand: &Hand) -> Result<(), String> {
    for claim in hand.list(&of_kind("v1", "PersistentVolumeClaim")).await? {
        let (requested, capacity) = (&claim["spec"]["resources"]["requests"], &claim["status"]["capacity"]);
        if claim["status"]["phase"] != "Bound" || capacity != requested {
            let status = json!({ "phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": requested });
            hand.patch_status(&claim, &json!({ "status": status })).await;
        }
    }
    Ok(())
}

fn of_kind(api: &str, kind: &str) -> Value {
    json!({ "apiVersion": api, "kind": kind, "metadata": { "name": "" } })
}

/// Returns the package and all objects that belong to it, in this namespace or in other systems.
pub(crate) async fn left_of_packages(hand: &Hand) -> Result<Vec<Value>, String> {
    let kinds = [
        ("fixtures.kubewright.dev/v1", "Package"),
        ("apps/v1", "Deployment"),
        ("v1", "Service"),
        ("v1", "PersistentVolumeClaim"),
        ("v1", "ConfigMap"),
        ("v1", "Secret"),
        ("networking.k8s.io/v1", "NetworkPolicy"),
        ("v1", "Pod"),
    ];
    let mut left = Vec::new();
    for (api, kind) in kinds {
        let found = hand.list(&of_kind(api, kind)).await?;
        // The pods of Deployments have different names in each run.
        let is_ours = |object: &Value| object.name() != "kube-root-ca.crt" && object["metadata"].get("generateName").is_none();
        left.extend(found.into_iter().filter(is_ours));
    }
    Ok(left)
}

/// Returns an object without the fields that the server and other controllers chose.
pub(crate) fn comparable_of_packages(live: &Value, mut object: Value) -> Value {
    for owner in object["metadata"]["ownerReferences"].as_array_mut().into_iter().flatten() {
        owner["uid"] = Value::Null;
    }
    if let Some(annotations) = object["metadata"]["annotations"].as_object_mut() {
        annotations.retain(|key, _| !key.ends_with("kubernetes.io/revision") && !key.starts_with("pv.kubernetes.io/"));
    }
    if let Some(spec) = object["spec"].as_object_mut() {
        spec.retain(|field, _| !["clusterIP", "clusterIPs", "volumeName", "nodeName"].contains(&field.as_str()));
    }
    if let Some(fields) = object.as_object_mut() {
        fields.remove("status");
    }
    if live.kind() == "Package" {
        let status = &live["status"];
        let told = ["Ready", "Healthy", "MeetsMinVolumeSize", "Upgrading"].map(|type_| condition(live, type_)["status"].clone());
        object["status"] = json!([status["phase"], status["installedVersion"], status["stopped"], told]);
    }
    object
}

impl Scenario for PackageScenario {
    fn name(&self) -> &str {
        self.name
    }

    // The cut after each request of an installation has a test of its own.
    fn one_in(&self) -> usize {
        3
    }

    // A growing volume is checked after ten seconds.
    fn poll(&self) -> Duration {
        Duration::from_secs(10)
    }

    fn pace(&self) -> Pace {
        Pace::HandWritten { writers: 1, events: 0 }
    }

    fn operator(&self) -> Operator {
        operator(Scripts::default())
    }

    async fn install(&self, cluster: &TestCluster) {
        cluster.install_crds(&self.operator()).await;
        cluster.apply(storage_class()).await;
    }

    fn before(&self, _: &str) -> Vec<ScenarioStep> {
        let mut steps = Vec::new();
        for version in ["1.0.0", "2.0.0"] {
            let mut described = descriptor("shop", version);
            described.accounts = vec![AccountProducer { producer: "users".to_owned(), optional: false }];
            described.extra_resources.insert("motd".to_owned(), [("text".to_owned(), "hello".to_owned())].into());
            steps.push(ScenarioStep::Create(described.to_map()));
        }
        if self.is_installed {
            steps.extend(install());
        }
        steps
    }

    fn steps(&self, _: &str) -> Vec<ScenarioStep> {
        (self.steps)()
    }

    // Packages own the descriptor of their version.
    fn may_write(&self, _: &[ScenarioStep], _: &Value) -> bool {
        true
    }

    async fn play_others(&self, hand: &Hand) -> Result<(), String> {
        play_storage(hand).await
    }

    async fn left(&self, hand: &Hand) -> Result<Vec<Value>, String> {
        left_of_packages(hand).await
    }

    fn comparable(&self, live: &Value, object: Value) -> Value {
        comparable_of_packages(live, object)
    }
}

// FLOW-03, TS-5, STEP-5
#[test]
fn an_installation_survives_all_disturbances() {
    survives(&PackageScenario { name: "the installation of a package", is_installed: false, steps: install });
}

// FLOW-03, FLOW-02, TS-5, STEP-5
#[test]
fn an_upgrade_survives_all_disturbances() {
    survives(&PackageScenario { name: "the upgrade of a package", is_installed: true, steps: upgrade });
}

// FLOW-03, FLOW-01, TS-5, STEP-5
#[test]
fn a_resize_survives_all_disturbances() {
    survives(&PackageScenario { name: "the resize of a package", is_installed: true, steps: resize });
}

// FLOW-03, TS-5, STEP-5
#[test]
fn a_removal_survives_all_disturbances() {
    survives(&PackageScenario { name: "the removal of a package", is_installed: true, steps: removal });
}
