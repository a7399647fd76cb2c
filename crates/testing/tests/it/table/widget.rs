//! A kind with a reconciler whose behaviour is given by the row.

use std::sync::Arc;

use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{CustomResource, CustomResourceExt as _};
use kubewright_core::condition::{Condition, ConditionManager, ConditionSet, Conditioned, Conditions, ConditionsError};
use kubewright_core::flow::Flow;
use kubewright_runtime::inject::State;
use kubewright_runtime::reconcile::{ConditionAccess, Context, Controller, Finalize, Reconcile, Registered};
use kubewright_runtime::store::Store;
use kubewright_testing::table::{TableRow, TableTest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub(super) const FINALIZER: &str = "table.kubewright.dev/widget";

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "table.kubewright.dev", version = "v1", kind = "Widget", namespaced, status = "WidgetStatus")]
#[serde(rename_all = "camelCase")]
pub(super) struct WidgetSpec {
    #[serde(default)]
    pub(super) size: i64,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct WidgetStatus {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    observed_generation: Option<i64>,
    #[serde(default)]
    pub(super) conditions: Conditions,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) size: Option<i64>,
}

impl Conditioned for WidgetStatus {
    fn condition_set() -> ConditionSet {
        ConditionSet::living(["Sized"])
    }

    fn conditions(&self) -> Vec<Condition> {
        self.conditions.as_slice().to_vec()
    }

    fn set_conditions(&mut self, conditions: Vec<Condition>) -> Result<(), ConditionsError> {
        self.conditions = conditions.into();
        Ok(())
    }

    fn begin_pass(&mut self, manager: ConditionManager) -> Option<ConditionManager> {
        self.conditions.begin(manager);
        None
    }

    fn take_manager(&mut self) -> Option<ConditionManager> {
        self.conditions.take()
    }

    fn observed_generation(&self) -> Option<i64> {
        self.observed_generation
    }

    fn set_observed_generation(&mut self, generation: Option<i64>) {
        self.observed_generation = generation;
    }
}

pub(super) type Method =
    Arc<dyn for<'a> Fn(&'a Widgets, &'a Context<Widget>, &'a Widget, &'a mut WidgetStatus) -> BoxFuture<'a, Flow> + Send + Sync>;

/// The behaviour of `reconcile`; by default it does nothing.
#[derive(Clone)]
pub(super) struct Script(pub(super) Method);

impl Script {
    pub(super) fn new(
        method: impl for<'a> Fn(&'a Widgets, &'a Context<Widget>, &'a Widget, &'a mut WidgetStatus) -> BoxFuture<'a, Flow>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self(Arc::new(method))
    }

    /// Returns a script that sends requests, which may fail.
    pub(super) fn sending(
        send: impl Fn(kube::Client) -> BoxFuture<'static, Result<(), kube::Error>> + Send + Sync + 'static,
    ) -> Self {
        let send = Arc::new(send);
        Self::new(move |_, cx, _, _| {
            let (send, client) = (Arc::clone(&send), cx.client().clone());
            Box::pin(async move { Ok(send(client).await?) })
        })
    }

    /// Returns a script that does nothing and succeeds.
    pub(super) fn nothing() -> Self {
        Self::new(|_, _, _, _| Box::pin(async { Ok(()) }))
    }
}

pub(super) struct Widgets {
    script: Script,
    pub(super) maps: Store<ConfigMap>,
}

impl Widgets {
    pub(super) fn new(State(script): State<Script>, maps: Store<ConfigMap>) -> Self {
        Self { script, maps }
    }
}

impl Reconcile for Widgets {
    type Kind = Widget;
    type Status = WidgetStatus;

    async fn reconcile(&self, cx: &Context<Widget>, object: &Widget, status: &mut WidgetStatus) -> Flow {
        (self.script.0)(self, cx, object, status).await
    }

    fn conditions() -> Option<ConditionAccess<WidgetStatus>> {
        Some(ConditionAccess::derived())
    }
}

impl Finalize for Widgets {
    async fn finalize(&self, cx: &Context<Widget>, object: &Widget, status: &mut WidgetStatus) -> Flow {
        (self.script.0)(self, cx, object, status).await
    }
}

impl Registered for Widgets {
    fn configure(controller: Controller<Self>) -> Controller<Self> {
        controller.crd(serde_json::to_value(Widget::crd()).ok())
    }
}

/// Returns a table of widgets without finalizer.
pub(super) fn table() -> TableTest<Widgets> {
    TableTest::of(Widgets::new)
}

/// Returns a table of widgets with finalizer.
pub(super) fn table_with_finalizer() -> TableTest<Widgets> {
    TableTest::of_controller(|| Widgets::configure(Controller::new(Widgets::new)).finalizer(Some(FINALIZER)))
}

/// Returns a widget that was reconciled in its first generation, so that a pass that does nothing writes nothing.
pub(super) fn widget() -> Value {
    json!({
        "apiVersion": "table.kubewright.dev/v1", "kind": "Widget",
        "metadata": { "name": "demo", "namespace": "ns", "generation": 1 },
        "spec": { "size": 3 },
        "status": {
            "observedGeneration": 1,
            "conditions": [
                {
                    "type": "Ready", "status": "Unknown", "reason": "Ready_Unknown", "message": "", "observedGeneration": 1,
                    "lastTransitionTime": "2025-01-01T00:00:00Z",
                },
                { "type": "Sized", "status": "Unknown", "reason": "", "message": "", "lastTransitionTime": "2025-01-01T00:00:00Z" },
            ],
        },
    })
}

/// Returns a row with that widget, whose pass runs this script.
pub(super) fn row(name: &str, script: Script) -> TableRow<Widgets> {
    TableRow::new(name).key("ns/demo").given([widget()]).state(script)
}

/// Returns a ConfigMap in the namespace of the widget.
pub(super) fn map(name: &str, value: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name, "namespace": "ns" }, "data": { "key": value } })
}
