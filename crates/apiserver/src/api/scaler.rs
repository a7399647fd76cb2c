//! HorizontalPodAutoscalers of autoscaling/v1. The fields that this version lacks are kept in annotations, so that a client which only knows this
//! version loses nothing (KND-6).

#[cfg(test)]
mod tests;

use kubewright_machinery::object::ObjectExt as _;
use serde_json::{Map, Value, json};

const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
const CURRENT_METRICS: &str = "autoscaling.alpha.kubernetes.io/current-metrics";
const CONDITIONS: &str = "autoscaling.alpha.kubernetes.io/conditions";
const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";

/// The members of the values in annotations, in the order in which Go prints them.
const ORDER: &[&str] = &[
    "type",
    "status",
    "lastTransitionTime",
    "reason",
    "message",
    "object",
    "pods",
    "resource",
    "containerResource",
    "external",
    "target",
    "kind",
    "name",
    "apiVersion",
    "metricName",
    "metricSelector",
    "targetValue",
    "currentValue",
    "targetAverageUtilization",
    "currentAverageUtilization",
    "targetAverageValue",
    "currentAverageValue",
    "selector",
    "averageValue",
    "container",
    "matchLabels",
    "matchExpressions",
    "ScaleUp",
    "ScaleDown",
    "StabilizationWindowSeconds",
    "SelectPolicy",
    "Policies",
    "Tolerance",
    "Type",
    "Value",
    "PeriodSeconds",
];

/// The side of a metric, target or current, whose member names differ.
#[derive(Clone, Copy)]
struct Side {
    /// The member with the amounts in version 2.
    amounts: &'static str,
    value: &'static str,
    average_value: &'static str,
    utilization: &'static str,
}

const WANTED: Side = Side {
    amounts: "target",
    value: "targetValue",
    average_value: "targetAverageValue",
    utilization: "targetAverageUtilization",
};
const FOUND: Side = Side {
    amounts: "current",
    value: "currentValue",
    average_value: "currentAverageValue",
    utilization: "currentAverageUtilization",
};

/// Converts an object of version 2 to version 1.
pub(crate) fn to_v1(object: &mut Value) {
    let mut notes = Vec::new();
    if let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) {
        let metrics = list(spec.remove("metrics"));
        if let Some(percentage) = of_processor(&metrics, WANTED) {
            spec.insert("targetCPUUtilizationPercentage".into(), percentage);
        }
        let others = metrics.iter().filter(|metric| !is_processor(metric) || utilization(metric, WANTED).is_null());
        notes.push((METRICS, others.map(|metric| old_metric(metric, WANTED)).collect()));
        let behavior = spec.remove("behavior").filter(|behavior| !behavior.is_null());
        notes.push((BEHAVIOR, behavior.map_or(Value::Null, |behavior| old_behavior(&behavior))));
    }
    if let Some(status) = object.get_mut("status").and_then(Value::as_object_mut) {
        let metrics = list(status.remove("currentMetrics"));
        if let Some(percentage) = of_processor(&metrics, FOUND) {
            status.insert("currentCPUUtilizationPercentage".into(), percentage);
        }
        notes.push((CURRENT_METRICS, metrics.iter().map(|metric| old_metric(metric, FOUND)).collect()));
        notes.push((CONDITIONS, list(status.remove("conditions")).into()));
    }
    for (annotation, said) in notes {
        let is_empty = said.is_null() || said.as_array().is_some_and(Vec::is_empty);
        if !is_empty {
            object.set_annotation(annotation, printed(&said));
        }
    }
}

/// Converts an object of version 1 to version 2. An annotation that cannot be parsed is ignored.
pub(crate) fn to_v2(object: &mut Value) {
    let mut take = |annotation: &str| {
        let annotations = object.metadata_mut().get_mut("annotations")?.as_object_mut()?;
        let text = annotations.remove(annotation)?;
        if annotations.is_empty() {
            object.metadata_mut().remove("annotations");
        }
        serde_json::from_str::<Value>(text.as_str()?).ok()
    };
    let (metrics, current, conditions) = (take(METRICS), take(CURRENT_METRICS), take(CONDITIONS));
    let behavior = take(BEHAVIOR).filter(Value::is_object);
    if let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) {
        let mut all: Vec<Value> = list(metrics).iter().map(|metric| new_metric(metric, WANTED)).collect();
        if let Some(percentage) = spec.remove("targetCPUUtilizationPercentage").filter(|percentage| !percentage.is_null()) {
            let target = json!({"type": "Utilization", "averageUtilization": percentage});
            all.push(json!({"type": "Resource", "resource": {"name": "cpu", "target": target}}));
        }
        if !all.is_empty() {
            spec.insert("metrics".into(), all.into());
        }
        if let Some(behavior) = behavior {
            spec.insert("behavior".into(), new_behavior(&behavior));
        }
    }
    if let Some(status) = object.get_mut("status").and_then(Value::as_object_mut) {
        let percentage = status.remove("currentCPUUtilizationPercentage").filter(|percentage| !percentage.is_null());
        let mut all: Vec<Value> = list(current).iter().map(|metric| new_metric(metric, FOUND)).collect();
        if let Some(percentage) = percentage.filter(|_| all.is_empty()) {
            let current = json!({"averageUtilization": percentage});
            all.push(json!({"type": "Resource", "resource": {"name": "cpu", "current": current}}));
        }
        if !all.is_empty() {
            status.insert("currentMetrics".into(), all.into());
        }
        if let Some(conditions) = conditions.filter(Value::is_array) {
            status.insert("conditions".into(), conditions);
        }
    }
}

fn list(value: Option<Value>) -> Vec<Value> {
    match value {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    }
}

fn is_processor(metric: &Value) -> bool {
    metric["resource"]["name"] == "cpu"
}

fn utilization(metric: &Value, side: Side) -> &Value {
    &metric["resource"][side.amounts]["averageUtilization"]
}

/// Returns the percentage of the first CPU metric.
fn of_processor(metrics: &[Value], side: Side) -> Option<Value> {
    let metric = metrics.iter().find(|metric| is_processor(metric))?;
    Some(utilization(metric, side).clone()).filter(|percentage| !percentage.is_null())
}

/// Returns the member of a metric that its type names, and its value.
fn source(metric: &Value) -> Option<(&'static str, &Value)> {
    let members = ["object", "pods", "resource", "containerResource", "external"];
    members.into_iter().find_map(|member| Some((member, metric.get(member)?)))
}

/// Returns a metric in the form of version 1.
fn old_metric(metric: &Value, side: Side) -> Value {
    let mut old = json!({"type": metric["type"]});
    let Some((member, source)) = source(metric) else { return old };
    let amounts = &source[side.amounts];
    let zero = |value: &Value| if value.is_null() { json!("0") } else { value.clone() };
    let mut found = match member {
        "object" => json!({
            "target": source["describedObject"], "metricName": source["metric"]["name"], side.value: zero(&amounts["value"]),
            "selector": source["metric"]["selector"], "averageValue": amounts["averageValue"],
        }),
        "pods" => json!({
            "metricName": source["metric"]["name"], side.average_value: zero(&amounts["averageValue"]),
            "selector": source["metric"]["selector"],
        }),
        "external" => json!({
            "metricName": source["metric"]["name"], "metricSelector": source["metric"]["selector"],
            side.value: amounts["value"], side.average_value: amounts["averageValue"],
        }),
        _ => json!({
            "name": source["name"], side.utilization: amounts["averageUtilization"],
            side.average_value: amounts["averageValue"], "container": source["container"],
        }),
    };
    if side.amounts == "current" {
        match member {
            "external" => found[side.value] = zero(&amounts["value"]),
            "resource" | "containerResource" => found[side.average_value] = zero(&amounts["averageValue"]),
            _ => {}
        }
    }
    old[member] = without_nulls(found);
    old
}

/// Returns a metric in the form of version 2.
fn new_metric(metric: &Value, side: Side) -> Value {
    let mut new = json!({"type": metric["type"]});
    let Some((member, source)) = source(metric) else { return new };
    let average = match member {
        "object" => &source["averageValue"],
        _ => &source[side.average_value],
    };
    let mut amounts =
        json!({"averageUtilization": source[side.utilization], "averageValue": average, "value": source[side.value]});
    // A target average of an object metric leaves the target value zero in version 1.
    if member == "object" && !average.is_null() {
        amounts["value"] = Value::Null;
    }
    if side.amounts == "target" {
        let kind = ["averageUtilization", "averageValue"].into_iter().find(|amount| !amounts[*amount].is_null());
        amounts["type"] = match kind {
            Some("averageUtilization") => "Utilization".into(),
            Some(_) => "AverageValue".into(),
            None => "Value".into(),
        };
    }
    let selector = if member == "external" { &source["metricSelector"] } else { &source["selector"] };
    let mut found = json!({side.amounts: without_nulls(amounts)});
    if source["metricName"].is_null() {
        found["name"] = source["name"].clone();
        found["container"] = source["container"].clone();
    } else {
        found["metric"] = without_nulls(json!({"name": source["metricName"], "selector": selector}));
        found["describedObject"] = source["target"].clone();
    }
    new[member] = without_nulls(found);
    new
}

fn without_nulls(mut value: Value) -> Value {
    if let Some(members) = value.as_object_mut() {
        members.retain(|_, value| !value.is_null());
    }
    value
}

/// The members of a behaviour in version 2, each with its name in Go.
const RULES: &[(&str, &str)] =
    &[("stabilizationWindowSeconds", "StabilizationWindowSeconds"), ("selectPolicy", "SelectPolicy"), ("tolerance", "Tolerance")];
const POLICY: &[(&str, &str)] = &[("type", "Type"), ("value", "Value"), ("periodSeconds", "PeriodSeconds")];
const DIRECTIONS: &[(&str, &str)] = &[("scaleUp", "ScaleUp"), ("scaleDown", "ScaleDown")];

fn old_behavior(behavior: &Value) -> Value {
    let rules = |rules: &Value| {
        if rules.is_null() {
            return Value::Null;
        }
        let mut old: Map<String, Value> = RULES.iter().map(|(new, old)| ((*old).to_owned(), rules[*new].clone())).collect();
        let policy = |policy: &Value| -> Value {
            POLICY.iter().map(|(new, old)| ((*old).to_owned(), policy[*new].clone())).collect::<Map<_, _>>().into()
        };
        let policies = rules["policies"].as_array().map(|policies| policies.iter().map(policy).collect::<Vec<_>>());
        old.insert("Policies".into(), policies.map_or(Value::Null, Value::from));
        old.into()
    };
    DIRECTIONS.iter().map(|(new, old)| ((*old).to_owned(), rules(&behavior[*new]))).collect::<Map<_, _>>().into()
}

fn new_behavior(behavior: &Value) -> Value {
    let renamed = |value: &Value, names: &[(&str, &str)]| -> Map<String, Value> {
        let said = names.iter().map(|(new, old)| ((*new).to_owned(), value[*old].clone()));
        said.filter(|(_, value)| !value.is_null()).collect()
    };
    let rules = |rules: &Value| {
        let mut new = renamed(rules, RULES);
        if let Some(policies) = rules["Policies"].as_array() {
            let policies = policies.iter().map(|policy| Value::from(renamed(policy, POLICY)));
            new.insert("policies".into(), policies.collect());
        }
        Value::from(new)
    };
    let said = DIRECTIONS.iter().filter(|(_, old)| behavior[*old].is_object());
    said.map(|(new, old)| ((*new).to_owned(), rules(&behavior[*old]))).collect::<Map<_, _>>().into()
}

/// Prints JSON as Go does: members in the order of its types, and characters with a meaning in HTML escaped.
fn printed(value: &Value) -> String {
    let mut text = String::new();
    print(value, &mut text);
    text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

fn print(value: &Value, text: &mut String) {
    let rank = |name: &String| ORDER.iter().position(|known| known == name).unwrap_or(ORDER.len());
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| rank(name));
            text.push('{');
            for (index, (name, value)) in members.into_iter().enumerate() {
                text.push_str(if index == 0 { "" } else { "," });
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                print(value, text);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                text.push_str(if index == 0 { "" } else { "," });
                print(item, text);
            }
            text.push(']');
        }
        plain => text.push_str(&plain.to_string()),
    }
}
