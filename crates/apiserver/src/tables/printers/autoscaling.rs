//! Columns of the group autoscaling.

use serde_json::Value;

use super::row::{PrintedObject, first, plain};
use super::{AGE, NAME, Printer, text};

pub(super) static AUTOSCALER: Printer = Printer {
    columns: &[NAME, text("Reference"), text("Targets"), text("MinPods"), text("MaxPods"), text("Replicas"), AGE],
    cells: |row| {
        let reference = format!("{}/{}", row.str("/spec/scaleTargetRef/kind"), row.str("/spec/scaleTargetRef/name"));
        let least = row.at("/spec/minReplicas").map_or_else(|| "<unset>".to_owned(), plain);
        vec![
            row.name(),
            reference.into(),
            targets(row).into(),
            least.into(),
            row.int("/spec/maxReplicas").into(),
            row.int("/status/currentReplicas").into(),
            row.age(),
        ]
    },
};

/// Returns the current and wanted value of each metric, of at most two of them.
fn targets(row: &PrintedObject<'_>) -> String {
    let current = row.list("/status/currentMetrics");
    let target = |(index, metric): (usize, &Value)| {
        let source = metric["type"].as_str().unwrap_or_default();
        let key = format!("{}{}", source.get(..1).unwrap_or_default().to_lowercase(), source.get(1..).unwrap_or_default());
        let wanted = &metric[&key]["target"];
        let now = current.get(index).map_or(&Value::Null, |current| &current[&key]["current"]);
        let shown = |value: &Value, suffix: &str| {
            if value.is_null() { "<unknown>".to_owned() } else { format!("{}{suffix}", plain(value)) }
        };
        let name =
            metric[&key]["name"].as_str().filter(|_| source == "Resource").map(|name| format!("{name}: ")).unwrap_or_default();
        if wanted.get("averageUtilization").is_some() {
            format!("{name}{}/{}", shown(&now["averageUtilization"], "%"), shown(&wanted["averageUtilization"], "%"))
        } else if wanted.get("averageValue").is_some() {
            let average = if source == "Resource" { "" } else { " (avg)" };
            format!("{name}{}/{}{average}", shown(&now["averageValue"], ""), shown(&wanted["averageValue"], ""))
        } else {
            format!("{name}{}/{}", shown(&now["value"], ""), shown(&wanted["value"], ""))
        }
    };
    let metrics = row.list("/spec/metrics");
    if !metrics.is_empty() {
        let texts: Vec<_> = metrics.iter().enumerate().map(target).collect();
        let more = texts.len().saturating_sub(2);
        return if more > 0 { first(texts, 2).replace(',', ", ") } else { texts.join(", ") };
    }
    // Version 1 has a single target, the CPU utilization.
    match row.at("/spec/targetCPUUtilizationPercentage") {
        None => "<none>".to_owned(),
        Some(wanted) => {
            let now = row
                .at("/status/currentCPUUtilizationPercentage")
                .map_or_else(|| "<unknown>".to_owned(), |now| format!("{}%", plain(now)));
            format!("cpu: {now}/{}%", plain(wanted))
        }
    }
}
