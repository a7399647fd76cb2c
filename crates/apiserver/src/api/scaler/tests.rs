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
fn the_conversion_to_v1_keeps_fields_absent_from_v1_in_annotations() {
    let mut old = scaler();
    to_v1(&mut old);
    assert_eq!(old["spec"], json!({"maxReplicas": 5, "targetCPUUtilizationPercentage": 50}));
    assert_eq!(old["status"], json!({"currentCPUUtilizationPercentage": 40}));
    // The real server prints the annotations in this form.
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
fn an_autoscaler_loses_no_fields_in_the_conversion_to_v1_and_back() {
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
