//! The report of a failed expectation: what was expected, the last state seen, the events, the last requests.

use std::fmt::Write as _;
use std::time::Duration;

use k8s_openapi::api::events::v1::Event;
use kube::api::{Api, ListParams};
use serde_json::Value;

use crate::TestCluster;

/// The number of requests printed at the end of a report.
const TAIL: usize = 20;

pub(crate) async fn expectation(
    cluster: &TestCluster,
    subject: &str,
    what: &str,
    patience: Duration,
    last: Option<&Option<Value>>,
    namespace: &str,
    name: &str,
) -> String {
    let mut text = format!("expected of {subject} within {patience:?} that {what}\n");
    match last {
        None => text.push_str("it could not be read\n"),
        Some(None) => text.push_str("it does not exist\n"),
        Some(Some(object)) => {
            let mut object = object.clone();
            if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
                metadata.remove("managedFields");
            }
            let yaml = kubewright_machinery::yaml::to_string(&object);
            let _ = writeln!(text, "last seen:\n{}", indent(&yaml));
        }
    }
    text.push_str(&events(cluster, namespace, name).await);
    text.push_str(&requests(cluster));
    text
}

async fn events(cluster: &TestCluster, namespace: &str, name: &str) -> String {
    let api: Api<Event> = Api::namespaced(cluster.client().clone(), namespace);
    let Ok(list) = api.list(&ListParams::default()).await else {
        return "events: not readable\n".to_owned();
    };
    let about = |event: &&Event| event.regarding.as_ref().is_some_and(|regarding| regarding.name.as_deref() == Some(name));
    let lines: Vec<String> = list
        .items
        .iter()
        .filter(about)
        .map(|event| {
            let part = |part: &Option<String>| part.clone().unwrap_or_default();
            format!("  {} {}: {}", part(&event.type_), part(&event.reason), part(&event.note))
        })
        .collect();
    if lines.is_empty() { "events: none\n".to_owned() } else { format!("events:\n{}\n", lines.join("\n")) }
}

fn requests(cluster: &TestCluster) -> String {
    let records = cluster.journal().all();
    let skipped = records.len().saturating_sub(TAIL);
    let lines: Vec<String> = records.iter().skip(skipped).map(|record| format!("  {record}")).collect();
    if lines.is_empty() {
        "requests of operators: none\n".to_owned()
    } else {
        format!("last requests of operators:\n{}\n", lines.join("\n"))
    }
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}
