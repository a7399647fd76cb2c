//! Disruption budgets, whose status counts their pods.

use kubewright_machinery::object::ObjectExt;
use serde_json::{Value, json};

use super::condition::{self, ConditionUpdate};
use super::plan::{RuleContext, WorkloadPlan};
use super::read::{at, scaled};
use super::{pods, template};

/// Plans the next step of a PodDisruptionBudget; `pods` are those of its namespace.
pub fn plan(budget: &Value, pods: &[&Value], context: RuleContext<'_>) -> WorkloadPlan {
    let mut plan = WorkloadPlan::default();
    let selector = at(budget, "/spec/selector");
    let selected: Vec<&&Value> =
        pods.iter().filter(|pod| pods::is_active(pod) && template::selects(selector, pod.labels())).collect();
    let expected = selected.len() as i64;
    let healthy = selected.iter().filter(|pod| pods::is_ready(pod)).count() as i64;
    let desired = match (at(budget, "/spec/minAvailable"), at(budget, "/spec/maxUnavailable")) {
        (Value::Null, Value::Null) => 0,
        (Value::Null, unavailable) => (expected - scaled(unavailable, "0", expected, true)).max(0),
        (available, _) => scaled(available, "0", expected, true),
    };
    let allowed = if expected == 0 { 0 } else { (healthy - desired).max(0) };
    let mut conditions = condition::of(budget);
    let condition = match allowed {
        0 => ConditionUpdate::new("DisruptionAllowed", false, "InsufficientPods", ""),
        _ => ConditionUpdate::new("DisruptionAllowed", true, "SufficientPods", ""),
    };
    let generation = json!({"observedGeneration": budget.generation().unwrap_or_default(), "message": ""});
    condition::set(&mut conditions, condition, context.now, &generation);
    let status = json!({
        "observedGeneration": budget.generation().unwrap_or_default(),
        "disruptionsAllowed": allowed,
        "currentHealthy": healthy,
        "desiredHealthy": desired,
        "expectedPods": expected,
        "conditions": conditions,
    });
    plan.status(budget, status);
    plan
}
