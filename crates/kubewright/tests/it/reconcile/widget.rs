//! The kind of these tests, and a reconciler that is controlled by a test.

use std::sync::Arc;

use futures::future::BoxFuture;
use kubewright::core::condition::{Condition, ConditionManager, ConditionSet, Conditioned, Conditions, ConditionsError};
use kubewright::machinery::object::Key;
use kubewright::prelude::*;
use kubewright::runtime::reconcile::{ConditionAccess, Context, Controller, Finalize, ObserveDeleted, Reconcile};
use kubewright_testing::TestCluster;
use parking_lot::Mutex;

pub(crate) const FINALIZER: &str = "test.kubewright.dev/widget";

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "test.kubewright.dev", version = "v1", kind = "Widget", namespaced, status = "WidgetStatus")]
#[serde(rename_all = "camelCase")]
pub(crate) struct WidgetSpec {
    #[serde(default)]
    pub(crate) size: i64,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WidgetStatus {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) observed_generation: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) applied_generation: Option<i64>,
    #[serde(default)]
    pub(crate) conditions: Conditions,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) size: Option<i64>,
    /// The delay of a persisted back-off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) requeue_time: Option<i64>,
    /// Not ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
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

    fn applied_generation(&self) -> Option<i64> {
        self.applied_generation
    }

    fn set_applied_generation(&mut self, generation: Option<i64>) {
        self.applied_generation = generation;
    }
}

type Method = Arc<dyn for<'a> Fn(&'a Context<Widget>, &'a Widget, &'a mut WidgetStatus) -> BoxFuture<'a, Flow> + Send + Sync>;

/// The behaviour of the methods, and their calls so far.
#[derive(Clone)]
pub(crate) struct Script {
    pub(crate) reconcile: Method,
    pub(crate) finalize: Method,
    calls: Arc<Mutex<Vec<String>>>,
}

impl Default for Script {
    /// Returns a script whose methods succeed, with the size in the status.
    fn default() -> Self {
        Self {
            reconcile: Arc::new(|_, widget, status| {
                Box::pin(async move {
                    status.size = Some(widget.spec.size);
                    status.conditions.mark_true("Sized");
                    Ok(())
                })
            }),
            finalize: Arc::new(|_, _, _| Box::pin(async { Ok(()) })),
            calls: Arc::default(),
        }
    }
}

impl Script {
    pub(crate) fn reconcile(
        mut self,
        method: impl for<'a> Fn(&'a Context<Widget>, &'a Widget, &'a mut WidgetStatus) -> BoxFuture<'a, Flow> + Send + Sync + 'static,
    ) -> Self {
        self.reconcile = Arc::new(method);
        self
    }

    pub(crate) fn finalize(
        mut self,
        method: impl for<'a> Fn(&'a Context<Widget>, &'a Widget, &'a mut WidgetStatus) -> BoxFuture<'a, Flow> + Send + Sync + 'static,
    ) -> Self {
        self.finalize = Arc::new(method);
        self
    }

    /// Returns the calls so far, such as `reconcile demo`.
    pub(crate) fn calls(&self) -> Vec<String> {
        self.calls.lock().clone()
    }

    /// Returns the number of calls of a method.
    pub(crate) fn count(&self, method: &str) -> usize {
        self.calls.lock().iter().filter(|call| call.split(' ').next() == Some(method)).count()
    }

    pub(crate) fn called(&self, method: &str, name: &str) {
        self.calls.lock().push(format!("{method} {name}"));
    }
}

pub(crate) struct Widgets(Script);

impl Widgets {
    fn new(State(script): State<Script>) -> Self {
        Self(script)
    }

    /// Returns an operator of widgets with a finalizer.
    pub(crate) fn operator(script: &Script) -> Operator {
        Self::operator_with(script, |controller| controller.finalizer(Some(FINALIZER)))
    }

    pub(crate) fn operator_with(script: &Script, change: impl FnOnce(Controller<Self>) -> Controller<Self>) -> Operator {
        Self::operator_named("widget-operator.test.kubewright.dev", script, change)
    }

    pub(crate) fn operator_named(
        name: &str,
        script: &Script,
        change: impl FnOnce(Controller<Self>) -> Controller<Self>,
    ) -> Operator {
        use kubewright::runtime::reconcile::ControllerExt as _;
        let crd = serde_json::to_value(<Widget as kube::CustomResourceExt>::crd()).unwrap();
        let controller = change(Controller::new(Self::new).crd(Some(crd)));
        Operator::new(name).state(script.clone()).add_controller(controller)
    }
}

impl Reconcile for Widgets {
    type Kind = Widget;
    type Status = WidgetStatus;

    async fn reconcile(&self, cx: &Context<Widget>, object: &Widget, status: &mut WidgetStatus) -> Flow {
        self.0.called("reconcile", cx.key().name());
        (self.0.reconcile)(cx, object, status).await
    }

    fn conditions() -> Option<ConditionAccess<WidgetStatus>> {
        Some(ConditionAccess::derived())
    }
}

impl Finalize for Widgets {
    async fn finalize(&self, cx: &Context<Widget>, object: &Widget, status: &mut WidgetStatus) -> Flow {
        self.0.called("finalize", cx.key().name());
        (self.0.finalize)(cx, object, status).await
    }
}

impl ObserveDeleted for Widgets {
    async fn observe_deleted(&self, _: &Context<Widget>, key: &Key) -> Flow {
        self.0.called("observe_deleted", key.name());
        Ok(())
    }
}

/// Returns a widget in the form of YAML.
pub(crate) fn widget(cluster: &TestCluster, name: &str, size: i64) -> Value {
    json!({
        "apiVersion": "test.kubewright.dev/v1", "kind": "Widget",
        "metadata": { "name": name, "namespace": cluster.namespace() }, "spec": { "size": size },
    })
}
