//! A test cluster with an operator of widgets.

use std::time::Duration;

use kubewright::machinery::object::{GroupKind, Key};
use kubewright::prelude::*;
use kubewright::runtime::admin::CheckKind;
use kubewright_testing::{Calm, TestCluster, TestOperator};
use serde_json::Value;

use super::widget::{Script, Widget, Widgets, widget};

/// Waits until a condition holds that no object shows.
pub(crate) async fn until(cluster: &TestCluster, what: impl Fn() -> String, holds: impl Fn() -> bool) {
    let deadline = cluster.clock().moment() + Duration::from_secs(150);
    while !holds() {
        assert!(cluster.clock().moment() < deadline, "expected that {}", what());
        cluster.pass(Duration::from_millis(50)).await;
    }
}

pub(crate) struct World {
    pub(crate) cluster: TestCluster,
    pub(crate) script: Script,
    operator: Option<TestOperator>,
    _calm: Calm,
}

impl World {
    /// Starts a cluster with an operator of widgets, which have a finalizer.
    pub(crate) async fn start(script: Script) -> Self {
        let operator = Widgets::operator(&script);
        Self::start_operator(script, operator).await
    }

    pub(crate) async fn start_operator(script: Script, operator: Operator) -> Self {
        Self::start_on(TestCluster::start().await, script, operator).await
    }

    pub(crate) async fn start_on(cluster: TestCluster, script: Script, operator: Operator) -> Self {
        cluster.journal().keep_bodies(true);
        let calm = Calm::of(&cluster);
        let operator = cluster.run(operator).await;
        Self { cluster, script, operator: Some(operator), _calm: calm }
    }

    /// Ends the operator as if its process had been killed, and starts another one.
    pub(crate) async fn restart(&mut self) {
        let operator = Widgets::operator(&self.script);
        self.restart_with(operator).await;
    }

    /// Ends the operator as if its process had been killed, and starts this one.
    pub(crate) async fn restart_with(&mut self, operator: Operator) {
        if let Some(operator) = self.operator.take() {
            operator.kill().await;
        }
        self.operator = Some(self.cluster.run(operator).await);
    }

    pub(crate) async fn stop(mut self) {
        if let Some(operator) = self.operator.take() {
            operator.stop().await;
        }
    }

    pub(crate) async fn create(&self, name: &str, size: i64) -> Value {
        self.cluster.create(widget(&self.cluster, name, size)).await.unwrap()
    }

    pub(crate) async fn get(&self, name: &str) -> Option<Value> {
        self.cluster.get::<Widget>(name).await
    }

    /// Waits until a condition has this status and reason.
    pub(crate) async fn condition(&self, name: &str, kind: &str, status: &str, reason: &str) -> Value {
        self.cluster.expect::<Widget>(name).condition(kind, status, reason).await
    }

    /// Waits until a condition holds that no object shows.
    pub(crate) async fn until(&self, what: &str, holds: impl Fn() -> bool) {
        until(&self.cluster, || format!("{what}; calls: {:?}", self.script.calls()), holds).await;
    }

    /// Returns the passes of a widget from the page of the operator, one line each, without time and trace.
    pub(crate) fn why(&self, name: &str) -> Vec<String> {
        let key = Key::new(self.cluster.namespace(), name);
        let kind = GroupKind::new("test.kubewright.dev", "Widget");
        let passes = self.operator.as_ref().map(|operator| operator.running().why().of(&kind, &key)).unwrap_or_default();
        passes.iter().map(ToString::to_string).collect()
    }

    /// Returns the page of the operator about the passes of a widget.
    pub(crate) fn why_page(&self, name: &str) -> String {
        let key = Key::new(self.cluster.namespace(), name);
        self.operator
            .as_ref()
            .map_or_else(String::new, |operator| operator.running().why().text("Widget", &key).unwrap_or_default())
    }

    /// Waits until the metric of a ConfigMap shows that it could be read (1), or could not (0).
    pub(crate) async fn until_reload(&self, map: &str, value: f64) {
        let reload = || self.metric("kubewright_config_last_reload_success", &[("config", map)]);
        self.until(&format!("{map} was read: {value}"), || reload() == Some(value)).await;
    }

    /// Returns the pipeline step that the last pass of a widget reached.
    pub(crate) fn last_step(&self, name: &str) -> Option<String> {
        let key = Key::new(self.cluster.namespace(), name);
        let kind = GroupKind::new("test.kubewright.dev", "Widget");
        let passes = self.operator.as_ref().map(|operator| operator.running().why().of(&kind, &key)).unwrap_or_default();
        passes.last()?.to_json()["step"].as_str().map(ToOwned::to_owned)
    }

    /// Returns the failing checks of readiness.
    pub(crate) fn unready(&self) -> Vec<String> {
        self.results(CheckKind::Ready)
            .into_iter()
            .filter_map(|(name, result)| result.err().map(|error| format!("{name}: {error}")))
            .collect()
    }

    /// Returns the error of a health line that does not affect readiness.
    pub(crate) fn note(&self, name: &str) -> Option<String> {
        self.results(CheckKind::Note).into_iter().find(|(note, _)| note == name)?.1.err()
    }

    fn results(&self, kind: CheckKind) -> Vec<(String, Result<(), String>)> {
        self.operator.as_ref().map(|operator| operator.running().checks().results(kind)).unwrap_or_default()
    }

    /// Returns the clients of other clusters from the metrics: the number created so far, and the present number.
    pub(crate) fn clients(&self) -> (u64, u64) {
        let metrics = self.operator.as_ref().and_then(|operator| operator.running().metrics().encode().ok()).unwrap_or_default();
        let value = |name: &str| {
            let line = format!("kubewright_{name}{{controller=\"widget\"}} ");
            metrics.lines().find_map(|text| text.strip_prefix(&line)?.parse().ok()).unwrap_or_default()
        };
        (value("created_clients_total"), value("active_clients_total"))
    }

    /// Lets time pass in which nothing should happen: the whole time if it is virtual, a few seconds if it is real.
    pub(crate) async fn idle(&self, time: Duration) {
        let longest = if self.cluster.is_embedded() { time } else { Duration::from_secs(4) };
        self.cluster.pass(time.min(longest)).await;
    }

    /// Returns the value of a metric of the operator.
    pub(crate) fn metric(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        self.operator.as_ref().and_then(|operator| operator.metric(name, labels))
    }

    /// Returns the writes of the operator to widgets, such as `patch widgets/status demo`.
    pub(crate) fn writes(&self) -> Vec<String> {
        let records = self.cluster.journal().all().of("test.kubewright.dev", "widgets").writes();
        records.iter().map(ToString::to_string).collect()
    }

    /// Waits for an event about a widget, and returns all of them. Events are sent outside of the passes.
    pub(crate) async fn until_event(&self, name: &str) -> Vec<String> {
        loop {
            let events = self.events(name).await;
            if !events.is_empty() {
                return events;
            }
            self.cluster.pass(Duration::from_millis(50)).await;
        }
    }

    /// Waits for an event about a widget whose type, reason and note begin with this.
    pub(crate) async fn until_told(&self, name: &str, begin: &str) {
        while !self.events(name).await.iter().any(|event| event.starts_with(begin)) {
            self.cluster.pass(Duration::from_millis(50)).await;
        }
    }

    /// Returns the events about a widget: type, reason and note.
    pub(crate) async fn events(&self, name: &str) -> Vec<String> {
        let events = self.cluster.list::<k8s_openapi::api::events::v1::Event>().await;
        let about = events.iter().filter(|event| event["regarding"]["name"] == name);
        let text = |event: &Value, field: &str| event[field].as_str().unwrap_or_default().to_owned();
        about.map(|event| format!("{} {} {}", text(event, "type"), text(event, "reason"), text(event, "note"))).collect()
    }
}
