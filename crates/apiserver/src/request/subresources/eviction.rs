//! Evictions: deletions of pods that a disruption budget can refuse (SUB-5).

use kubewright_machinery::object::ObjectExt as _;
use kubewright_machinery::selector::LabelSelector;
use kubewright_middleware::Identity;
use kubewright_middleware::status::{FailureCause, Status};
use serde_json::{Value, json};

use super::subresource;
use crate::api::delete::check_preconditions;
use crate::api::warnings::Warnings;
use crate::api::write::Recording;
use crate::api::{DeleteOptions, Update, WriteContext};
use crate::definition::condition;
use crate::model::Endpoint;
use crate::request::service::Outgoing;
use crate::request::verbs::resource::Call;
use crate::request::verbs::{delete_options, options};
use crate::status::StatusExt as _;
use crate::store::{ObjectName, Resource, Snapshot, Stored};

const REFUSAL: &str = "Cannot evict pod as it would violate the pod's disruption budget.";
/// The wait that is asked of a client, in seconds, while a budget has not been processed.
const RETRY_SECONDS: u32 = 10;

/// The number of attempts to evict a pod that changes concurrently.
const ATTEMPTS: usize = 20;

/// The maximum number of evicted pods that a budget may wait for.
const MAX_DISRUPTED: usize = 2000;

/// Answers an eviction.
pub(in crate::request) async fn answer(call: &Call<'_>, warnings: &mut Warnings) -> Result<Outgoing, Status> {
    let mut context = options::write_context(call.incoming, "CreateOptions")?;
    let body = subresource::sent(call, "policy", "Eviction", &mut context, warnings)?;
    let options = delete_options::from(&body["deleteOptions"], &mut context)?;
    let (kind, name) = (call.kind(), call.name());
    for _ in 0..ATTEMPTS {
        let pod = call.state.api.find(kind, &name)?;
        match evict(call, &mut context, &options, &pod).await {
            Err(EvictionRefusal::Changed) => {}
            Err(EvictionRefusal::Finally(status)) => return Err(status),
            Ok(outgoing) => return Ok(outgoing),
        }
    }
    Err(Status::stale(&kind.group, &kind.plural, &name.name))
}

/// The reason for which a pod was not evicted.
enum EvictionRefusal {
    /// The pod has changed since it was read.
    Changed,
    Finally(Status),
}

impl From<Status> for EvictionRefusal {
    fn from(status: Status) -> Self {
        Self::Finally(status)
    }
}

/// Evicts a pod in the state in which it was read.
async fn evict(
    call: &Call<'_>,
    context: &mut WriteContext<'_>,
    options: &DeleteOptions,
    pod: &Stored,
) -> Result<Outgoing, EvictionRefusal> {
    let guard = guard_of(pod.value(), &call.state.api.store.snapshot())?;
    if let BudgetEffect::Counts(budget) = &guard {
        take_from(call, budget, &call.name(), context.dry_run).await?;
    }
    let mut bound = options.clone();
    let is_bound = match guard {
        BudgetEffect::Unhealthy(_) => true,
        // A resource version named by the client may be older; it is honoured.
        BudgetEffect::Pending => options.resource_version.is_none(),
        BudgetEffect::None | BudgetEffect::Counts(_) => false,
    };
    if is_bound {
        // The version bound makes the deletion fail if the pod becomes healthy in between.
        bound.resource_version = Some(pod.revision().to_string());
    }
    match delete(call, context, bound).await {
        Err(status) if status.is("Conflict") && options.resource_version.is_none() => match guard {
            BudgetEffect::Unhealthy(budget) => Err(unsettled(&budget.name).into()),
            BudgetEffect::Pending => Err(EvictionRefusal::Changed),
            BudgetEffect::None | BudgetEffect::Counts(_) => Err(status.into()),
        },
        outcome => Ok(outcome?),
    }
}

/// Adds a condition with the reason of the eviction to the pod's status, then deletes the pod.
async fn delete(call: &Call<'_>, context: &mut WriteContext<'_>, mut options: DeleteOptions) -> Result<Outgoing, Status> {
    let (kind, name) = (call.kind(), call.name());
    if !context.dry_run {
        let now = call.state.api.clock.now_in_seconds();
        let mut telling = WriteContext::new(&call.incoming.user, String::new());
        telling.recording = Recording::Kept;
        let update = Update { kind, endpoint: Endpoint::Status, name: &name, is_patch: true, create_when_missing: false };
        let told = call
            .state
            .api
            .modify(&mut telling, update, |_, present| {
                check_preconditions(kind, &name, present.uid(), present.resource_version(), &options)?;
                Ok(disrupted(present, &now))
            })
            .await?;
        if options.resource_version.is_some() {
            options.resource_version = Some(told.object.revision().to_string());
        }
    }
    let deleted = call.state.api.delete(context, kind, &name, &options).await?;
    Ok(subresource::success(call, deleted.stored))
}

fn disrupted(pod: &Value, now: &str) -> Value {
    let mut pod = pod.clone();
    let mut conditions = pod.pointer("/status/conditions").and_then(Value::as_array).cloned().unwrap_or_default();
    conditions.retain(|condition| condition["type"] != "DisruptionTarget");
    conditions.push(json!({
        "type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI", "message": "Eviction API: evicting",
        "lastProbeTime": null, "lastTransitionTime": now,
    }));
    pod["status"]["conditions"] = conditions.into();
    pod
}

/// The effect of disruption budgets on the eviction of a pod.
enum BudgetEffect {
    /// No budget applies.
    None,
    /// No budget applies, as long as the pod does not start.
    Pending,
    /// The pod is not healthy, so its eviction does not count against this budget.
    Unhealthy(ObjectName),
    /// The eviction counts against this budget.
    Counts(ObjectName),
}

/// Returns the budget that protects a pod. Only running pods are protected.
fn guard_of(pod: &Value, snapshot: &Snapshot) -> Result<BudgetEffect, Status> {
    match pod["status"]["phase"].as_str() {
        _ if pod.deletion_timestamp().is_some() => return Ok(BudgetEffect::None),
        Some("Succeeded" | "Failed") => return Ok(BudgetEffect::None),
        Some("Pending") => return Ok(BudgetEffect::Pending),
        _ => {}
    }
    let budgets_of_all = budgets();
    let selects = |budget: &Value| {
        let selector = &budget["spec"]["selector"];
        !selector.is_null() && LabelSelector::from_json(selector).is_ok_and(|selector| selector.matches_object(pod))
    };
    let budgets: Vec<_> =
        snapshot.list(&budgets_of_all, Some(pod.namespace())).filter(|(_, stored)| selects(stored.value())).collect();
    match budgets.as_slice() {
        [] => Ok(BudgetEffect::None),
        [(name, budget)] if condition::is_true(pod, "Ready") || !spares_unhealthy(budget.value()) => {
            Ok(BudgetEffect::Counts((*name).clone()))
        }
        [(name, _)] => Ok(BudgetEffect::Unhealthy((*name).clone())),
        _ => Err(Status::internal(
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
        )),
    }
}

fn budgets() -> Resource {
    Resource::new("policy", "poddisruptionbudgets")
}

/// Returns true if a budget permits the eviction of unhealthy pods: always, or as long as enough others are healthy.
fn spares_unhealthy(budget: &Value) -> bool {
    let (desired, current) = (number(budget, "desiredHealthy"), number(budget, "currentHealthy"));
    budget["spec"]["unhealthyPodEvictionPolicy"] == "AlwaysAllow" || (current >= desired && desired > 0)
}

fn number(budget: &Value, field: &str) -> i64 {
    budget["status"][field].as_i64().unwrap_or_default()
}

/// Counts the pod against the budget, so that a concurrent eviction finds one allowed disruption less.
async fn take_from(call: &Call<'_>, budget: &ObjectName, pod: &ObjectName, dry_run: bool) -> Result<(), Status> {
    let state = &call.state.api;
    let registry = state.registry();
    let Some(kind) = registry.preferred("policy", "PodDisruptionBudget") else { return Ok(()) };
    let user = Identity::admin();
    let mut context = WriteContext::new(&user, "kube-apiserver".to_owned());
    context.dry_run = dry_run;
    let update = Update { kind, endpoint: Endpoint::Status, name: budget, is_patch: true, create_when_missing: false };
    let now = state.clock.now_in_seconds();
    state
        .modify(&mut context, update, |_, present| {
            check_budget(present)?;
            Ok(less_one(present, &pod.name, &now))
        })
        .await
        .map(drop)
}

/// Returns the budget after one more disruption.
fn less_one(budget: &Value, pod: &str, now: &str) -> Value {
    let mut budget = budget.clone();
    let left = number(&budget, "disruptionsAllowed") - 1;
    budget["status"]["disruptionsAllowed"] = left.into();
    budget["status"]["disruptedPods"][pod] = now.into();
    if left == 0 {
        let generation = budget["status"]["observedGeneration"].clone();
        let none_left = json!({
            "type": "DisruptionAllowed", "status": "False", "reason": "InsufficientPods", "message": "",
            "observedGeneration": generation,
        });
        condition::set(&mut budget, &none_left, now);
    }
    budget
}

/// Returns the error for a budget that has not been processed since it changed.
fn unsettled(name: &str) -> Status {
    refusal(RETRY_SECONDS, format!("The disruption budget {name} is still being processed by the server."))
}

fn refusal(seconds: u32, message: String) -> Status {
    Status::too_many_requests(REFUSAL, seconds).with_cause(FailureCause::new("DisruptionBudget", message, ""))
}

fn check_budget(budget: &Value) -> Result<(), Status> {
    let name = budget.name();
    if number(budget, "observedGeneration") < budget.generation().unwrap_or_default() {
        return Err(unsettled(name));
    }
    let allowed = number(budget, "disruptionsAllowed");
    let forbidden = |why: &str| Err(Status::forbidden("policy", "poddisruptionbudget", name, why));
    if allowed < 0 {
        return forbidden("pdb disruptions allowed is negative");
    }
    if budget["status"]["disruptedPods"].as_object().is_some_and(|pods| pods.len() > MAX_DISRUPTED) {
        return forbidden("DisruptedPods map too big - too many evictions not confirmed by PDB controller");
    }
    if allowed > 0 {
        return Ok(());
    }
    let conditions = budget.pointer("/status/conditions").and_then(Value::as_array);
    let denied = conditions.into_iter().flatten().find(|condition| {
        condition["type"] == "DisruptionAllowed" && condition["status"] == "False" && condition["message"] != ""
    });
    let text = |field: &str| denied.and_then(|denied| denied[field].as_str()).unwrap_or_default();
    let (desired, current) = (number(budget, "desiredHealthy"), number(budget, "currentHealthy"));
    let why = match text("reason") {
        "SyncFailed" => format!("does not allow evicting pods currently because it failed sync: {}", text("message")),
        _ if current <= desired => format!("needs {desired} healthy pods and has {current} currently"),
        "" => "does not allow evicting pods currently".to_owned(),
        reason => format!("does not allow evicting pods currently ({reason}): {}", text("message")),
    };
    Err(refusal(0, format!("The disruption budget {name} {why}")))
}
