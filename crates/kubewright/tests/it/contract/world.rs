//! A test cluster with an operator of all components of a platform.

use std::time::Duration;

use kubewright::core::time::Moment;
use kubewright::prelude::*;
use kubewright_testing::{Calm, TestCluster, TestOperator};

use super::platform::{ApiServer, Authentication, DOMAIN, Landscaper, Script, operator};

/// The name of all components.
pub(super) const NAME: &str = "demo";

pub(super) struct World {
    pub(super) cluster: TestCluster,
    pub(super) script: Script,
    operator: TestOperator,
    _calm: Calm,
}

/// A kind of component.
pub(super) trait Kind: kubewright::contract::ContractComponent {}

impl Kind for ApiServer {}
impl Kind for Authentication {}
impl Kind for Landscaper {}

impl World {
    pub(super) async fn start() -> Self {
        let script = Script::default();
        let operator = operator(&script);
        Self::start_operator(script, operator).await
    }

    pub(super) async fn start_operator(script: Script, operator: Operator) -> Self {
        let cluster = TestCluster::start().await;
        cluster.journal().keep_bodies(true);
        let calm = Calm::of(&cluster);
        let operator = cluster.run(operator).await;
        Self { cluster, script, operator, _calm: calm }
    }

    pub(super) async fn stop(self) {
        self.operator.stop().await;
    }

    /// Returns a component as the owner's controller would create it.
    pub(super) fn component<K: Kind>(&self) -> Value {
        json!({
            "apiVersion": format!("{DOMAIN}/v1"), "kind": K::kind(&()),
            "metadata": {
                "name": NAME, "namespace": self.cluster.namespace(), "labels": { format!("{DOMAIN}/owner-generation"): "1" },
            },
            "spec": { "size": 1 },
        })
    }

    pub(super) async fn create<K: Kind>(&self) -> Value {
        self.cluster.create(self.component::<K>()).await.unwrap()
    }

    /// Creates the components in this order, each when the previous one is ready.
    pub(super) async fn create_all(&self) {
        self.create::<ApiServer>().await;
        self.ready::<ApiServer>().await;
        self.create::<Authentication>().await;
        self.ready::<Authentication>().await;
        self.create::<Landscaper>().await;
        self.ready::<Landscaper>().await;
    }

    pub(super) async fn ready<K: Kind>(&self) -> Value {
        self.condition::<K>("Ready", "True", "Reconciled").await
    }

    pub(super) async fn condition<K: Kind>(&self, type_: &str, status: &str, reason: &str) -> Value {
        self.cluster.expect::<K>(NAME).condition(type_, status, reason).await
    }

    pub(super) async fn get<K: Kind>(&self) -> Option<Value> {
        self.cluster.get::<K>(NAME).await
    }

    pub(super) async fn patch<K: Kind>(&self, patch: Value) -> Value {
        self.cluster.patch::<K>(NAME, patch).await
    }

    pub(super) async fn annotate<K: Kind>(&self, key: &str, value: Value) {
        self.patch::<K>(json!({ "metadata": { "annotations": { format!("{DOMAIN}/{key}"): value } } })).await;
    }

    pub(super) async fn delete<K: Kind>(&self) {
        self.cluster.delete::<K>(NAME).await;
    }

    pub(super) async fn gone<K: Kind>(&self) {
        self.cluster.expect::<K>(NAME).to_be_gone().await;
    }

    /// Lets time pass in which nothing should happen: the whole time if it is virtual, a few seconds if it is real.
    pub(super) async fn idle(&self, seconds: u64) {
        let time = Duration::from_secs(seconds);
        self.cluster.pass(if self.cluster.is_embedded() { time } else { time.min(Duration::from_secs(4)) }).await;
    }

    pub(super) fn now(&self) -> Moment {
        self.cluster.clock().moment()
    }

    /// Waits until a method was called this number of times.
    pub(super) async fn called(&self, method: &str, times: usize) {
        let script = &self.script;
        let what = || format!("{method} is called {times} times; calls: {:?}", script.calls());
        crate::reconcile::world::until(&self.cluster, what, || script.count(method) >= times).await;
    }

    /// Returns the writes of the operator to components of a kind, such as `patch landscapers/status demo`.
    pub(super) fn writes<K: Kind>(&self) -> Vec<String> {
        let records = self.cluster.journal().all().of(DOMAIN, &K::plural(&())).writes();
        records.iter().map(ToString::to_string).collect()
    }

    /// Returns the section of the state page that lists what components wait for.
    pub(super) async fn waits(&self) -> Value {
        self.operator.running().diagnostics().state().await["waits"].clone()
    }

    /// Returns the writes of the passes of a component, from the page of the operator.
    pub(super) fn told_writes<K: Kind>(&self) -> String {
        let key = Key::new(self.cluster.namespace(), NAME);
        let passes = self.operator.running().why().of(&K::gvk().group_kind(), &key);
        passes.iter().map(|pass| pass.to_json()["writes"].to_string()).collect()
    }

    /// Returns the events about components of a kind: type, reason and note.
    pub(super) async fn events<K: Kind>(&self) -> Vec<String> {
        let events = self.cluster.list::<k8s_openapi::api::events::v1::Event>().await;
        let about = events.iter().filter(|event| event["regarding"]["kind"] == *K::kind(&()));
        let text = |event: &Value, field: &str| event[field].as_str().unwrap_or_default().to_owned();
        about.map(|event| format!("{} {} {}", text(event, "type"), text(event, "reason"), text(event, "note"))).collect()
    }

    /// Waits for an event about a component of a kind whose type, reason and note begin with this.
    pub(super) async fn told<K: Kind>(&self, begin: &str) {
        while !self.events::<K>().await.iter().any(|event| event.starts_with(begin)) {
            self.cluster.pass(Duration::from_millis(50)).await;
        }
    }
}

/// Returns status and reason of a condition of an object.
pub(super) fn told_by(object: &Value, type_: &str) -> Option<(String, String)> {
    let found = object["status"]["conditions"].as_array()?.iter().find(|condition| condition["type"] == type_)?;
    Some((found["status"].as_str()?.to_owned(), found["reason"].as_str()?.to_owned()))
}

/// Returns the message of a condition.
pub(super) fn message_of(object: &Value, type_: &str) -> String {
    let conditions = object["status"]["conditions"].as_array();
    let found = conditions.and_then(|conditions| conditions.iter().find(|condition| condition["type"] == type_));
    found.and_then(|condition| condition["message"].as_str()).unwrap_or_default().to_owned()
}
