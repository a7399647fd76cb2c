//! An embedded API server with an operator, in virtual time.

use std::time::Duration;

use jiff::Timestamp;
use kubewright::component::ComponentBuilder;
use kubewright::prelude::*;
use kubewright::runtime::clock::{Clock, Random};
use kubewright::runtime::cluster::{ApiRequest, ApiResource, Cluster, ClusterOptions, PatchKind};
use kubewright::runtime::operator::RunningOperator;
use kubewright::runtime::task::Tasks;
use kubewright_apiserver::middleware::Journal;
use kubewright_apiserver::server::ApiServerBuilder;
use kubewright_apiserver::{ApiServer, Identity};
use kubewright_machinery::object::{GroupVersionKind, ObjectExt as _};

use crate::types::{Bundle, objects};

pub(crate) const OPERATOR: &str = "bundle-operator.test.kubewright.dev";
const EPOCH: i64 = 1_800_000_000;
/// How long a test waits for what it expects, in virtual time.
const PATIENCE: Duration = Duration::from_secs(180);

pub(crate) struct World {
    pub(crate) server: ApiServer,
    cluster: Cluster,
    clock: Clock,
    operator: Option<RunningOperator>,
    starts: u64,
}

impl World {
    /// A server without an operator.
    pub(crate) fn new(configure: impl FnOnce(ApiServerBuilder) -> ApiServerBuilder) -> Self {
        // RUST_LOG=debug shows what an operator does; the second test of a process finds it set up.
        let filter = tracing_subscriber::EnvFilter::from_default_env();
        drop(tracing_subscriber::fmt().with_env_filter(filter).with_test_writer().try_init());
        let epoch = Timestamp::from_second(EPOCH).unwrap();
        let crd = kubewright::component::custom_resource_definition::<Bundle>().unwrap();
        let server = configure(ApiServer::builder().epoch(epoch).seed(7)).crds([crd]).build().unwrap();
        let clock = Clock::virtual_from(epoch);
        let options = ClusterOptions::new(clock.clone(), Random::seeded(2), Tasks::new());
        let cluster = Cluster::new(server.client(Identity::user("tester").with_group("system:masters")), options);
        Self { server, cluster, clock, operator: None, starts: 0 }
    }

    /// A server with the operator of these tests.
    pub(crate) async fn start() -> Self {
        Self::start_with(|server| server, |builder| builder).await
    }

    pub(crate) async fn start_with(
        server: impl FnOnce(ApiServerBuilder) -> ApiServerBuilder,
        operator: impl FnOnce(ComponentBuilder<Bundle>) -> ComponentBuilder<Bundle>,
    ) -> Self {
        let mut world = Self::new(server);
        world.run(operator).await;
        world
    }

    /// Starts the operator; what it logs in the journal is the user `operator`'s.
    pub(crate) async fn run(&mut self, configure: impl FnOnce(ComponentBuilder<Bundle>) -> ComponentBuilder<Bundle>) {
        self.starts += 1;
        let operator: Operator = configure(Operator::new(OPERATOR).component::<Bundle>(objects)).into();
        let operator = operator.clock(self.clock.clone()).random(Random::seeded(self.starts));
        let client = self.server.client(Identity::user("operator").with_group("system:masters"));
        let running = operator.start(client).unwrap();
        running.working().await.unwrap();
        self.operator = Some(running);
    }

    /// Ends the operator as if its process had been killed.
    pub(crate) async fn kill(&mut self) {
        if let Some(operator) = self.operator.take() {
            operator.kill().await;
        }
    }

    pub(crate) fn journal(&self) -> &Journal {
        self.server.journal()
    }

    pub(crate) async fn pass(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    async fn resource(&self, object: &Value) -> ApiResource {
        let gvk = object.gvk().unwrap();
        (*self.cluster.discovery().require(&gvk).await.unwrap()).clone()
    }

    pub(crate) async fn create(&self, object: &Value) -> Value {
        let resource = self.resource(object).await;
        let mut object = object.clone();
        if resource.namespaced && object.namespace().is_empty() {
            object["metadata"]["namespace"] = "default".into();
        }
        self.cluster.send(&ApiRequest::create(&resource, &object)).await.unwrap()
    }

    /// The error with which the server refuses an object.
    pub(crate) async fn try_create(&self, object: &Value) -> Result<Value, String> {
        let resource = self.resource(object).await;
        self.cluster.send(&ApiRequest::create(&resource, object)).await.map_err(|error| error.to_string())
    }

    /// Creates or changes a component.
    pub(crate) async fn set(&self, component: &Value) -> Value {
        match self.component(component.name()).await {
            None => self.create(component).await,
            Some(_) => self.patch(component, json!({ "spec": component["spec"] })).await,
        }
    }

    pub(crate) async fn patch(&self, object: &Value, patch: Value) -> Value {
        let resource = self.resource(object).await;
        let namespace = namespace_of(&resource, object);
        let request = ApiRequest::patch(&resource, namespace, object.name(), PatchKind::Merge, &patch);
        self.cluster.send(&request).await.unwrap()
    }

    pub(crate) async fn patch_status(&self, object: &Value, status: Value) -> Value {
        let resource = self.resource(object).await;
        let patch = json!({ "status": status });
        let request = ApiRequest::patch(&resource, namespace_of(&resource, object), object.name(), PatchKind::Merge, &patch);
        self.cluster.send(&request.subresource("status")).await.unwrap()
    }

    pub(crate) async fn delete(&self, object: &Value) {
        let resource = self.resource(object).await;
        self.cluster.send(&ApiRequest::delete(&resource, namespace_of(&resource, object), object.name())).await.unwrap();
    }

    pub(crate) async fn get(&self, object: &Value) -> Option<Value> {
        let gvk = object.gvk().unwrap();
        let resource = self.cluster.discovery().resolve_gvk(&gvk).await.unwrap()?;
        let request = ApiRequest::get(&resource, namespace_of(&resource, object), object.name());
        match self.cluster.send(&request).await {
            Ok(object) => Some(object),
            Err(error) if error.is_not_found() => None,
            Err(error) => panic!("get {}: {error}", object.title()),
        }
    }

    pub(crate) async fn component(&self, name: &str) -> Option<Value> {
        self.get(&crate::types::bundle(name, &[])).await
    }

    /// All events on components, oldest first: reason and note.
    pub(crate) async fn events(&self, reason: &str) -> Vec<String> {
        let gvk = GroupVersionKind::new("events.k8s.io", "v1", "Event");
        let resource = self.cluster.discovery().require(&gvk).await.unwrap();
        let list = self.cluster.send(&ApiRequest::list(&resource, None)).await.unwrap();
        let events = list["items"].as_array().unwrap();
        let of_reason = events.iter().filter(|event| event["reason"] == reason);
        of_reason.map(|event| event["note"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Waits until the component is as described; panics with its last state.
    pub(crate) async fn until(&self, name: &str, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let deadline = self.clock.moment().0 + PATIENCE;
        loop {
            let component = self.component(name).await;
            if let Some(component) = &component
                && holds(component)
            {
                return component.clone();
            }
            if self.clock.moment().0 > deadline {
                let status = component.as_ref().and_then(|component| component.get("status"));
                panic!("expected component {name} to be {what}; it is {status:#?}");
            }
            self.pass(Duration::from_millis(20)).await;
        }
    }

    pub(crate) async fn until_state(&self, name: &str, state: &str, reason: &str) -> Value {
        let holds =
            |component: &Value| component["status"]["state"] == state && reason_of(component) == reason && is_seen(component);
        self.until(name, &format!("{state}/{reason}"), holds).await
    }

    pub(crate) async fn until_ready(&self, name: &str) -> Value {
        self.until_state(name, "Ready", "Ready").await
    }

    pub(crate) async fn until_gone(&self, object: &Value) {
        let deadline = self.clock.moment().0 + PATIENCE;
        while let Some(present) = self.get(object).await {
            assert!(self.clock.moment().0 < deadline, "expected {} to be gone; it is {present:#?}", object.title());
            self.pass(Duration::from_millis(20)).await;
        }
    }

    pub(crate) async fn until_present(&self, object: &Value) -> Value {
        let deadline = self.clock.moment().0 + PATIENCE;
        loop {
            if let Some(present) = self.get(object).await {
                return present;
            }
            assert!(self.clock.moment().0 < deadline, "expected {} to exist", object.title());
            self.pass(Duration::from_millis(20)).await;
        }
    }
}

fn namespace_of<'a>(resource: &ApiResource, object: &'a Value) -> &'a str {
    match object.namespace() {
        "" if resource.namespaced => "default",
        namespace => namespace,
    }
}

/// The reason of the Ready condition.
pub(crate) fn reason_of(component: &Value) -> &str {
    condition(component, "Ready").and_then(|condition| condition["reason"].as_str()).unwrap_or_default()
}

pub(crate) fn condition<'a>(component: &'a Value, kind: &str) -> Option<&'a Value> {
    component["status"]["conditions"].as_array()?.iter().find(|condition| condition["type"] == kind)
}

/// Whether the status is about the present spec.
pub(crate) fn is_seen(component: &Value) -> bool {
    component["status"]["observedGeneration"] == component["metadata"]["generation"]
}

/// Phase and health of an item of the inventory.
pub(crate) fn item<'a>(component: &'a Value, kind: &str, name: &str) -> Option<(&'a str, &'a str)> {
    let items = component["status"]["inventory"].as_array()?;
    let item = items.iter().find(|item| item["kind"] == kind && item["name"] == name)?;
    Some((item["phase"].as_str().unwrap_or_default(), item["status"].as_str().unwrap_or_default()))
}
