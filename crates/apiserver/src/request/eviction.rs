//! Evictions: deletions of pods that a disruption budget can refuse (SUB-5).

use kubewright_machinery::{object::ObjectExt as _, selector::LabelSelector};
use serde_json::{Value, json};

use super::{
    delete_options,
    resource::Call,
    service::Outgoing,
    subresource,
    update::Update,
    write::{Recording, WriteContext},
};
use crate::{
    kinds::Endpoint,
    request::options,
    status::{Cause, Status},
    store::{Resource, Snapshot},
};

const REFUSAL: &str = "Cannot evict pod as it would violate the pod's disruption budget.";
/// How long a client waits for a budget that nobody has looked at yet.
const RETRY_SECONDS: u32 = 10;

/// Answers an eviction.
pub(super) async fn answer(call: &Call<'_>, warnings: &mut Vec<String>) -> Result<Outgoing, Status> {
    let mut context = options::write_context(call.incoming, "CreateOptions")?;
    let body = subresource::sent(call, "policy", "Eviction", &mut context, warnings)?;
    let options = delete_options::from(&body["deleteOptions"], &mut context)?;
    let (kind, name) = (call.kind(), call.name());
    let pod = call.state.find(kind, &name)?;
    check_budgets(pod.value(), &call.state.store.snapshot())?;
    let known = pod.uid().to_owned();
    if options.uid.as_ref().is_none_or(|uid| *uid == known) {
        // Who looks at the pod while it ends can see why it does.
        let now = call.state.clock.now_in_seconds();
        let mut telling = WriteContext::new(&call.incoming.user, String::new());
        telling.dry_run = context.dry_run;
        telling.recording = Recording::Kept;
        let update = Update { kind, endpoint: Endpoint::Status, name: &name, is_patch: true, create_when_missing: false };
        call.state.update(&mut telling, update, |_, present| Ok(disrupted(present, &now))).await?;
    }
    let deleted = call.state.delete(&mut context, kind, &name, &options).await?;
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

/// A pod that runs is protected by the budget that selects it.
fn check_budgets(pod: &Value, snapshot: &Snapshot) -> Result<(), Status> {
    let is_unprotected = matches!(pod["status"]["phase"].as_str(), Some("Succeeded" | "Failed" | "Pending"));
    if is_unprotected || pod.deletion_timestamp().is_some() {
        return Ok(());
    }
    let resource = Resource::new("policy", "poddisruptionbudgets");
    let selects = |budget: &Value| {
        let selector = &budget["spec"]["selector"];
        !selector.is_null() && LabelSelector::from_json(selector).is_ok_and(|selector| selector.matches_object(pod))
    };
    let budgets: Vec<_> = snapshot.list(&resource, Some(pod.namespace())).filter(|(_, stored)| selects(stored.value())).collect();
    match budgets.as_slice() {
        [] => Ok(()),
        [(_, budget)] => check_budget(budget.value()),
        _ => Err(Status::internal(
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
        )),
    }
}

fn check_budget(budget: &Value) -> Result<(), Status> {
    let number = |field: &str| budget["status"][field].as_i64().unwrap_or_default();
    let name = budget.name();
    let refuse = |seconds, message| {
        Err(Status::too_many_requests(REFUSAL, seconds).with_cause(Cause::new("DisruptionBudget", message, "")))
    };
    if number("observedGeneration") < budget.generation().unwrap_or_default() {
        return refuse(RETRY_SECONDS, format!("The disruption budget {name} is still being processed by the server."));
    }
    if number("disruptionsAllowed") > 0 {
        return Ok(());
    }
    let (desired, current) = (number("desiredHealthy"), number("currentHealthy"));
    if current <= desired {
        return refuse(0, format!("The disruption budget {name} needs {desired} healthy pods and has {current} currently"));
    }
    refuse(0, format!("The disruption budget {name} does not allow evicting pods currently"))
}
