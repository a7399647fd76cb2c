//! Objects without the values that differ from run to run.

use kubewright_machinery::object::ObjectExt as _;
use serde_json::Value;

use super::Scenario;
use crate::TestCluster;

/// The placeholder for the namespace of a run. On a shared server each run has its own namespace, and perhaps an API group named after it.
pub(super) const ANY: &str = "namespace";

/// Returns an object, by its title, in the form that can be compared with that of another run.
pub(super) fn normal(scenario: &impl Scenario, cluster: &TestCluster, live: &Value) -> (String, Value) {
    let object = scenario.comparable(live, shortened(live));
    let title = live.title();
    if cluster.is_embedded() {
        return (title, object);
    }
    let text = object.to_string().replace(cluster.namespace(), ANY);
    let text = scenario.computed(live).iter().fold(text, |text, computed| text.replace(computed, "computed"));
    (title.replace(cluster.namespace(), ANY), serde_json::from_str(&text).unwrap_or(object))
}

fn shortened(live: &Value) -> Value {
    let mut object = live.clone();
    let managers = managers(live);
    let metadata = object.metadata_mut();
    for field in ["uid", "resourceVersion", "creationTimestamp", "managedFields", "generation", "selfLink"] {
        metadata.remove(field);
    }
    metadata.insert("managers".to_owned(), managers);
    object
}

/// Returns the field managers of an object, each with its operation.
fn managers(live: &Value) -> Value {
    let entries = live["metadata"]["managedFields"].as_array().into_iter().flatten();
    let mut managers: Vec<String> = entries
        .filter(|entry| entry["subresource"].is_null())
        .map(|entry| format!("{} {}", entry["manager"], entry["operation"]))
        .collect();
    managers.sort_unstable();
    managers.into()
}
