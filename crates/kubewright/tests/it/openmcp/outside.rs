//! The external systems of the components, played from recorded statuses, and controllers that report on them.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kubewright::contract::{
    ApplyContext, CleanupContext, ComponentController, ComponentPass, ContractComponent, ContractExt as _, ContractMember, Maybe,
    OperatorComponentController, Ready,
};
use kubewright::core::condition::ConditionStatus;
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use parking_lot::Mutex;

use super::kinds::{ApiServer, Authentication, Authorization, CloudOrchestrator, Landscaper, Mcp};
use super::recording::RecordedStep;

/// The config map whose changes start passes of all components after a change of their external systems.
pub(super) const SIGNAL: &str = "outside";

/// The external systems of all components.
#[derive(Clone, Default)]
pub(super) struct Outside(Arc<Mutex<BTreeMap<String, System>>>);

/// The external system of a component.
#[derive(Clone, Debug, Default)]
struct System {
    /// The status that reports on the system.
    status: Value,
    /// The reason and message of a failure.
    failure: Option<(String, String)>,
    /// The reason of a wait.
    waits: Option<String>,
    /// The component whose deletion the system holds up.
    holds: Option<String>,
}

/// The reasons of a health that results from the loop, not from the system.
const OF_THE_LOOP: [&str; 2] = ["WaitingForDependencies", "ReconciliationError"];
/// The components whose external system holds up a deletion.
const HOLDING: [&str; 3] = ["APIServer", "Landscaper", "CloudOrchestrator"];

impl Outside {
    /// Sets all systems to the state after the last of these steps.
    pub(super) fn set(&self, steps: &[&RecordedStep]) {
        let Some(now) = steps.last() else { return };
        let kinds = ["APIServer", "Authentication", "Authorization", "Landscaper", "CloudOrchestrator"];
        let system = |kind: &str| {
            let told = steps.iter().rev().filter_map(|step| step.objects.get(kind)).find(|object| tells(object, kind));
            let status = told.map(|object| object["status"].clone()).unwrap_or_default();
            let reconciliation = now.objects.get(kind).map(|object| condition(object, &format!("{kind}Reconciliation")));
            let reconciliation = reconciliation.unwrap_or_default();
            let text = |field: &str| reconciliation[field].as_str().unwrap_or_default().to_owned();
            let (reason, is_true) = (text("reason"), reconciliation["status"] == "True");
            let of_the_loop = ["InvalidManagedControlPlaneLabels", "CrateClusterInteractionProblem"];
            let is_own = !reason.is_empty() && !of_the_loop.contains(&&*reason) && !reason.starts_with("DeletionWaiting");
            System {
                status,
                failure: (is_own && !is_true).then(|| (reason.clone(), text("message"))),
                waits: (is_own && is_true).then_some(reason),
                holds: HOLDING.contains(&kind).then(|| now.objects.get(kind).map(|object| object.uid().to_owned())).flatten(),
            }
        };
        *self.0.lock() = kinds.into_iter().map(|kind| (kind.to_owned(), system(kind))).collect();
    }

    /// Releases all deletions that are held up.
    pub(super) fn release(&self) {
        self.0.lock().values_mut().for_each(|system| system.holds = None);
    }

    fn of<T: ContractMember>(&self) -> System {
        self.0.lock().get(T::TYPE.as_str()).cloned().unwrap_or_default()
    }
}

/// Returns true if the status of a component reports on its external system.
fn tells(object: &Value, kind: &str) -> bool {
    let healthy = condition(object, &format!("{kind}Healthy"));
    !healthy.is_null() && !OF_THE_LOOP.iter().any(|reason| healthy["reason"] == **reason)
}

pub(super) fn condition(object: &Value, type_: &str) -> Value {
    let mut conditions = object["status"]["conditions"].as_array().into_iter().flatten();
    conditions.find(|condition| condition["type"] == type_).cloned().unwrap_or_default()
}

/// A controller that reports the state of its system.
pub(super) struct Telling<T> {
    outside: Outside,
    component: PhantomData<fn() -> T>,
}

impl<T: ContractComponent> Telling<T> {
    fn new(State(outside): State<Outside>) -> Self {
        Self { outside, component: PhantomData }
    }

    fn tell(&self, pass: &ComponentPass<T>) -> Result<System, Halt> {
        let system = self.outside.of::<T>();
        if let Some((reason, message)) = &system.failure {
            return Err(Failure::msg(message.clone()).reason(reason.clone()).into());
        }
        let external: T::External = serde_json::from_value(or_empty(&system.status))?;
        let private: T::Private = serde_json::from_value(or_empty(&system.status))?;
        pass.external(|part| *part = external);
        pass.private(|part| *part = private);
        let conditions = system.status["conditions"].as_array().into_iter().flatten();
        for told in conditions.filter(|told| told["type"] != *T::TYPE.reconciliation()) {
            let text = |field: &str| told[field].as_str().unwrap_or_default().to_owned();
            let status = match told["status"].as_str() {
                Some("True") => ConditionStatus::True,
                Some("False") => ConditionStatus::False,
                _ => ConditionStatus::Unknown,
            };
            let is_of_the_loop = text("reason").starts_with("DeletionWaiting");
            let (reason, message) = if is_of_the_loop { Default::default() } else { (text("reason"), text("message")) };
            pass.condition(text("type"), status, &reason, message);
        }
        Ok(system)
    }
}

fn or_empty(status: &Value) -> Value {
    if status.is_null() { json!({}) } else { status.clone() }
}

impl<T: ContractComponent> ComponentController for Telling<T> {
    type Component = T;

    async fn apply(&self, cx: &ApplyContext<T>, _: Ready<T>) -> Flow {
        match self.tell(cx)?.waits {
            Some(reason) => Wait::for_event(reason).into(),
            None => Ok(()),
        }
    }

    async fn cleanup(&self, cx: &CleanupContext<T>, _: Maybe<T>) -> Flow {
        let system = self.tell(cx)?;
        if system.holds.is_some_and(|uid| cx.component().meta().uid.as_deref() == Some(&*uid)) {
            return Wait::for_event(system.waits.unwrap_or_else(|| "ComponentIsInDeletion".to_owned())).into();
        }
        Ok(())
    }
}

/// The controllers that run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    pub(super) owner: bool,
    pub(super) components: &'static [&'static str],
}

impl Parts {
    pub(super) const ALL: Self =
        Self { owner: true, components: &["APIServer", "Authentication", "Authorization", "Landscaper", "CloudOrchestrator"] };
}

/// Returns an operator with these controllers.
pub(super) fn operator(outside: &Outside, parts: Parts) -> Operator {
    let mut operator: Operator = Operator::new("mcp-operator.openmcp.cloud").state(outside.clone());
    if parts.owner {
        operator = operator.contract_owner::<Mcp>().into();
    }
    operator = with::<ApiServer>(operator, parts);
    operator = with::<Authentication>(operator, parts);
    operator = with::<Authorization>(operator, parts);
    operator = with::<Landscaper>(operator, parts);
    with::<CloudOrchestrator>(operator, parts)
}

fn with<T: ContractComponent>(operator: Operator, parts: Parts) -> Operator {
    if !parts.components.contains(&T::TYPE.as_str()) {
        return operator;
    }
    let controller: OperatorComponentController<Telling<T>> = operator.component_controller(Telling::<T>::new);
    let controller = controller.watches(|triggers| {
        drop(triggers.watch::<ConfigMap>().map(|signal| {
            let owner = signal.data.as_ref().and_then(|data| data.get("owner"));
            owner.map(|owner| Key::new(signal.metadata.namespace.as_deref().unwrap_or_default(), owner.as_str()))
        }));
    });
    controller.into()
}
