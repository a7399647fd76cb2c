//! Autoscalers, which always find their target at the desired size.

use kubewright_machinery::object::ObjectExt;
use serde_json::{Value, json};

use super::condition::{self, ConditionUpdate};
use super::plan::{RuleContext, WorkloadPlan};
use super::read::{at, int, is_deleted};

/// Plans the next step of a HorizontalPodAutoscaler: it reports the size of its target and never changes it. `target` is the object that it refers
/// to.
pub fn plan(autoscaler: &Value, target: Option<&Value>, context: RuleContext<'_>) -> WorkloadPlan {
    let mut plan = WorkloadPlan::default();
    if is_deleted(autoscaler) {
        return plan;
    }
    let replicas = target.map_or(0, |target| at(target, "/spec/replicas").as_i64().unwrap_or(1));
    let (able, active, limited) = if target.is_some() {
        (
            ConditionUpdate::new("AbleToScale", true, "ReadyForNewScale", "recommended size matches current size"),
            ConditionUpdate::new(
                "ScalingActive",
                true,
                "ValidMetricFound",
                "the HPA was able to successfully calculate a replica count",
            ),
            ConditionUpdate::new(
                "ScalingLimited",
                false,
                "DesiredWithinRange",
                "the desired count is within the acceptable range",
            ),
        )
    } else {
        let message = "the HPA controller was unable to get the target's current scale";
        (
            ConditionUpdate::new("AbleToScale", false, "FailedGetScale", message),
            ConditionUpdate::new("ScalingActive", false, "FailedGetScale", message),
            ConditionUpdate::new("ScalingLimited", false, "FailedGetScale", message),
        )
    };
    let mut conditions = condition::of(autoscaler);
    for condition in [able, active, limited] {
        condition::set(&mut conditions, condition, context.now, &Value::Null);
    }
    let mut status = json!({"currentReplicas": replicas, "desiredReplicas": replicas, "conditions": conditions});
    let observed = autoscaler.generation().unwrap_or_else(|| int(autoscaler, "/status/observedGeneration"));
    if observed > 0 {
        status["observedGeneration"] = observed.into();
    }
    if let Some(metrics) = autoscaler.pointer("/status/currentMetrics") {
        status["currentMetrics"] = metrics.clone();
    }
    plan.status(autoscaler, status);
    plan
}
