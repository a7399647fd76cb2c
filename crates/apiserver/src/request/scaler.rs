//! HorizontalPodAutoscalers of autoscaling/v1: what that version has no fields for stands in annotations, so that a client which knows no
//! other loses nothing (KND-6).

use kubewright_machinery::object::ObjectExt as _;
use serde_json::{Map, Value, json};

const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
const CURRENT_METRICS: &str = "autoscaling.alpha.kubernetes.io/current-metrics";
const CONDITIONS: &str = "autoscaling.alpha.kubernetes.io/conditions";
const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";

/// Members of what stands in the annotations, in the order in which Go prints them.
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

/// Whether a metric says what is wanted, or what is there: the names differ.
#[derive(Clone, Copy)]
struct Side {
    /// The member with the amounts, in version 2.
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

/// Turns an object of version 2 into one of version 1.
pub(super) fn to_v1(object: &mut Value) {
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

/// Turns an object of version 1 into one of version 2. An annotation that cannot be read says nothing.
pub(super) fn to_v2(object: &mut Value) {
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

/// The percentage of the first metric of processors.
fn of_processor(metrics: &[Value], side: Side) -> Option<Value> {
    let metric = metrics.iter().find(|metric| is_processor(metric))?;
    Some(utilization(metric, side).clone()).filter(|percentage| !percentage.is_null())
}

/// The member of a metric that its type names.
fn source(metric: &Value) -> Option<(&'static str, &Value)> {
    let members = ["object", "pods", "resource", "containerResource", "external"];
    members.into_iter().find_map(|member| Some((member, metric.get(member)?)))
}

/// A metric as version 1 writes it.
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

/// A metric as version 2 writes it.
fn new_metric(metric: &Value, side: Side) -> Value {
    let mut new = json!({"type": metric["type"]});
    let Some((member, source)) = source(metric) else { return new };
    let average = match member {
        "object" => &source["averageValue"],
        _ => &source[side.average_value],
    };
    let mut amounts =
        json!({"averageUtilization": source[side.utilization], "averageValue": average, "value": source[side.value]});
    // An average that is wanted of an object leaves its value at zero.
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

/// Members of a behaviour in version 2, and as Go names them.
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

/// The JSON of Go: members in the order of its types, and what means something in HTML escaped.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn scaler() -> Value {
        let utilization = |percentage: i64| json!({"type": "Utilization", "averageUtilization": percentage});
        let average = |value: &str| json!({"type": "AverageValue", "averageValue": value});
        let described = json!({"apiVersion": "v1", "kind": "Service", "name": "s"});
        let metrics = json!([
            {"type": "Resource", "resource": {"name": "memory", "target": average("1Gi")}},
            {"type": "Pods", "pods": {"metric": {"name": "q", "selector": {"matchLabels": {"a": "b"}}}, "target": average("10")}},
            {"type": "Object", "object": {"describedObject": described, "metric": {"name": "hits"}, "target": {"type": "Value", "value": "100"}}},
            {"type": "External", "external": {"metric": {"name": "ext"}, "target": average("3")}},
            {"type": "ContainerResource", "containerResource": {"name": "memory", "container": "c", "target": utilization(70)}},
            {"type": "Resource", "resource": {"name": "cpu", "target": utilization(50)}},
        ]);
        let policies = json!([{"type": "Percent", "value": 100, "periodSeconds": 15}]);
        let down = json!({"stabilizationWindowSeconds": 10, "selectPolicy": "Max", "policies": policies});
        let current = json!([
            {"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": 40, "averageValue": "5m"}}},
            {"type": "Resource", "resource": {"name": "memory", "current": {"averageValue": "5"}}},
        ]);
        let condition = json!({
            "type": "AbleToScale", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z", "reason": "r", "message": "m",
        });
        json!({
            "metadata": {"name": "h"},
            "spec": {"maxReplicas": 5, "metrics": metrics, "behavior": {"scaleDown": down}},
            "status": {"currentMetrics": current, "conditions": [condition]},
        })
    }

    // KND-6
    #[test]
    fn the_older_version_keeps_in_annotations_what_it_has_no_fields_for() {
        let mut old = scaler();
        to_v1(&mut old);
        assert_eq!(old["spec"], json!({"maxReplicas": 5, "targetCPUUtilizationPercentage": 50}));
        assert_eq!(old["status"], json!({"currentCPUUtilizationPercentage": 40}));
        // As the real server prints them.
        assert_eq!(
            old["metadata"]["annotations"],
            json!({
                METRICS: concat!(
                    r#"[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}},"#,
                    r#"{"type":"Pods","pods":{"metricName":"q","targetAverageValue":"10","selector":{"matchLabels":{"a":"b"}}}},"#,
                    r#"{"type":"Object","object":{"target":{"kind":"Service","name":"s","apiVersion":"v1"},"metricName":"hits","targetValue":"100"}},"#,
                    r#"{"type":"External","external":{"metricName":"ext","targetAverageValue":"3"}},"#,
                    r#"{"type":"ContainerResource","containerResource":{"name":"memory","targetAverageUtilization":70,"container":"c"}}]"#,
                ),
                BEHAVIOR: concat!(
                    r#"{"ScaleUp":null,"ScaleDown":{"StabilizationWindowSeconds":10,"SelectPolicy":"Max","#,
                    r#""Policies":[{"Type":"Percent","Value":100,"PeriodSeconds":15}],"Tolerance":null}}"#,
                ),
                CURRENT_METRICS: concat!(
                    r#"[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":40,"currentAverageValue":"5m"}},"#,
                    r#"{"type":"Resource","resource":{"name":"memory","currentAverageValue":"5"}}]"#,
                ),
                CONDITIONS: r#"[{"type":"AbleToScale","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z","reason":"r","message":"m"}]"#,
            })
        );
    }

    // KND-6
    #[test]
    fn nothing_is_lost_on_the_way_to_the_older_version_and_back() {
        let mut object = scaler();
        to_v1(&mut object);
        to_v2(&mut object);
        assert_eq!(object, scaler());
    }

    // KND-6
    #[test]
    fn annotations_that_cannot_be_read_say_nothing() {
        let mut object = json!({
            "metadata": {"annotations": {METRICS: "[", BEHAVIOR: "7", CONDITIONS: "{}", "x": "y"}},
            "spec": {"targetCPUUtilizationPercentage": 50},
            "status": {},
        });
        to_v2(&mut object);
        assert_eq!(object["metadata"], json!({"annotations": {"x": "y"}}));
        assert_eq!(object["spec"]["metrics"].as_array().unwrap().len(), 1);
        assert_eq!((&object["status"], &object["spec"]["behavior"]), (&json!({}), &Value::Null));
    }
}
