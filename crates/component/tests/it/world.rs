//! A test cluster with an operator: in virtual time on the embedded server, in real time on others.

use std::time::Duration;

use kubewright::component::ComponentBuilder;
use kubewright::prelude::*;
use kubewright::runtime::admin::CheckKind;
use kubewright::runtime::clock::Random;
use kubewright::runtime::cluster::{ApiRequest, ApiResource, Cluster, ClusterOptions, PatchKind};
use kubewright_machinery::object::{GroupVersionKind, ObjectExt as _};
use kubewright_testing::{Calm, Faults, Journal, TestCluster, TestOperator};
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::leaks::{Watchman, pages};
use crate::types::{Bundle, Site, objects, site_objects};

pub(crate) const OPERATOR: &str = "bundle-operator.test.kubewright.dev";
/// The time that a test waits for an expected state.
const PATIENCE: Duration = Duration::from_secs(150);

pub(crate) struct World {
    pub(crate) cluster: TestCluster,
    pub(crate) requests: Cluster,
    operator: Option<TestOperator>,
    _calm: Calm,
}

/// Installs the layer that inspects all log lines. RUST_LOG=debug prints them; in the second test of a process the layer is already installed.
pub(crate) fn watch_logs() {
    let filter = tracing_subscriber::EnvFilter::from_default_env();
    let printed = tracing_subscriber::fmt::layer().with_test_writer().with_filter(filter);
    drop(tracing_subscriber::registry().with(printed).with(Watchman).try_init());
}

impl World {
    /// Starts a cluster without an operator.
    pub(crate) async fn new() -> Self {
        Self::on(TestCluster::start().await)
    }

    /// Creates a world on this cluster, without an operator.
    pub(crate) fn on(cluster: TestCluster) -> Self {
        watch_logs();
        cluster.journal().keep_bodies(true);
        let options = ClusterOptions::new(cluster.clock().clone(), Random::seeded(2), cluster.tasks().clone());
        let requests = Cluster::new(cluster.client().clone(), options);
        let calm = Calm::of(&cluster);
        Self { cluster, requests, operator: None, _calm: calm }
    }

    /// Starts a cluster with the operator of these tests.
    pub(crate) async fn start() -> Self {
        Self::start_with(|builder| builder).await
    }

    pub(crate) async fn start_with(configure: impl FnOnce(ComponentBuilder<Bundle>) -> ComponentBuilder<Bundle>) -> Self {
        let mut world = Self::new().await;
        world.run(configure).await;
        world
    }

    /// Starts the operator.
    pub(crate) async fn run(&mut self, configure: impl FnOnce(ComponentBuilder<Bundle>) -> ComponentBuilder<Bundle>) {
        let builder = configure(Operator::new(OPERATOR).component::<Bundle>(objects));
        self.operator = Some(self.cluster.run(builder).await);
    }

    /// Starts the operator without waiting until it works, for tests in which its requests fail.
    pub(crate) async fn start_operator(&mut self) {
        let builder = Operator::new(OPERATOR).component::<Bundle>(objects);
        self.operator = Some(self.cluster.start_operator(builder).await);
    }

    fn checks(&self) -> Vec<(String, Result<(), String>)> {
        self.operator.as_ref().map(|operator| operator.running().checks().results(CheckKind::Ready)).unwrap_or_default()
    }

    /// Returns the error of a check of readiness.
    pub(crate) fn unready(&self, check: &str) -> Option<String> {
        self.checks().into_iter().find(|(name, _)| name == check)?.1.err()
    }

    /// Returns true if all checks of readiness pass.
    pub(crate) fn is_ready(&self) -> bool {
        let checks = self.checks();
        !checks.is_empty() && checks.iter().all(|(_, result)| result.is_ok())
    }

    /// Starts another operator as the operator of this world.
    pub(crate) async fn run_other(&mut self, operator: impl Into<Operator>) {
        self.operator = Some(self.cluster.run(operator).await);
    }

    /// Starts an operator that has the rights of this user.
    pub(crate) async fn run_as(&mut self, operator: Operator, user: &str) {
        self.operator = Some(self.cluster.run_as(operator, user).await);
    }

    /// Returns the metrics of the operator as they are scraped.
    pub(crate) fn metrics(&self) -> String {
        self.operator.as_ref().map(|operator| operator.running().metrics().encode().unwrap_or_default()).unwrap_or_default()
    }

    /// Returns the pages of the operator's admin server.
    pub(crate) fn pages(&self) -> String {
        self.operator.as_ref().map(|operator| pages(operator.running())).unwrap_or_default()
    }

    /// Starts an operator of Sites as the operator of this world.
    pub(crate) async fn run_sites(&mut self) {
        let builder = Operator::new("site-operator.test.kubewright.dev").component::<Site>(site_objects);
        self.operator = Some(self.cluster.run(builder).await);
    }

    /// Ends the operator as if its process had been killed.
    pub(crate) async fn kill(&mut self) {
        if let Some(operator) = self.operator.take() {
            operator.kill().await;
        }
    }

    /// Ends the operator before another cluster that it uses.
    pub(crate) async fn kill_and_stop(mut self, other: TestCluster) {
        self.kill().await;
        other.stop().await;
    }

    pub(crate) fn namespace(&self) -> &str {
        self.cluster.namespace()
    }

    /// Returns the requests of the operator.
    pub(crate) fn journal(&self) -> &Journal {
        self.cluster.journal()
    }

    /// Returns the faults in the requests of the operator.
    pub(crate) fn faults(&self) -> &Faults {
        self.cluster.faults()
    }

    pub(crate) async fn pass(&self, time: Duration) {
        self.cluster.pass(time).await;
    }

    /// Lets time pass in which nothing should happen: the whole time if it is virtual, a few seconds if it is real.
    pub(crate) async fn idle(&self, time: Duration) {
        let longest = if self.cluster.is_embedded() { time } else { Duration::from_secs(4) };
        self.pass(time.min(longest)).await;
    }

    async fn resource(&self, object: &Value) -> ApiResource {
        // Discovery of a real server lists a type a little later than its definition.
        self.until_served(object).await;
        let gvk = object.gvk().unwrap();
        (*self.requests.discovery().require(&gvk).await.unwrap()).clone()
    }

    fn namespace_of<'a>(&'a self, resource: &ApiResource, object: &'a Value) -> &'a str {
        match object.namespace() {
            "" if resource.namespaced => self.namespace(),
            namespace => namespace,
        }
    }

    pub(crate) async fn create(&self, object: &Value) -> Value {
        self.try_create(object).await.unwrap()
    }

    /// Creates an object that is not stored until the answer is as described.
    pub(crate) async fn until_created(&self, object: &Value, what: &str, holds: impl Fn(&Value) -> bool) {
        let deadline = self.deadline();
        loop {
            let answer = self.create(object).await;
            if holds(&answer) {
                return;
            }
            assert!(self.cluster.clock().moment().0 < deadline, "expected to be {what}: {answer:#}");
            self.pause().await;
        }
    }

    /// Returns the answer of the server to the creation of an object, or the error with which it refuses the object.
    pub(crate) async fn try_create(&self, object: &Value) -> Result<Value, String> {
        let resource = self.resource(object).await;
        let mut object = object.clone();
        if resource.namespaced && object.namespace().is_empty() {
            object["metadata"]["namespace"] = self.namespace().into();
        }
        self.requests.send(&ApiRequest::create(&resource, &object)).await.map_err(|error| error.to_string())
    }

    /// Creates or changes a component.
    pub(crate) async fn set(&self, component: &Value) -> Value {
        match self.get(component).await {
            None => self.create(component).await,
            Some(_) => self.patch(component, json!({ "spec": component["spec"] })).await,
        }
    }

    pub(crate) async fn patch(&self, object: &Value, patch: Value) -> Value {
        let resource = self.resource(object).await;
        let namespace = self.namespace_of(&resource, object);
        let request = ApiRequest::patch(&resource, namespace, object.name(), PatchKind::Merge, &patch);
        self.requests.send(&request).await.unwrap()
    }

    /// Sends a forced apply of another program.
    pub(crate) async fn apply_as(&self, manager: &str, object: &Value) -> Value {
        let resource = self.resource(object).await;
        let namespace = self.namespace_of(&resource, object);
        let request = ApiRequest::patch(&resource, namespace, object.name(), PatchKind::Apply, object);
        self.requests.send(&request.field_manager(manager).force()).await.unwrap()
    }

    /// Sends a JSON patch of another program.
    pub(crate) async fn edit_as(&self, manager: &str, object: &Value, patch: Value) -> Value {
        let resource = self.resource(object).await;
        let namespace = self.namespace_of(&resource, object);
        let request = ApiRequest::patch(&resource, namespace, object.name(), PatchKind::Json, &patch);
        self.requests.send(&request.field_manager(manager)).await.unwrap()
    }

    /// Changes the number of replicas as another program, through the subresource.
    pub(crate) async fn scale_as(&self, manager: &str, object: &Value, replicas: u32) {
        let resource = self.resource(object).await;
        let namespace = self.namespace_of(&resource, object);
        let patch = json!({ "spec": { "replicas": replicas } });
        let request = ApiRequest::patch(&resource, namespace, object.name(), PatchKind::Merge, &patch);
        self.requests.send(&request.subresource("scale").field_manager(manager)).await.unwrap();
    }

    /// Returns the messages of a condition in all statuses that the operator wrote of a component.
    pub(crate) fn told(&self, name: &str, kind: &str) -> Vec<String> {
        let records = self.journal().all().of("test.kubewright.dev", "bundles").subresource("status").named(name);
        let messages = records.iter().filter_map(|record| {
            let body = record.body.as_ref()?;
            Some(condition(body, kind)?["message"].as_str()?.to_owned())
        });
        messages.collect()
    }

    /// Patches an object that may be gone.
    pub(crate) async fn patch_if_there(&self, object: &Value, patch: Value) {
        let resource = self.resource(object).await;
        let namespace = self.namespace_of(&resource, object);
        let request = ApiRequest::patch(&resource, namespace, object.name(), PatchKind::Merge, &patch);
        match self.requests.send(&request).await {
            Err(error) if !error.is_not_found() => panic!("patch {}: {error}", object.title()),
            _ => {}
        }
    }

    /// Makes all pods of the namespace ready.
    pub(crate) async fn recover_pods(&self) {
        let gvk = GroupVersionKind::new("", "v1", "Pod");
        let resource = self.requests.discovery().require(&gvk).await.unwrap();
        let list = self.requests.send(&ApiRequest::list(&resource, Some(self.namespace()))).await.unwrap();
        for pod in list["items"].as_array().unwrap() {
            let mut pod = pod.clone();
            pod["apiVersion"] = "v1".into();
            pod["kind"] = "Pod".into();
            let ready = json!({ "metadata": { "annotations": { "testing.kubewright.dev/outcome": "ready" } } });
            self.patch(&pod, ready).await;
        }
    }

    pub(crate) async fn patch_status(&self, object: &Value, status: Value) -> Value {
        let resource = self.resource(object).await;
        let patch = json!({ "status": status });
        let namespace = self.namespace_of(&resource, object);
        let request = ApiRequest::patch(&resource, namespace, object.name(), PatchKind::Merge, &patch);
        self.requests.send(&request.subresource("status")).await.unwrap()
    }

    /// Waits until the kind of an object is served.
    pub(crate) async fn until_served(&self, object: &Value) {
        let deadline = self.deadline();
        let gvk = object.gvk().unwrap();
        while self.requests.discovery().resolve_gvk(&gvk).await.unwrap().is_none() {
            let is_in_time = self.cluster.clock().moment().0 < deadline;
            assert!(is_in_time, "expected {} to be served; discovery does not list {gvk:?}", object.title());
            self.pass(Duration::from_millis(1100)).await;
        }
    }

    /// Plays the controller of a Deployment, all of whose replicas are ready.
    pub(crate) async fn play_deployment(&self, object: &Value) {
        let live = self.get(object).await.unwrap();
        let replicas = live["spec"]["replicas"].clone();
        let condition =
            |kind: &str, reason: &str| json!({ "type": kind, "status": "True", "reason": reason, "message": "played" });
        let status = json!({
            "observedGeneration": live["metadata"]["generation"], "replicas": replicas, "updatedReplicas": replicas,
            "readyReplicas": replicas, "availableReplicas": replicas, "unavailableReplicas": null,
            "conditions": [condition("Available", "MinimumReplicasAvailable"), condition("Progressing", "NewReplicaSetAvailable")],
        });
        self.patch_status(&live, status).await;
    }

    /// Plays the controller of an object, once the object exists.
    pub(crate) async fn observe(&self, object: &Value) {
        self.until_present(object).await;
        self.cluster.observe(&kind_of(object), object.name(), true).await;
    }

    /// Removes the finalizers of an object.
    pub(crate) async fn finalize(&self, object: &Value) {
        self.cluster.finalize(&kind_of(object), object.name()).await;
    }

    pub(crate) async fn delete(&self, object: &Value) {
        let resource = self.resource(object).await;
        let namespace = self.namespace_of(&resource, object);
        self.requests.send(&ApiRequest::delete(&resource, namespace, object.name())).await.unwrap();
    }

    pub(crate) async fn get(&self, object: &Value) -> Option<Value> {
        let gvk = object.gvk().unwrap();
        let resource = self.requests.discovery().resolve_gvk(&gvk).await.unwrap()?;
        let request = ApiRequest::get(&resource, self.namespace_of(&resource, object), object.name());
        match self.requests.send(&request).await {
            Ok(object) => Some(object),
            Err(error) if error.is_not_found() => None,
            Err(error) => panic!("get {}: {error}", object.title()),
        }
    }

    pub(crate) async fn component(&self, name: &str) -> Option<Value> {
        self.get(&crate::types::bundle(name, &[])).await
    }

    /// Returns all events of the test's namespace.
    pub(crate) async fn all_events(&self) -> Vec<Value> {
        let gvk = GroupVersionKind::new("events.k8s.io", "v1", "Event");
        let resource = self.requests.discovery().require(&gvk).await.unwrap();
        let list = self.requests.send(&ApiRequest::list(&resource, Some(self.namespace()))).await.unwrap();
        list["items"].as_array().unwrap().clone()
    }

    /// Returns the notes of all events of the test's namespace with this reason.
    pub(crate) async fn events(&self, reason: &str) -> Vec<String> {
        let events = self.all_events().await;
        let of_reason = events.iter().filter(|event| event["reason"] == reason);
        of_reason.map(|event| event["note"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Returns the namespace of the test.
    pub(crate) fn own_namespace(&self) -> Value {
        json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": self.namespace() } })
    }

    /// Returns the last requests of the operator, as text.
    pub(crate) fn last_requests(&self) -> Vec<String> {
        self.journal().all().iter().rev().take(25).rev().map(ToString::to_string).collect()
    }

    pub(crate) fn deadline(&self) -> Duration {
        self.cluster.clock().moment().0 + PATIENCE
    }

    pub(crate) async fn pause(&self) {
        self.pass(Duration::from_millis(20)).await;
    }

    /// Returns every status written by the operator that changed the inventory, oldest first: the items' phases by name.
    pub(crate) fn persisted(&self, name: &str) -> Vec<Vec<(String, String)>> {
        let records = self.journal().all().of("test.kubewright.dev", "bundles").subresource("status").named(name);
        let inventories = records.iter().filter_map(|record| {
            let items = record.body.as_ref()?["status"]["inventory"].as_array()?.clone();
            let text = |item: &Value, key: &str| item[key].as_str().unwrap_or_default().to_owned();
            Some(items.iter().map(|item| (text(item, "name"), text(item, "phase"))).collect())
        });
        inventories.collect()
    }
}

fn kind_of(object: &Value) -> kube::core::GroupVersionKind {
    let gvk = object.gvk().unwrap();
    kube::core::GroupVersionKind::gvk(&gvk.group, &gvk.version, &gvk.kind)
}

/// Returns the reason of the Ready condition.
pub(crate) fn reason_of(component: &Value) -> &str {
    condition(component, "Ready").and_then(|condition| condition["reason"].as_str()).unwrap_or_default()
}

/// Returns the message of the Ready condition.
pub(crate) fn message_of(component: &Value) -> &str {
    condition(component, "Ready").and_then(|condition| condition["message"].as_str()).unwrap_or_default()
}

pub(crate) fn condition<'a>(component: &'a Value, kind: &str) -> Option<&'a Value> {
    component["status"]["conditions"].as_array()?.iter().find(|condition| condition["type"] == kind)
}

/// Returns true if the status is about the present spec.
pub(crate) fn is_seen(component: &Value) -> bool {
    component["status"]["observedGeneration"] == component["metadata"]["generation"]
}

/// Returns name, phase and status of each item of the inventory, sorted.
pub(crate) fn inventory(component: &Value) -> Vec<(&str, &str, &str)> {
    let items = component["status"]["inventory"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut found: Vec<_> = items
        .iter()
        .map(|item| {
            (
                item["name"].as_str().unwrap_or_default(),
                item["phase"].as_str().unwrap_or_default(),
                item["status"].as_str().unwrap_or_default(),
            )
        })
        .collect();
    found.sort_unstable();
    found
}

/// Returns phase and health of an item of the inventory.
pub(crate) fn item<'a>(component: &'a Value, kind: &str, name: &str) -> Option<(&'a str, &'a str)> {
    let items = component["status"]["inventory"].as_array()?;
    let item = items.iter().find(|item| item["kind"] == kind && item["name"] == name)?;
    Some((item["phase"].as_str().unwrap_or_default(), item["status"].as_str().unwrap_or_default()))
}

/// Returns true if an object carries no owner marks.
pub(crate) fn is_unowned(object: &Value) -> bool {
    let key = format!("{OPERATOR}/owner-id");
    object["metadata"]["labels"].get(&key).is_none()
        && object["metadata"]["annotations"].get(&key).is_none()
        && object["metadata"]["annotations"].get(format!("{OPERATOR}/digest")).is_none()
}
