//! A test cluster with an operator of a control plane.

use std::time::Duration;

use kubewright::core::contract::ComponentType;
use kubewright::machinery::object::GroupKind;
use kubewright::prelude::*;
use kubewright_testing::{Calm, TestCluster, TestOperator};

use super::plane::{ControlPlane, DOMAIN, Script, Settings, TYPES, operator};

/// The name of the owner and of all its components.
pub(super) const NAME: &str = "demo";
/// The names of all components, as an owner lists them.
pub(super) const ALL: [&str; 5] = ["ApiServer", "Authentication", "Authorization", "Landscaper", "CloudOrchestrator"];

pub(super) struct World {
    pub(super) cluster: TestCluster,
    pub(super) script: Script,
    operator: Option<TestOperator>,
    _calm: Calm,
}

impl World {
    pub(super) async fn start() -> Self {
        let script = Script::default();
        let operator = operator(&script);
        Self::start_operator(script, operator).await
    }

    pub(super) async fn start_operator(script: Script, operator: impl Into<Operator>) -> Self {
        let cluster = TestCluster::start().await;
        let calm = Calm::of(&cluster);
        let operator = cluster.run(operator).await;
        Self { cluster, script, operator: Some(operator), _calm: calm }
    }

    pub(super) async fn stop(mut self) {
        if let Some(operator) = self.operator.take() {
            operator.stop().await;
        }
    }

    /// Ends the operator, and starts another one in its place.
    pub(super) async fn restart(&mut self) {
        if let Some(former) = self.operator.take() {
            former.stop().await;
        }
        self.operator = Some(self.cluster.run(operator(&self.script)).await);
    }

    /// Returns an owner with these sections, each of size 1.
    pub(super) fn owner(&self, sections: &[&str]) -> Value {
        let sections: Value = sections.iter().map(|section| ((*section).to_owned(), json!({ "size": 1 }))).collect();
        json!({
            "apiVersion": format!("{DOMAIN}/v1"), "kind": "ControlPlane",
            "metadata": { "name": NAME, "namespace": self.cluster.namespace() },
            "spec": { "sections": sections },
        })
    }

    pub(super) async fn create(&self, sections: &[&str]) -> Value {
        self.cluster.create(self.owner(sections)).await.unwrap()
    }

    /// Creates an owner with all sections, and waits until all components work.
    pub(super) async fn roll_out(&self) -> Value {
        self.create(&ALL).await;
        self.ready().await
    }

    pub(super) async fn ready(&self) -> Value {
        self.condition("Ready", "True", "Reconciled").await
    }

    /// Waits for a condition of the owner.
    pub(super) async fn condition(&self, type_: &str, status: &str, reason: &str) -> Value {
        self.cluster.expect::<ControlPlane>(NAME).condition(type_, status, reason).await
    }

    pub(super) async fn owner_matching(&self, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
        self.cluster.expect::<ControlPlane>(NAME).matching(what, holds).await
    }

    pub(super) async fn patch(&self, patch: Value) -> Value {
        self.cluster.patch::<ControlPlane>(NAME, patch).await
    }

    pub(super) async fn annotate(&self, key: &str, value: Value) {
        self.patch(json!({ "metadata": { "annotations": { format!("{DOMAIN}/{key}"): value } } })).await;
    }

    pub(super) async fn delete(&self) {
        self.cluster.delete::<ControlPlane>(NAME).await;
    }

    pub(super) async fn gone(&self) {
        self.cluster.expect::<ControlPlane>(NAME).to_be_gone().await;
    }

    pub(super) async fn configure(&self, spec: Value) {
        self.cluster
            .create(json!({
                "apiVersion": format!("{DOMAIN}/v1"), "kind": "Settings",
                "metadata": { "name": NAME, "namespace": self.cluster.namespace() }, "spec": spec,
            }))
            .await
            .unwrap();
    }

    pub(super) async fn settings(&self) -> Value {
        self.cluster.get::<Settings>(NAME).await.unwrap()
    }

    /// Returns the component of this type, if it exists.
    pub(super) async fn component(&self, type_: &str) -> Option<Value> {
        self.cluster.get_object(&kind(type_), NAME).await
    }

    pub(super) async fn patch_component(&self, type_: &str, patch: Value) -> Value {
        self.cluster.patch_object(&kind(type_), NAME, patch).await
    }

    pub(super) async fn annotate_component(&self, type_: &str, key: &str, value: Value) {
        self.patch_component(type_, json!({ "metadata": { "annotations": { format!("{DOMAIN}/{key}"): value } } })).await;
    }

    pub(super) async fn component_matching(&self, type_: &str, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
        self.cluster.expect_object(&kind(type_), NAME).matching(what, holds).await
    }

    pub(super) async fn component_gone(&self, type_: &str) {
        self.cluster.expect_object(&kind(type_), NAME).to_be_gone().await;
    }

    /// Lets time pass in which nothing should happen: the whole time if it is virtual, a few seconds if it is real.
    pub(super) async fn idle(&self, seconds: u64) {
        let time = Duration::from_secs(seconds);
        self.cluster.pass(if self.cluster.is_embedded() { time } else { time.min(Duration::from_secs(4)) }).await;
    }

    /// Returns the writes of the operator since the mark, without events: method, resource and name, such as `PATCH landscapers/status demo`.
    pub(super) fn writes_since(&self, mark: kubewright_middleware::journal::Mark) -> Vec<String> {
        let records = self.cluster.journal().since(mark).in_namespace(self.cluster.namespace()).writes();
        records.iter().map(ToString::to_string).filter(|record| !record.contains("events")).collect()
    }

    pub(super) fn mark(&self) -> kubewright_middleware::journal::Mark {
        self.cluster.journal().mark()
    }

    /// Returns the section of the state page that lists what objects wait for.
    pub(super) async fn waits(&self) -> Value {
        match &self.operator {
            Some(operator) => operator.running().diagnostics().state().await["waits"].clone(),
            None => Value::Null,
        }
    }

    /// Returns the last pass of the owner, from the page of the operator.
    pub(super) fn last_pass(&self) -> String {
        let key = Key::new(self.cluster.namespace(), NAME);
        let of = GroupKind::new(DOMAIN, "ControlPlane");
        let passes = self.operator.as_ref().map(|operator| operator.running().why().of(&of, &key)).unwrap_or_default();
        passes.last().map(|pass| pass.to_json().to_string()).unwrap_or_default()
    }

    /// Returns the events about the owner: type, reason and note.
    pub(super) async fn events(&self) -> Vec<String> {
        let events = self.cluster.list::<k8s_openapi::api::events::v1::Event>().await;
        let about = events.iter().filter(|event| event["regarding"]["kind"] == "ControlPlane");
        let text = |event: &Value, field: &str| event[field].as_str().unwrap_or_default().to_owned();
        about.map(|event| format!("{} {} {}", text(event, "type"), text(event, "reason"), text(event, "note"))).collect()
    }
}

/// Returns the kind of a component's type.
pub(super) fn kind(type_: &str) -> kube::core::GroupVersionKind {
    assert!(TYPES.iter().any(|known: &ComponentType| known.as_str() == type_), "{type_}");
    kube::core::GroupVersionKind::gvk(DOMAIN, "v1", type_)
}

/// Returns the conditions of an owner: component, type and status.
pub(super) fn conditions(owner: &Value) -> Vec<String> {
    let text = |condition: &Value, field: &str| condition[field].as_str().unwrap_or_default().to_owned();
    let conditions = owner["status"]["conditions"].as_array().cloned().unwrap_or_default();
    conditions.iter().map(|one| format!("{}/{} {}", text(one, "managedBy"), text(one, "type"), text(one, "status"))).collect()
}

/// Returns a condition of an owner.
pub(super) fn condition(owner: &Value, type_: &str) -> Value {
    let conditions = owner["status"]["conditions"].as_array().cloned().unwrap_or_default();
    conditions.into_iter().find(|condition| condition["type"] == type_).unwrap_or_default()
}
