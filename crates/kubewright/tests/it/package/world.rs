//! A test cluster with an operator of packages.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::PersistentVolumeClaim;
use k8s_openapi::api::events::v1::Event;
use kubewright::machinery::object::GroupKind;
use kubewright::prelude::*;
use kubewright_testing::fixtures::package::{
    Descriptor, Package, PackageSpec, PackageVolume, Script, ScriptFailed, ScriptRunner, Scripts, operator,
};
use kubewright_testing::{Calm, TestCluster, TestOperator};
use parking_lot::Mutex;

/// Scripts that are recorded, and that fail when a test requests it.
#[derive(Clone, Default)]
pub(crate) struct PlayedScripts {
    runs: Arc<Mutex<Vec<String>>>,
    failing: Arc<Mutex<Option<Script>>>,
}

impl PlayedScripts {
    /// Returns the runs so far, such as `PreUpgrade 2.0.0`.
    pub(crate) fn runs(&self) -> Vec<String> {
        self.runs.lock().clone()
    }

    /// Makes this script fail from now on, and no other.
    pub(crate) fn fail(&self, script: Option<Script>) {
        *self.failing.lock() = script;
    }
}

impl ScriptRunner for PlayedScripts {
    fn run<'a>(&'a self, script: Script, _: &'a Key, version: &'a str) -> BoxFuture<'a, Result<(), ScriptFailed>> {
        let is_failing = *self.failing.lock() == Some(script);
        if !is_failing {
            self.runs.lock().push(format!("{script:?} {version}"));
        }
        Box::pin(async move { if is_failing { Err(ScriptFailed { code: 3 }) } else { Ok(()) } })
    }
}

/// Returns the specification of the package `shop`.
pub(crate) fn shop() -> PackageSpec {
    PackageSpec {
        name: "shop".to_owned(),
        version: "1.0.0".to_owned(),
        configuration: BTreeMap::from([("theme".to_owned(), "dark".to_owned())]),
        sensitive: BTreeMap::from([("password".to_owned(), "secret".to_owned())]),
        ..PackageSpec::default()
    }
}

/// Returns the descriptor of a version of a package without requirements.
pub(crate) fn descriptor(name: &str, version: &str) -> Descriptor {
    Descriptor { name: name.to_owned(), version: version.to_owned(), ..Descriptor::default() }
}

pub(crate) struct PackageWorld {
    pub(crate) cluster: TestCluster,
    pub(crate) scripts: PlayedScripts,
    operator: Option<TestOperator>,
    _calm: Calm,
}

impl PackageWorld {
    pub(crate) async fn start() -> Self {
        let cluster = TestCluster::start().await;
        cluster.journal().keep_bodies(true);
        let (calm, scripts) = (Calm::of(&cluster), PlayedScripts::default());
        let running = cluster.run(operator(Scripts::new(scripts.clone()))).await;
        Self { cluster, scripts, operator: Some(running), _calm: calm }
    }

    /// Kills the operator and starts another one.
    pub(crate) async fn restart(&mut self) {
        self.kill().await;
        self.operator = Some(self.cluster.run(operator(Scripts::new(self.scripts.clone()))).await);
    }

    /// Changes the specification of a package, ends the operator after a number of further requests, and starts the next process. Returns false
    /// if the operator sends no more than these; then none is running any more.
    pub(crate) async fn change_and_restart_after(&mut self, requests: u64, name: &str, spec: Value) -> bool {
        let Some(first) = self.operator.take() else { return false };
        let cut = self.cluster.cut_after(requests);
        self.change(name, spec).await;
        self.operator = cut.restarted(first, operator(Scripts::new(self.scripts.clone()))).await;
        self.operator.is_some()
    }

    /// Kills the operator.
    pub(crate) async fn kill(&mut self) {
        if let Some(operator) = self.operator.take() {
            operator.kill().await;
        }
    }

    pub(crate) async fn stop(mut self) {
        if let Some(operator) = self.operator.take() {
            operator.stop().await;
        }
        self.cluster.stop().await;
    }

    /// Adds a descriptor to the registry of images.
    pub(crate) async fn publish(&self, descriptor: &Descriptor) {
        self.cluster.apply(descriptor.to_map()).await;
    }

    /// Creates a package with the name in its specification.
    pub(crate) async fn create(&self, spec: PackageSpec) {
        let name = spec.name.clone();
        self.cluster.apply(Package::new(&name, spec)).await;
    }

    /// Installs the package `shop`, and waits until it is ready.
    pub(crate) async fn install(&self, spec: PackageSpec) -> Value {
        self.publish(&descriptor(&spec.name, &spec.version)).await;
        let name = spec.name.clone();
        let size = spec.volume.as_ref().map(|volume| volume.size.clone());
        self.create(spec).await;
        if let Some(size) = size {
            self.bind(&name, &size).await;
        }
        self.settled(&name).await
    }

    /// Waits until a package is completely processed.
    pub(crate) async fn settled(&self, name: &str) -> Value {
        let wanted = self.cluster.get::<Package>(name).await.unwrap_or_default()["spec"]["version"].clone();
        let is_settled = move |package: &Value| package["status"]["installedVersion"] == wanted;
        self.cluster.expect::<Package>(name).ready().await;
        self.cluster.expect::<Package>(name).within(self.patience()).matching("it has the wanted version", is_settled).await
    }

    /// Returns the time limit of an operation that takes several polls.
    pub(crate) fn patience(&self) -> Duration {
        Duration::from_secs(if self.cluster.is_embedded() { 120 } else { 170 })
    }

    /// Returns a volume of a class whose volumes can grow.
    pub(crate) async fn volume(&self, size: &str) -> PackageVolume {
        self.cluster.apply(storage_class()).await;
        PackageVolume { size: size.to_owned(), storage_class: Some(CLASS.to_owned()) }
    }

    /// Plays the storage: binds the claim with this capacity.
    pub(crate) async fn bind(&self, claim: &str, capacity: &str) {
        self.cluster.expect::<PersistentVolumeClaim>(claim).to_exist().await;
        let status = json!({ "phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": { "storage": capacity } });
        self.cluster.patch_status::<PersistentVolumeClaim>(claim, status).await;
    }

    /// Changes the specification of a package.
    pub(crate) async fn change(&self, name: &str, spec: Value) {
        self.cluster.patch::<Package>(name, json!({ "spec": spec })).await;
    }

    /// Waits until the package is not ready, for this reason, and returns the message.
    pub(crate) async fn halted(&self, name: &str, reason: &str) -> String {
        let wanted = reason.to_owned();
        let is_halted = move |package: &Value| {
            let ready = condition(package, "Ready");
            ready["status"] == "False" && ready["reason"] == *wanted
        };
        let what = format!("it is not ready: {reason}");
        let package = self.cluster.expect::<Package>(name).within(self.patience()).matching(&what, is_halted).await;
        condition(&package, "Ready")["message"].as_str().unwrap_or_default().to_owned()
    }

    /// Waits for an event whose type, reason and note begin with this.
    pub(crate) async fn told(&self, begin: &str) {
        let deadline = self.cluster.clock().moment() + self.patience();
        loop {
            let events = self.cluster.list::<Event>().await;
            let text = |event: &Value, field: &str| event[field].as_str().unwrap_or_default().to_owned();
            let told = |event: &Value| format!("{} {} {}", text(event, "type"), text(event, "reason"), text(event, "note"));
            let told: Vec<String> = events.iter().map(told).collect();
            if told.iter().any(|told| told.starts_with(begin)) {
                return;
            }
            assert!(self.cluster.clock().moment() < deadline, "expected an event {begin:?}: {told:#?}");
            self.cluster.pass(Duration::from_millis(50)).await;
        }
    }

    /// Returns the outcomes of the passes of a package that ended in this step.
    pub(crate) fn ended_in(&self, name: &str, step: &str) -> Vec<String> {
        let (key, kind) = (Key::new(self.cluster.namespace(), name), GroupKind::new("fixtures.kubewright.dev", "Package"));
        let passes = self.operator.as_ref().map(|operator| operator.running().why().of(&kind, &key)).unwrap_or_default();
        let passes = passes.iter().map(|pass| pass.to_json()).filter(|pass| pass["step"] == step);
        passes.map(|pass| pass["outcome"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Returns the value of a metric of the operator.
    pub(crate) fn metric(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        self.operator.as_ref().and_then(|operator| operator.metric(name, labels))
    }

    /// Lets time pass in which nothing should happen: the whole time if it is virtual, a few seconds if it is real.
    pub(crate) async fn idle(&self, time: Duration) {
        let longest = if self.cluster.is_embedded() { time } else { Duration::from_secs(4) };
        self.cluster.pass(time.min(longest)).await;
    }

    /// Returns the writes of the operator, without events, such as `patch packages/status shop`.
    pub(crate) fn writes(&self) -> Vec<String> {
        let writes = self.cluster.journal().all().writes();
        let writes = writes.filter(|record| record.target.resource().is_none_or(|of| of.resource != "events"));
        writes.iter().map(ToString::to_string).collect()
    }

    /// Waits until the Deployment of a package satisfies the predicate, and returns it.
    pub(crate) async fn deployment(&self, name: &str, what: &str, predicate: impl Fn(&Value) -> bool) -> Value {
        self.cluster.expect::<Deployment>(name).within(self.patience()).matching(what, predicate).await
    }
}

/// The class whose volumes can grow.
pub(crate) const CLASS: &str = "fixtures-expandable";

/// Returns the class whose volumes can grow. It has no provisioner: tests play the storage.
pub(crate) fn storage_class() -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": { "name": CLASS },
        "provisioner": "fixtures.kubewright.dev/none", "allowVolumeExpansion": true,
    })
}

/// Returns a condition of an object, or null if it has none of the type.
pub(crate) fn condition(object: &Value, type_: &str) -> Value {
    let mut conditions = object["status"]["conditions"].as_array().into_iter().flatten();
    conditions.find(|condition| condition["type"] == type_).cloned().unwrap_or_default()
}

/// Returns the container of the workload.
pub(crate) fn workload(deployment: &Value) -> Value {
    let mut containers = deployment["spec"]["template"]["spec"]["containers"].as_array().into_iter().flatten();
    containers.find(|container| container["name"] == "workload").cloned().unwrap_or_default()
}
