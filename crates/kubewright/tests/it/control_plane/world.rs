//! A test cluster with the operator of the fixture, and its external systems.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kubewright::contract::ContractComponent;
use kubewright::prelude::*;
use kubewright_testing::{Calm, TestCluster, TestOperator};

use super::controllers::{Polling, operator};
use super::external::object_name;
use super::kinds::{ApiServer, DOMAIN};

/// The time limit of waits, which is longer than the timers of the components.
const PATIENCE: Duration = Duration::from_secs(120);

/// The name of the owner and of all components.
pub(super) const NAME: &str = "demo";

pub(super) struct World {
    pub(super) cluster: TestCluster,
    operator: Option<TestOperator>,
    _calm: Calm,
}

impl World {
    /// Starts a world with the controllers of the components alone; a test plays the owner.
    pub(super) async fn start() -> Self {
        let cluster = TestCluster::start().await;
        cluster.journal().keep_bodies(true);
        let calm = Calm::of(&cluster);
        // In real time, no test waits for half a minute.
        let interval = if cluster.is_embedded() { Polling::default().interval } else { Delay::secs::<1>() };
        let polling = Polling { interval, ..Polling::default() };
        let operator = cluster.run(operator(polling)).await;
        Self { cluster, operator: Some(operator), _calm: calm }
    }

    pub(super) async fn stop(mut self) {
        if let Some(operator) = self.operator.take() {
            operator.stop().await;
        }
        self.cluster.stop().await;
    }

    /// Creates a component as an owner would.
    pub(super) async fn create<T: ContractComponent>(&self, spec: Value) {
        let component = json!({
            "apiVersion": format!("{DOMAIN}/v1"), "kind": T::kind(&()),
            "metadata": { "name": NAME, "labels": { format!("{DOMAIN}/owner-generation"): "1" } },
            "spec": spec,
        });
        self.cluster.create(component).await.unwrap();
    }

    /// Creates an API server and waits until it is ready.
    pub(super) async fn create_api_server(&self) {
        self.create::<ApiServer>(json!({})).await;
        self.set("access", json!({ "phase": "Granted", "issued": "2026-01-01T00:00:00Z" })).await;
        let reconcile = json!({ "metadata": { "annotations": { format!("{DOMAIN}/operation"): "reconcile" } } });
        self.cluster.patch::<ApiServer>(NAME, reconcile).await;
        self.condition::<ApiServer>("Ready", "True", "Reconciled").await;
    }

    /// Sets fields of an external object, once it exists.
    pub(super) async fn set(&self, system: &str, data: Value) {
        let name = object_name(NAME, system);
        self.cluster.expect::<ConfigMap>(&name).to_exist().await;
        self.cluster.patch::<ConfigMap>(&name, json!({ "data": data })).await;
    }

    pub(super) async fn condition<T: ContractComponent>(&self, type_: &str, status: &str, reason: &str) -> Value {
        self.cluster.expect::<T>(NAME).within(PATIENCE).condition(type_, status, reason).await
    }

    pub(super) async fn ready<T: ContractComponent>(&self) -> Value {
        self.condition::<T>("Ready", "True", "Reconciled").await
    }

    /// Returns the number of passes of a component, from the page of the operator.
    pub(super) fn passes<T: ContractComponent>(&self) -> usize {
        let key = Key::new(self.cluster.namespace(), NAME);
        self.operator.as_ref().map_or(0, |operator| operator.running().why().of(&T::gvk().group_kind(), &key).len())
    }

    pub(super) async fn gone<T: ContractComponent>(&self) {
        self.cluster.expect::<T>(NAME).within(PATIENCE).to_be_gone().await;
    }

    /// Lets time pass in which nothing should happen: the whole time if it is virtual, a few seconds if it is real.
    pub(super) async fn idle(&self, time: Duration) {
        self.cluster.pass(if self.cluster.is_embedded() { time } else { time.min(Duration::from_secs(3)) }).await;
    }
}

/// Returns status and reason of a condition of an object.
pub(super) fn told_by(object: &Value, type_: &str) -> Option<(String, String)> {
    let found = object["status"]["conditions"].as_array()?.iter().find(|condition| condition["type"] == type_)?;
    Some((found["status"].as_str()?.to_owned(), found["reason"].as_str()?.to_owned()))
}
